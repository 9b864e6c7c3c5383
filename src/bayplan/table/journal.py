"""The journal: every change as something that can be undone.

`version` counts changes. Undoing back to a version restores exactly that state, which serves three
purposes with one mechanism: a gang that does not fit leaves no trace, a fork can be wound back, and
an explanation is computed from the state in which its decision was taken.
"""

from __future__ import annotations

from collections.abc import Iterable
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
    __slots__ = ("_entries", "_start")

    def __init__(self, start: int = 0) -> None:
        self._entries: list[Entry] = []
        self._start = start

    @property
    def version(self) -> int:
        return self._start + len(self._entries)

    @property
    def oldest(self) -> int:
        """The oldest version that can still be restored."""
        return self._start

    def write(self, entry: Entry) -> None:
        self._entries.append(entry)
        if len(self._entries) > LIMIT:
            self._forget()

    def write_all(self, entries: Iterable[Entry]) -> None:
        self._entries.extend(entries)
        self._forget()

    def _forget(self) -> None:
        if len(self._entries) > LIMIT:
            drop = len(self._entries) // 2
            del self._entries[:drop]
            self._start += drop

    def take_last(self) -> Entry:
        return self._entries.pop()

    def copy(self) -> Journal:
        twin = Journal(self._start)
        twin._entries = self._entries.copy()
        return twin
