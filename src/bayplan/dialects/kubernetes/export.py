"""The way back: nodes, pods and gangs as manifests that the API server accepts.

Law: loads(dumps(objects)) has equal nodes, residents and requests where these came from Kubernetes. What it has no words
for raises Unsupported; nothing is left out silently.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Final

from bayplan.dialects.kubernetes import quantity
from bayplan.dialects.kubernetes.groups import LABELS
from bayplan.dialects.kubernetes.labels import is_dns_subdomain
from bayplan.dialects.kubernetes.load import Objects
from bayplan.dialects.kubernetes.pod_writing import write_pod
from bayplan.dialects.kubernetes.priorities import write_class
from bayplan.dialects.kubernetes.quantity import MILLI, NANOS
from bayplan.dialects.source.dump import to_yaml
from bayplan.errors import Unsupported
from bayplan.model.frozen import FrozenMap
from bayplan.model.group import Group, Request, Strategy, members
from bayplan.model.neighbours import NODE
from bayplan.model.node import Node
from bayplan.model.resources import UNIT, in_bytes, render
from bayplan.model.workload import Workload

Written = dict[str, Any]
GROUP_LABEL: Final = LABELS[0]


def dumps(objects: Objects | Iterable[Request]) -> str:
    """YAML documents: priority classes, nodes, pods that run, pods that wait, gangs."""
    if isinstance(objects, Objects):
        found = objects
    else:
        found = Objects(requests=tuple(objects))
    return "---\n".join(to_yaml(one) for one in documents(found))


def documents(objects: Objects) -> Iterator[Written]:
    """The objects as plain data."""
    everyone = [*(workload for workload, _ in objects.residents), *(one for each in objects.requests for one in members(each))]
    for priority in sorted({workload.priority for workload in everyone}):
        written = write_class(priority)
        if written is not None:
            yield written
    yield from map(write_node, objects.nodes)
    yield from (write_pod(workload, node) for workload, node in objects.residents)
    for request in objects.requests:
        if isinstance(request, Workload):
            yield write_pod(request)
        else:
            yield from _gang(request)


def _gang(group: Group) -> Iterator[Written]:
    """A PodGroup of scheduler-plugins, whose members carry its name as a label."""
    what = f"group {group.name!r}"
    if group.fallbacks or group.strategy is not Strategy.ANY or group.by != NODE:
        raise Unsupported(f"{what}: a strategy ({group.strategy.value} by {group.by}) or fallbacks")
    spaces = {one.namespace for one in group.members}
    if len(spaces) > 1:
        raise Unsupported(f"{what}: members of several namespaces")
    space = spaces.pop()
    named = {one.labels.get(GROUP_LABEL, group.name.removeprefix(f"{space}.")) for one in group.members}
    if len(named) > 1 or not is_dns_subdomain(min(named)):
        raise Unsupported(f"{what}: the name, or members that carry other groups' labels")
    name = named.pop()
    metadata = {"name": name, "namespace": space}
    spec = {"minMember": len(group.members)}
    yield {"apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "PodGroup", "metadata": metadata, "spec": spec}
    for one in group.members:
        yield write_pod(replace(one, labels=FrozenMap({**one.labels, GROUP_LABEL: name})))


def write_node(node: Node) -> Written:
    if not is_dns_subdomain(node.name):
        raise Unsupported(f"node {node.name!r}: names have lower-case letters, digits, '-' and '.' only")
    if node.images:
        listed = [{"names": [name], "sizeBytes": size} for name, size in node.images.items()]
        return _node(node) | {"status": {**_node(node)["status"], "images": listed}}
    return _node(node)


def _node(node: Node) -> Written:
    if node.devices:
        raise Unsupported(f"node {node.name!r}: single devices; Kubernetes counts them as an extended resource")
    metadata: Written = {"name": node.name} | ({"labels": dict(node.labels)} if node.labels else {})
    spec: Written = {"unschedulable": True} if node.cordoned else {}
    if node.taints:
        spec["taints"] = [
            {"key": one.key, "effect": one.effect.value} | ({"value": one.value} if one.value else {}) for one in node.taints
        ]
    amounts = {name: _amount(node, name, units) for name, units in node.capacity.items()}
    status = {"capacity": amounts, "allocatable": amounts}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "spec": spec, "status": status}


def _amount(node: Node, name: str, units: int) -> str:
    if in_bytes(name):
        return quantity.canonical(units * NANOS, "binary")
    smallest = UNIT // 1000 if name == "cpu" else UNIT
    if units % smallest:
        raise Unsupported(f"node {node.name!r}: {render(name, units)} {name}; Kubernetes has whole numbers, and cpu in m")
    return quantity.canonical(units // smallest * (MILLI if name == "cpu" else NANOS))
