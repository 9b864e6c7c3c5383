"""Preemption plans: who would have to go. Never done silently; the caller decides.

For every node that only load keeps away: take all lower-priority residents off, see whether the
workload fits, then let them back in, most important first, as long as it still fits. Who cannot come
back is a victim. Of all nodes the one is chosen whose victims are least important and fewest:

    order: highest priority among the victims, number of victims, sum of priorities, tie order
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bayplan.engine.pipeline import Pipeline
from bayplan.engine.query import Query
from bayplan.model.workload import Workload
from bayplan.table.journal import Placement
from bayplan.table.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Preemption:
    """`workload` would fit on `node` if the victims left."""

    workload: str
    node: str
    victims: tuple[str, ...]
    highest_priority: int

    def __str__(self) -> str:
        return f"{self.workload} fits on {self.node} if {', '.join(self.victims)} left"

    def as_json(self) -> dict[str, object]:
        return {
            "workload": self.workload,
            "node": self.node,
            "victims": list(self.victims),
            "highest_priority": self.highest_priority,
        }


def plan_preemption(pipeline: Pipeline, workload: Workload) -> Preemption | None:
    """The cheapest set of lower-priority residents that would have to go, or None. Changes nothing."""
    snapshot = pipeline.snapshot
    if any(pipeline.query(one).mask().any() for one in workload.alternatives()):
        return None  # it fits as things are: nobody has to go
    query = pipeline.query(workload)
    best: tuple[tuple[int, int, int, int], list[Placement]] | None = None
    for row, lower in _candidates(snapshot, query, workload.priority):
        victims = _victims(snapshot, query, row, lower)
        if victims is None:
            continue
        priorities = [one.kind.workload.priority for one in victims]
        cost = (max(priorities), len(victims), sum(priorities), row)
        if best is None or cost < best[0]:
            best = (cost, victims)
    if best is None:
        return None
    cost, victims = best
    node = snapshot.names[cost[3]]
    assert node is not None
    return Preemption(workload.id, node, tuple(sorted(one.id for one in victims)), cost[0])


def _candidates(snapshot: Snapshot, query: Query, priority: int) -> Iterator[tuple[int, list[Placement]]]:
    """Rows where giving back what lower-priority residents hold would cover the request."""
    for row, guests in list(snapshot.guests.items()):
        lower = [one for one in guests.values() if one.kind.workload.priority < priority]
        if not lower or not snapshot.alive.cell[row]:
            continue
        back = {at: sum(dict(one.kind.amounts).get(at, 0.0) for one in lower) for at, _ in query.kind.amounts}
        if all(snapshot.free[at].cell[row] + back[at] >= amount for at, amount in query.kind.amounts):
            yield row, lower


def _victims(snapshot: Snapshot, query: Query, row: int, lower: list[Placement]) -> list[Placement] | None:
    start = snapshot.version
    for one in lower:
        snapshot.release(one.id)
    victims: list[Placement] | None = None
    if query.passes(row):
        victims = []
        for one in sorted(lower, key=lambda guest: (-guest.kind.workload.priority, guest.version)):
            before = snapshot.version
            snapshot.reseat(one)
            if query.passes(row):
                continue
            snapshot.undo_to(before)
            victims.append(one)
    snapshot.undo_to(start)
    return victims or None
