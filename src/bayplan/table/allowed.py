"""Counts of residents of some rows only: those a workload could use itself."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Protocol

from bayplan.table.column import Bools
from bayplan.table.index import LabelColumn
from bayplan.table.tally import SparseCounts, Tally


class Allowed(Protocol):
    """Which rows count. It changes only with nodes: `seen` is the node version it is up to date with."""

    key: Hashable
    seen: int
    rows: Bools

    @property
    def current(self) -> bool: ...
    def catch_up(self) -> None: ...


class AllowedTally(Tally):
    """Follows residents one by one, and counts anew when the rows that are allowed change."""

    __slots__ = ("_allowed", "_seen", "rows_with")

    def __init__(self, label: LabelColumn, allowed: Allowed):
        super().__init__(label)
        self._allowed, self._seen = allowed, -1
        self.rows_with: Callable[[], Iterable[tuple[int, int]]] = tuple
        """All rows with residents that match, and how many."""

    @property
    def current(self) -> bool:
        """Is everything counted that may be?"""
        return self._allowed.current and self._seen == self._allowed.seen

    def allows(self, row: int) -> bool:
        return bool(self._allowed.rows[row])

    def add(self, row: int, change: int) -> None:
        if not self._allowed.current:
            self._seen = -1  # it is all counted anew before it is read
        elif self._seen == self._allowed.seen and self._allowed.rows[row]:
            super().add(row, change)

    def catch_up(self) -> None:
        self._allowed.catch_up()
        if self._seen == self._allowed.seen:
            return
        self.total = self.lacking = 0
        self.losses += 1
        if self.sparse is None:
            self.dense[:] = 0
        else:
            self.sparse = SparseCounts()
        for row, count in self.rows_with():
            if self._allowed.rows[row]:
                super().add(row, count)
        self._seen = self._allowed.seen
