"""TaintToleration and NodeAffinity: numbers of nodes, brought to 0..100 by the greatest of those that fit.

    TaintToleration    raw = PreferNoSchedule taints that are not tolerated      100 - 100 * raw / max; 100 without any
    NodeAffinity       raw = weights of the preferred terms that match           100 * raw / max; 0 without any

Divisions drop the remainder. Pods without preferred terms are not scored by NodeAffinity.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bayplan.model.workload import Preference, Workload
from bayplan.scorers.preference import disliked, liked
from bayplan.table.column import Column, Floats
from bayplan.table.forms import Part
from bayplan.table.normalised import Normalised, Picked
from bayplan.table.snapshot import Snapshot
from bayplan.table.terms import Constant

SCALE = 100
"""Weights are whole numbers from 1 to 100 in Kubernetes; a hundredth of that in the model."""


class Peak(Normalised):
    """100 * raw / max over the rows that fit; turned round when `reverse`."""

    __slots__ = ("_column", "_reverse")

    def __init__(self, column: Column, weight: float, reverse: bool = False):
        super().__init__(weight)
        self._column, self._reverse = column, reverse

    def points(self, rows: Picked) -> Floats:
        raw: Floats = self._column.data[rows].astype(np.float64)
        top = raw.max(initial=0.0)
        if top > 0:
            raw = np.floor(100.0 * raw / top)
        return 100.0 - raw if self._reverse else raw


@dataclass(frozen=True, slots=True)
class TaintToleration:
    weight: float = 3.0
    name: str = "TaintToleration"
    reads_requests: ClassVar[bool] = False

    def parts(self, snapshot: Snapshot, workload: Workload) -> list[Part]:
        if not snapshot.soft_taints:
            return [Part(self.name, "taints", Constant(100.0 * self.weight))]
        return [Part(self.name, "taints", Peak(disliked(snapshot, workload.tolerations), self.weight, reverse=True))]


@dataclass(frozen=True, slots=True)
class NodeAffinity:
    weight: float = 2.0
    name: str = "NodeAffinity"
    reads_requests: ClassVar[bool] = False

    def parts(self, snapshot: Snapshot, workload: Workload) -> list[Part]:
        if not workload.preferences:
            return []
        whole = tuple(Preference(one.selector, round(one.weight * SCALE)) for one in workload.preferences)
        return [Part(self.name, "preferred terms", Peak(liked(snapshot, whole), self.weight))]
