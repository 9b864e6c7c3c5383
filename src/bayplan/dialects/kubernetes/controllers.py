"""Pods that a controller would make: from the templates of Deployments, StatefulSets, ReplicaSets, Jobs and DaemonSets.

They are named `name-0`, `name-1`, ... (a DaemonSet's: `name-node`). Labels that controllers add, and that selectors use,
are added: a hash of the template for Deployments, the job's name for Jobs.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any, Final

from bayplan.dialects.kubernetes.reading import At, Remarks
from bayplan.model import labels as algebra
from bayplan.model.node import Effect, Node
from bayplan.model.selector import NODE_NAME, Selector
from bayplan.model.workload import Workload

KINDS: Final = frozenset(("Deployment", "StatefulSet", "ReplicaSet", "ReplicationController", "Job", "DaemonSet"))
COUNT_LIMIT: Final = 1_000_000
TEMPLATE: Final = ("spec", "template")
_NODE_TROUBLES: Final = {
    "not-ready": "NoExecute", "unreachable": "NoExecute", "disk-pressure": "NoSchedule", "memory-pressure": "NoSchedule",
    "pid-pressure": "NoSchedule", "unschedulable": "NoSchedule",
}  # fmt: skip
"""What the pods of a DaemonSet tolerate, whatever their template says."""


@dataclass(frozen=True, slots=True)
class Controller:
    kind: str
    namespace: str
    name: str

    @property
    def owner(self) -> str:
        return f"{self.kind}/{self.name}"


def count(at: At, kind: str) -> int:
    """How many pods it wants. A DaemonSet wants one per node; that is not known here."""
    spec = at / "spec"
    if kind == "Job":
        if (spec / "suspend").flag():
            (spec / "suspend").note("the job is suspended: its pods are left out")
            return 0
        parallel = (spec / "parallelism").whole(1, 0, COUNT_LIMIT)
        return min(parallel, (spec / "completions").whole(parallel, 0, 2**31 - 1))
    return (spec / "replicas").whole(1, 0, COUNT_LIMIT)


def check_selector(at: At, kind: str, selector: Selector) -> None:
    """The selector must match the template, or the controller would not know its own pods."""
    labels = At(at.value, Remarks()) / "spec" / "template" / "metadata" / "labels"
    if not at / "spec" / "selector" and kind != "ReplicationController":
        (at / "spec" / "selector").mistake("the selector is missing")
    elif at / "spec" / "template" and not selector.matches(labels.text_map()):
        (at / "spec" / "selector").mistake("the selector does not match the labels of the template")


def template(at: At, controller: Controller) -> At:
    """A pod of this controller, at the place of its template."""
    written = at / "spec" / "template"
    if not written:
        written.mistake("the template is missing")
    metadata = dict((written / "metadata").mapping())
    labels = {**(written / "metadata" / "labels").mapping(), **_added_labels(written, controller)}
    owner = {"kind": controller.kind, "name": controller.name, "controller": True}
    metadata |= {"namespace": controller.namespace, "labels": labels, "ownerReferences": [owner]}
    spec = written.mapping().get("spec")
    if controller.kind == "DaemonSet" and isinstance(spec, dict):
        spec = {**spec, "tolerations": _tolerations(spec)}
    return At({"metadata": metadata, "spec": spec}, at.remarks, TEMPLATE)


def _added_labels(written: At, controller: Controller) -> dict[str, str]:
    if controller.kind == "Job":
        return {"batch.kubernetes.io/job-name": controller.name[:63], "job-name": controller.name[:63]}
    if controller.kind == "Deployment":
        text = json.dumps(written.value, sort_keys=True, default=str)
        return {"pod-template-hash": blake2b(text.encode(errors="replace"), digest_size=5).hexdigest()}
    return {}


def _tolerations(spec: dict[str, Any]) -> Any:
    given = spec.get("tolerations")
    if not isinstance(given, list | None):
        return given
    troubles = dict(_NODE_TROUBLES)
    if spec.get("hostNetwork") is True:
        troubles["network-unavailable"] = "NoSchedule"
    added = [{"key": f"node.kubernetes.io/{key}", "operator": "Exists", "effect": effect} for key, effect in troubles.items()]
    return [*(given or []), *(one for one in added if one not in (given or []))]


def copies(workload: Workload, name: str, number: int) -> list[Workload]:
    return [workload.named(f"{name}-{at}") for at in range(number)]


def per_node(workload: Workload, name: str, nodes: Iterable[Node]) -> list[Workload]:
    """One for each node the pod may run on, bound to it by the node's name as the controller does."""
    return [_on(workload, f"{name}-{node.name}", node) for node in nodes if _may_run(workload, node)]


def _may_run(workload: Workload, node: Node) -> bool:
    if not workload.selector.always and not workload.selector.matches({**node.labels, NODE_NAME: node.name}):
        return False
    hard = (taint for taint in node.taints if taint.effect is not Effect.PREFER_NO_SCHEDULE)
    return all(any(one.tolerates(taint) for one in workload.tolerations) for taint in hard)


def _on(workload: Workload, name: str, node: Node) -> Workload:
    pinned = workload.selector & Selector.of({NODE_NAME: algebra.in_(node.name)})
    return replace(workload, name=name, selector=pinned)
