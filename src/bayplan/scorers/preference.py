"""Preference: what the workload would like of a node.

score = labels * sum(weight of every preference the node matches) - taints * (PreferNoSchedule taints not tolerated)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from bayplan.model.node import Effect, Taint
from bayplan.model.selector import Selector
from bayplan.model.tolerations import Toleration
from bayplan.model.workload import Preference, Workload
from bayplan.table.column import Floats
from bayplan.table.forms import Part
from bayplan.table.rows import TAINTS
from bayplan.table.snapshot import Snapshot
from bayplan.table.statics import Static
from bayplan.table.terms import Weighs


@dataclass(frozen=True, slots=True)
class Preferences:
    weight: float = 1.0
    labels: float = 1.0
    """How much preferences for labels count beside taints; 0: not at all."""
    taints: float = 1.0
    name: str = field(default="preference", init=False)
    reads_requests: ClassVar[bool] = False

    def parts(self, snapshot: Snapshot, workload: Workload) -> list[Part]:
        found = []
        if workload.preferences and self.labels:
            column = liked(snapshot, workload.preferences)
            found.append(Part("preference", "labels", Weighs(column, self.weight * self.labels)))
        if snapshot.soft_taints and self.taints:
            column = disliked(snapshot, workload.tolerations)
            found.append(Part("preference", "taints", Weighs(column, -self.weight * self.taints)))
        return found


def liked(snapshot: Snapshot, preferences: tuple[Preference, ...]) -> Static:
    wanted = tuple((one.selector, one.weight) for one in preferences)
    keys = frozenset(key for selector, _ in wanted for key in selector.keys)

    def matches(selector: Selector, row: int) -> bool:
        return any(all(snapshot.labels.one(row, key, values) for key, values in term) for term in selector.terms)

    def build() -> Floats:
        total = np.zeros(snapshot.room)
        for selector, weight in wanted:
            if selector.always:
                total += weight
            elif not selector.never:
                total += weight * snapshot.statics.selector(selector).data
        return total

    def judge(row: int) -> float:
        return sum((weight for selector, weight in wanted if matches(selector, row)), 0.0)

    return snapshot.statics.get(("liked", wanted), keys, build, judge)


def disliked(snapshot: Snapshot, tolerations: tuple[Toleration, ...]) -> Static:
    label = snapshot.labels[TAINTS]

    def build() -> Floats:
        table = np.array([len(_soft(snapshot.taint_sets[value] if value else (), tolerations)) for value in label.values], float)
        table[0] = 0.0
        return table[label.codes.data]

    def judge(row: int) -> float:
        return float(len(_soft(snapshot.taints(row), tolerations)))

    return snapshot.statics.get(("disliked", tolerations), frozenset((TAINTS,)), build, judge)


def _soft(marks: tuple[Taint, ...], tolerations: tuple[Toleration, ...]) -> list[Taint]:
    soft = (taint for taint in marks if taint.effect is Effect.PREFER_NO_SCHEDULE)
    return [taint for taint in soft if not any(one.tolerates(taint) for one in tolerations)]
