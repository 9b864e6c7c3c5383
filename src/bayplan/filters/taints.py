"""Taints and cordons: nodes that keep work away.

A cordoned node takes nothing new. A node with a NoSchedule or NoExecute taint takes only work that
tolerates every such taint. (PreferNoSchedule is a matter of score: scorers/preference.py.)
"""

from __future__ import annotations

from functools import partial

from bayplan.model.decision import No, Reason
from bayplan.model.node import Effect, Taint
from bayplan.model.workload import Workload
from bayplan.table.checks import Holds
from bayplan.table.forms import Clause
from bayplan.table.rows import TAINTS
from bayplan.table.snapshot import Snapshot
from bayplan.table.tolerated import Tolerations, accepted, repelling

UNSCHEDULABLE = Taint("node.kubernetes.io/unschedulable", "", Effect.NO_SCHEDULE)


def cordon(snapshot: Snapshot, workload: Workload) -> list[Clause]:
    return [Clause("cordon", Holds(snapshot.open), False, _cordoned)]


def _cordoned(row: int) -> tuple[Reason, ...]:
    return (Reason.of("cordon", "", No.NEVER, "the node is cordoned"),)


def unschedulable(snapshot: Snapshot, workload: Workload) -> list[Clause]:
    """As `cordon`, but for pods that tolerate the taint Kubernetes gives such nodes."""
    if any(one.tolerates(UNSCHEDULABLE) for one in workload.tolerations):
        return []
    return [Clause("unschedulable", Holds(snapshot.open), False, _unschedulable)]


def _unschedulable(row: int) -> tuple[Reason, ...]:
    return (Reason.of("unschedulable", "", No.NEVER, "the node is unschedulable"),)


def taints(snapshot: Snapshot, workload: Workload) -> list[Clause]:
    if not snapshot.taint_sets:
        return []
    tolerations = workload.tolerations
    return snapshot.statics.clauses(("taints", tolerations), lambda: [_clause(snapshot, tolerations)])


def _clause(snapshot: Snapshot, tolerations: Tolerations) -> Clause:
    column = accepted(snapshot, tolerations)
    return Clause("taints", Holds(column), False, partial(_untolerated, snapshot, tolerations), alike=snapshot.labels[TAINTS])


def _untolerated(snapshot: Snapshot, tolerations: Tolerations, row: int) -> tuple[Reason, ...]:
    return tuple(
        Reason.of("taints", str(taint), No.NEVER, f"has the taint {taint}, which is not tolerated", taint=str(taint))
        for taint in dict.fromkeys(repelling(snapshot.taints(row), tolerations))
    )
