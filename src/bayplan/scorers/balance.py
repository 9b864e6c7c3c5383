"""Balance: use the resources of a node evenly, so that none is stranded by another running out.

score = 1 - standard deviation of (used + request) / capacity      over the listed resources the node has
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from bayplan.model.workload import Workload
from bayplan.table.column import Column
from bayplan.table.forms import Part
from bayplan.table.snapshot import Snapshot
from bayplan.table.terms import Formula, Ops, Pick


@dataclass(frozen=True, slots=True)
class Balance:
    resources: tuple[str, ...] = ("cpu", "memory")
    weight: float = 1.0
    name: str = "balance"

    def parts(self, snapshot: Snapshot, workload: Workload) -> list[Part]:
        columns: Inverses = snapshot.follow(("balance", self.resources), lambda: Inverses(snapshot, self.resources))
        request = {name: float(workload.requests.get(name, 0)) for name in self.resources}
        formula = partial(_evenness, snapshot, columns, request)
        return [Part(self.name, ", ".join(self.resources), Formula(formula, self.weight, 1.0), columns)]


def _evenness(snapshot: Snapshot, columns: Inverses, request: dict[str, float], pick: Pick, ops: Ops) -> Any:
    share = pick(columns.share)
    fractions, total = [], 0.0
    for name, inverse in columns.inverse.items():
        capacity, free = pick(snapshot.capacity_of(name)), pick(snapshot.free_of(name))
        # Where the node lacks the resource the inverse is 0, and so are request and fraction.
        fraction = (capacity - free + request[name]) * pick(inverse)
        fractions.append((fraction, pick(inverse)))
        total = total + fraction
    mean = total * share
    squares = 0.0
    for fraction, inverse in fractions:
        off = fraction - mean
        squares = squares + off * off * (inverse > 0.0)
    return 1.0 - ops.sqrt(squares * share)


class Inverses:
    """1 / capacity per resource (0 where a node has none) and 1 / how many of the resources it has."""

    def __init__(self, snapshot: Snapshot, resources: tuple[str, ...]):
        self._snapshot = snapshot
        self.inverse = {name: Column.of(snapshot.room, np.float64) for name in resources}
        self.share = Column.of(snapshot.room, np.float64)
        self._node_version = -1

    def catch_up(self) -> None:
        if self._node_version == self._snapshot.node_version:
            return
        present = np.zeros(self._snapshot.room)
        for name, column in self.inverse.items():
            capacity = self._snapshot.capacity_of(name).data
            column.data[:] = np.where(capacity > 0, 1.0 / np.maximum(capacity, 1.0), 0.0)
            present += capacity > 0
        self.share.data[:] = 1.0 / np.maximum(present, 1.0)
        self._node_version = self._snapshot.node_version
