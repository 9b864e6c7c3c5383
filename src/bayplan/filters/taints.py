"""Taints and cordons: nodes that keep work away.

A cordoned node takes nothing new. A node with a NoSchedule or NoExecute taint takes only work that
tolerates every such taint. (PreferNoSchedule is a matter of score: scorers/preference.py.)
"""

from __future__ import annotations

from functools import partial

import numpy as np

from bayplan.model.decision import No, Reason
from bayplan.model.node import Effect, Taint
from bayplan.model.tolerations import Toleration
from bayplan.model.workload import Workload
from bayplan.table.checks import Holds
from bayplan.table.column import Bools
from bayplan.table.forms import Clause
from bayplan.table.rows import TAINTS
from bayplan.table.snapshot import Snapshot
from bayplan.table.statics import Static

Tolerations = tuple[Toleration, ...]


def cordon(snapshot: Snapshot, workload: Workload) -> list[Clause]:
    return [Clause("cordon", Holds(snapshot.open), False, _cordoned)]


def _cordoned(row: int) -> tuple[Reason, ...]:
    return (Reason.of("cordon", "", No.NEVER, "the node is cordoned"),)


def taints(snapshot: Snapshot, workload: Workload) -> list[Clause]:
    if not snapshot.taint_sets:
        return []
    tolerations = workload.tolerations
    return snapshot.statics.clauses(("taints", tolerations), lambda: [_clause(snapshot, tolerations)])


def _clause(snapshot: Snapshot, tolerations: Tolerations) -> Clause:
    column = accepted(snapshot, tolerations)
    return Clause("taints", Holds(column), False, partial(_untolerated, snapshot, tolerations), alike=snapshot.labels[TAINTS])


def accepted(snapshot: Snapshot, tolerations: Tolerations) -> Static:
    """Per node: are all its repelling taints tolerated?"""
    label = snapshot.labels[TAINTS]

    def build() -> Bools:
        sets = (snapshot.taint_sets[value] if value else () for value in label.values)
        table = np.fromiter((not repelling(each, tolerations) for each in sets), np.bool_, len(label.values))
        table[0] = True
        return table[label.codes.data]

    return snapshot.statics.get(
        ("taints", tolerations), frozenset((TAINTS,)), build, lambda row: not repelling(snapshot.taints(row), tolerations)
    )


def repelling(marks: tuple[Taint, ...], tolerations: Tolerations) -> list[Taint]:
    hard = (taint for taint in marks if taint.effect is not Effect.PREFER_NO_SCHEDULE)
    return [taint for taint in hard if not any(one.tolerates(taint) for one in tolerations)]


def _untolerated(snapshot: Snapshot, tolerations: Tolerations, row: int) -> tuple[Reason, ...]:
    return tuple(
        Reason.of("taints", str(taint), No.NEVER, f"has the taint {taint}, which is not tolerated", taint=str(taint))
        for taint in dict.fromkeys(repelling(snapshot.taints(row), tolerations))
    )
