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

if TYPE_CHECKING:
    from bayplan.table.snapshot import Snapshot

LIMIT = 1 << 20
"""Changes that can be undone; the oldest half is forgotten past this."""


class Family:
    """All workloads that differ only by name and size: who counts them, and whom they keep away."""

    __slots__ = ("class_id", "holder_ids")

    def __init__(self, class_id: int, holder_ids: tuple[int, ...]):
        self.class_id, self.holder_ids = class_id, holder_ids


class Kind:
    """All workloads that differ only by name, in the terms of the table."""

    __slots__ = ("amounts", "class_id", "family", "holder_ids", "requests", "workload")

    def __init__(self, workload: Workload, amounts: tuple[tuple[int, float], ...], family: Family):
        self.workload = workload
        self.requests = workload.requests
        self.amounts = amounts
        self.family = family
        self.class_id, self.holder_ids = family.class_id, family.holder_ids


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
        snapshot.write(self.row, self.after, self.before)


Entry = Placement | Released | Changed


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
