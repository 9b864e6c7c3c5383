"""Settings into a policy.

    resource-strategy-fit   packing over what is requested, weight 100 * resourceStrategyFitWeight
    sra                     scarcity, weight 100 * sra.weight
    proportional            a reserve of cpu and memory per unit
    binpack                 packing, all resources `most`, weight 100 * binpack.weight
    nodeorder               kube-scheduler's score plugins, 0 to 100 each, with these weights
    predicates              the filters beside room and devices; not listed: only room and devices count

Scorers stand in the order of the tiers, which is the order in which Volcano adds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any, Final

from bayplan.dialects.source.report import Spot
from bayplan.dialects.volcano.reading import Reading
from bayplan.dialects.volcano.settings import (
    PLUGIN,
    Binpack,
    NodeOrder,
    Plugins,
    Predicates,
    Proportional,
    Retention,
    StrategyFit,
)
from bayplan.dialects.volcano.tiers import Use
from bayplan.engine.spec import PolicySpec

NAME: Final = "volcano"
EXACT_UP_TO: Final = 2_000_000
"""Higher scores are not exact, see docs/architecture.md."""
KUBERNETES: Final = "1.34"
"""The release whose score plugins Volcano's are built from."""


def policy(plugins: Plugins, uses: list[Use], conf: Spot, reading: Reading) -> PolicySpec:
    """The policy, with places: a rule that is refused later is refused with its line."""
    scorers: dict[str, Any] = {}
    for name in dict.fromkeys(plugins.order):
        made = _scorers(name, plugins)
        times = plugins.order.count(name)
        scorers |= {rule: {**written, "weight": times * written["weight"]} for rule, written in made.items()}
    filters = _filters(plugins)
    _warn(plugins, scorers, uses, conf, reading)
    return PolicySpec("plain", NAME, scorers, filters, _places(scorers, filters, uses))


def _scorers(name: str, plugins: Plugins) -> dict[str, dict[str, Any]]:
    if name == PLUGIN:
        return _strategies(plugins.strategy_fit) | _retention(plugins.retention)
    if name == "binpack":
        return _binpack(plugins.binpack)
    return _node_order(plugins.node_order) if name == "nodeorder" else {}


def _strategies(fit: StrategyFit | None) -> dict[str, dict[str, Any]]:
    if fit is None or fit.weight == 0:
        return {}
    resources = {one.resource: {"strategy": one.kind, "weight": one.weight} for one in fit.resources}
    return {PLUGIN: _packing(resources, 100.0 * fit.weight, over="requested", lacking="zero")}


def _packing(resources: Mapping[str, Any], weight: float, **how: Any) -> dict[str, Any]:
    return {"scorer": "packing", "resources": dict(resources), "weight": weight, **how}


def _retention(kept: Retention | None) -> dict[str, dict[str, Any]]:
    if kept is None or kept.weight == 0 or not kept.resources:
        return {}
    return {
        "sra": {
            "scorer": "scarcity",
            "resources": dict(kept.resources),
            "total": float(kept.total),
            "weight": 100.0 * kept.weight,
        }
    }


def _binpack(pack: Binpack | None) -> dict[str, dict[str, Any]]:
    if pack is None or pack.weight == 0:
        return {}
    resources = {name: {"strategy": "most", "weight": weight} for name, weight in pack.resources.items() if weight}
    return {"binpack": _packing(resources, 100.0 * pack.weight, over="requested", lacking="zero", own=False)}


def _node_order(order: NodeOrder | None) -> dict[str, dict[str, Any]]:
    if order is None:
        return {}
    balanced = {"resources": ["cpu", "memory", "nvidia.com/gpu"], "version": KUBERNETES}
    found: dict[str, dict[str, Any]] = {
        "leastrequested": {"scorer": "NodeResourcesFit", "strategy": "LeastAllocated", "weight": order.least},
        "mostrequested": {"scorer": "NodeResourcesFit", "strategy": "MostAllocated", "weight": order.most},
        "balancedresource": {"scorer": "NodeResourcesBalancedAllocation", "weight": order.balanced, **balanced},
        "nodeaffinity": {"scorer": "NodeAffinity", "weight": order.node_affinity},
        "podaffinity": {"scorer": "InterPodAffinity", "weight": order.pod_affinity},
        "tainttoleration": {"scorer": "TaintToleration", "weight": order.taint_toleration},
        "podtopologyspread": {"scorer": "PodTopologySpread", "weight": order.topology_spread},
        "imagelocality": {"scorer": "ImageLocality", "weight": order.image_locality},
    }
    return {name: written | {"weight": float(written["weight"])} for name, written in found.items() if written["weight"]}


def _filters(plugins: Plugins) -> dict[str, Any]:
    found: dict[str, Any] = dict.fromkeys(_left_out(plugins.predicates), False)
    reserve = plugins.proportional
    return found | ({"proportional": _reserve(reserve)} if reserve is not None and reserve.ratios else {})


def _left_out(predicates: Predicates | None) -> list[str]:
    if predicates is None:
        return ["cordon", "selector", "taints", "near", "apart", "spread"]
    switched = {
        "selector": predicates.node_affinity, "taints": predicates.taint_toleration, "near": predicates.pod_affinity,
        "apart": predicates.pod_affinity, "spread": predicates.topology_spread,
    }  # fmt: skip
    return [name for name, on in switched.items() if not on]


def _reserve(reserve: Proportional) -> dict[str, Any]:
    ratios = {name: {"cpu": one.cpu, "memory": f"{_digits(one.memory)}G"} for name, one in reserve.ratios.items()}
    return {"filter": "reserve", "per_unit": ratios}


def _digits(number: float) -> str:
    """All digits of a number, without an exponent: `1e-07G` is not a quantity."""
    return f"{Decimal(repr(number)):f}"


def _warn(plugins: Plugins, scorers: Mapping[str, Any], uses: list[Use], conf: Spot, reading: Reading) -> None:
    spots = {use.name: use.spot / "name" for use in uses}
    if plugins.predicates is None:
        message = "predicates is not on: as in Volcano, only room counts, not selectors, taints, cordons or neighbours"
        reading.warn(spots.get("predicates", conf / "tiers"), message, "- name: predicates", on_key=True)
    for rule, written in scorers.items():
        if abs(written["weight"]) > EXACT_UP_TO:
            spot = spots[_plugin_of(rule)]
            reading.warn(spot, f"{rule} scores up to {written['weight']:,.0f}: above {EXACT_UP_TO:,} scores are not exact")


def _plugin_of(rule: str) -> str:
    if rule in (PLUGIN, "sra", "proportional"):
        return PLUGIN
    return rule if rule == "binpack" else "nodeorder"


def _places(scorers: Iterable[str], filters: Iterable[str], uses: list[Use]) -> dict[str, tuple[str, int, int]]:
    spots = {use.name: use.spot / "name" for use in uses}
    rules = [("scorers", rule) for rule in scorers] + [("filters", rule) for rule in filters if rule == "proportional"]
    found = {}
    for kind, rule in rules:
        spot = spots.get(_plugin_of(rule)) or spots.get("predicates")
        if spot is not None:
            found[f"policy.{kind}.{rule}"] = (spot.document.file, *spot.document.place(spot.path))
    return found
