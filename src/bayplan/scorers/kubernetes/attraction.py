"""InterPodAffinity: pods that like each other, or not, in the same domain.

raw  = sum over the pod's preferred terms        +-weight * matching pods in the node's domain
     + sum over pods there that have terms       +-weight of each preferred term that matches the pod,
                                                 + `hard_weight` for each required affinity term that does
score = int(100 * (raw - min) / (max - min))     over the nodes that fit; 0 where all are equal
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import ClassVar

import numpy as np

from bayplan.model.neighbours import Apart, Near
from bayplan.model.workload import Workload
from bayplan.scorers.kubernetes.points import SCALE
from bayplan.table.column import Floats, Rows
from bayplan.table.forms import Part
from bayplan.table.normalised import Normalised
from bayplan.table.snapshot import Snapshot
from bayplan.table.tally import Tally
from bayplan.table.watching import resolve


@dataclass(frozen=True, slots=True)
class InterPodAffinity:
    weight: float = 2.0
    hard_weight: int = 1
    ignore_preferred_of_existing: bool = False
    name: str = "InterPodAffinity"
    reads_requests: ClassVar[bool] = False

    def parts(self, snapshot: Snapshot, workload: Workload) -> list[Part]:
        own, others = list(_own(snapshot, workload)), list(self._others(snapshot, workload))
        if not own and self.ignore_preferred_of_existing:
            others = []
        if not own and not others:
            return []
        return [Part(self.name, "pods", Attraction([*own, *others], self.weight))]

    def _others(self, snapshot: Snapshot, workload: Workload) -> Iterator[tuple[Tally, float]]:
        kind = snapshot.kind(workload)
        for one in snapshot.residents.classes[kind.class_id].admirers:
            weight = float(self.hard_weight) if one.term.weight is None else round(one.term.weight * SCALE)
            yield one.tally, -weight if isinstance(one.term, Apart) else weight


def _own(snapshot: Snapshot, workload: Workload) -> Iterator[tuple[Tally, float]]:
    wishes: list[Near | Apart] = [*workload.near, *workload.apart]
    for one in wishes:
        if one.weight is not None:
            by = one.by[0] if isinstance(one, Near) else one.by
            watch = snapshot.residents.watch(one.peers, resolve(one.namespaces, workload.namespace), by)
            yield watch.tally, round(one.weight * SCALE) * (1.0 if isinstance(one, Near) else -1.0)


class Attraction(Normalised):
    __slots__ = ("_terms",)

    def __init__(self, terms: list[tuple[Tally, float]], weight: float):
        super().__init__(weight)
        self._terms = terms

    def points(self, rows: Rows) -> Floats:
        raw = np.zeros(len(rows))
        for tally, weight in self._terms:
            if tally.total:
                codes = tally.label.codes.data[rows]
                counts = tally.of_codes(codes)
                raw += np.where(codes > 0, counts, 0) * weight
        low, high = raw.min(initial=inf), raw.max(initial=-inf)
        if low >= high:
            return np.zeros(len(rows))
        points: Floats = np.trunc(100.0 * ((raw - low) / (high - low)))
        return points
