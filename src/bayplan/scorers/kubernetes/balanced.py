"""NodeResourcesBalancedAllocation: use the resources of a node evenly.

    f = min(1, requested / capacity)      over configured resources the node has (of scalar ones: that the pod requests)
    b = int(100 * (1 - standard deviation of f))

    up to 1.35    score = b with the pod
    since 1.36    score = 50 + (50 + b with the pod - b without it) / 2

Pods that request none of the resources are not scored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from bayplan.model.workload import Workload
from bayplan.scorers.usage import Sizes
from bayplan.table.column import Column
from bayplan.table.forms import Part
from bayplan.table.snapshot import Snapshot
from bayplan.table.terms import Formula, Ops, Pick


@dataclass(frozen=True, slots=True)
class BalancedAllocation:
    resources: tuple[str, ...] = ("cpu", "memory")
    weight: float = 1.0
    improvement: bool = True
    """What the pod changes, as since 1.36; otherwise how even the node is with it."""
    name: str = "NodeResourcesBalancedAllocation"

    def parts(self, snapshot: Snapshot, workload: Workload) -> list[Part]:
        asked = [(name, float(workload.requests.get(name, 0))) for name in self.resources]
        taken = [(name, units) for name, units in asked if units or name in ("cpu", "memory")]
        if not any(units for _, units in taken):
            return []
        names = tuple(name for name, _ in taken)
        sizes: Sizes = snapshot.follow(("sizes", names), lambda: Sizes(snapshot, names))
        uses = [Share(name, units, snapshot.capacity_of(name), snapshot.free_of(name)) for name, units in taken]
        formula = partial(_change if self.improvement else _evenness, sizes, uses)
        return [Part(self.name, ", ".join(names), Formula(formula, self.weight, 100.0), sizes)]


class Share(NamedTuple):
    resource: str
    request: float
    capacity: Column
    free: Column


def _change(sizes: Sizes, uses: Sequence[Share], pick: Pick, ops: Ops) -> Any:
    better = _evenness(sizes, uses, pick, ops) - _evenness(sizes, [use._replace(request=0.0) for use in uses], pick, ops)
    return 50.0 + ops.trunc((50.0 + better) / 2.0)


def _evenness(sizes: Sizes, uses: Sequence[Share], pick: Pick, ops: Ops) -> Any:
    fractions = [_fraction(sizes, use, pick, ops) for use in uses]
    if all(use.resource in sizes.everywhere for use in uses):
        return ops.trunc((1.0 - _deviation(fractions, ops)) * 100.0)
    there = [pick(sizes.there[use.resource]) for use in uses]
    return ops.trunc((1.0 - _deviation_where(fractions, there, ops)) * 100.0)


def _fraction(sizes: Sizes, use: Share, pick: Pick, ops: Ops) -> Any:
    used = pick(use.capacity) - pick(use.free) + use.request
    return ops.least(used / pick(sizes.divisor[use.resource]), 1.0)


def _deviation(fractions: Sequence[Any], ops: Ops) -> Any:
    if len(fractions) == 1:
        return 0.0 * fractions[0]
    if len(fractions) == 2:
        return abs((fractions[0] - fractions[1]) / 2.0)
    return _deviation_where(fractions, [1.0] * len(fractions), ops)


def _deviation_where(fractions: Sequence[Any], there: Sequence[Any], ops: Ops) -> Any:
    """Over those that are there; of two it is half their distance."""
    count = sum(there, 0.0)
    total = 0.0
    for fraction, here in zip(fractions, there, strict=True):
        total = total + fraction * here
    mean = total / ops.most(count, 1.0)
    squares, distance = 0.0, 0.0
    for fraction, here in zip(fractions, there, strict=True):
        off = (fraction - mean) * here
        squares = squares + off * off
    for one, (fraction, here) in enumerate(zip(fractions, there, strict=True)):
        for other, also in zip(fractions[one + 1 :], there[one + 1 :], strict=True):
            distance = distance + abs((fraction - other) / 2.0) * (here * also)
    deviation = ops.sqrt(squares / ops.most(count, 1.0))
    return distance * (count == 2) + deviation * (count > 2)
