"""Which nodes have no taint that keeps a workload with these tolerations away."""

from __future__ import annotations

import numpy as np

from bayplan.model.node import Effect, Taint
from bayplan.model.tolerations import Toleration
from bayplan.table.column import Bools
from bayplan.table.rows import TAINTS
from bayplan.table.snapshot import Snapshot
from bayplan.table.statics import Static

Tolerations = tuple[Toleration, ...]


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
