"""What kube-scheduler's score plugins give to feasible nodes: raw numbers, and the same on a scale of 0 to 100.

Whole numbers; where Go computes with floats, the same operations in the same order. None: the plugin is skipped.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bayplan.model.neighbours import Apart, Near, Spread
from bayplan.model.node import Effect, Node
from bayplan.model.workload import Workload
from tests.oracle import kube_amounts
from tests.oracle.cluster import Cluster
from tests.oracle.kube_amounts import Strategy
from tests.oracle.kube_filters import included, key_of, matching_on, same_domain, wanted

HOST = "kubernetes.io/hostname"
WEIGHTS = {
    "TaintToleration": 3, "NodeAffinity": 2, "PodTopologySpread": 2, "InterPodAffinity": 2, "NodeResourcesFit": 1,
    "NodeResourcesBalancedAllocation": 1, "ImageLocality": 1,
}  # fmt: skip
LEAST = Strategy()


@dataclass(frozen=True)
class Profile:
    """The arguments of plugins."""

    fit: Strategy = LEAST
    balanced: tuple[str, ...] = ("cpu", "memory")
    hard_weight: int = 1


@dataclass(frozen=True)
class Points:
    raw: list[int]
    normalised: list[int]


def scores(cluster: Cluster, pod: Workload, nodes: list[Node], profile: Profile) -> dict[str, Points | None]:
    """Of every plugin, for these nodes, which are all that are feasible."""
    return {plugin: score(cluster, pod, nodes, profile) for plugin, score in SCORES.items()}


def totals(found: Mapping[str, Points | None], nodes: list[Node]) -> list[int]:
    return [sum(WEIGHTS[name] * one.normalised[at] for name, one in found.items() if one is not None) for at in range(len(nodes))]


def normalise(raw: list[int], reverse: bool = False) -> list[int]:
    top = max(raw, default=0)
    if top == 0:
        return [100] * len(raw) if reverse else raw
    return [100 - 100 * one // top if reverse else 100 * one // top for one in raw]


def taint_toleration(cluster: Cluster, pod: Workload, nodes: list[Node], profile: Profile) -> Points:
    soft = [one for one in pod.tolerations if one.effect in (None, Effect.PREFER_NO_SCHEDULE)]
    raw = []
    for node in nodes:
        taints = [taint for taint in node.taints if taint.effect is Effect.PREFER_NO_SCHEDULE]
        raw.append(sum(not any(one.tolerates(taint) for one in soft) for taint in taints))
    return Points(raw, normalise(raw, reverse=True))


def node_affinity(cluster: Cluster, pod: Workload, nodes: list[Node], profile: Profile) -> Points | None:
    if not pod.preferences:
        return None
    raw = [
        sum(round(one.weight * 100) for one in pod.preferences if one.selector.matches(cluster.labels(node))) for node in nodes
    ]
    return Points(raw, normalise(raw))


# --- pods near each other -------------------------------------------------------------------------


def inter_pod_affinity(cluster: Cluster, pod: Workload, nodes: list[Node], profile: Profile) -> Points:
    raw = [sum(_attraction(cluster, pod, node, profile)) for node in nodes]
    low, high = min(raw, default=0), max(raw, default=0)
    return Points(raw, [int(100.0 * ((one - low) / (high - low))) if high > low else 0 for one in raw])


def _attraction(cluster: Cluster, pod: Workload, node: Node, profile: Profile) -> list[int]:
    """What the pod thinks of those in the node's domains, and what they think of it."""
    found = []
    for one in cluster.residents.values():
        for term, weight in _wishes(pod):
            if wanted(term, one.workload, pod) and same_domain(cluster, node, one, _key(term)):
                found.append(weight)
        for term, weight in [*_wishes(one.workload), *_demands(one.workload, profile)]:
            if wanted(term, pod, one.workload) and same_domain(cluster, node, one, _key(term)):
                found.append(weight)
    return found


def _wishes(pod: Workload) -> list[tuple[Near | Apart, int]]:
    near = [(one, round(one.weight * 100)) for one in pod.near if one.weight is not None]
    return [*near, *((one, -round(one.weight * 100)) for one in pod.apart if one.weight is not None)]


def _demands(pod: Workload, profile: Profile) -> list[tuple[Near, int]]:
    return [(term, profile.hard_weight) for one in pod.near if one.weight is None for term in one.terms]


def _key(term: Near | Apart) -> str:
    return term.by if isinstance(term, Apart) else key_of(term)


# --- spread ---------------------------------------------------------------------------------------


def topology_spread(cluster: Cluster, pod: Workload, nodes: list[Node], profile: Profile) -> Points | None:
    soft = [one for one in pod.spread if one.weight is not None]
    if not soft:
        return None
    demanding = [one for one in soft if not one.may_lack]
    left = [node for node in nodes if _has(cluster, node, demanding)]
    raw = {node.name: _spread_raw(cluster, pod, node, left, soft) for node in left}
    low, high = min(raw.values(), default=0), max(raw.values(), default=0)
    points = {name: 100 * (high + low - one) // high if high else 100 for name, one in raw.items()}
    return Points([raw.get(node.name, 0) for node in nodes], [points.get(node.name, 0) for node in nodes])


def _has(cluster: Cluster, node: Node, constraints: list[Spread]) -> bool:
    return all(cluster.domain(node, one.by) is not None for one in constraints)


def _spread_raw(cluster: Cluster, pod: Workload, node: Node, left: list[Node], soft: list[Spread]) -> int:
    total = 0.0
    for one in soft:
        if cluster.domain(node, one.by) is not None:
            total += _crowd(cluster, pod, node, left, one, soft) + float(one.max_skew - 1)
    return math.floor(total + 0.5)


def _crowd(cluster: Cluster, pod: Workload, node: Node, left: list[Node], one: Spread, soft: list[Spread]) -> float:
    """Matching pods, weighted by the number of domains. Nodes without the key are one domain together."""
    if one.by == HOST:
        return matching_on(cluster, pod, node, one) * math.log(len(left) + 2.0)
    demanding = [each for each in soft if not each.may_lack]
    count = 0
    for other in cluster.nodes:
        if cluster.domain(other, one.by) == cluster.domain(node, one.by) and _has(cluster, other, demanding):
            count += matching_on(cluster, pod, other, one) if included(cluster, pod, other, one) else 0
    return count * math.log(len({cluster.domain(other, one.by) for other in left}) + 2.0)


SCORES: Mapping[str, Callable[[Cluster, Workload, list[Node], Profile], Points | None]] = {
    "TaintToleration": taint_toleration,
    "NodeAffinity": node_affinity,
    "PodTopologySpread": topology_spread,
    "InterPodAffinity": inter_pod_affinity,
    "NodeResourcesFit": lambda cluster, pod, nodes, profile: _plain(
        [kube_amounts.fit(cluster, pod, node, profile.fit) for node in nodes]
    ),
    "NodeResourcesBalancedAllocation": lambda cluster, pod, nodes, profile: (
        _plain([kube_amounts.balanced(cluster, pod, node, profile.balanced) for node in nodes])
        if any(pod.requests.get(name, 0) for name in profile.balanced)
        else None
    ),
    "ImageLocality": lambda cluster, pod, nodes, profile: (
        _plain([image_locality(cluster, pod, node) for node in nodes]) if pod.images else None
    ),
}


def image_locality(cluster: Cluster, pod: Workload, node: Node) -> int:
    """The sizes of the pod's images that are there, each by the share of nodes that have it; from 23 MiB to 1000 MiB each."""
    total = 0
    for image in pod.images:
        if image in node.images:
            share = sum(image in other.images for other in cluster.nodes) / len(cluster.nodes)
            total += int(node.images[image] * share)
    low, high = 23 * 2**20, 1000 * 2**20 * len(pod.images)
    return 100 * (min(max(total, low), high) - low) // (high - low)


def _plain(raw: list[int]) -> Points:
    return Points(raw, raw)
