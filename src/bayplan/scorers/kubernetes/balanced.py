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
from bayplan.scorers.kubernetes.allocation import Together
from bayplan.scorers.kubernetes.requested import ALWAYS, Kept, sizes_of, used
from bayplan.table.column import Column
from bayplan.table.forms import Part
from bayplan.table.snapshot import Snapshot
from bayplan.table.terms import Formula, Ops, Pick


@dataclass(frozen=True, slots=True)
class BalancedAllocation:
    resources: tuple[str, ...] = ("cpu", "memory")
    weight: float = 1.0
    version: str = "1.37"
    """Of Kubernetes, whose formula is taken."""
    name: str = "NodeResourcesBalancedAllocation"

    @property
    def _improvement(self) -> bool:
        """Is it what the pod changes that counts, and not how even the node is with it?"""
        return tuple(map(int, self.version.split("."))) >= (1, 36)

    def parts(self, snapshot: Snapshot, workload: Workload) -> list[Part]:
        asked = [(name, float(workload.requests.get(name, 0))) for name in self.resources]
        taken = [(name, units) for name, units in asked if units or name in ALWAYS]
        if not any(units for _, units in taken):
            return []
        uses = [Share(name, units, used(snapshot, name)) for name, units in taken]
        topic = ", ".join(use.resource for use in uses)
        if not self._improvement:
            formula = Formula(partial(_evenness, uses), self.weight, 100.0)
            return [Part(self.name, topic, formula, Together([use.used for use in uses]))]
        before = _without(snapshot, uses)
        formula = Formula(partial(_change, uses, before.column), self.weight, 100.0)
        return [Part(self.name, topic, formula, Together([*(use.used for use in uses), before]))]


class Share(NamedTuple):
    """A resource, what the pod requests of it, and what is used of it already."""

    resource: str
    request: float
    used: Kept

    def fraction(self, pick: Pick, ops: Ops) -> Any:
        return ops.least((pick(self.used.column) + self.request) / pick(self.used.sizes.divisor[self.resource]), 1.0)

    def there(self, pick: Pick) -> Any:
        return pick(self.used.sizes.there[self.resource])


def _without(snapshot: Snapshot, uses: Sequence[Share]) -> Kept:
    """50 - b without the pod."""
    empty = [use._replace(request=0.0) for use in uses]
    sizes = sizes_of(snapshot, tuple(use.resource for use in uses))

    def before(pick: Pick, ops: Ops) -> Any:
        for use in uses:
            use.used.catch_up()
        return 50.0 - _evenness(empty, pick, ops)

    found: Kept = snapshot.follow(("even without", tuple(use.resource for use in uses)), lambda: Kept(snapshot, sizes, before))
    return found


def _change(uses: Sequence[Share], before: Column, pick: Pick, ops: Ops) -> Any:
    return 50.0 + ops.trunc((_evenness(uses, pick, ops) + pick(before)) / 2.0)


def _evenness(uses: Sequence[Share], pick: Pick, ops: Ops) -> Any:
    fractions = [use.fraction(pick, ops) for use in uses]
    if all(use.resource in use.used.sizes.everywhere for use in uses):
        return ops.trunc((1.0 - _deviation(fractions, ops)) * 100.0)
    there = [use.there(pick) for use in uses]
    return ops.trunc((1.0 - _deviation_where(fractions, there, ops)) * 100.0)


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
