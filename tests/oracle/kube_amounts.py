"""NodeResourcesFit and NodeResourcesBalancedAllocation: points for amounts, one node at a time.

Scalar resources count where the pod asks for them; cpu, memory and ephemeral storage always do.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction

from bayplan.model.node import Node
from bayplan.model.workload import Workload
from tests.oracle.cluster import Cluster

NATIVE = ("cpu", "memory", "ephemeral-storage")
COUNTED_AS = {"cpu": "counted-cpu", "memory": "counted-memory"}


@dataclass(frozen=True)
class Strategy:
    type: str = "LeastAllocated"
    resources: tuple[tuple[str, int], ...] = (("cpu", 1), ("memory", 1))
    shape: tuple[tuple[int, int], ...] = ()
    """Points (percent used, score 0 to 10)."""


def considered(node: Node, pod: Workload, resource: str) -> bool:
    return node.capacity.get(resource, 0) > 0 and (resource in NATIVE or pod.requests.get(resource, 0) > 0)


def fit(cluster: Cluster, pod: Workload, node: Node, strategy: Strategy) -> int:
    total = weights = 0
    for resource, weight in strategy.resources:
        if considered(node, pod, resource):
            name, capacity = COUNTED_AS.get(resource, resource), node.capacity[resource]
            points = on_strategy(strategy, cluster.used(node, name) + pod.requests.get(name, 0), capacity)
            if points or strategy.type != "RequestedToCapacityRatio":
                total, weights = total + weight * points, weights + weight
    if not weights:
        return 0
    if strategy.type == "RequestedToCapacityRatio":
        return math.floor(Fraction(total, weights) + Fraction(1, 2))
    return total // weights


def on_strategy(strategy: Strategy, used: int, capacity: int) -> int:
    if strategy.type == "LeastAllocated":
        return 0 if used > capacity else (capacity - used) * 100 // capacity
    if strategy.type == "MostAllocated":
        return min(used, capacity) * 100 // capacity
    return on_shape(strategy.shape, min(100, used * 100 // capacity))


def on_shape(shape: tuple[tuple[int, int], ...], percent: int) -> int:
    """Piecewise linear; Go's division drops the remainder towards zero."""
    points = [(x, 10 * y) for x, y in shape]
    if percent <= points[0][0]:
        return points[0][1]
    for (x0, y0), (x1, y1) in itertools.pairwise(points):
        if percent <= x1:
            return y0 + math.trunc(Fraction((y1 - y0) * (percent - x0), x1 - x0))
    return points[-1][1]


def balanced(cluster: Cluster, pod: Workload, node: Node, resources: tuple[str, ...]) -> int:
    """How much more even the node becomes; 75 where nothing changes."""
    asked = {name: pod.requests.get(name, 0) for name in resources if considered(node, pod, name)}
    better = evenness(cluster, node, asked) - evenness(cluster, node, dict.fromkeys(asked, 0))
    return 50 + math.trunc(Fraction(50 + better, 2))


def evenness(cluster: Cluster, node: Node, asked: dict[str, int]) -> int:
    """100 without the standard deviation of the used fractions, which Go computes in floats."""
    fractions = [min(1.0, (cluster.used(node, name) + units) / node.capacity[name]) for name, units in asked.items()]
    deviation = 0.0
    if len(fractions) == 2:
        deviation = abs((fractions[0] - fractions[1]) / 2)
    elif len(fractions) > 2:
        mean = sum(fractions) / len(fractions)
        deviation = math.sqrt(sum((one - mean) * (one - mean) for one in fractions) / len(fractions))
    return int((1 - deviation) * 100)
