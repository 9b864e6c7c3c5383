"""PodTopologySpread: domains with fewer matching pods are better, for constraints that only ask.

    raw   = round(sum(count * ln(domains + 2) + max_skew - 1))      over the constraints whose key the node has
    score = 100 * (max + min - raw) / max                           over the nodes that fit and have all keys

`domains` is their number among those nodes (for the host name: the number of nodes). Nodes without a key get 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bayplan.model.neighbours import NODE, Spread
from bayplan.model.workload import Workload
from bayplan.table.allowed import AllowedTally
from bayplan.table.column import Bools, Floats, Ints
from bayplan.table.eligible import eligible_for, tally_of
from bayplan.table.forms import Part
from bayplan.table.normalised import Normalised, Picked
from bayplan.table.snapshot import Snapshot
from bayplan.table.tally import Tally
from bayplan.table.watching import resolve

HOST = "kubernetes.io/hostname"


@dataclass(frozen=True, slots=True)
class PodTopologySpread:
    weight: float = 2.0
    name: str = "PodTopologySpread"
    reads_requests: ClassVar[bool] = False

    def parts(self, snapshot: Snapshot, workload: Workload) -> list[Part]:
        wishes = [one for one in workload.spread if one.weight is not None]
        if not wishes:
            return []
        counts = [_counts(snapshot, workload, one) for one in wishes]
        return [Part(self.name, "pods", Evenness(snapshot, list(zip(wishes, counts, strict=True)), self.weight))]


def _counts(snapshot: Snapshot, workload: Workload, one: Spread) -> Tally:
    """Matching pods per domain; of the host name, those of the very node, whatever nodes are allowed."""
    if one.by == HOST:
        return snapshot.residents.watch(one.peers, resolve(one.namespaces, workload.namespace), NODE).tally
    return tally_of(snapshot, workload, one, eligible_for(snapshot, workload, one))[0]


class Evenness(Normalised):
    __slots__ = ("_snapshot", "_wishes")

    def __init__(self, snapshot: Snapshot, wishes: list[tuple[Spread, Tally]], weight: float):
        super().__init__(weight)
        self._snapshot, self._wishes = snapshot, wishes

    def points(self, rows: Picked) -> Floats:
        labels = self._snapshot.labels
        codes = [labels[one.by].codes.data[rows] for one, _ in self._wishes]
        candidates = np.ones(len(codes[0]), np.bool_)
        for (one, _), code in zip(self._wishes, codes, strict=True):
            if not one.may_lack:
                candidates &= code > 0
        raw = np.zeros(len(candidates))
        for (one, tally), code in zip(self._wishes, codes, strict=True):
            if isinstance(tally, AllowedTally):
                tally.catch_up()
            raw += (
                self._of_host(one, tally, code, rows, candidates) if one.by == HOST else _of_domain(one, tally, code, candidates)
            )
        return _reversed(np.floor(raw + 0.5), candidates)

    def _of_host(self, one: Spread, tally: Tally, codes: Ints, rows: Picked, candidates: Bools) -> Floats:
        per_pod = math.log(np.count_nonzero(candidates) + 2.0)
        counts = tally.of_codes(self._snapshot.labels[NODE].codes.data[rows])
        found: Floats = np.where(codes > 0, counts * per_pod + (one.max_skew - 1.0), 0.0)
        return found


def _of_domain(one: Spread, tally: Tally, codes: Ints, candidates: Bools) -> Floats:
    """By domain, and then looked up: there are few. Candidates without the key are a domain, too, as in Kubernetes."""
    counts = tally.of_codes(np.arange(len(tally.label.values)))
    there = np.bincount(codes if candidates.all() else codes[candidates], minlength=len(counts)) > 0
    table = counts.astype(np.float64) * math.log(np.count_nonzero(there) + 2.0) + (one.max_skew - 1.0)
    table[0] = 0.0
    return table.take(codes)


def _reversed(raw: Floats, candidates: Bools) -> Floats:
    there = raw if candidates.all() else raw[candidates]
    top, bottom = there.max(initial=0.0), there.min(initial=math.inf)
    points: Floats = np.full(len(raw), 100.0) if top == 0 else np.trunc(100.0 * (top + bottom - raw) / top)
    return points if there is raw else points * candidates
