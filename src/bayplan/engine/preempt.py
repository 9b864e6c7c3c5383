"""Preemption plans: who would have to go. Never done silently; the caller decides.

For every node that only load keeps away: take all lower-priority residents off, see whether the
workload fits, then let them back in, most important first, as long as it still fits. Who cannot come
back is a victim. Of all nodes the one is chosen whose victims are least important and fewest:

    fewest        highest priority among the victims, number of victims, sum of priorities, tie order
    kubernetes    highest priority among the victims, sum of (priority + 2^31), number of victims, the node whose most
                  important victims began last, tie order (disruption budgets are not known here)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bayplan.engine.gang import member_query
from bayplan.engine.pipeline import Pipeline
from bayplan.engine.policy import Policy
from bayplan.engine.query import Query
from bayplan.model.group import Group, Request, members
from bayplan.table.journal import Placement
from bayplan.table.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Preemption:
    """`workload` (or every member of the group of that name) would fit if the victims left."""

    workload: str
    nodes: tuple[str, ...]
    victims: tuple[str, ...]
    highest_priority: int
    fallback: int = 0
    """The alternative of the request it would be."""

    @property
    def node(self) -> str:
        """Where it would run; of a group, where the first member would."""
        return self.nodes[0]

    def __str__(self) -> str:
        return f"{self.workload} fits on {', '.join(self.nodes)} if {', '.join(self.victims)} left"

    def as_json(self) -> dict[str, object]:
        return {
            "workload": self.workload,
            "nodes": list(self.nodes),
            "victims": list(self.victims),
            "highest_priority": self.highest_priority,
            "fallback": self.fallback,
        }


def plan_preemption(pipeline: Pipeline, request: Request) -> Preemption | None:
    """The cheapest set of lower-priority residents that would have to go, for the first alternative of the
    request that has one; None where nobody has to go, or nobody's going would help. Changes nothing."""
    snapshot = pipeline.snapshot
    start, name = snapshot.version, request.name if isinstance(request, Group) else request.id
    alternatives: Iterable[Request] = request.alternatives()
    plan: Preemption | None = None
    for number, alternative in enumerate(alternatives):
        victims: list[Placement] = []
        seats = _make_way(pipeline, alternative, victims)
        snapshot.undo_to(start)
        if seats is not None and not victims:
            return None  # it fits as things are
        if seats is not None and plan is None:
            highest = max(one.kind.workload.priority for one in victims)
            plan = Preemption(name, seats, tuple(sorted(one.id for one in victims)), highest, number)
    return plan


def _make_way(pipeline: Pipeline, request: Request, victims: list[Placement]) -> tuple[str, ...] | None:
    """Place the request member by member, evicting where one finds no node; the nodes, in order."""
    snapshot, nodes = pipeline.snapshot, []
    fellows = {member.id for member in members(request)}
    for member in members(request):
        query = member_query(pipeline, request, member) if isinstance(request, Group) else pipeline.query(member)
        best = pipeline.search(query)
        row = None if best is None else best[0]
        if row is None:
            found = _cheapest(snapshot, query, request.priority, fellows)
            if found is None:
                return None
            row, gone = found
            for one in gone:
                snapshot.release(one.id)
            victims += gone
        snapshot.place_kind(member.id, query.kind, row)
        nodes.append(str(snapshot.names[row]))
    return tuple(nodes)


def _cheapest(snapshot: Snapshot, query: Query, priority: int, fellows: set[str]) -> tuple[int, list[Placement]] | None:
    """The row whose victims are least important and fewest, and those victims."""
    best: tuple[tuple[int, ...], list[Placement]] | None = None
    for row, lower in _candidates(snapshot, query, priority, fellows):
        gone = _victims(snapshot, query, row, lower)
        if gone is None:
            continue
        cost = (*_cost(gone, query.policy), row)
        if best is None or cost < best[0]:
            best = (cost, gone)
    return None if best is None else (best[0][-1], best[1])


def _cost(gone: list[Placement], policy: Policy) -> tuple[int, ...]:
    priorities = [one.kind.workload.priority for one in gone]
    highest = max(priorities)
    if policy.victims == "fewest":
        return highest, len(gone), sum(priorities)
    began = min(one.version for one, priority in zip(gone, priorities, strict=True) if priority == highest)
    return highest, sum(priority + 2**31 for priority in priorities), len(gone), -began


def _candidates(snapshot: Snapshot, query: Query, priority: int, fellows: set[str]) -> Iterator[tuple[int, list[Placement]]]:
    """Rows where giving back what lower-priority residents hold would cover the request; never what fellow
    members of the group hold, who were seated a moment ago."""
    for row, guests in list(snapshot.guests.items()):
        lower = [one for one in guests if one.kind.workload.priority < priority and one.id not in fellows]
        if not lower or not snapshot.alive.cell[row]:
            continue
        back = {at: sum(dict(one.kind.amounts).get(at, 0.0) for one in lower) for at, _ in query.kind.limited}
        if all(snapshot.free[at].cell[row] + back[at] >= amount for at, amount in query.kind.limited):
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
