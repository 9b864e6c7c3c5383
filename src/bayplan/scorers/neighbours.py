"""Neighbours: soft Near and Apart.

    near    + weight                                          when a matching resident is in the domain
    apart   - weight * max(0, residents - (at_most - 1))      for each one too many

Fixed scales; a node without the key gets 0.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from bayplan.model.neighbours import Apart, Near
from bayplan.model.workload import Workload
from bayplan.table.forms import Part
from bayplan.table.snapshot import Snapshot
from bayplan.table.terms import Graded
from bayplan.table.watching import resolve


@dataclass(frozen=True, slots=True)
class Neighbours:
    weight: float = 1.0
    name: str = field(default="neighbours", init=False)
    reads_requests: ClassVar[bool] = False

    def parts(self, snapshot: Snapshot, workload: Workload) -> list[Part]:
        found = [_near(snapshot, workload, one, self.weight) for one in workload.near if one.weight is not None]
        return found + [_apart(snapshot, workload, one, self.weight) for one in workload.apart if one.weight is not None]


def _nothing() -> float:
    return 0.0


def _near(snapshot: Snapshot, workload: Workload, one: Near, scale: float) -> Part:
    watch = snapshot.residents.watch(one.peers, resolve(one.namespaces, workload.namespace), one.by[0])

    def grade(counts: Any) -> Any:
        return (counts > 0) * 1.0

    assert one.weight is not None
    return Part("neighbours", one, Graded(watch.tally, grade, one.weight * scale, _nothing, 1.0))


def _apart(snapshot: Snapshot, workload: Workload, one: Apart, scale: float) -> Part:
    watch = snapshot.residents.watch(one.peers, resolve(one.namespaces, workload.namespace), one.by)

    def grade(counts: Any) -> Any:
        return np.minimum(one.at_most - 1.0 - counts, 0.0)

    assert one.weight is not None
    return Part("neighbours", one, Graded(watch.tally, grade, one.weight * scale, _nothing, 0.0))
