"""What pods on each node have requested, as columns that follow the change log: what is left per resource, and how
evenly the node is used without the newcomer.

    hundreds    100 * (capacity - requested), as whole numbers, where pods are counted as scorers count them
    used        capacity - free
    evenness    int(100 * (1 - standard deviation of used / capacity)), see balanced.py
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from bayplan.model.workload import Workload
from bayplan.scorers.usage import Sizes
from bayplan.table.column import Column
from bayplan.table.snapshot import Snapshot
from bayplan.table.terms import ARRAYS, NUMBERS, Ops, Pick

COUNTED_AS = {"cpu": "counted-cpu", "memory": "counted-memory"}
ALWAYS = ("cpu", "memory", "ephemeral-storage")
"""These are scored even if a pod requests none of them; all others are scalar resources to Kubernetes."""
MANY_ROWS = 64
"""After so many changes all rows at once are quicker."""


class Kept:
    """A column that a formula over other columns fills, row by row as they change."""

    def __init__(self, snapshot: Snapshot, sizes: Sizes, formula: Callable[[Pick, Ops], Any]):
        self.column = Column.of(snapshot.room, np.float64)
        self.sizes = sizes
        self._snapshot, self._formula = snapshot, formula
        self._read_to = self._node_version = -1

    def catch_up(self) -> None:
        snapshot, log = self._snapshot, self._snapshot.log
        self.sizes.catch_up()
        if self._read_to == log.end and self._node_version == snapshot.node_version:
            return
        rows = log.since(self._read_to) if self._node_version == snapshot.node_version else None
        if rows is None or len(rows) > MANY_ROWS:
            self.column.data[:] = self._formula(lambda column: column.data, ARRAYS)
        else:
            for row in rows:
                self.column.cell[row] = self._formula(lambda column, at=row: column.cell[at], NUMBERS)  # type: ignore[misc]
        self._read_to, self._node_version = log.end, snapshot.node_version


def sizes_of(snapshot: Snapshot, names: Sequence[str]) -> Sizes:
    found: Sizes = snapshot.follow(("sizes", tuple(names)), lambda: Sizes(snapshot, names))
    return found


def counted_as(snapshot: Snapshot, workload: Workload, name: str) -> str:
    """Where scorers look up how much of a resource is requested: where nobody is counted otherwise, in the requests."""
    column = COUNTED_AS.get(name, name)
    return column if column in snapshot.resources or column in workload.requests else name


def hundreds(snapshot: Snapshot, name: str, column: str) -> Kept:
    """100 * what is left of a resource, as counted in some column."""
    counted = column != name
    capacity, free = snapshot.capacity_of(name), snapshot.free_of(column)

    def left(pick: Pick, ops: Ops) -> Any:
        # What is only counted starts from nothing, so what is free of it is less than nothing by what is used.
        return (pick(capacity) + pick(free)) * 100.0 if counted else pick(free) * 100.0

    found: Kept = snapshot.follow(("hundreds", name, column), lambda: Kept(snapshot, sizes_of(snapshot, (name,)), left))
    return found


def used(snapshot: Snapshot, name: str) -> Kept:
    capacity, free = snapshot.capacity_of(name), snapshot.free_of(name)

    def taken(pick: Pick, ops: Ops) -> Any:
        return pick(capacity) - pick(free)

    found: Kept = snapshot.follow(("used", name), lambda: Kept(snapshot, sizes_of(snapshot, (name,)), taken))
    return found
