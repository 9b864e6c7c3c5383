"""A pod as a workload: every condition it sets, in the model's own terms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from bayplan.dialects.kubernetes import images, node_affinity, pod_fields, ports, requests, tolerations
from bayplan.dialects.kubernetes.context import BARE, Context
from bayplan.dialects.kubernetes.names import namespace, object_name, owner
from bayplan.dialects.kubernetes.neighbours import TERMINATING, Neighbours
from bayplan.dialects.kubernetes.nodes import read_labels
from bayplan.dialects.kubernetes.reading import At, Remarks
from bayplan.errors import ConfigError
from bayplan.model.neighbours import Apart, Near
from bayplan.model.strategy import ResourceStrategy
from bayplan.model.workload import Workload

SYSTEM_CLASSES: Final = {"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}
RESERVED: Final = (ports.PREFIX, TERMINATING)


def workload_of_pod(pod: Mapping[str, Any], context: Context = BARE, name: str = "", remarks: Remarks | None = None) -> Workload:
    """The workload; a ConfigError with every mistake where there are any. `name` is for a pod that has none, `remarks`
    takes the notes."""
    remarks = Remarks() if remarks is None else remarks
    found = read_pod(At(pod, remarks), context, name)
    remarks.finish()
    assert found is not None
    return found


def read_pod(pod: At, context: Context, name: str = "") -> Workload | None:
    """The workload, or None and its mistakes in the remarks."""
    before = len(pod.remarks.mistakes)
    spec = pod / "spec"
    spec.mapping()
    pod_fields.check(pod)
    name, space = object_name(pod, name, server=context.server), namespace(pod, server=context.server)
    own = read_labels(pod / "metadata" / "labels")
    if context.server:
        _server_checks(pod, own)
    labels = {**own, **_reserved(pod, spec, context)}
    near, apart = _affinity(spec, Neighbours(space, own, context))
    conditions: dict[str, Any] = {
        "requests": requests.requests(pod, context),
        "selector": node_affinity.selector(spec, context),
        "preferences": node_affinity.preferences(spec, context),
        "tolerations": tolerations.tolerations(spec, context),
        "spread": Neighbours(space, own, context).spread(pod),
        "priority": _priority(spec, context),
        "owner": owner(pod),
        "images": images.of_pod(pod),
        "packing": _packing(pod / "metadata" / "annotations", context),
    }
    if len(pod.remarks.mistakes) > before:
        return None
    return Workload(name, labels=labels, namespace=space, near=near, apart=[*apart, *ports.aparts(labels)], **conditions)


def _server_checks(pod: At, own: Mapping[str, str]) -> None:
    if not (pod / "spec" / "containers").value:
        (pod / "spec" / "containers").mistake("a pod needs at least one container")
    for key in own:
        if key.startswith(RESERVED):
            (pod / "metadata" / "labels" / key).mistake(f"the label {key!r} is reserved for bayplan itself")


def _reserved(pod: At, spec: At, context: Context) -> dict[str, str]:
    """The labels that stand for host ports and for being deleted."""
    leaving = {TERMINATING: "true"} if pod / "metadata" / "deletionTimestamp" else {}
    return {**(ports.labels_of(spec, server=context.server) if context.host_ports else {}), **leaving}


def _affinity(spec: At, neighbours: Neighbours) -> tuple[list[Near], list[Apart]]:
    affinity = spec / "affinity"
    resident = bool((spec / "nodeName").value) and not neighbours.context.server
    if resident:  # the scheduler takes a resident whose terms it cannot parse for one that has none
        affinity = At(affinity.value, Remarks(), affinity.path)
    near = neighbours.near(affinity / "podAffinity")
    apart = neighbours.apart(affinity / "podAntiAffinity")
    if resident and affinity.remarks.mistakes:
        spec.note("its pod affinity cannot be parsed; the scheduler takes it for a pod without")
        return [], []
    return near, apart


def _priority(spec: At, context: Context) -> int:
    """`priority` if the API server has filled it in, else that of the class, else that of the default class."""
    if spec / "priority":
        return (spec / "priority").whole(0, -(2**31), 2**31 - 1)
    name = (spec / "priorityClassName").text()
    if not name:
        return context.default_priority
    known = {**SYSTEM_CLASSES, **context.priority_classes}
    if name not in known and context.server:
        (spec / "priorityClassName").note(f"the PriorityClass {name!r} is not among the files; its priority is taken to be 0")
    return known.get(name, 0)


def _packing(annotations: At, context: Context) -> tuple[ResourceStrategy, ...] | None:
    if context.strategies is None or not annotations.value:
        return None
    try:
        return context.strategies(annotations.text_map())
    except ConfigError as error:
        for problem in error.problems:
            annotations.mistake(problem.message, problem.hint)
        return None
