"""Scarcity: stay off nodes that hold scarce resources, so that those who need them find room.

    score = 1 - sum(w_r of the scarce resources the node has) / sum(w_r)
            0 where the node has none of something the workload requests

Whoever requests a scarce resource finds it on all nodes it fits on, so the score keeps only the others away.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from bayplan.errors import wrong
from bayplan.model.workload import Workload
from bayplan.table.column import Column
from bayplan.table.forms import Part
from bayplan.table.snapshot import Snapshot
from bayplan.table.terms import Weighs


@dataclass(frozen=True, slots=True)
class Scarcity:
    resources: tuple[tuple[str, float], ...] = ()
    """Scarce resources and how scarce they are."""
    weight: float = 1.0
    total: float | None = None
    """What the weights are divided by, where that is not their sum."""
    name: str = "scarcity"

    def __post_init__(self) -> None:
        names = [name for name, _ in self.resources]
        for name, weight in self.resources:
            if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 <= weight < float("inf"):
                raise wrong(f"{weight!r} is not a weight", f"scarcity.resources.{name}", "0, or a number above it")
            if names.count(name) > 1:
                raise wrong(f"{name!r} is listed twice", "scarcity.resources")

    def parts(self, snapshot: Snapshot, workload: Workload) -> list[Part]:
        if not self.resources:
            return []
        total = sum(weight for _, weight in self.resources) if self.total is None else self.total
        key = ("scarcity", self.resources, total, frozenset(workload.requests))
        kept: Retention = snapshot.follow(key, lambda: Retention(snapshot, self.resources, total, frozenset(workload.requests)))
        topic = "without " + ", ".join(name for name, _ in self.resources)
        return [Part(self.name, topic, Weighs(kept.column, self.weight), kept, partial(kept.detail, self.weight))]


class Retention:
    """The score of every node for those who request certain resources. It changes only with nodes."""

    def __init__(self, snapshot: Snapshot, scarce: tuple[tuple[str, float], ...], total: float, requested: frozenset[str]):
        self._snapshot, self._scarce, self._total, self._requested = snapshot, scarce, total, requested
        self.column = Column.of(snapshot.room, np.float64)
        self._node_version = -1

    def catch_up(self) -> None:
        snapshot = self._snapshot
        if self._node_version == snapshot.node_version:
            return
        held = np.zeros(snapshot.room)
        for name, weight in self._scarce:
            held += weight * (snapshot.capacity_of(name).data > 0)
        kept = 1.0 - held / self._total if self._total > 0 else np.zeros(snapshot.room)
        for name in self._requested:
            kept *= snapshot.capacity_of(name).data > 0
        self.column.data[:] = kept
        self._node_version = snapshot.node_version

    def detail(self, weight: float, row: int) -> list[tuple[str, float]]:
        """Each scarce resource that the node does not have adds its share."""
        snapshot = self._snapshot
        serves = self._total > 0 and all(snapshot.capacity_of(name).cell[row] > 0 for name in self._requested)
        per_weight = weight / self._total if serves else 0.0
        has = {name: snapshot.capacity_of(name).cell[row] > 0 for name, _ in self._scarce}
        found = [(f"without {name}", 0.0 if has[name] else scarce * per_weight) for name, scarce in self._scarce]
        beyond = self._total - sum(scarce for _, scarce in self._scarce)
        # What the divisor has beyond the weights, or lacks, counts alike on every node.
        return [*found, ("on every node", beyond * per_weight)] if beyond else found
