"""Pods that start together: PodGroups of three makes, and who is in which.

    scheduling.x-k8s.io    the label scheduling.x-k8s.io/pod-group (before: pod-group.scheduling.sigs.k8s.io)
    scheduling.volcano.sh  the annotation scheduling.k8s.io/group-name
    scheduling.k8s.io      spec.schedulingGroup.podGroupName; before: a Workload and spec.workloadRef

A group of at least n becomes a gang of as many waiting pods as n needs beyond those that run already; the rest follows
one by one. With too few pods nobody starts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final

from bayplan.dialects.kubernetes.reading import At, Remarks
from bayplan.model.group import Group, Request, Strategy
from bayplan.model.workload import DEFAULT_NAMESPACE, Workload

LABELS: Final = ("scheduling.x-k8s.io/pod-group", "pod-group.scheduling.sigs.k8s.io")
ANNOTATIONS: Final = ("scheduling.k8s.io/group-name", "scheduling.volcano.sh/group-name")
Name = tuple[str, str]
"""Namespace, and name of the group."""


def minimums(at: At, kind: str, namespace: str, name: str) -> dict[Name, int]:
    """How many pods each group of an object needs at least."""
    if kind == "Workload":
        found = {}
        for one in (at / "spec" / "podGroups").items():
            gang = one / "policy" / "gang"
            if gang:
                found[namespace, f"{name}/{(one / 'name').text()}"] = (gang / "minCount").whole(1, 1)
        return found
    spec = at / "spec"
    for field in (spec / "minMember", spec / "schedulingPolicy" / "gang" / "minCount", spec / "policy" / "gang" / "minCount"):
        if field:
            return {(namespace, name): field.whole(1, 0)}
    return {}


def group_of(pod: Mapping[str, Any]) -> Name | None:
    """The group a pod says it belongs to."""
    at = At(pod, Remarks())
    namespace = (at / "metadata" / "namespace").text() or DEFAULT_NAMESPACE
    for kind, keys in (("labels", LABELS), ("annotations", ANNOTATIONS)):
        for key in keys:
            if name := (at / "metadata" / kind / key).text():
                return namespace, name
    if name := (at / "spec" / "schedulingGroup" / "podGroupName").text():
        return namespace, name
    reference = at / "spec" / "workloadRef"
    if name := (reference / "name").text():
        return namespace, f"{name}/{(reference / 'podGroup').text()}"
    return None


def gather(
    waiting: Iterable[tuple[Workload, Name | None]], running: Counter[Name], needed: Mapping[Name, int]
) -> tuple[list[Request], dict[Name, list[Workload]]]:
    """Requests in their order, a gang where its first member stands; and who has too few companions to start."""
    pods = list(waiting)
    members: dict[Name, list[Workload]] = {}
    for workload, name in pods:
        if name is not None and needed.get(name, 0) - running[name] > 0:
            members.setdefault(name, []).append(workload)
    found: list[Request] = []
    short: dict[Name, list[Workload]] = {}
    begun: set[Name] = set()
    for workload, name in pods:
        if name is None or name not in members:
            found.append(workload)
        elif name not in begun:
            begun.add(name)
            wanted = needed[name] - running[name]
            if len(members[name]) < wanted:
                short[name] = members[name]
            else:
                found.append(Group(_title(name), tuple(members[name][:wanted]), Strategy.ANY))
                found += members[name][wanted:]
    return found, short


def _title(name: Name) -> str:
    """A group is called as a workload is; a Workload's group has a '/' in its name."""
    space, rest = name[0], name[1].replace("/", ".")
    return rest if space == DEFAULT_NAMESPACE else f"{space}.{rest}"
