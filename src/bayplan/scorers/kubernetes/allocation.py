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
from bayplan.model.resources import Resources
from bayplan.model.workload import Workload
from bayplan.scorers.usage import Sizes
from bayplan.table.column import Column, Floats
from bayplan.table.forms import Part
from bayplan.table.snapshot import Snapshot
from bayplan.table.terms import Formula, Ops, Pick

STRATEGIES = ("LeastAllocated", "MostAllocated", "RequestedToCapacityRatio")
COUNTED_AS = {"cpu": "counted-cpu", "memory": "counted-memory"}
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
        uses = [_use(snapshot, name, weight, workload.requests) for name, weight in self.resources]
        taken = [use for use in uses if use.request or use.resource in COUNTED_AS]
        if not taken:
            return []
        names = tuple(use.resource for use in taken)
        sizes: Sizes = snapshot.follow(("sizes", names), lambda: Sizes(snapshot, names))
        points = {"LeastAllocated": _least, "MostAllocated": _most}.get(self.strategy)
        formula = partial(_ratio, sizes, taken, _table(self.shape)) if points is None else partial(_average, sizes, taken, points)
        return [Part(self.name, self.strategy, Formula(formula, self.weight, 100.0), sizes)]


class Use(NamedTuple):
    """A resource, where its capacity and what is left of it stand, and what the pod asks for."""

    resource: str
    weight: int
    request: float
    capacity: Column
    free: Column
    counted: bool
    """CPU and memory: `free` starts from nothing, so it is less than nothing by what is used."""

    def used(self, capacity: Any, pick: Pick) -> Any:
        return self.request - pick(self.free) if self.counted else capacity - pick(self.free) + self.request


def _use(snapshot: Snapshot, name: str, weight: int, requests: Resources) -> Use:
    column = COUNTED_AS.get(name, name)
    request = float(requests.get(column, 0))
    return Use(name, weight, request, snapshot.capacity_of(name), snapshot.free_of(column), name in COUNTED_AS)


def _least(used: Any, capacity: Any, ops: Ops) -> Any:
    return ops.most(capacity - used, 0.0)


def _most(used: Any, capacity: Any, ops: Ops) -> Any:
    return ops.least(used, capacity)


def _average(sizes: Sizes, taken: Sequence[Use], points: Any, pick: Pick, ops: Ops) -> Any:
    total, weights = 0.0, 0.0
    for use in taken:
        capacity = pick(use.capacity)
        score = ops.floor(points(use.used(capacity, pick), capacity, ops) * 100.0 / pick(sizes.divisor[use.resource]))
        if use.resource in sizes.everywhere:
            total, weights = total + score * use.weight, weights + use.weight
        else:
            there = pick(sizes.there[use.resource])
            total, weights = total + score * (there * use.weight), weights + there * use.weight
    return ops.floor(total / ops.most(weights, 1.0))


def _ratio(sizes: Sizes, taken: Sequence[Use], table: Floats, pick: Pick, ops: Ops) -> Any:
    total, weights = 0.0, 0.0
    for use in taken:
        capacity = pick(use.capacity)
        percent = ops.floor(use.used(capacity, pick) * 100.0 / pick(sizes.divisor[use.resource]))
        score = ops.lookup(table, ops.least(percent, 100.0)) * pick(sizes.there[use.resource])
        total, weights = total + score * use.weight, weights + (score > 0) * use.weight
    return ops.floor(total / ops.most(weights, 1.0) + 0.5)


def _table(shape: tuple[tuple[int, int], ...]) -> Floats:
    """The score at every percent from 0 to 100: piecewise linear, dropping remainders towards zero."""
    return np.array([_on_shape([(x, y * 10) for x, y in shape], percent) for percent in range(101)] if shape else [0.0])


def _on_shape(points: list[tuple[int, int]], percent: int) -> float:
    before: tuple[int, int] | None = None
    for x, y in points:
        if percent <= x:
            if before is None:
                return float(y)
            rise = (y - before[1]) * (percent - before[0])
            return float(before[1] + int(rise / (x - before[0])))
        before = (x, y)
    return float(points[-1][1])
