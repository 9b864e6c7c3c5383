"""Clusters and pods of Kubernetes' cases, read by the dialect."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from bayplan import Cluster, Node, Policy, Workload
from bayplan.dialects.kubernetes import Context, node_of, workload_of_pod
from bayplan.dialects.kubernetes.context import NEWEST, Version
from bayplan.dialects.kubernetes.owners import SYSTEM, Owners
from bayplan.dialects.kubernetes.reading import At, Remarks
from bayplan.model.resources import Resources
from bayplan.model.workload import DEFAULT_NAMESPACE
from tests.conformance.registry import Case

UNNAMED = "unnamed"
"""Upstream's tests have nodes without a name; pods without a node run there."""
AMOUNTS = ("NodeResourcesFit", "NodeResourcesBalancedAllocation")
"""The plugins that look at amounts. Nodes in the cases of others often have none at all."""
BEFORE_POD_LEVEL: Version = (1, 33)


def context_of(case: Case) -> Context:
    features, arguments = case.get("features", {}), case.get("args") or {}
    of_system = arguments.get("defaultingType") == "System"
    return Context(
        namespaces={one["name"]: one.get("labels", {}) for one in case.get("namespaces", ())},
        added_affinity=arguments.get("addedAffinity"),
        ignored_resources=frozenset(arguments.get("ignoredResources", ())),
        ignored_groups=frozenset(arguments.get("ignoredResourceGroups", ())),
        spread_defaults=SYSTEM if of_system else tuple(arguments.get("defaultConstraints") or ()),
        system_spread=of_system,
        deduce=_owners(case).deduce,
        version=NEWEST if features.get("PodLevelResources", True) else BEFORE_POD_LEVEL,
        compared_tolerations=features.get("TaintTolerationComparisonOperators", False),
    )


def _owners(case: Case) -> Owners:
    """Services and controllers; a service is the only one that is written without its kind."""
    found = Owners()
    for one in case.get("objects") or ():
        at, space = At(one, Remarks()), one["metadata"].get("namespace", DEFAULT_NAMESPACE)
        if one.get("kind", "Service") == "Service":
            found.service(space, at)
        else:
            found.controller(space, one["kind"], one["metadata"]["name"], at)
    return found


def cluster_of(case: Case, policy: Policy) -> Cluster:
    """The nodes with their pods. Nodes that other plugins have filtered out are there, and closed."""
    nodes = nodes_of(case)
    closed = [replace(node_of(one, UNNAMED), cordoned=True) for one in case.get("filteredOutNodes", ())]
    cluster = Cluster([*(_sized(case, one) for one in nodes), *(_sized(case, one) for one in closed)], policy)
    there = {one.name for one in (*nodes, *closed)}
    for workload, node in residents(case):
        if node in there:
            cluster.settle(workload, node, overbooked=True)
    return cluster


def nodes_of(case: Case) -> list[Node]:
    return [node_of(one, UNNAMED) for one in case["nodes"]]


def residents(case: Case) -> Iterator[tuple[Workload, str]]:
    context = context_of(case)
    for number, pod in enumerate(case["existingPods"]):
        workload = workload_of_pod(_named_namespaces(pod), context, "existing").named(f"existing-{number}")
        yield _without_amounts(case, workload), pod["spec"].get("nodeName") or UNNAMED


def incoming(case: Case, remarks: Remarks | None = None) -> Workload:
    """The pod that is to be scheduled. To the scheduler it has no node yet, whatever is written there."""
    pod = case["pod"]
    spec = {key: value for key, value in pod["spec"].items() if key != "nodeName"}
    workload = workload_of_pod(_named_namespaces({**pod, "spec": spec}), context_of(case), "incoming", remarks)
    return _without_amounts(case, workload.named("incoming"))


def _named_namespaces(written: Any) -> Any:
    """Upstream's objects have not seen the API server, which gives pods without a namespace the default one. Terms that
    name the empty namespace mean that one."""
    if isinstance(written, list):
        return [_named_namespaces(one) for one in written]
    if not isinstance(written, dict):
        return written
    found = {key: _named_namespaces(one) for key, one in written.items()}
    if isinstance(found.get("namespaces"), list):
        found["namespaces"] = [one or DEFAULT_NAMESPACE for one in found["namespaces"]]
    return found


def pinned(case: Case) -> Workload:
    """What the plugin NodeName sees of a pod: the node it names."""
    name = case["pod"]["spec"].get("nodeName")
    return Workload("pinned", nodes=[name] if name else [])


def names(case: Case) -> list[str]:
    return [name_of(one["metadata"]) for one in case["nodes"]]


def name_of(metadata: Mapping[str, Any]) -> str:
    return metadata.get("name") or UNNAMED


def _without_amounts(case: Case, workload: Workload) -> Workload:
    return workload if case.get("plugin", AMOUNTS[0]) in AMOUNTS else replace(workload, requests=Resources())


def _sized(case: Case, node: Node) -> Node:
    return node if case.get("plugin", AMOUNTS[0]) in AMOUNTS else replace(node, capacity=Resources())
