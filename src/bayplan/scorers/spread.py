"""Soft spread: fewer matching residents in the domain is better.

    score = - weight * residents(peers, domain) / max_skew

A node without the key counts as the fullest domain. Linear, so that how full the emptiest domain is
does not matter to the ranking.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from bayplan.model.neighbours import NODE, Spread
from bayplan.model.workload import Workload
from bayplan.table.forms import Part
from bayplan.table.snapshot import Snapshot
from bayplan.table.terms import Graded
from bayplan.table.watching import resolve


@dataclass(frozen=True, slots=True)
class Spreading:
    weight: float = 1.0
    name: str = field(default="spread", init=False)
    reads_requests: ClassVar[bool] = False

    def parts(self, snapshot: Snapshot, workload: Workload) -> list[Part]:
        return [_part(snapshot, workload, one, self.weight) for one in workload.spread if one.weight is not None]


def _part(snapshot: Snapshot, workload: Workload, one: Spread, scale: float) -> Part:
    tally = snapshot.residents.watch(one.peers, resolve(one.namespaces, workload.namespace), one.by).tally

    def grade(counts: Any) -> Any:
        return counts / -float(one.max_skew)

    def fullest() -> float:
        counts = tally.counts() if tally.sparse is None else tally.sparse.counts[: tally.sparse.size]
        return -float(counts.max(initial=0)) / one.max_skew

    def nobody() -> float:
        return 0.0  # every node has a name

    assert one.weight is not None
    return Part("spread", one, Graded(tally, grade, one.weight * scale, nobody if one.by == NODE else fullest, 0.0))
