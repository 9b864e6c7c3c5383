"""Containers that request what a workload requests, and count for scores as it counts.

A container that says nothing of cpu counts as 100m, so a pod that counts for more than it requests has containers that say
nothing. With requests r and count c, for each of cpu and memory:

    k = ceil((c - r) / 100m) containers say nothing,  one says c - k * 100m,  an init container says r where that is more
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from bayplan.dialects.kubernetes import ports, quantity
from bayplan.dialects.kubernetes.images import tagged
from bayplan.dialects.kubernetes.labels import is_prefixed_key
from bayplan.dialects.kubernetes.quantity import MILLI, NANOS
from bayplan.dialects.kubernetes.requests import UNSAID
from bayplan.errors import Unsupported
from bayplan.model.resources import COUNTED, UNIT, Resources, in_bytes, render

IMAGE: Final = "registry.k8s.io/pause:3.10"
Written = dict[str, Any]


def containers(requests: Resources, labels: Mapping[str, str]) -> Written:
    """`containers`, and `initContainers` where they are needed."""
    main: dict[str, str] = {}
    init: dict[str, str] = {}
    silent: dict[str, int] = {}
    for name in UNSAID:
        said, early, silent[name] = _split(requests, name)
        if said is not None:
            main[name] = quantity.canonical(said, "binary" if name == "memory" else "si")
        if early:
            init[name] = quantity.canonical(early, "binary" if name == "memory" else "si")
    for name, units in requests.items():
        if name not in UNSAID and name not in COUNTED and name != "pods":
            main[name] = _extended(name, units)
    if requests.get("pods", UNIT) != UNIT:
        raise Unsupported(f"a request of {render('pods', requests['pods'])} pods")
    limits = {name: value for name, value in main.items() if is_prefixed_key(name) or name.startswith("hugepages-")}
    first = _container("main", main, limits) | _ports(labels)
    others = [
        _container(f"more-{at}", {name: "0" for name in UNSAID if at >= silent[name]}, {}) for at in range(max(silent.values()))
    ]
    found: Written = {"containers": [first, *others]}
    return found | ({"initContainers": [_container("init", init, {})]} if init else {})


def with_images(spec: Written, images: tuple[str, ...]) -> bool:
    """Give the containers their images; whether they are exactly these afterwards."""
    every = [*spec.get("initContainers", ()), *spec["containers"]]
    if len(every) != len(images) or not all(map(_is_image, images)):
        return False
    for container, image in zip(every, images, strict=True):
        container["image"] = image
    return True


def _is_image(name: str) -> bool:
    return name == tagged(name) and not name.startswith(":")


def _split(requests: Resources, name: str) -> tuple[int | None, int, int]:
    """What the first container says (None: nothing), what the init container says, and how many others say nothing."""
    wanted, unsaid = _nanos(name, requests.get(name, 0)), UNSAID[name]
    if "pods" not in requests:  # not from a pod: nothing is said about what counts
        return wanted or None, 0, 0
    counted = _nanos(name, requests.get(f"counted-{name}", 0))
    silent = -(-(counted - wanted) // unsaid)
    said = counted - silent * unsaid
    if silent < 0 or said < 0:
        raise Unsupported(f"{name} that counts for less than is requested")
    early = wanted if said < wanted else 0
    return (None, early, silent - 1) if said == 0 and silent else (said, early, silent)


def _nanos(name: str, units: int) -> int:
    if in_bytes(name):
        return units * NANOS
    if units % (UNIT // 1000):
        raise Unsupported(f"a request of {render(name, units)} {name}: the smallest part is 1m")
    return units // (UNIT // 1000) * MILLI


def _extended(name: str, units: int) -> str:
    if in_bytes(name):
        if name in ("ephemeral-storage", "storage") or name.startswith("hugepages-"):
            return quantity.canonical(units * NANOS, "binary")
        raise Unsupported(f"the resource {name!r}: extended resources have a domain, like example.com/{name}")
    if not is_prefixed_key(name):
        raise Unsupported(f"the resource {name!r}: extended resources have a domain, like example.com/{name}")
    if units % UNIT:
        raise Unsupported(f"a request of {render(name, units)} {name}: only whole numbers of an extended resource")
    return str(units // UNIT)


def _container(name: str, wanted: dict[str, str], limits: dict[str, str]) -> Written:
    resources = {"requests": wanted} if wanted else {}
    found: Written = {"name": name, "image": IMAGE}
    if limits:
        resources["limits"] = limits
    return found | ({"resources": resources} if resources else {})


def _ports(labels: Mapping[str, str]) -> Written:
    found = []
    for key, value in labels.items():
        if key.startswith(ports.PREFIX):
            protocol, _, number = key.removeprefix(ports.PREFIX).partition("-")
            port: Written = {"containerPort": int(number), "hostPort": int(number), "protocol": protocol.upper()}
            if value != ports.EVERY_ADDRESS:
                port["hostIP"] = ports.written_address(value)
            found.append(port)
    return {"ports": found} if found else {}
