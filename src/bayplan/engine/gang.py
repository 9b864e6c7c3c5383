"""Groups: all members are placed or nothing changes; other alternatives in order.

The group's own members are counted per domain in a tally of its own, and its strategy is one more
rule over that tally:

    STRICT_SPREAD   a domain with a member takes no other        hard
    STRICT_PACK     all members in the domain of the first       hard
    SPREAD          -10 for every member already in the domain   a wish that outweighs packing
    PACK            +10 for a domain that has a member           a wish that outweighs packing

Members are placed in order, each on its best node. Where one finds none, the one before tries its
next best, and so on: a complete search for small groups, cut off after `BUDGET` placements.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from bayplan.engine.pipeline import Pipeline
from bayplan.engine.query import Query
from bayplan.model.decision import No, Reason
from bayplan.model.group import Group, Strategy
from bayplan.model.labels import EXISTS
from bayplan.model.neighbours import NODE
from bayplan.model.resources import COUNTED, render
from bayplan.model.workload import Workload
from bayplan.table.checks import MANY, Counted, Holds, Where
from bayplan.table.column import Bools, Floats, Rows
from bayplan.table.forms import Clause, Part
from bayplan.table.index import LabelColumn
from bayplan.table.journal import Placement
from bayplan.table.snapshot import Snapshot
from bayplan.table.tally import Tally
from bayplan.table.terms import Graded

WISH = 10.0
BUDGET = 2_000


@dataclass(frozen=True, slots=True)
class Seat:
    """Where a member went, and under which of its own alternatives."""

    member: Workload
    placement: Placement
    score: float
    fallback: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """The seats of the alternative that was placed, or how far the search came."""

    alternative: int
    seats: tuple[Seat, ...]
    stuck: Workload | None = None
    """The member that found no node where the search came furthest."""


def place_group(pipeline: Pipeline, group: Group) -> Outcome:
    """Place the first alternative that fits whole; leave the snapshot as it was if none does."""
    first: Outcome | None = None
    for number, alternative in enumerate(group.alternatives()):
        attempt = Attempt(pipeline, alternative)
        seats = attempt.run()
        if seats is not None:
            return Outcome(number, seats)
        stuck = alternative.members[attempt.furthest]
        first = first or Outcome(0, (), stuck)
    assert first is not None
    return first


def member_query(pipeline: Pipeline, group: Group, member: Workload) -> Query:
    """A member compiled with the rule of its group, the others being where they are."""
    attempt = Attempt(pipeline, group)
    for other in group.members:
        placement = pipeline.snapshot.placements.get(other.id)
        if placement is not None and other.id != member.id:
            attempt.tally.add(placement.row, +1)
    return attempt.query(member)


class Attempt:
    """One alternative of a group, searched member by member."""

    def __init__(self, pipeline: Pipeline, group: Group):
        self.pipeline = pipeline
        self.snapshot = pipeline.snapshot
        self.group = group
        self.tally = Tally(self.snapshot.labels[group.by])
        self.budget = BUDGET
        self.furthest = 0
        self._queries: dict[tuple[object, ...], Query] = {}

    def run(self) -> tuple[Seat, ...] | None:
        start = self.snapshot.version
        seats: list[Seat] = []
        if self._seat_from(0, seats):
            return tuple(seats)
        self.snapshot.undo_to(start)
        return None

    def seat_greedily(self) -> list[Seat]:
        """Seat members in order, each on its best node, until one finds none."""
        seats: list[Seat] = []
        for index in range(len(self.group.members)):
            seat = next(self._choices(index), None)
            if seat is None:
                break
            seats.append(seat)
        return seats

    def _seat_from(self, index: int, seats: list[Seat]) -> bool:
        """Seat members index, index+1, ...: an explicit stack, since groups may be large."""
        stack = [self._choices(index)]
        while stack:
            seat = next(stack[-1], None)
            if seat is None:
                stack.pop()
                if seats and stack:
                    self._unseat(seats.pop())
                continue
            seats.append(seat)
            if len(seats) == len(self.group.members):
                return True
            stack.append(self._choices(len(seats)))
        return False

    def _choices(self, index: int) -> Iterator[Seat]:
        """The member on each node it could take, best first, under each of its own alternatives."""
        self.furthest = max(self.furthest, index)
        member = self.group.members[index]
        for number, alternative in enumerate(member.alternatives()):
            query = self.query(alternative, first=index == 0)
            best = self.pipeline.search(query)
            if best is None:
                continue
            yield self._seat(member, query, best, number)
            for found in self._others(query, best[0]):
                if self.budget <= 0:
                    return
                yield self._seat(member, query, found, number)

    def _others(self, query: Query, tried: int) -> Iterator[tuple[int, float]]:
        query.catch_up()
        rows = np.flatnonzero(query.mask())
        scores = query.scores()[rows]
        for at in np.argsort(-scores, kind="stable"):
            if rows[at] != tried:
                yield int(rows[at]), float(scores[at])

    def _seat(self, member: Workload, query: Query, best: tuple[int, float], fallback: int) -> Seat:
        self.budget -= 1
        placement = self.snapshot.place_kind(member.id, query.kind, best[0])
        self.tally.add(best[0], +1)
        return Seat(member, placement, best[1], fallback)

    def _unseat(self, seat: Seat) -> None:
        self.tally.add(seat.placement.row, -1)
        self.snapshot.undo_to(seat.placement.version)

    def query(self, member: Workload, first: bool = False) -> Query:
        """The member compiled with the group's rule; kept for members of the same kind."""
        key = (member.kind, first)
        found = self._queries.get(key)
        if found is None or not found.current:
            clauses, wishes = group_rule(self.snapshot, self.group, self.tally)
            if first and self.group.strategy is Strategy.STRICT_PACK:
                clauses = (*clauses, _roomy_domains(self.snapshot, self.group))
            found = self._queries[key] = self.pipeline.with_group(member, clauses, wishes)
        return found


def group_rule(snapshot: Snapshot, group: Group, tally: Tally) -> tuple[tuple[Clause, ...], tuple[Part, ...]]:
    """The strategy as a rule over the tally of members already seated."""
    if group.strategy is Strategy.ANY:
        return (), ()
    if group.strategy is Strategy.SPREAD:
        return (), (Part("group", "spread", Graded(tally, lambda counts: counts * -1.0, WISH, lambda: 0.0, 0.0)),)
    if group.strategy is Strategy.PACK:
        return (), (Part("group", "pack", Graded(tally, lambda counts: (counts > 0) * 1.0, WISH, lambda: 0.0, 1.0)),)
    if group.strategy is Strategy.STRICT_SPREAD:
        check = Counted(tally, lambda: (0, 0), False)
    else:
        check = Counted(tally, lambda: (min(1, tally.total), MANY), False, moves=True)
    hope = True if group.by == NODE else Holds(snapshot.statics.expression(group.by, EXISTS))
    return (Clause("group", check, hope, _reasons(snapshot, group, tally)),), ()


def _reasons(snapshot: Snapshot, group: Group, tally: Tally):  # type: ignore[no-untyped-def]
    by = "node" if group.by == NODE else group.by

    def reasons(row: int) -> tuple[Reason, ...]:
        facts = {"group": group.name, "strategy": group.strategy, "by": by}
        if not snapshot.labels[group.by].codes.cell[row]:
            return (
                Reason.of(
                    "group", group.strategy, No.NEVER, f"the group is placed by {by}, and the node has no such label", **facts
                ),
            )
        if group.strategy is Strategy.STRICT_SPREAD:
            sentence = f"another member of group {group.name!r} is already in this {by}"
        else:
            sentence = f"the other members of group {group.name!r} are in another {by}"
        return (Reason.of("group", group.strategy, No.BUSY, sentence, **facts),)

    return reasons


def _roomy_domains(snapshot: Snapshot, group: Group) -> Clause:
    """STRICT_PACK: only domains whose free amounts cover the whole group are worth a try. (It sums over the
    whole domain, which a row-local check must not where rankings are kept; for groups none are.)"""
    label = snapshot.labels[group.by]
    asked: Counter[str] = Counter()
    for member in group.members:
        choices = [alternative.requests for alternative in member.alternatives()]
        limited = [name for name in choices[0] if name not in COUNTED]
        asked.update({name: min(requests.get(name, 0) for requests in choices) for name in limited})

    def free(name: str) -> Floats:
        sums: Floats = np.bincount(label.codes.data, snapshot.free_of(name).data, len(label.values)).astype(np.float64)
        return sums

    def enough(rows: Rows) -> Bools:
        table = np.ones(len(label.values), np.bool_)
        for name, units in asked.items():
            table &= free(name) >= units
        table[0] = True  # nodes without the label are refused by the rule of the group, which says so
        return table.take(label.codes.data[rows])

    def reasons(row: int) -> tuple[Reason, ...]:
        return (_no_room(group, label, {name: (free(name), units) for name, units in asked.items() if units}),)

    return Clause("group", Where(enough), True, reasons)


def _no_room(group: Group, label: LabelColumn, amounts: Mapping[str, tuple[Floats, int]]) -> Reason:
    """Names the domain that comes nearest: where the scarcest resource covers most of what is asked."""
    covered = np.min([np.minimum(free / units, 1.0) for free, units in amounts.values()], axis=0)
    covered[np.array(label.sizes) == 0] = -1.0  # values that no node has any more
    covered[0] = -1.0
    best = int(covered.argmax())
    short = {name: (int(free[best]), units) for name, (free, units) in amounts.items() if free[best] < units}
    scarcest = min(short, key=lambda name: short[name][0] / short[name][1])
    by, domain = "node" if group.by == NODE else group.by, label.values[best]
    words = ", ".join(f"{render(name, has)} of {render(name, units)} {name}" for name, (has, units) in short.items())
    sentence = f"no single {by} has room for all {len(group.members)} members: {by} {domain} comes nearest, with {words} free"
    facts = {"domain": domain, "resource": scarcest, "free": short[scarcest][0], "requested": short[scarcest][1]}
    return Reason.of("group", f"{group.strategy} as a whole", No.BUSY, sentence, group=group.name, **facts)
