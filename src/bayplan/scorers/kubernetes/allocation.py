"""NodeResourcesFit: how much of a node would be requested, resource by resource, in whole numbers.

    LeastAllocated              s = (capacity - requested) * 100 / capacity, 0 when over
    MostAllocated               s = min(requested, capacity) * 100 / capacity
    RequestedToCapacityRatio    s = shape(requested * 100 / capacity), 100 percent when over

    node = sum(w * s) / sum(w)      over configured resources the node has (of scalar ones: that the pod requests)

All divisions drop the remainder. With the ratio a resource that scores 0 drops out, and the average is rounded.
CPU and memory are what pods are *counted* as: a container that requests none counts as a small one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np

from bayplan.errors import wrong
from bayplan.model.workload import Workload
from bayplan.scorers.kubernetes.requested import ALWAYS, Kept, counted_as, hundreds
from bayplan.table.column import Floats
from bayplan.table.forms import Follower, Part
from bayplan.table.snapshot import Snapshot
from bayplan.table.terms import Formula, Ops, Pick

STRATEGIES = ("LeastAllocated", "MostAllocated", "RequestedToCapacityRatio")
CPU_AND_MEMORY = (("cpu", 1), ("memory", 1))


@dataclass(frozen=True, slots=True)
class Allocation:
    strategy: Literal["LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"] = "LeastAllocated"
    resources: tuple[tuple[str, int], ...] = CPU_AND_MEMORY
    shape: tuple[tuple[int, int], ...] = ()
    """Points (percent used, score 0 to 10)."""
    weight: float = 1.0
    name: str = "NodeResourcesFit"

    def __post_init__(self) -> None:
        if self.strategy not in STRATEGIES:
            raise wrong(f"{self.strategy!r} is not a strategy", self.name, f"one of {', '.join(STRATEGIES)}")
        if (self.strategy == "RequestedToCapacityRatio") != bool(self.shape):
            raise wrong("a shape belongs to RequestedToCapacityRatio, which needs one", self.name)

    def parts(self, snapshot: Snapshot, workload: Workload) -> list[Part]:
        taken = []
        for name, weight in self.resources:
            column = counted_as(snapshot, workload, name)
            request = float(workload.requests.get(column, 0))
            if request or name in ALWAYS:
                taken.append(Use(name, weight, request * 100.0, hundreds(snapshot, name, column)))
        if not taken:
            return []
        points = {"LeastAllocated": _least, "MostAllocated": _most}.get(self.strategy)
        formula = partial(_ratio, taken, _table(self.shape)) if points is None else partial(_average, taken, points)
        return [Part(self.name, self.strategy, Formula(formula, self.weight, 100.0), Together([use.left for use in taken]))]


class Use(NamedTuple):
    """A resource, 100 times what the pod requests of it, and 100 times what is left of it."""

    resource: str
    weight: int
    request: float
    left: Kept

    @property
    def everywhere(self) -> bool:
        return self.resource in self.left.sizes.everywhere

    def after(self, pick: Pick) -> Any:
        """100 times what would be left, and what to divide by."""
        return pick(self.left.column) - self.request, pick(self.left.sizes.divisor[self.resource])

    def there(self, pick: Pick) -> Any:
        return pick(self.left.sizes.there[self.resource])


def _least(left: Any, capacity: Any, ops: Ops) -> Any:
    return ops.most(ops.floor(left / capacity), 0.0)


def _most(left: Any, capacity: Any, ops: Ops) -> Any:
    return ops.floor(ops.least((100.0 * capacity - left) / capacity, 100.0))


def _average(taken: Sequence[Use], points: Any, pick: Pick, ops: Ops) -> Any:
    total, weights = 0.0, 0.0
    for use in taken:
        score = points(*use.after(pick), ops)
        if not use.everywhere:
            there = use.there(pick) * use.weight
            total, weights = total + score * there, weights + there
        else:  # most weights are 1, and multiplying by it takes time
            total, weights = total + (score if use.weight == 1 else score * use.weight), weights + use.weight
    if isinstance(weights, float | int):
        return ops.floor(total / weights) if weights else total
    return ops.floor(total / ops.most(weights, 1.0))


def _ratio(taken: Sequence[Use], table: Floats, pick: Pick, ops: Ops) -> Any:
    total, weights = 0.0, 0.0
    for use in taken:
        left, capacity = use.after(pick)
        percent = ops.least(ops.floor((100.0 * capacity - left) / capacity), 100.0)
        score = ops.lookup(table, percent) * use.there(pick)
        total, weights = total + score * use.weight, weights + (score > 0) * use.weight
    return ops.floor(total / ops.most(weights, 1.0) + 0.5)


class Together:
    """Several followers as one."""

    __slots__ = ("_followers",)

    def __init__(self, followers: Sequence[Follower]):
        self._followers = followers

    def catch_up(self) -> None:
        for one in self._followers:
            one.catch_up()


def _table(shape: tuple[tuple[int, int], ...]) -> Floats:
    """The score at every percent from 0 to 100: piecewise linear, dropping remainders towards zero."""
    return np.array([on_shape([(x, y * 10) for x, y in shape], percent) for percent in range(101)] if shape else [0.0])


def on_shape(points: list[tuple[int, int]], percent: int) -> float:
    before: tuple[int, int] | None = None
    for x, y in points:
        if percent <= x:
            if before is None:
                return float(y)
            rise = (y - before[1]) * (percent - before[0])
            return float(before[1] + int(rise / (x - before[0])))
        before = (x, y)
    return float(points[-1][1])
