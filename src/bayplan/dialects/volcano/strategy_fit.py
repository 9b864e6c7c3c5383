"""The arguments of resource-strategy-fit as released: `resourceStrategyFitWeight`, `resources`, `sra`, `proportional`.

resourceStrategyFitWeight   10 where it is missing or negative; 0 switches the strategies off
resources                   {name or pattern*: {type, weight}}; none: cpu and memory, LeastAllocated
sra                         {enable, resources: "a, b", weight, resourceWeight: {a: 1}}
proportional                {enable, resources: "a, b", resourceProportion: {a.cpu: 8, a.memory: 8}}
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bayplan.dialects.source import values
from bayplan.dialects.source.report import Spot
from bayplan.dialects.volcano import decode, lists
from bayplan.dialects.volcano.reading import Reading
from bayplan.dialects.volcano.settings import Proportional, Ratio, Retention, StrategyFit
from bayplan.errors import did_you_mean
from bayplan.model.frozen import FrozenMap
from bayplan.model.strategy import Kind, ResourceStrategy

WEIGHT: Final = "resourceStrategyFitWeight"
KEYS: Final = (WEIGHT, "resources")
SRA_KEYS: Final = ("enable", "resources", "weight", "resourceWeight")
PROPORTIONAL_KEYS: Final = ("enable", "resources", "resourceProportion")
DESIGN_HINT: Final = "a key of the design document; releases read 'sra: {enable, resources, weight, resourceWeight}'"
TYPES: Final[Mapping[str, Kind]] = {"MostAllocated": "most", "LeastAllocated": "least"}


def strategies(arguments: Spot, reading: Reading) -> StrategyFit:
    given = arguments.value or {}
    weight = StrategyFit().weight
    if WEIGHT in given:
        weight = reading.decoded(arguments / WEIGHT, decode.whole, weight)
        if weight < 0:
            reading.bent(arguments / WEIGHT, f"{weight} is negative", "takes 10", "0 switches the strategies off")
            weight = StrategyFit().weight
    if "resources" not in given:
        return StrategyFit(weight)
    spot = arguments / "resources"
    written = reading.mapping(spot)
    if not written:
        if not spot.value:
            reading.bent(spot, "no resources", "takes LeastAllocated for cpu and memory", "leave the key out", on_key=True)
        return StrategyFit(weight)
    found = [(name, *_strategy(spot / name, name, reading)) for name in written]
    kept = [ResourceStrategy(*one) for one in found if lists.is_pattern(spot / one[0], one[0], reading)]
    return StrategyFit(weight, tuple(kept))


def _strategy(spot: Spot, name: str, reading: Reading) -> tuple[Kind, int]:
    if spot.value is None:
        reading.bent(spot, "nothing stands here", "takes LeastAllocated, weight 1", "write {type: ..., weight: ...}", on_key=True)
    fields = reading.fields(spot, ("type", "weight"))
    kind: Kind = "least"
    if "type" in fields:
        given = fields["type"]
        written = reading.decoded(given, decode.text, "") if given.value is not None else ""
        if written not in TYPES and not lists.is_unreadable(given):
            message = f"{values.found(given.value)} is not a strategy"
            reading.bent(given, message, "takes LeastAllocated", did_you_mean(written[:100], TYPES))
        kind = TYPES.get(written, kind)
    elif spot.value:
        reading.warn(spot, f"no type is given for {name}: LeastAllocated is taken", on_key=True)
    weight = reading.decoded(fields["weight"], decode.whole, 1) if "weight" in fields else 1
    if weight <= 0 and fields["weight"].value is not None:
        hint = "leave the resource out to switch it off" if weight == 0 else "a whole number above 0"
        reading.bent(fields["weight"], f"{weight} is not a weight above 0", "takes 1", hint)
    return kind, weight if weight > 0 else 1


def _enabled(spot: Spot, fields: Mapping[str, Spot], reading: Reading) -> bool:
    if "enable" not in fields and fields:
        reading.bent(spot, "there is no 'enable: true'", "leaves it off", "enable: true, or false", on_key=True)
    return "enable" in fields and reading.decoded(fields["enable"], decode.truth, False)


def _names(fields: Mapping[str, Spot], spot: Spot, enabled: bool, reading: Reading, twice: str) -> list[str]:
    written = reading.decoded(fields["resources"], decode.text, "") if "resources" in fields else ""
    if not enabled:
        return []
    here = fields.get("resources", spot)
    names = lists.listed(here, written, reading, twice)
    if not names and not ("resources" in fields and lists.is_unreadable(here)):
        reading.bent(here, "no resources are listed", "then does nothing", 'resources: "nvidia.com/gpu"')
    return names


def retention(spot: Spot, reading: Reading) -> Retention:
    """`sra`: a weight of 0, or none, leaves it without effect."""
    fields = reading.fields(spot, SRA_KEYS, dict.fromkeys(("policy", "retention", "proportional"), DESIGN_HINT))
    enabled = _enabled(spot, fields, reading)
    names = _names(fields, spot, enabled, reading, "counts it twice in the sum")
    weight = reading.decoded(fields["weight"], decode.whole, 1) if "weight" in fields else 0
    written = reading.mapping(fields["resourceWeight"]) if "resourceWeight" in fields else {}
    weights = {name: reading.decoded(fields["resourceWeight"] / name, decode.whole, 1) for name in written}
    if not enabled:
        return Retention()
    if weight <= 0:
        hint = "write a weight above 0, or enable: false"
        reading.bent(fields.get("weight", spot), f"enabled with weight {weight}", "then does nothing", hint, on_key=True)
    for name, one in weights.items():
        lists.is_listed(fields["resourceWeight"] / name, name, names, reading)
        if one < 0:
            reading.bent(fields["resourceWeight"] / name, f"{one} is negative", "takes 1", "0, or a whole number above it")
    return weighed(fields.get("resourceWeight", spot), max(weight, 0), names, weights, reading)


def weighed(spot: Spot, weight: int, names: list[str], weights: Mapping[str, int], reading: Reading) -> Retention:
    """The weights of the listed names: 1 where there is none or it is negative."""
    taken = {name: one if (one := weights.get(name, 1)) >= 0 else 1 for name in names}
    total = sum(taken[name] for name in names)
    if names and not total:
        reading.bent(spot, "all weights are 0", "then scores 0 everywhere", "give at least one a weight above 0", on_key=True)
    return Retention(weight, FrozenMap(taken), total)


def proportional(spot: Spot, reading: Reading) -> Proportional | None:
    fields = reading.fields(spot, PROPORTIONAL_KEYS)
    enabled = _enabled(spot, fields, reading)
    names = _names(fields, spot, enabled, reading, "takes it once")
    key = "resourceProportion"
    written = reading.mapping(fields[key]) if key in fields else {}
    ratios = {name: reading.decoded(fields[key] / name, decode.number, 1.0) for name in written}
    if not enabled:
        return None
    return reserved(fields.get("resources", spot), fields.get(key, spot), names, ratios, reading)


def reserved(listed: Spot, given: Spot, names: list[str], ratios: Mapping[str, float], reading: Reading) -> Proportional:
    """The ratios of the listed names, `<name>.cpu` and `<name>.memory`: 1 where there is none or it is negative."""
    for key, ratio in ratios.items():
        lists.is_ratio(given / key, key, names, reading)
        if ratio < 0:
            reading.bent(given / key, f"{ratio:g} is negative", "takes 1", "0, or a number above it")
    taken = {key: ratio if (ratio := ratios.get(key, 1.0)) >= 0 else 1.0 for key in lists.ratio_keys(names)}
    found = lists.primaries(listed, names, reading)
    return Proportional(FrozenMap({name: Ratio(taken[f"{name}.cpu"], taken[f"{name}.memory"]) for name in found}))
