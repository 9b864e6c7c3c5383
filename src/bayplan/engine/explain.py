"""Explanations: computed from the clauses and columns that decided, in the state in which they did.

    placed    score by rule, beside the runner-up's
    pending   per node every reason; how many nodes per reason; the nearest misses; the smallest change

The state is restored by undoing what came later (table/journal.py), so an explanation never speaks
of a cluster that has moved on. A node is feasible exactly when there is nothing to explain.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf

import numpy as np

from bayplan.engine.explanation import Explanation, ScorePart
from bayplan.engine.fixes import smallest_change
from bayplan.engine.gang import BUDGET, Attempt, member_query
from bayplan.engine.pipeline import Pipeline, could_ever
from bayplan.engine.query import Query
from bayplan.engine.reasons import Misses, counts, reasons_of
from bayplan.engine.scores import NodeScore, Parts, scores_of
from bayplan.errors import did_you_mean, wrong
from bayplan.model.decision import Decision, Reason, Status
from bayplan.model.group import Group, Request
from bayplan.model.workload import Workload
from bayplan.table.journal import Placement


class View:
    """One workload's query at one version, restored when asked for; `group` where it belongs to one."""

    def __init__(
        self, pipeline: Pipeline, workload: Workload, version: int, query: Query | None = None, group: Group | None = None
    ):
        self._pipeline, self.workload, self.version, self._group = pipeline, workload, version, group
        self._query = query

    def query(self) -> Query:
        if self._query is None or self._query.snapshot.version != self.version or not self._query.current:
            snapshot = self._pipeline.snapshot.at(self.version)
            same = snapshot is self._pipeline.snapshot
            pipeline = self._pipeline if same else Pipeline(snapshot, self._pipeline.policy)
            if self._group is None:
                self._query = pipeline.query(self.workload)
            else:
                self._query = member_query(pipeline, self._group, self.workload)
        self._query.catch_up()
        return self._query

    def names(self) -> list[str]:
        return [name for name in self.query().snapshot.names if name is not None]

    def scores(self) -> Iterator[NodeScore]:
        return scores_of(self.query())

    def reasons(self, name: str) -> tuple[Reason, ...]:
        query = self.query()
        row = query.snapshot.row_of.get(name)
        if row is None:
            raise wrong(f"there was no node {name!r}", hint=did_you_mean(name, query.snapshot.row_of))
        return reasons_of(query, row)


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked for, where that is more than the workload itself: a workload with fallbacks of which
    the n-th was placed, or a group of which the n-th alternative was."""

    request: Request
    number: int
    version: int
    """Of the state in which it was decided."""

    @property
    def group(self) -> Group | None:
        """The alternative of the group that was placed."""
        return list(self.request.alternatives())[self.number] if isinstance(self.request, Group) else None

    def tried(self, pipeline: Pipeline) -> tuple[Explanation, ...]:
        """Why the alternatives that came first found nothing."""
        if isinstance(self.request, Group):
            return tuple(_explain_alternatives(pipeline, self.request, self.version, self.number))
        before = list(self.request.alternatives())[: self.number]
        return tuple(_refused(View(pipeline, one, self.version), pipeline.policy.name) for one in before)


def explain(
    pipeline: Pipeline, workload: Workload, version: int, placed: Placement | None = None, asked: Asked | None = None
) -> Explanation:
    """Explain one workload as of `version`."""
    policy, group = pipeline.policy.name, asked.group if asked else None
    if placed is None:
        return _all_tries([_refused(View(pipeline, one, version, group=group), policy) for one in workload.alternatives()])
    chosen = _chosen(View(pipeline, workload, version, group=group), policy, placed)
    if asked is None:
        return chosen
    name = asked.request.name if group else None
    return replace(chosen, fallback=asked.number, earlier=asked.tried(pipeline), group=name)


def explain_decision(pipeline: Pipeline, decision: Decision, displaced: Asked | None = None) -> Explanation:
    """Explain a decision as of the moment it was taken, whatever became of the workload since. `displaced`
    is the group of a member that was placed again on its own."""
    request, version = decision.request, decision.version
    if request is None:
        raise wrong(f"the decision about {decision.workload!r} does not say what was asked for")
    if decision.placed:
        seated = pipeline.snapshot.at(version + 1).placements[decision.workload]
        asked = displaced or _asked(request, decision, seated)
        return explain(pipeline, seated.workload, version, seated, asked)
    if isinstance(request, Group):
        return explain_group(pipeline, request, version)
    return explain(pipeline, request, version, asked=displaced)


def _asked(request: Request, decision: Decision, seated: Placement) -> Asked:
    """Which alternative of the request was placed, and when that was decided. A member of a group may have
    fallen back on its own, within the first alternative; members are seated one after another."""
    if isinstance(request, Workload):
        return Asked(request, decision.fallback, decision.version)
    own = (other.kind for one in request.members if one.id == seated.id for other in one.alternatives())
    number = 0 if seated.workload.kind in own else decision.fallback
    order = [one.id for one in list(request.alternatives())[number].members]
    return Asked(request, number, decision.version - order.index(decision.workload))


def _all_tries(tries: list[Explanation]) -> Explanation:
    """The first alternative speaks for all; the others stand behind it."""
    hopeful = any(one.status is Status.PENDING for one in tries)
    return replace(tries[0], status=Status.PENDING if hopeful else Status.IMPOSSIBLE, earlier=tuple(tries[1:]))


def explain_group(pipeline: Pipeline, group: Group, version: int) -> Explanation:
    """A group hangs on the member that found no node; its reasons assume the members before it in seats of theirs."""
    return _all_tries(_explain_alternatives(pipeline, group, version, 1 + len(group.fallbacks)))


def _explain_alternatives(pipeline: Pipeline, group: Group, version: int, count: int) -> list[Explanation]:
    """Each of the first alternatives of a group, on a scene of its own: reasons of single nodes are asked for later."""
    tries = []
    for alternative in list(group.alternatives())[:count]:
        past = pipeline.snapshot.at(version)
        scene = Pipeline(past.fork() if past is pipeline.snapshot else past, pipeline.policy)
        tries.append(_explain_alternative(scene, alternative, group.name))
    return tries


def _explain_alternative(scene: Pipeline, group: Group, name: str) -> Explanation:
    size = len(group.members)
    search = Attempt(scene, group)
    if search.run() is not None:
        note = f"the whole group {name!r} fits now ({size} members)"
        nodes, version = len(scene.snapshot.row_of), scene.snapshot.version
        return Explanation(group.members[0].id, Status.PENDING, scene.policy.name, version, nodes, 1, group=name, note=note)
    attempt = Attempt(scene, group)
    seats = attempt.seat_greedily()
    stuck = group.members[len(seats)]
    view = View(scene, stuck, scene.snapshot.version, attempt.query(stuck, first=not seats))
    note = f"group {name!r} is placed whole or not at all: {len(seats)} of {size} members find a node, {stuck.id} does not"
    if search.budget <= 0:
        note += f"; the search was cut off after {BUDGET:,} tries, so a placement may exist"
    assumed = tuple((one.member.id, str(scene.snapshot.names[one.placement.row])) for one in seats)
    return replace(_refused(view, scene.policy.name), group=name, note=note, assumed=assumed)


def _refused(view: View, policy: str) -> Explanation:
    query = view.query()
    feasible = int(np.count_nonzero(query.mask()))
    status = Status.PENDING if feasible or could_ever(query) else Status.IMPOSSIBLE
    misses = None if feasible else Misses(query)
    tally = counts(query)
    near = misses.nearest() if misses else ()
    change = smallest_change(query, misses.one_of_each()) if misses else None
    nodes = len(query.snapshot.row_of)
    return Explanation(
        view.workload.id, status, policy, view.version, nodes, feasible, counts=tally, nearest=near, change=change, view=view
    )


def _chosen(view: View, policy: str, placed: Placement) -> Explanation:
    query = view.query()
    mask = query.mask()
    scores = np.where(mask, query.scores(), -inf)
    row, names = placed.row, query.snapshot.names
    score = float(scores[row]) if mask[row] else None
    scores[row] = -inf
    second = int(scores.argmax()) if scores.max() > -inf else None
    broken = "" if mask[row] else "; ".join(map(str, reasons_of(query, row)))
    split = Parts(query)
    own = split.of(row)
    others = split.of(second) if second is not None else [(rule, topic, None) for rule, topic, _ in own]
    parts = tuple(ScorePart(*one, other) for one, (_, _, other) in zip(own, others, strict=True) if one[2] or other)
    return Explanation(
        placed.id, Status.PLACED, policy, view.version, len(query.snapshot.row_of), int(np.count_nonzero(mask)),
        chosen=names[row], score=score, parts=parts, counts=counts(query), view=view,
        note=f"it was put there; the rules would not: {broken}" if broken else "",
        runner_up=None if second is None else names[second],
        runner_up_score=None if second is None else float(scores[second]),
    )  # fmt: skip
