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
from bayplan.table.column import Column, Floats
from bayplan.table.forms import Part
from bayplan.table.normalised import Normalised, Picked
from bayplan.table.snapshot import Snapshot
from bayplan.table.tally import Tally
from bayplan.table.watching import resolve

MANY_ROWS = 64
"""After so many changes all rows at once are quicker."""


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
        attraction = Attraction(snapshot, [*own, *others], self.weight)
        return [Part(self.name, "pods", attraction, attraction)]

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
    """What counts per node follows the change log in a column; what counts per zone is looked up by domain."""

    __slots__ = ("_coarse", "_column", "_fine", "_node_version", "_read_to", "_snapshot")

    def __init__(self, snapshot: Snapshot, terms: list[tuple[Tally, float]], weight: float):
        super().__init__(weight)
        self._snapshot = snapshot
        self._fine = [(tally, number) for tally, number in terms if tally.fine]
        self._coarse: dict[str, list[tuple[Tally, float]]] = {}
        for tally, number in terms:
            if not tally.fine:
                self._coarse.setdefault(tally.label.key, []).append((tally, number))
        self._column = Column.of(snapshot.room, np.float64)
        self._read_to = self._node_version = -1

    def catch_up(self) -> None:
        log = self._snapshot.log
        rows = log.since(self._read_to) if self._node_version == self._snapshot.node_version else None
        if rows is not None and len(rows) <= MANY_ROWS:
            for row in rows if self._fine else ():
                self._column.cell[row] = sum(number * tally.at(row) for tally, number in self._fine)
        else:
            self._column.data[:] = 0.0
            for tally, number in self._fine:
                self._column.data += tally.of_codes(tally.label.codes.data) * (tally.label.codes.data > 0) * number
        self._read_to, self._node_version = log.end, self._snapshot.node_version

    def points(self, rows: Picked) -> Floats:
        raw: Floats = self._column.data[rows]
        for key, terms in self._coarse.items():
            label = self._snapshot.labels[key]
            table = np.zeros(len(label.values))
            for tally, number in terms:
                table += tally.counts() * number
            table[0] = 0.0
            raw = raw + table.take(label.codes.data[rows])
        low, high = raw.min(initial=inf), raw.max(initial=-inf)
        if low >= high:
            return np.zeros(len(raw))
        points: Floats = np.trunc(100.0 * ((raw - low) / (high - low)))
        return points
