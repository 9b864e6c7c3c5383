"""A KubeSchedulerConfiguration as a policy: which plugins filter and score, with which weights and arguments.

    enabled = (the defaults - multiPoint.disabled + multiPoint.enabled) - point.disabled + point.enabled

A plugin that is enabled without a weight has weight 1, also one that has another by default.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from bayplan.dialects.kubernetes.arguments import READERS, WITHOUT_EFFECT, Arguments
from bayplan.dialects.kubernetes.context import BALANCE, Version
from bayplan.dialects.kubernetes.reading import At
from bayplan.engine.spec import PolicySpec

PRESET: Final = "kubernetes"
API: Final = "kubescheduler.config.k8s.io/v1"
DEFAULT_SCHEDULER: Final = "default-scheduler"
WEIGHTS: Final = {
    "TaintToleration": 3, "NodeAffinity": 2, "PodTopologySpread": 2, "InterPodAffinity": 2, "NodeResourcesFit": 1,
    "NodeResourcesBalancedAllocation": 1, "ImageLocality": 1,
}  # fmt: skip
"""Of the plugins that score."""
FILTERS: Final[dict[str, tuple[str, ...]]] = {
    "NodeName": (),  # pods that name their node are not scheduled at all
    "NodeUnschedulable": ("unschedulable",),
    "TaintToleration": ("taints",),
    "NodeAffinity": ("selector",),
    "NodePorts": (),  # read as labels that keep pods apart, or not read
    "NodeResourcesFit": (),  # nodes are never overbooked here
    "PodTopologySpread": ("spread",),
    "InterPodAffinity": ("near", "apart"),
}
"""Of the plugins that filter: the rules that do it here."""
NOT_PLANNED: Final = frozenset(
    (
        "VolumeRestrictions", "NodeVolumeLimits", "VolumeBinding", "VolumeZone", "DynamicResources", "NodeDeclaredFeatures",
        "SchedulingGates", "PrioritySort", "DefaultPreemption", "DefaultBinder", "GangScheduling",
    )
)  # fmt: skip
"""Plugins that have no part in filtering or scoring here."""
_POINTS: Final = (
    "multiPoint", "preEnqueue", "queueSort", "preFilter", "filter", "postFilter", "preScore", "score", "reserve", "permit",
    "preBind", "bind", "postBind",
)  # fmt: skip
_ROOT: Final = frozenset(
    (
        "apiVersion", "kind", "metadata", "parallelism", "leaderElection", "clientConnection", "enableProfiling",
        "enableContentionProfiling", "percentageOfNodesToScore", "podInitialBackoffSeconds", "podMaxBackoffSeconds",
        "profiles", "extenders", "delayCacheUntilActive",
    )
)  # fmt: skip
_PROFILE: Final = frozenset(("schedulerName", "percentageOfNodesToScore", "plugins", "pluginConfig"))


@dataclass(frozen=True, slots=True)
class Configuration:
    policy: PolicySpec
    arguments: Arguments = field(default_factory=Arguments)
    schedulers: tuple[str, ...] = (DEFAULT_SCHEDULER,)
    """The names of all profiles."""


def read_configuration(at: At, scheduler: str | None, version: Version) -> Configuration:
    """The profile of one scheduler (None: the first)."""
    at.known(_ROOT)
    if (at / "apiVersion").text() != API:
        (at / "apiVersion").mistake(f"{(at / 'apiVersion').value!r} cannot be read", API)
    _sampling(at)
    if (at / "extenders").value:
        (at / "extenders").note("extenders are not asked")
    profiles = list((at / "profiles").items())
    names = [(one / "schedulerName").text() or DEFAULT_SCHEDULER for one in profiles]
    for number, name in enumerate(names):
        if name in names[:number]:
            profiles[number].mistake(f"there is a profile for {name!r} already")
    plans = [_profile(one) for one in profiles]
    wanted = names[0] if scheduler is None and names else scheduler or DEFAULT_SCHEDULER
    if wanted in names:
        plugins, arguments = plans[names.index(wanted)]
    else:
        plugins, arguments = _plugins(At(None, at.remarks)), Arguments()
        if profiles:
            (at / "profiles").note(f"there is no profile for {wanted!r}; the defaults are taken")
    return Configuration(_policy(wanted, plugins, arguments, version), arguments, tuple(names) or (DEFAULT_SCHEDULER,))


def plain_policy(version: Version) -> PolicySpec | None:
    """The policy where no configuration is given: None is the preset as it is."""
    if version >= BALANCE:
        return None
    return PolicySpec(PRESET, "", {"NodeResourcesBalancedAllocation": {"weight": 1, "version": _text(version)}})


def nodes_to_find(nodes: int, percentage: int = 0, of_profile: int | None = None) -> int:
    """After how many feasible nodes kube-scheduler stops looking. Here every node is judged.

    Up to 100 nodes: all. Else a percentage (by default 50 - n/125, at least 5), and 100 nodes at least.
    """
    if nodes < 100:
        return nodes
    share = of_profile or percentage
    if share >= 100:
        return nodes
    if share == 0:
        share = max(5, 50 - nodes // 125)
    return max(100, nodes * share // 100)


def _sampling(at: At) -> None:
    share = (at / "percentageOfNodesToScore").whole(0, 0, 100)
    if 0 < share < 100:
        (at / "percentageOfNodesToScore").note(f"every node is judged here; kube-scheduler stops after {share} %")


def _profile(at: At) -> tuple[tuple[dict[str, int], set[str]], Arguments]:
    at.known(_PROFILE)
    _sampling(at)
    arguments = Arguments()
    seen = set()
    for one in (at / "pluginConfig").items():
        one.known(("name", "args"))
        name = (one / "name").text()
        if name in seen:
            (one / "name").mistake(f"the arguments of {name!r} are given twice")
        seen.add(name)
        (one / "args").mapping()
        if name in READERS:
            READERS[name](one / "args", arguments)
        elif name not in WITHOUT_EFFECT:
            (one / "name").note(f"{name!r} is not a plugin that is known here; its arguments are not looked at")
    return _plugins(at / "plugins"), arguments


def _plugins(at: At) -> tuple[dict[str, int], set[str]]:
    """The weights of those that score, and those that filter."""
    at.known(_POINTS)
    for point in _POINTS:
        _names(at / point, note=point in ("multiPoint", "filter", "score"))
        if point not in ("multiPoint", "filter", "score", "queueSort", "bind") and (at / point / "disabled").value:
            (at / point / "disabled").note(f"that {point} alone is disabled is not planned; disable filter or score")
    score = _enabled(dict(WEIGHTS), at / "multiPoint", WEIGHTS)
    score = _enabled(score, at / "score", WEIGHTS)
    everywhere = _enabled(dict.fromkeys(FILTERS, 1), at / "multiPoint", dict.fromkeys(FILTERS, 1))
    filters = _enabled(everywhere, at / "filter", dict.fromkeys(FILTERS, 1))
    if "NodeResourcesFit" not in filters:
        at.note("the filter NodeResourcesFit stays: nodes are never overbooked here")
    if "InterPodAffinity" not in filters and "NodePorts" in filters:
        at.note("without the filter InterPodAffinity host ports are not looked at either: both keep pods apart")
    return score, set(filters)


def _enabled(before: dict[str, int], point: At, known: dict[str, int]) -> dict[str, int]:
    disabled = {(one / "name").value for one in (point / "disabled").items()}
    found = {} if "*" in disabled else {name: weight for name, weight in before.items() if name not in disabled}
    for one in (point / "enabled").items():
        if (one / "name").value in known:
            found[(one / "name").text()] = (one / "weight").whole(1, 0, 2**31 - 1) or 1
    return found


def _names(point: At, *, note: bool) -> None:
    """Check the entries of an extension point; say which plugins are not known."""
    point.known(("enabled", "disabled"))
    known = {*WEIGHTS, *FILTERS, *NOT_PLANNED, "*"}
    for which in ("enabled", "disabled"):
        for one in (point / which).items():
            one.known(("name", "weight"))
            name = (one / "name").text()
            if not name:
                (one / "name").mistake("the name of the plugin is missing")
            elif name not in known and note:
                (one / "name").note(f"{name!r} is not a plugin that is known here; it is left out")


def _policy(name: str, plugins: tuple[dict[str, int], set[str]], arguments: Arguments, version: Version) -> PolicySpec:
    weights, filters = plugins
    scorers: dict[str, Any] = {}
    for plugin in WEIGHTS:
        weight, parameters = weights.get(plugin, 0), dict(arguments.scorers.get(plugin, {}))
        if plugin == "NodeResourcesBalancedAllocation":
            parameters["version"] = _text(version)
        scorers[plugin] = {"weight": weight, **parameters} if weight and parameters else weight
    off = [rule for plugin, rules in FILTERS.items() if plugin not in filters for rule in rules]
    arguments.host_ports = "NodePorts" in filters
    return PolicySpec(PRESET, name, scorers, dict.fromkeys(off, False))


def _text(version: Version) -> str:
    return f"{version[0]}.{version[1]}"
