"""The plugins with flat keys: binpack, nodeorder, predicates (and its `proportional` of 1.12)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Final

from bayplan.dialects.source.report import Spot
from bayplan.dialects.volcano import lists, strategy_fit
from bayplan.dialects.volcano.getters import get_bool, get_float64, get_int, get_string
from bayplan.dialects.volcano.reading import Reading
from bayplan.dialects.volcano.settings import Binpack, NodeOrder, Predicates, Proportional
from bayplan.model.frozen import FrozenMap

NODE_ORDER_KEYS: Final[Mapping[str, str]] = {
    "least": "leastrequested.weight",
    "most": "mostrequested.weight",
    "balanced": "balancedresource.weight",
    "node_affinity": "nodeaffinity.weight",
    "taint_toleration": "tainttoleration.weight",
    "pod_affinity": "podaffinity.weight",
    "topology_spread": "podtopologyspread.weight",
    "image_locality": "imagelocality.weight",
}
PREDICATE_KEYS: Final[Mapping[str, str]] = {
    "node_affinity": "predicate.NodeAffinityEnable",
    "taint_toleration": "predicate.TaintTolerationEnable",
    "pod_affinity": "predicate.PodAffinityEnable",
    "topology_spread": "predicate.PodTopologySpreadEnable",
}
WITHOUT_EFFECT: Final = (
    "predicate.NodePortsEnable", "predicate.NodeVolumeLimitsEnable", "predicate.VolumeZoneEnable", "predicate.CacheEnable",
    "predicate.VolumeBindingEnable", "predicate.DynamicResourceAllocationEnable",
)  # fmt: skip
"""Keys of predicates about things that bayplan does not know: ports, volumes, claims."""

ENABLE_1_12: Final = "predicate.ProportionalEnable"
LIST_1_12: Final = "predicate.resources"


def binpack(arguments: Spot, reading: Reading) -> Binpack:
    """Every weight is 1 where it is missing or negative; 0 leaves the resource alone. Its own weight may be negative."""
    given = arguments.value or {}
    prefix = "binpack.resources."
    names = _names(arguments, "binpack.resources", reading)
    keys = {name: f"{prefix}{name}" for name in names} | {"cpu": "binpack.cpu", "memory": "binpack.memory"}
    for name in ("cpu", "memory"):
        if name in names:
            message = f"{name} has the key 'binpack.{name}' of its own"
            reading.bent(arguments / "binpack.resources", message, "takes that one", "list only other resources")
    weights = {name: _weight(arguments, key, reading) for name, key in keys.items()}
    for key in (one for one in given if one.startswith(prefix)):
        lists.is_listed(arguments / key, key, list(keys.values()), reading)
    others = [key for key in given if not key.startswith(prefix)]
    _unknown(arguments, others, ("binpack.weight", "binpack.resources", "binpack.cpu", "binpack.memory"), reading)
    return Binpack(reading.got(arguments, "binpack.weight", get_int, 1, "a whole number"), FrozenMap(weights))


def _weight(arguments: Spot, key: str, reading: Reading) -> int:
    weight = reading.got(arguments, key, get_int, 1, "a whole number")
    if weight < 0:
        reading.bent(arguments / key, f"{weight} is negative", "takes 1", "0, or a whole number above it")
    return weight if weight >= 0 else 1


def _names(arguments: Spot, key: str, reading: Reading) -> list[str]:
    written = reading.got(arguments, key, get_string, "", 'text such as "nvidia.com/gpu, example.com/foo"')
    return lists.listed(arguments / key, written, reading, "takes it once")


def _unknown(arguments: Spot, keys: list[str], known: tuple[str, ...], reading: Reading) -> None:
    for key in keys:
        if key not in known:
            reading.unknown(arguments / key, key, known)


def node_order(arguments: Spot, reading: Reading) -> NodeOrder:
    given = arguments.value or {}
    _unknown(arguments, list(given), tuple(NODE_ORDER_KEYS.values()), reading)
    weights: dict[str, int] = asdict(NodeOrder())
    for name, default in weights.items():
        key = NODE_ORDER_KEYS[name]
        weights[name] = reading.got(arguments, key, get_int, default, "a whole number")
        if weights[name] < 0:
            message, volcano = f"{weights[name]} is negative", "takes it as it is, and prefers the worst nodes"
            reading.bent(arguments / key, message, volcano, "0 switches it off")
    return NodeOrder(**weights)


def predicates(arguments: Spot, reading: Reading) -> Predicates:
    given = arguments.value or {}
    known = (*PREDICATE_KEYS.values(), *WITHOUT_EFFECT, ENABLE_1_12, LIST_1_12)
    _unknown(arguments, [key for key in given if not key.startswith(f"{LIST_1_12}.")], known, reading)
    for key in WITHOUT_EFFECT:
        reading.got(arguments, key, get_bool, True, "true or false")
    flags = {name: reading.got(arguments, key, get_bool, True, "true or false") for name, key in PREDICATE_KEYS.items()}
    return Predicates(**flags)


def is_proportional_1_12(key: str) -> bool:
    return key in (ENABLE_1_12, LIST_1_12) or key.startswith(f"{LIST_1_12}.")


def proportional_1_12(arguments: Spot, reading: Reading) -> Proportional | None:
    """`predicate.ProportionalEnable`, `predicate.resources` and `predicate.resources.<name>.cpu|memory`"""
    prefix = f"{LIST_1_12}."
    enabled = reading.got(arguments, ENABLE_1_12, get_bool, False, "true or false")
    names = _names(arguments, LIST_1_12, reading)
    keys = [key for key in arguments.value or {} if key.startswith(prefix)]
    for key in keys:
        lists.is_ratio(arguments / key, key[len(prefix) :], names, reading)
    ratios = {one: _ratio(arguments, prefix + one, reading) for one in lists.ratio_keys(names)}
    if not enabled:
        if names or keys:
            reading.bent(arguments, f"there is no '{ENABLE_1_12}: true'", "leaves it off", f"{ENABLE_1_12}: true", on_key=True)
        return None
    if not names:
        reading.bent(arguments / LIST_1_12, "no resources are listed", "then does nothing", f"{LIST_1_12}: nvidia.com/gpu")
    return strategy_fit.reserved(arguments / LIST_1_12, arguments, names, ratios, reading)


def _ratio(arguments: Spot, key: str, reading: Reading) -> float:
    ratio = reading.got(arguments, key, get_float64, 1.0, "a number")
    if ratio < 0:
        reading.bent(arguments / key, f"{ratio:g} is negative", "takes 1", "0, or a number above it")
    return ratio if ratio >= 0 else 1.0
