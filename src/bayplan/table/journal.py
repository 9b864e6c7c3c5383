"""The journal: every change as something that can be undone.

`version` counts changes. Undoing back to a version restores exactly that state, which serves three
purposes with one mechanism: a gang that does not fit leaves no trace, a fork can be wound back, and
an explanation is computed from the state in which its decision was taken.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from bayplan.model.node import Node
from bayplan.model.workload import Workload
from bayplan.table import rows
from bayplan.table.kinds import Kind

if TYPE_CHECKING:
    from bayplan.table.snapshot import Snapshot

LIMIT = 1 << 20
"""Changes that can be undone; the oldest half is forgotten past this."""


class Placement(NamedTuple):
    """One resident: who, of which kind, where, on which devices (resource, positions), and the
    version of the state in which it was put there. In the journal it stands for its own arrival."""

    id: str
    kind: Kind
    row: int
    devices: tuple[tuple[str, tuple[int, ...]], ...] = ()
    version: int = 0

    @property
    def workload(self) -> Workload:
        return self.kind.workload.named(self.id.rpartition("/")[2])

    def undo(self, snapshot: Snapshot) -> None:
        snapshot.unseat(self)


@dataclass(frozen=True, slots=True)
class Released:
    placement: Placement

    def undo(self, snapshot: Snapshot) -> None:
        snapshot.seat(self.placement)


@dataclass(frozen=True, slots=True)
class Changed:
    """A node came (before is None), went (after is None) or became another."""

    row: int
    before: Node | None
    after: Node | None

    def undo(self, snapshot: Snapshot) -> None:
        rows.write(snapshot, self.row, self.after, self.before)


class Marked:
    """Nothing changed in the table, but before and after are to be told apart."""

    __slots__ = ()

    def undo(self, snapshot: Snapshot) -> None:
        """There is nothing to undo."""


Entry = Placement | Released | Changed | Marked


class Journal:
    """`version` counts the changes; those since `oldest` can be undone."""

    __slots__ = ("_entries", "version")

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self.version = 0

    @property
    def oldest(self) -> int:
        return self.version - len(self._entries)

    def write(self, entry: Entry) -> None:
        self._entries.append(entry)
        self.version += 1
        if len(self._entries) > LIMIT:
            del self._entries[: len(self._entries) // 2]

    def write_all(self, entries: list[Placement]) -> None:
        self._entries.extend(entries)
        self.version += len(entries)
        if len(self._entries) > LIMIT:
            del self._entries[: len(self._entries) // 2]

    def take_last(self) -> Entry:
        self.version -= 1
        return self._entries.pop()

    def copy(self) -> Journal:
        twin = Journal()
        twin._entries, twin.version = self._entries.copy(), self.version
        return twin
