"""Which nodes kube-scheduler's filter plugins refuse, each plugin alone. The semantics are those of 1.37.

Pods are counted on the nodes they are on; a node lies in a domain when it carries the topology key.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from bayplan.model.neighbours import Apart, Near, Spread
from bayplan.model.node import Effect, Node, Taint
from bayplan.model.resources import COUNTED
from bayplan.model.workload import Workload
from tests.oracle.cluster import Cluster, Resident, matches
from tests.oracle.rules import repelling

UNSCHEDULABLE = Taint("node.kubernetes.io/unschedulable", "", Effect.NO_SCHEDULE)


def refusing(cluster: Cluster, pod: Workload, node: Node) -> set[str]:
    """The plugins that refuse the node."""
    return {plugin for plugin, refuses in FILTERS.items() if refuses(cluster, pod, node)}


def feasible(cluster: Cluster, pod: Workload) -> list[Node]:
    return [node for node in cluster.nodes if not refusing(cluster, pod, node)]


def node_unschedulable(cluster: Cluster, pod: Workload, node: Node) -> bool:
    return node.cordoned and not any(one.tolerates(UNSCHEDULABLE) for one in pod.tolerations)


def taint_toleration(cluster: Cluster, pod: Workload, node: Node) -> bool:
    return bool(repelling(pod, node))


def node_affinity(cluster: Cluster, pod: Workload, node: Node) -> bool:
    return not pod.node_selector.matches(cluster.labels(node))


def resources_fit(cluster: Cluster, pod: Workload, node: Node) -> bool:
    """What is not asked for cannot be short, even where more is used than there is."""
    asked = {name: units for name, units in pod.requests.items() if name not in COUNTED and units > 0}
    return any(cluster.free(node, name) < units for name, units in asked.items())


# --- spread ---------------------------------------------------------------------------------------


def topology_spread(cluster: Cluster, pod: Workload, node: Node) -> bool:
    hard = [one for one in pod.spread if one.weight is None]
    return any(_too_far_ahead(cluster, pod, node, one, hard) for one in hard)


def _too_far_ahead(cluster: Cluster, pod: Workload, node: Node, one: Spread, hard: list[Spread]) -> bool:
    domain = cluster.domain(node, one.by)
    if domain is None:
        return True
    counts: dict[str | None, int] = {}
    for other in cluster.nodes:
        if all(cluster.domain(other, each.by) is not None for each in hard) and included(cluster, pod, other, one):
            where = cluster.domain(other, one.by)
            counts[where] = counts.get(where, 0) + matching_on(cluster, pod, other, one)
    least = min(counts.values(), default=0) if len(counts) >= one.min_domains else 0
    itself = matches(pod, one.peers, one.namespaces, pod.namespace)
    return counts.get(domain, 0) + itself - least > one.max_skew


def included(cluster: Cluster, pod: Workload, node: Node, one: Spread) -> bool:
    """nodeAffinityPolicy and nodeTaintsPolicy."""
    if one.honour_selector and node_affinity(cluster, pod, node):
        return False
    return not (one.honour_taints and taint_toleration(cluster, pod, node))


def matching_on(cluster: Cluster, pod: Workload, node: Node, one: Spread) -> int:
    return sum(each.node == node.name for each in cluster.matching(one.peers, one.namespaces, pod.namespace))


# --- affinity -------------------------------------------------------------------------------------


def inter_pod_affinity(cluster: Cluster, pod: Workload, node: Node) -> bool:
    alone = any(_alone(cluster, pod, node, list(one.terms)) for one in pod.near if one.weight is None)
    return alone or _crowded(cluster, pod, node) or _unwelcome(cluster, pod, node)


def _alone(cluster: Cluster, pod: Workload, node: Node, terms: list[Near]) -> bool:
    """One pod has to match all terms. The first of its kind may start where the node has all keys."""
    if any(cluster.domain(node, key_of(term)) is None for term in terms):
        return True
    peers = [one for one in cluster.residents.values() if all(wanted(term, one.workload, pod) for term in terms)]
    keys = {key_of(term) for term in terms}
    if all(any(same_domain(cluster, node, one, key) for one in peers) for key in keys):
        return False
    nobody = not any(cluster.domain(cluster.node(one.node), key) is not None for one in peers for key in keys)
    return not (nobody and all(wanted(term, pod, pod) for term in terms))


def _crowded(cluster: Cluster, pod: Workload, node: Node) -> bool:
    hard = [one for one in pod.apart if one.weight is None]
    pairs = [(term, one) for term in hard for one in cluster.residents.values() if wanted(term, one.workload, pod)]
    return any(same_domain(cluster, node, one, term.by) for term, one in pairs)


def _unwelcome(cluster: Cluster, pod: Workload, node: Node) -> bool:
    for one in cluster.residents.values():
        for term in one.workload.apart:
            if term.weight is None and wanted(term, pod, one.workload) and same_domain(cluster, node, one, term.by):
                return True
    return False


def wanted(term: Near | Apart, pod: Workload, owner: Workload) -> bool:
    """Does the pod match a term of the owner?"""
    return matches(pod, term.peers, term.namespaces, owner.namespace)


def same_domain(cluster: Cluster, node: Node, one: Resident, key: str) -> bool:
    domain = cluster.domain(node, key)
    return domain is not None and cluster.domain(cluster.node(one.node), key) == domain


def key_of(term: Near) -> str:
    return term.by[0]


FILTERS: Mapping[str, Callable[[Cluster, Workload, Node], bool]] = {
    "NodeUnschedulable": node_unschedulable,
    "TaintToleration": taint_toleration,
    "NodeAffinity": node_affinity,
    "NodeResourcesFit": resources_fit,
    "PodTopologySpread": topology_spread,
    "InterPodAffinity": inter_pod_affinity,
}
