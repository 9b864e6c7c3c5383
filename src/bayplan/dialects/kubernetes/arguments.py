"""The arguments of scheduler plugins, checked as kube-scheduler checks them before it starts.

Each reader takes the `args` of one entry of pluginConfig. What changes how pods are read goes to `Arguments`; what changes
how nodes are scored becomes parameters of the scorer of that name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from bayplan.dialects.kubernetes import node_affinity
from bayplan.dialects.kubernetes.context import Context
from bayplan.dialects.kubernetes.labels import is_key
from bayplan.dialects.kubernetes.neighbours import topology_key
from bayplan.dialects.kubernetes.owners import SYSTEM
from bayplan.dialects.kubernetes.reading import At, Remarks
from bayplan.errors import Problem

STRATEGIES: Final = ("LeastAllocated", "MostAllocated", "RequestedToCapacityRatio")
CPU_AND_MEMORY: Final = {"cpu": 1, "memory": 1}
_HEADER: Final = ("apiVersion", "kind")
HIGHEST_SCORE: Final = 10
"""Of a point of a shape."""


@dataclass(slots=True)
class Arguments:
    scorers: dict[str, dict[str, Any]] = field(default_factory=dict)
    added_affinity: Mapping[str, Any] | None = None
    ignored_resources: frozenset[str] = frozenset()
    ignored_groups: frozenset[str] = frozenset()
    spread_defaults: tuple[Mapping[str, Any], ...] = SYSTEM
    host_ports: bool = True


def fit_args_problems(args: Mapping[str, Any]) -> list[Problem]:
    """What is wrong with NodeResourcesFitArgs; nothing where kube-scheduler would start with them."""
    remarks = Remarks()
    fit(At(args, remarks), Arguments())
    return [one.problem() for one in remarks.mistakes]


def fit(at: At, into: Arguments) -> None:
    at.known((*_HEADER, "ignoredResources", "ignoredResourceGroups", "scoringStrategy"))
    for one in (*(at / "ignoredResources").items(), *(at / "ignoredResourceGroups").items()):
        group = "ignoredResourceGroups" in one.path
        if not is_key(one.text()):
            one.mistake(f"{one.text()!r} is not the name of a resource")
        elif group and "/" in one.text():
            one.mistake(f"{one.text()!r} is not a group", "only what stands before the '/'")
    into.ignored_resources = frozenset((at / "ignoredResources").texts())
    into.ignored_groups = frozenset((at / "ignoredResourceGroups").texts())
    strategy = at / "scoringStrategy"
    if not strategy:
        return
    strategy.known(("type", "resources", "requestedToCapacityRatio"))
    kind = (strategy / "type").word(STRATEGIES, "LeastAllocated")
    found: dict[str, Any] = {"strategy": kind, "resources": _weights(strategy / "resources") or dict(CPU_AND_MEMORY)}
    ratio = strategy / "requestedToCapacityRatio"
    if kind == "RequestedToCapacityRatio":
        found["shape"] = _shape(ratio / "shape")
    elif ratio:
        ratio.note(f"it has no effect with the strategy {kind}")
    ratio.known(("shape",))
    into.scorers["NodeResourcesFit"] = found


def _weights(at: At) -> dict[str, int]:
    found: dict[str, int] = {}
    for one in at.items():
        one.known(("name", "weight"))
        name = (one / "name").text()
        if not is_key(name):
            (one / "name").mistake(f"{name!r} is not the name of a resource")
        found[name] = (one / "weight").whole(1, 1, 100)
    return found


def _shape(at: At) -> list[list[int]]:
    points: list[list[int]] = []
    for one in at.items():
        one.known(("utilization", "score"))
        point = [(one / "utilization").whole(0, 0, 100), (one / "score").whole(0, 0, HIGHEST_SCORE)]
        if points and point[0] <= points[-1][0]:
            (one / "utilization").mistake(f"{point[0]} is not above the utilization before it, {points[-1][0]}")
        points.append(point)
    if not points:
        at.mistake("at least one point is needed", "shape: [{utilization: 0, score: 0}, {utilization: 100, score: 10}]")
    return points


def balanced(at: At, into: Arguments) -> None:
    at.known((*_HEADER, "resources"))
    weights = _weights(at / "resources")
    for number, one in enumerate((at / "resources").items()):
        if (one / "weight").whole(1) != 1:
            (at / "resources" / number / "weight").mistake("only the weight 1 is allowed here")
    if weights:
        into.scorers["NodeResourcesBalancedAllocation"] = {"resources": list(weights)}


def inter_pod(at: At, into: Arguments) -> None:
    at.known((*_HEADER, "hardPodAffinityWeight", "ignorePreferredTermsOfExistingPods"))
    into.scorers["InterPodAffinity"] = {
        "hard_weight": (at / "hardPodAffinityWeight").whole(1, 0, 100),
        "ignore_preferred_of_existing": (at / "ignorePreferredTermsOfExistingPods").flag(),
    }


def affinity(at: At, into: Arguments) -> None:
    at.known((*_HEADER, "addedAffinity"))
    added = at / "addedAffinity"
    added.known((node_affinity.REQUIRED, node_affinity.PREFERRED))
    if added / node_affinity.REQUIRED:
        node_affinity.required(added / node_affinity.REQUIRED, lazily=False)
    node_affinity.preferred(added / node_affinity.PREFERRED, Context(server=True))
    into.added_affinity = added.value if isinstance(added.value, Mapping) else None


def spread(at: At, into: Arguments) -> None:
    at.known((*_HEADER, "defaultConstraints", "defaultingType"))
    kind = (at / "defaultingType").word(("List", "System"), "System")
    constraints = at / "defaultConstraints"
    if kind == "System" and constraints.value:
        constraints.mistake("with defaultingType System there can be no constraints", "defaultingType: List")
    seen = set()
    for one in constraints.items():
        key = topology_key(one, server=True)
        (one / "maxSkew").whole(1, 1, 2**31 - 1)
        if not one / "maxSkew":
            one.mistake("maxSkew is missing", "1 or more")
        when = (one / "whenUnsatisfiable").word(("DoNotSchedule", "ScheduleAnyway"), "")
        if one / "labelSelector":
            (one / "labelSelector").mistake("a default constraint has no selector: it is found for every pod")
        if (key, when) in seen:
            one.mistake(f"there is a constraint with {when} over {key!r} already")
        seen.add((key, when))
    if kind == "List":
        listed = constraints.value if isinstance(constraints.value, list) else []
        into.spread_defaults = tuple(one for one in listed if isinstance(one, Mapping))


READERS: Final[dict[str, Callable[[At, Arguments], None]]] = {
    "NodeResourcesFit": fit,
    "NodeResourcesBalancedAllocation": balanced,
    "InterPodAffinity": inter_pod,
    "NodeAffinity": affinity,
    "PodTopologySpread": spread,
}
"""By plugin."""
WITHOUT_EFFECT: Final = frozenset(("DefaultPreemption", "VolumeBinding", "DynamicResources", "DefaultBinder"))
"""Their arguments say nothing about what is planned here."""
