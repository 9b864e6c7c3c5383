"""Pods of one shape: equal in all that matters to placement, so read once and named many times.

A pod is reduced to what is read of it (paths stay as they are, so mistakes have their place), and the reduced pod, as
bytes, is the key. A dump of 50,000 pods has a few hundred shapes. Labels are kept apart: they can differ from pod to pod.
"""

from __future__ import annotations

import marshal
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from bayplan.dialects.kubernetes.pod_fields import CONTAINER, CONTAINER_READ, PLACING_VOLUMES, WITHOUT_EFFECT
from bayplan.dialects.kubernetes.source import Item, Place

ANNOTATIONS: Final = ("bayplan.dev/", "scheduling.", "volcano.sh/")
"""Prefixes of those that are read; others differ from pod to pod."""
_DROPPED: Final = WITHOUT_EFFECT | {"nodeName"}
_WITHOUT_EFFECT: Final = CONTAINER - CONTAINER_READ


@dataclass(frozen=True, slots=True)
class Seen:
    """One pod of a shape."""

    name: str
    node: str
    place: Place
    created: str
    number: int
    """In the order of the files."""


@dataclass(slots=True)
class Kin:
    """Pods that differ only by name and place."""

    labels: Any
    pods: list[Seen] = field(default_factory=list)


@dataclass(slots=True)
class Shape:
    """A reduced pod without its labels, and everyone who looks like it, by labels."""

    data: dict[str, Any]
    looks_at_labels: bool
    kins: dict[bytes, Kin] = field(default_factory=dict)

    def with_labels(self, labels: Any) -> dict[str, Any]:
        """The whole reduced pod."""
        metadata = self.data.get("metadata")
        if labels is None or not isinstance(metadata, dict):
            return self.data
        return {**self.data, "metadata": {**metadata, "labels": labels}}


class Shapes:
    def __init__(self) -> None:
        self._by_key: dict[bytes, Shape] = {}
        self._count = 0

    def __iter__(self) -> Iterator[Shape]:
        return iter(self._by_key.values())

    def add(self, item: Item, name: str, node: str) -> None:
        data = reduced(item.data)
        metadata = data.get("metadata")
        labels = metadata.pop("labels", None) if isinstance(metadata, dict) else None
        key, kin = marshal.dumps(data, 2), marshal.dumps(labels, 2)
        shape = self._by_key.get(key)
        if shape is None:
            shape = self._by_key[key] = Shape(data, b"atchLabelKeys" in key)
        if kin not in shape.kins:
            shape.kins[kin] = Kin(labels)
        created = _mapping(item.data, "metadata").get("creationTimestamp")
        self._count += 1
        time = created if isinstance(created, str) else ""
        shape.kins[kin].pods.append(Seen(name, node, item.place, time, self._count))


def _mapping(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = data.get(key)
    return found if isinstance(found, dict) else {}


def reduced(pod: Mapping[str, Any]) -> dict[str, Any]:
    """What is read of a pod; a value of the wrong type stays, to be found."""
    found: dict[str, Any] = {}
    for key, value in pod.items():
        if key == "metadata" and isinstance(value, dict):
            found[key] = _metadata(value)
        elif key == "spec" and isinstance(value, dict):
            found[key] = _spec(value)
        elif key == "status":
            status = _status(value) if isinstance(value, dict) else value
            if status:
                found[key] = status
        elif key not in ("kind", "apiVersion"):
            found[key] = value
    return found


def _metadata(metadata: dict[str, Any]) -> dict[str, Any]:
    found = {key: metadata[key] for key in ("namespace", "labels") if metadata.get(key) is not None}
    if metadata.get("deletionTimestamp") is not None:
        found["deletionTimestamp"] = "set"
    annotations = metadata.get("annotations")
    if isinstance(annotations, dict):
        kept = {key: value for key, value in annotations.items() if key.startswith(ANNOTATIONS)}
        if kept:
            found["annotations"] = kept
    owners = metadata.get("ownerReferences")
    if isinstance(owners, list):
        found["ownerReferences"] = [
            {key: one[key] for key in ("kind", "name", "controller") if key in one} if isinstance(one, dict) else one
            for one in owners
        ]
    return found


def _spec(spec: dict[str, Any]) -> dict[str, Any]:
    found = {key: value for key, value in spec.items() if key not in _DROPPED}
    for kind in ("containers", "initContainers"):
        if isinstance(found.get(kind), list):
            found[kind] = [_container(one) for one in found[kind]]
    volumes = found.pop("volumes", None)
    if isinstance(volumes, list):
        kinds = [{kind: {} for kind in PLACING_VOLUMES & one.keys()} if isinstance(one, dict) else one for one in volumes]
        if any(kinds):
            found["volumes"] = kinds
    elif volumes is not None:
        found["volumes"] = volumes
    return found


def _container(container: Any) -> Any:
    if not isinstance(container, dict):
        return container
    return {key: value for key, value in container.items() if key not in _WITHOUT_EFFECT}


def _status(status: dict[str, Any]) -> dict[str, Any]:
    """What the kubelet says of a resize."""
    found: dict[str, Any] = {}
    for kind in ("containerStatuses", "initContainerStatuses"):
        listed = status.get(kind)
        if isinstance(listed, list):
            kept = [
                {key: one[key] for key in ("name", "allocatedResources", "resources") if key in one}
                for one in listed
                if isinstance(one, dict) and ("allocatedResources" in one or "resources" in one)
            ]
            if kept:
                found[kind] = kept
    conditions = status.get("conditions")
    if isinstance(conditions, list):
        pending = [one for one in conditions if isinstance(one, dict) and one.get("type") == "PodResizePending"]
        if pending:
            found["conditions"] = [{key: one.get(key) for key in ("type", "reason")} for one in pending]
    return found
