"""Why a node is refused: every rule is evaluated, each yields (rule, topic, kind of no)."""

from __future__ import annotations

from collections.abc import Iterator

from bayplan.model.decision import No
from bayplan.model.neighbours import Near, Spread
from bayplan.model.node import Effect, Node, Taint
from bayplan.model.resources import UNIT
from bayplan.model.selector import term_holds
from bayplan.model.workload import Workload
from tests.oracle.cluster import Cluster, matches

Refusal = tuple[str, str, No]


def refusals(cluster: Cluster, workload: Workload, node: Node) -> Iterator[Refusal]:
    yield from cordon(node)
    yield from selector(cluster, workload, node)
    yield from taints(workload, node)
    yield from fit(cluster, workload, node)
    yield from devices(cluster, workload, node)
    yield from near(cluster, workload, node)
    yield from apart(cluster, workload, node)
    yield from apart_of_residents(cluster, workload, node)
    yield from spread(cluster, workload, node)
    yield from reserve(cluster, workload, node)


def cordon(node: Node) -> Iterator[Refusal]:
    if node.cordoned:
        yield "cordon", "", No.NEVER


def selector(cluster: Cluster, workload: Workload, node: Node) -> Iterator[Refusal]:
    wanted, labels = workload.node_selector, cluster.labels(node)
    if wanted.never:
        yield "selector", "never", No.NEVER
    elif len(wanted.terms) == 1:
        for requirement in wanted.terms[0]:
            if not term_holds((requirement,), labels):
                yield "selector", requirement[0], No.NEVER
    elif not wanted.matches(labels):
        yield "selector", f"any of {len(wanted.terms)}", No.NEVER


def repelling(workload: Workload, node: Node) -> list[Taint]:
    """The taints that keep this workload away."""
    hard = [taint for taint in node.taints if taint.effect in (Effect.NO_SCHEDULE, Effect.NO_EXECUTE)]
    return [taint for taint in hard if not any(one.tolerates(taint) for one in workload.tolerations)]


def taints(workload: Workload, node: Node) -> Iterator[Refusal]:
    for taint in repelling(workload, node):
        yield "taints", str(taint), No.NEVER


def fit(cluster: Cluster, workload: Workload, node: Node) -> Iterator[Refusal]:
    for resource, amount in workload.requests.items():
        if cluster.free(node, resource) < amount:
            too_small = node.capacity.get(resource, 0) < amount
            yield "fit", resource, No.NEVER if too_small else No.BUSY


def devices(cluster: Cluster, workload: Workload, node: Node) -> Iterator[Refusal]:
    for resource, amount in workload.requests.items():
        pieces = cluster.devices(node, resource)
        if pieces and cluster.choose(node, resource, amount) is None:
            must_be_whole = amount > UNIT and amount % UNIT != 0
            too_few = amount > len(pieces) * UNIT
            yield "devices", resource, No.NEVER if must_be_whole or too_few else No.BUSY


def reserve(cluster: Cluster, workload: Workload, node: Node) -> Iterator[Refusal]:
    """Room is kept for those who ask for the primary resource, against all others."""
    rule = cluster.reserve
    if rule is None or rule.primary in workload.requests:
        return
    for resource, ratio in rule.per_unit:
        left = cluster.free(node, resource) - workload.requests.get(resource, 0)
        if node.capacity.get(rule.primary, 0) > 0 and left < cluster.free(node, rule.primary) * ratio:
            yield "reserve", f"{resource} for {rule.primary}", No.BUSY
    for resource, amount in rule.kept:
        asked = workload.requests.get(resource, 0)
        if cluster.free(node, resource) - asked < amount:
            yield "reserve", f"{resource} of the pool", No.NEVER if node.capacity.get(resource, 0) - asked < amount else No.BUSY


def near(cluster: Cluster, workload: Workload, node: Node) -> Iterator[Refusal]:
    for one in workload.near:
        if one.weight is None:
            if any(cluster.domain(node, key) is None for key in one.by):
                yield "near", str(one), No.NEVER
            elif not has_neighbours(cluster, workload, node, one) and not may_start(cluster, workload, one):
                yield "near", str(one), No.BUSY


def has_neighbours(cluster: Cluster, workload: Workload, node: Node, one: Near) -> bool:
    """Does the node's domain hold a match, for every key? (Never, where a key is not carried.)"""
    found = cluster.matching(one.peers, one.namespaces, workload.namespace)
    return all(cluster.count(found, key, cluster.domain(node, key)) > 0 for key in one.by)


def may_start(cluster: Cluster, workload: Workload, one: Near) -> bool:
    """The first of its kind: nobody matches anywhere, and it matches itself."""
    nobody = not cluster.matching(one.peers, one.namespaces, workload.namespace)
    return one.first_may_start and nobody and matches(workload, one.peers, one.namespaces, workload.namespace)


def apart(cluster: Cluster, workload: Workload, node: Node) -> Iterator[Refusal]:
    for one in workload.apart:
        if one.weight is None:
            found = cluster.matching(one.peers, one.namespaces, workload.namespace)
            if cluster.count(found, one.by, cluster.domain(node, one.by)) >= one.at_most:
                yield "apart", str(one), No.BUSY


def apart_of_residents(cluster: Cluster, workload: Workload, node: Node) -> Iterator[Refusal]:
    """What residents demand of the newcomer: resident + others that match + newcomer <= at_most."""
    topics: set[str] = set()
    for resident in cluster.residents.values():
        own = resident.workload.namespace
        for one in resident.workload.apart:
            domain = cluster.domain(node, one.by)
            if one.weight is not None or domain is None or not matches(workload, one.peers, one.namespaces, own):
                continue
            if cluster.domain(cluster.node(resident.node), one.by) != domain:
                continue
            others = [peer for peer in cluster.matching(one.peers, one.namespaces, own) if peer is not resident]
            topic = f"resident {one}"
            if 1 + cluster.count(others, one.by, domain) + 1 > one.at_most and topic not in topics:
                topics.add(topic)
                yield "apart", topic, No.BUSY


def spread(cluster: Cluster, workload: Workload, node: Node) -> Iterator[Refusal]:
    for one in workload.spread:
        if one.weight is None:
            domain = cluster.domain(node, one.by)
            if domain is None:
                yield "spread", str(one), No.NEVER
                continue
            found = cluster.matching(one.peers, one.namespaces, workload.namespace)
            itself = 1 if matches(workload, one.peers, one.namespaces, workload.namespace) else 0
            domains = eligible_domains(cluster, workload, one)
            lowest = min((cluster.count(found, one.by, other) for other in domains), default=0)
            if len(domains) < one.min_domains:
                lowest = 0
            if cluster.count(found, one.by, domain) + itself - lowest > one.max_skew:
                yield "spread", str(one), No.BUSY


def eligible_domains(cluster: Cluster, workload: Workload, one: Spread) -> set[str]:
    """Domains with at least one node the workload could be meant for, full or not."""
    domains = set()
    for node in cluster.nodes:
        domain = cluster.domain(node, one.by)
        allowed = workload.node_selector.matches(cluster.labels(node))
        if one.honour_taints and (node.cordoned or repelling(workload, node)):
            allowed = False
        if domain is not None and allowed:
            domains.add(domain)
    return domains
