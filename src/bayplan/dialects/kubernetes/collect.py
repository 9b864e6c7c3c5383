"""Objects sorted by kind as they come: nodes are made at once, pods are reduced to shapes, the rest waits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Final

from bayplan.dialects.kubernetes import controllers, groups
from bayplan.dialects.kubernetes.labels import is_dns_subdomain
from bayplan.dialects.kubernetes.names import namespace, object_name, owner
from bayplan.dialects.kubernetes.nodes import read_labels, read_node
from bayplan.dialects.kubernetes.owners import Owners
from bayplan.dialects.kubernetes.reading import At, Remarks
from bayplan.dialects.kubernetes.report import Report
from bayplan.dialects.kubernetes.shapes import Shapes
from bayplan.dialects.kubernetes.source import Item
from bayplan.dialects.source.values import found
from bayplan.model.node import Node

CONFIGURATION: Final = "KubeSchedulerConfiguration"
NOT_PLANNED: Final = frozenset(
    (
        "PersistentVolume", "PersistentVolumeClaim", "StorageClass", "CSINode", "CSIDriver", "CSIStorageCapacity",
        "ResourceClaim", "ResourceClaimTemplate", "ResourceSlice", "DeviceClass", "RuntimeClass", "PodDisruptionBudget",
        "CronJob", "LimitRange", "ResourceQuota",
    )
)  # fmt: skip
"""Objects that can change where pods go, or how they look, and are not looked at."""
ENDED: Final = ("Succeeded", "Failed")
NAMESPACE_LABEL: Final = "kubernetes.io/metadata.name"


class Collected:
    """What was found so far."""

    def __init__(self, report: Report):
        self.report = report
        self.nodes: dict[str, Node] = {}
        self.shapes = Shapes()
        self.namespaces: dict[str, Mapping[str, str]] = {}
        self.priority_classes: dict[str, int] = {}
        self.default_priority = 0
        self.owners = Owners()
        self.controllers: list[tuple[str, Item]] = []
        self.minimums: dict[groups.Name, int] = {}
        self.configurations: list[Item] = []
        self.objects = 0
        self.unplanned: Counter[str] = Counter()
        self.owned: set[tuple[str, str]] = set()
        """Namespace and owner of every pod that has ended."""
        self._names: set[tuple[str, str, str]] = set()
        self._readers: dict[str, Callable[[At, Item], None]] = {
            "Pod": self._pod,
            "Node": self._node,
            "Namespace": self._namespace,
            "PriorityClass": self._priority_class,
            "Service": self._service,
            "PodGroup": self._pod_group,
            "Workload": self._pod_group,
        }

    def take(self, item: Item) -> None:
        """One object."""
        self.objects += 1
        data, remarks = item.data, Remarks()
        at = At(data, remarks)
        kind = data.get("kind") if isinstance(data, Mapping) else None
        if not isinstance(data, Mapping):
            at.mistake(f"expected an object, found {found(data)}", "apiVersion, kind, metadata, spec")
        elif not isinstance(kind, str) or not kind:
            (at / "kind").mistake("the kind is missing" if kind is None else f"expected text, found {found(kind)}", "kind: Pod")
        elif not isinstance(data.get("apiVersion"), str):
            (at / "apiVersion").mistake("the apiVersion is missing", "apiVersion: v1")
        else:
            self._sorted(kind, at, item)
        if remarks.mistakes or remarks.notes:
            self.report.take(remarks, item.place, title(data))

    def _sorted(self, kind: str, at: At, item: Item) -> None:
        if kind in self._readers:
            self._readers[kind](at, item)
        elif kind in controllers.KINDS and "volcano" not in item.data["apiVersion"]:
            self.controllers.append((kind, item))
        elif kind == CONFIGURATION:
            self.configurations.append(item)
        elif kind in NOT_PLANNED or kind in controllers.KINDS:
            self.unplanned[kind] += 1

    def _node(self, at: At, item: Item) -> None:
        node = read_node(at, server=True)
        if node is None or not self.unique(at, "Node", "", node.name):
            return
        self.nodes[node.name] = node

    def _pod(self, at: At, item: Item) -> None:
        if not isinstance(item.data.get("spec"), dict):
            if not at / "spec":
                at.mistake("the spec is missing")
            (at / "spec").mapping()
            return
        if (at / "status" / "phase").value in ENDED:
            self.owned.add((namespace(at), owner(at)))  # a finished pod of a job was made by it all the same
            return
        space, name, node = self._plain_pod(item.data) or self._odd_pod(at)
        if not at.remarks.mistakes and self.unique(at, "Pod", space, name):
            self.namespaces.setdefault(space, {NAMESPACE_LABEL: space})
            self.shapes.add(item, name, node)

    def _plain_pod(self, data: Mapping[str, Any]) -> tuple[str, str, str] | None:
        """Namespace, name and node of a pod with nothing odd about them: nearly all are so, and there are many."""
        metadata = data.get("metadata")
        if type(metadata) is not dict:
            return None
        space, name, node = metadata.get("namespace"), metadata.get("name"), data["spec"].get("nodeName", "")
        if not isinstance(name, str) or not isinstance(node, str) or not isinstance(space, str):
            return None
        return (space, name, node) if space in self.namespaces and is_dns_subdomain(name) else None

    def _odd_pod(self, at: At) -> tuple[str, str, str]:
        return namespace(at, server=True), self._pod_name(at), (at / "spec" / "nodeName").text()

    def _pod_name(self, at: At) -> str:
        prefix = (at / "metadata" / "generateName").value
        if isinstance(prefix, str) and not (at / "metadata" / "name").value:
            return object_name(at, f"{prefix}{self.objects}", server=True)
        return object_name(at, server=True)

    def _namespace(self, at: At, item: Item) -> None:
        name = object_name(at, server=True)
        self.namespaces[name] = {NAMESPACE_LABEL: name, **read_labels(at / "metadata" / "labels")}

    def _priority_class(self, at: At, item: Item) -> None:
        name, value = object_name(at, server=True), (at / "value").whole(0, -(2**31), 2**31 - 1)
        if not at / "value":
            (at / "value").mistake("the value is missing")
        self.priority_classes[name] = value
        if (at / "globalDefault").flag():
            self.default_priority = value

    def _service(self, at: At, item: Item) -> None:
        self.owners.service(namespace(at), at)

    def _pod_group(self, at: At, item: Item) -> None:
        if item.data["kind"] == "Workload" and not item.data["apiVersion"].startswith("scheduling.k8s.io"):
            return
        name = object_name(at, server=True)
        self.minimums.update(groups.minimums(at, item.data["kind"], namespace(at), name))

    def unique(self, at: At, kind: str, space: str, name: str) -> bool:
        if (kind, space, name) in self._names:
            (at / "metadata" / "name").mistake(f"there is a {kind} called {name!r} already")
            return False
        self._names.add((kind, space, name))
        return True


def title(data: Any) -> str:
    """`Pod default/web`, as far as it can be told."""
    if not isinstance(data, Mapping):
        return "object"
    kind = data.get("kind") if isinstance(data.get("kind"), str) else "object"
    metadata = data.get("metadata")
    if not isinstance(metadata, Mapping):
        return str(kind)[:100]
    name = metadata.get("name") or metadata.get("generateName")
    space = metadata.get("namespace")
    where = f"{space}/" if isinstance(space, str) and space not in ("", "default") else ""
    return f"{kind} {where}{name}"[:200] if isinstance(name, str) and name else str(kind)[:100]
