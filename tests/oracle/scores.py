"""How good a node is: a weighted sum of parts, each a plain formula."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from bayplan.model.node import Effect, Node
from bayplan.model.workload import Workload
from tests.oracle.cluster import Cluster
from tests.oracle.rules import has_neighbours


@dataclass(frozen=True)
class Use:
    """How packing looks at one resource. `shape`: points (percent used, 0..10), only for ratio."""

    resource: str
    kind: Literal["most", "least", "ratio"] = "most"
    weight: float = 1.0
    shape: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True)
class Packing:
    uses: tuple[Use, ...]
    over: Literal["configured", "requested"] = "configured"
    weight: float = 1.0
    lacking: Literal["skip", "zero"] = "skip"


@dataclass(frozen=True)
class Scarcity:
    weights: tuple[tuple[str, float], ...]
    weight: float = 1.0


@dataclass(frozen=True)
class Preferences:
    weight: float = 1.0


@dataclass(frozen=True)
class Neighbours:
    weight: float = 1.0


@dataclass(frozen=True)
class Spreading:
    weight: float = 1.0


@dataclass(frozen=True)
class Balance:
    resources: tuple[str, ...]
    weight: float = 1.0


Scorer = Packing | Scarcity | Preferences | Neighbours | Spreading | Balance
Policy = Sequence[Scorer]


def score(cluster: Cluster, workload: Workload, node: Node, policy: Policy) -> float:
    total = 0.0
    for scorer in policy:
        total += scorer.weight * part(cluster, workload, node, scorer)
    return total


def part(cluster: Cluster, workload: Workload, node: Node, scorer: Scorer) -> float:
    match scorer:
        case Packing():
            return packing(cluster, workload, node, scorer)
        case Scarcity():
            return scarcity(workload, node, scorer)
        case Preferences():
            return preferences(cluster, workload, node)
        case Neighbours():
            return neighbours(cluster, workload, node)
        case Spreading():
            return spreading(cluster, workload, node)
        case Balance():
            return balance(cluster, workload, node, scorer)


def used_after(cluster: Cluster, workload: Workload, node: Node, resource: str) -> float:
    """(used + q) / capacity"""
    return (cluster.used(node, resource) + workload.requests.get(resource, 0)) / node.capacity[resource]


def packing(cluster: Cluster, workload: Workload, node: Node, scorer: Packing) -> float:
    """sum(w * u) / sum(w) over the resources the node has (and, over requested, that are asked for).
    lacking zero: what the node has not counts as 0, and so does a node that would be overbooked."""
    top = bottom = 0.0
    for use in scorer.uses:
        capacity, asked = node.capacity.get(use.resource, 0), workload.requests.get(use.resource, 0)
        if scorer.over == "requested" and asked == 0:
            continue
        if capacity == 0:
            bottom += use.weight if scorer.lacking == "zero" else 0.0
            continue
        if scorer.lacking == "zero" and cluster.free(node, use.resource) < asked:
            return 0.0
        if use.kind == "most":
            value = used_after(cluster, workload, node, use.resource)
        elif use.kind == "least":
            value = (cluster.free(node, use.resource) - asked) / capacity
        else:
            value = on_shape(use.shape, 100 * used_after(cluster, workload, node, use.resource)) / 10
        top += use.weight * value
        bottom += use.weight
    return top / bottom if bottom else 0.0


def scarcity(workload: Workload, node: Node, scorer: Scarcity) -> float:
    """1 - weights of what the node has of the scarce / all weights; 0 on nodes without something that is asked for"""
    if any(node.capacity.get(resource, 0) == 0 for resource in workload.requests):
        return 0.0
    total = sum(weight for _, weight in scorer.weights)
    return 1.0 - sum(weight for name, weight in scorer.weights if node.capacity.get(name, 0) > 0) / total if total else 0.0


def on_shape(shape: Sequence[tuple[float, float]], x: float) -> float:
    """Piecewise linear through the points, flat beyond the ends."""
    if x <= shape[0][0]:
        return shape[0][1]
    for (x0, y0), (x1, y1) in itertools.pairwise(shape):
        if x <= x1:
            return y0 + (y1 - y0) * (x - x0) / (x1 - x0)
    return shape[-1][1]


def preferences(cluster: Cluster, workload: Workload, node: Node) -> float:
    """The weights of what matches, less 1 for each soft taint that is not tolerated"""
    wishes = sum(one.weight for one in workload.preferences if one.selector.matches(cluster.labels(node)))
    soft = [taint for taint in node.taints if taint.effect is Effect.PREFER_NO_SCHEDULE]
    return wishes - 1.0 * sum(not any(one.tolerates(taint) for one in workload.tolerations) for taint in soft)


def neighbours(cluster: Cluster, workload: Workload, node: Node) -> float:
    """near: + weight when every domain holds a match; apart: - weight for each one too many"""
    total = 0.0
    for near in workload.near:
        if near.weight is not None and has_neighbours(cluster, workload, node, near):
            total += near.weight
    for apart in workload.apart:
        if apart.weight is not None:
            found = cluster.matching(apart.peers, apart.namespaces, workload.namespace)
            n = cluster.count(found, apart.by, cluster.domain(node, apart.by))
            total -= apart.weight * max(0, n - (apart.at_most - 1))
    return total


def spreading(cluster: Cluster, workload: Workload, node: Node) -> float:
    """- weight * n / max_skew; a node without the key is as bad as the fullest domain"""
    total = 0.0
    for one in workload.spread:
        if one.weight is not None:
            found = cluster.matching(one.peers, one.namespaces, workload.namespace)
            domain = cluster.domain(node, one.by)
            everywhere = {cluster.domain(other, one.by) for other in cluster.nodes} - {None}
            counts = [cluster.count(found, one.by, where) for where in (everywhere if domain is None else {domain})]
            total -= one.weight * max(counts, default=0) / one.max_skew
    return total


def balance(cluster: Cluster, workload: Workload, node: Node, scorer: Balance) -> float:
    """1 - population standard deviation of the used fractions"""
    listed = [resource for resource in scorer.resources if node.capacity.get(resource, 0) > 0]
    fractions = [used_after(cluster, workload, node, resource) for resource in listed]
    if len(fractions) < 2:
        return 1.0
    mean = sum(fractions) / len(fractions)
    return 1 - math.sqrt(sum((one - mean) ** 2 for one in fractions) / len(fractions))
