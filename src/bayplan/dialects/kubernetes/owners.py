"""Who selects a pod: services and controllers. The spread that the scheduler gives to pods without one counts these.

    selector = selectors of all services that match the pod, AND that of its ReplicaSet, StatefulSet or
               ReplicationController

Where there is no such selector there is no spread.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from bayplan.dialects.kubernetes.neighbours import label_selector
from bayplan.dialects.kubernetes.reading import At
from bayplan.model.selector import EVERYTHING, Selector
from bayplan.model.workload import DEFAULT_NAMESPACE

COUNTED: Final = frozenset(("ReplicaSet", "StatefulSet", "ReplicationController", "Deployment"))
"""Deployment: for pods that are made from its template, as its ReplicaSet would be."""
SYSTEM: Final[tuple[Mapping[str, Any], ...]] = (
    {"maxSkew": 3, "topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": "ScheduleAnyway"},
    {"maxSkew": 5, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "ScheduleAnyway"},
)
"""The spread that pods get by default."""


class Owners:
    def __init__(self) -> None:
        self._services: dict[str, list[Mapping[str, str]]] = {}
        self._controllers: dict[tuple[Any, Any, Any], Selector] = {}

    def service(self, namespace: str, at: At) -> None:
        pairs = (at / "spec" / "selector").text_map()
        if pairs:
            self._services.setdefault(namespace, []).append(pairs)

    def controller(self, namespace: str, kind: str, name: str, at: At) -> Selector:
        """Keep, and give, the selector of a controller."""
        if kind == "ReplicationController":
            own = at / "spec" / "selector" if at / "spec" / "selector" else at / "spec" / "template" / "metadata" / "labels"
            found = Selector.of(dict(own.text_map()))
        else:
            found = label_selector(at / "spec" / "selector")
        self._controllers[namespace, kind, name] = found
        return found

    def deduce(self, pod: Mapping[str, Any]) -> Selector | None:
        """The selector for a pod without constraints of its own; None: it gets none."""
        metadata = _mapping(pod.get("metadata"))
        namespace, labels = metadata.get("namespace") or DEFAULT_NAMESPACE, _mapping(metadata.get("labels"))
        pairs: dict[str, str] = {}
        for service in self._services.get(namespace, ()) if isinstance(namespace, str) else ():
            if service.items() <= labels.items():
                pairs.update(service)
        found = Selector.of(dict(pairs)) if pairs else EVERYTHING
        owners = metadata.get("ownerReferences")
        for one in owners if isinstance(owners, list) else ():
            if _mapping(one).get("controller") is True and one.get("kind") in COUNTED:
                found &= self._controllers.get((namespace, one["kind"], one.get("name")), EVERYTHING)
        return None if found.always else found


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
