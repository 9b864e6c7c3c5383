"""Explanations: computed from the clauses and columns that decided, in the state in which they did.

    placed    score by rule, beside the runner-up's
    pending   per node every reason; how many nodes per reason; the nearest misses; the smallest change

The state is restored by undoing what came later (table/journal.py), so an explanation never speaks
of a cluster that has moved on. A node is feasible exactly when there is nothing to explain.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf

import numpy as np

from bayplan.engine.explanation import Explanation, ScorePart
from bayplan.engine.fixes import smallest_change
from bayplan.engine.gang import Attempt
from bayplan.engine.pipeline import Pipeline, could_ever
from bayplan.engine.query import Query
from bayplan.engine.reasons import counts, nearest, reasons_of
from bayplan.errors import did_you_mean, wrong
from bayplan.model.decision import Reason, Status
from bayplan.model.group import Group, Request
from bayplan.model.workload import Workload
from bayplan.table.journal import Placement


class View:
    """One workload's query at one version, restored when asked for."""

    def __init__(self, pipeline: Pipeline, workload: Workload, version: int, query: Query | None = None):
        self._pipeline, self.workload, self.version = pipeline, workload, version
        self._query = query

    def query(self) -> Query:
        if self._query is None or self._query.snapshot.version != self.version or not self._query.current:
            snapshot = self._pipeline.snapshot.at(self.version)
            same = snapshot is self._pipeline.snapshot
            pipeline = self._pipeline if same else Pipeline(snapshot, self._pipeline.policy)
            self._query = pipeline.query(self.workload)
        self._query.catch_up()
        return self._query

    def names(self) -> list[str]:
        return [name for name in self.query().snapshot.names if name is not None]

    def reasons(self, name: str) -> tuple[Reason, ...]:
        query = self.query()
        row = query.snapshot.row_of.get(name)
        if row is None:
            raise wrong(f"there was no node {name!r}", hint=did_you_mean(name, query.snapshot.row_of))
        return reasons_of(query, row)


def explain(
    pipeline: Pipeline,
    workload: Workload,
    version: int,
    placed: Placement | None = None,
    asked: Request | None = None,
    fallback: int = 0,
) -> Explanation:
    """Explain one workload as of `version`; `asked` is what led to it by its n-th `fallback`."""
    if placed is None:
        tries = [_refused(View(pipeline, one, version), pipeline.policy.name) for one in workload.alternatives()]
        return _all_tries(tries)
    earlier: list[Explanation] = []
    if isinstance(asked, Workload) and fallback:
        before = list(asked.alternatives())[:fallback]
        earlier = [_refused(View(pipeline, one, version), pipeline.policy.name) for one in before]
    chosen = _chosen(View(pipeline, workload, version), pipeline.policy.name, placed)
    return replace(chosen, fallback=fallback, earlier=tuple(earlier))


def _all_tries(tries: list[Explanation]) -> Explanation:
    """The first alternative speaks for all; the others stand behind it."""
    hopeful = any(one.status is Status.PENDING for one in tries)
    return replace(tries[0], status=Status.PENDING if hopeful else Status.IMPOSSIBLE, earlier=tuple(tries[1:]))


def explain_group(pipeline: Pipeline, group: Group, version: int) -> Explanation:
    """A group hangs on the member that found no node; it is explained with the others in their places."""
    past = pipeline.snapshot.at(version)
    scene = Pipeline(past.fork() if past is pipeline.snapshot else past, pipeline.policy)
    start = scene.snapshot.version
    tries = []
    for alternative in group.alternatives():
        tries.append(_explain_alternative(scene, alternative, group.name))
        # Reasons of single nodes are asked for later, so each alternative keeps a scene of its own.
        scene = Pipeline(scene.snapshot.at(start), pipeline.policy)
    return _all_tries(tries)


def _explain_alternative(scene: Pipeline, group: Group, name: str) -> Explanation:
    size = len(group.members)
    if Attempt(scene, group).run() is not None:
        note = f"the whole group {name!r} fits now ({size} members)"
        nodes = len(scene.snapshot.row_of)
        return Explanation(
            group.members[0].id, Status.PENDING, scene.policy.name, scene.snapshot.version, nodes, 1, group=name, note=note
        )
    attempt = Attempt(scene, group)
    seated = attempt.seat_greedily()
    stuck = group.members[min(seated, size - 1)]
    query = attempt.query(stuck, first=seated == 0)
    view = View(scene, stuck, scene.snapshot.version, query)
    note = f"group {name!r} is placed whole or not at all: {seated} of {size} members find a node, {stuck.id} does not"
    if seated == size:
        note = f"group {name!r}: the search was cut off, a placement may exist"
    return replace(_refused(view, scene.policy.name), group=name, note=note)


def _refused(view: View, policy: str) -> Explanation:
    query = view.query()
    feasible = int(np.count_nonzero(query.mask()))
    status = Status.PENDING if feasible or could_ever(query) else Status.IMPOSSIBLE
    misses = () if feasible else nearest(query)
    tally = counts(query)
    change = smallest_change(query, [miss.node for miss in misses]) if misses else None
    nodes = len(query.snapshot.row_of)
    return Explanation(
        view.workload.id, status, policy, view.version, nodes, feasible, counts=tally, nearest=misses, change=change, view=view
    )


def _chosen(view: View, policy: str, placed: Placement) -> Explanation:
    query = view.query()
    mask = query.mask()
    scores = np.where(mask, query.scores(), -inf)
    row, names = placed.row, query.snapshot.names
    score = float(scores[row]) if mask[row] else None
    scores[row] = -inf
    second = int(scores.argmax()) if scores.max() > -inf else None
    parts = tuple(
        ScorePart(part.rule, str(part.topic), part.term.one(row), None if second is None else part.term.one(second))
        for part in query.parts
    )
    return Explanation(
        placed.id, Status.PLACED, policy, view.version, len(query.snapshot.row_of), int(np.count_nonzero(mask)),
        chosen=names[row], score=score, parts=parts, counts=counts(query), view=view,
        runner_up=None if second is None else names[second],
        runner_up_score=None if second is None else float(scores[second]),
    )  # fmt: skip
