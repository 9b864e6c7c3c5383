"""What a pod requests, exactly as Kubernetes adds it up.

    pod = max(containers + sidecars,  over init containers: itself + the sidecars before it) + overhead

Sidecars are init containers with restartPolicy Always. Pod-level requests replace the sum for cpu, memory and hugepages.
Sums are exact; only the total is rounded up: cpu to thousandths, everything else to units. While a pod is being resized,
it counts as the most of what it wants, what was allocated and what it has (without what it wants, if that is infeasible).

`counted` is the same with 100m and 200Mi for every container that says nothing of cpu or memory; scores use it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from bayplan.dialects.kubernetes import quantity
from bayplan.dialects.kubernetes.context import POD_LEVEL, RESIZE, Context
from bayplan.dialects.kubernetes.labels import is_prefixed_key
from bayplan.dialects.kubernetes.quantity import MILLI, NANOS
from bayplan.dialects.kubernetes.reading import At
from bayplan.model.resources import LIMIT, UNIT, Resources, in_bytes, render

Amounts = dict[str, int]
"""In nanos."""
UNSAID: Final[Mapping[str, int]] = {"cpu": 100 * MILLI, "memory": 200 * 2**20 * NANOS}
"""What a container counts for that does not say."""
_NATIVE: Final = frozenset(("cpu", "memory", "ephemeral-storage", "storage", "pods"))


def requests(pod: At, context: Context) -> Resources:
    """The resources of a workload: what is requested, a place for the pod, and what scores count."""
    wanted = of_pod(pod, context)
    counted = of_pod(pod, context, UNSAID)
    found = {name: _units(pod / "spec", name, nanos) for name, nanos in wanted.items() if not _ignored(name, context)}
    found["pods"] = UNIT
    for name in UNSAID:
        found[f"counted-{name}"] = _units(pod / "spec", name, counted.get(name, 0))
    return Resources(found)


def offers(node: At) -> Resources:
    """What a node has to give: allocatable, or its capacity where that is not said."""
    status = node / "status"
    listed = status / "allocatable" if status / "allocatable" else status / "capacity"
    return Resources({name: _units(listed / name, name, nanos) for name, nanos in amounts(listed).items()})


def _units(at: At, name: str, nanos: int) -> int:
    """The model's smallest units: cpu is rounded up to thousandths, everything else to units."""
    if name == "cpu":
        units = -(-nanos // MILLI) * (UNIT // 1000)
    else:
        units = -(-nanos // NANOS) * (1 if in_bytes(name) else UNIT)
    if units > LIMIT:
        at.mistake(f"{quantity.canonical(nanos)} of {name} is more than can be planned", f"at most {render(name, LIMIT)}")
        return 0
    return units


def _ignored(name: str, context: Context) -> bool:
    """Only extended resources can be ignored."""
    return is_prefixed_key(name) and (name in context.ignored_resources or name.partition("/")[0] in context.ignored_groups)


def of_pod(pod: At, context: Context, unsaid: Mapping[str, int] | None = None) -> Amounts:
    """The requests of a pod in nanos, by resource."""
    spec = pod / "spec"
    total: Amounts = {}
    for wants in _views(pod, context):
        total = _most(total, _added_up(spec, wants, unsaid or {}))
    level = _pod_level(spec, context, total)
    total.update(level)
    return _sum([total, amounts(spec / "overhead")])


def _added_up(spec: At, wants: Callable[[At], Amounts], unsaid: Mapping[str, int]) -> Amounts:
    def of(container: At) -> Amounts:
        return {**unsaid, **wants(container)}

    sidecars: Amounts = {}
    peak: Amounts = {}
    for one in (spec / "initContainers").items():
        if (one / "restartPolicy").value == "Always":
            sidecars = _sum([sidecars, of(one)])
            peak = _most(peak, sidecars)
        else:
            peak = _most(peak, _sum([sidecars, of(one)]))
    return _most(_sum([sidecars, *(of(one) for one in (spec / "containers").items())]), peak)


def _pod_level(spec: At, context: Context, total: Amounts) -> Amounts:
    if context.version < POD_LEVEL or not spec / "resources":
        return {}
    wanted = amounts(spec / "resources" / "requests")
    if context.server:
        limits = amounts(spec / "resources" / "limits")
        wanted = {name: total.get(name, limit) for name, limit in limits.items()} | wanted
    return {name: nanos for name, nanos in wanted.items() if name in ("cpu", "memory") or name.startswith("hugepages-")}


def amounts(listed: At) -> Amounts:
    """A list of resources, in nanos."""
    return {name: (listed / name).nanos() for name in listed.mapping() if _name(name, listed)}


def _name(name: object, listed: At) -> bool:
    if isinstance(name, str) and (name in _NATIVE or is_prefixed_key(name) or _odd_but_known(name)):
        return True
    listed.mistake(f"{name!r} is not a resource", 'cpu, memory, ephemeral-storage, hugepages-2Mi, or "example.com/name"')
    return False


def _odd_but_known(name: str) -> bool:
    return name.startswith(("hugepages-", "attachable-volumes-")) and len(name) < 64


# --- which requests of a container count ----------------------------------------------------------


def _views(pod: At, context: Context) -> list[Callable[[At], Amounts]]:
    def desired(container: At) -> Amounts:
        return _container(container, context)

    statuses = _statuses(pod) if context.version >= RESIZE else {}
    if not statuses:
        return [desired]

    def from_status(first: str, second: str) -> Callable[[At], Amounts]:
        def of(container: At) -> Amounts:
            status = statuses.get((container / "name").value, {})
            given = status.get(first) or (status.get(second) if infeasible else None)
            return desired(container) if given is None else given

        return of

    infeasible = any(
        (one / "type").value == "PodResizePending" and (one / "reason").value == "Infeasible"
        for one in (pod / "status" / "conditions").items()
    )
    views = [from_status("allocated", "actual"), from_status("actual", "allocated")]
    return views if infeasible else [desired, *views]


def _statuses(pod: At) -> dict[Any, dict[str, Amounts]]:
    """What was allocated to each container and what it has, where the kubelet says so."""
    found: dict[Any, dict[str, Amounts]] = {}
    for kind in ("initContainerStatuses", "containerStatuses"):
        for one in (pod / "status" / kind).items():
            told = {"allocated": one / "allocatedResources", "actual": one / "resources" / "requests"}
            read = {name: amounts(at) for name, at in told.items() if at}
            if read:
                found[(one / "name").value] = read
    return found


def _container(container: At, context: Context) -> Amounts:
    """A container's requests; the API server takes a limit without a request for one."""
    resources = container / "resources"
    wanted = amounts(resources / "requests")
    return amounts(resources / "limits") | wanted if context.server else wanted


def _sum(parts: Iterable[Mapping[str, int]]) -> Amounts:
    total: Amounts = {}
    for part in parts:
        for name, nanos in part.items():
            total[name] = total.get(name, 0) + nanos
    return total


def _most(left: Amounts, right: Amounts) -> Amounts:
    return {name: max(left.get(name, 0), right.get(name, 0)) for name in left.keys() | right.keys()}
