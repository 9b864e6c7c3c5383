"""The design document's grammar of `sra`, dotted or nested. No release of Volcano reads it; bayplan does.

    sra.policy: retention | proportional        sra:
    sra.resources: a, b                           policy: ...
    sra.retention.weight: 1                       resources: a, b
    sra.retention.<name>: 1                       retention: {weight: 1, <name>: 1}
    sra.proportional.<name>.cpu|memory: 1         proportional: {<name>.cpu: 1, <name>.memory: 1}

One policy is active; the case of its name does not matter; all numbers are 1 where they are missing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from bayplan.dialects.source import values
from bayplan.dialects.source.report import Spot
from bayplan.dialects.volcano import decode, getters, lists, strategy_fit
from bayplan.dialects.volcano.reading import Reading
from bayplan.dialects.volcano.settings import Proportional, Retention
from bayplan.errors import did_you_mean

DOTTED: Final = "sra."
NESTED_KEYS: Final = ("policy", "resources", "retention", "proportional")
POLICIES: Final = ("retention", "proportional")
T = TypeVar("T")


def is_dotted(key: str) -> bool:
    return key.startswith(DOTTED)


@dataclass(frozen=True, slots=True)
class Written:
    """What is written in either form: texts by `policy` and `resources`, numbers by `retention.x` and so on."""

    spots: Mapping[str, Spot]
    place: Spot
    """Where to complain about what is missing."""

    def under(self, part: str) -> dict[str, Spot]:
        return {key[len(part) + 1 :]: spot for key, spot in self.spots.items() if key.startswith(f"{part}.")}


def read(arguments: Spot, reading: Reading) -> tuple[Retention | None, Proportional | None]:
    """The policy that is active, if any."""
    given = arguments.value or {}
    dotted = [key for key in given if is_dotted(key)]
    nested = arguments / "sra"
    if dotted and "sra" in given:
        message = f"both {dotted[0]!r} and 'sra' are given"
        reading.bent(arguments / dotted[0], message, "never read either; here 'sra' is taken", "keep one form", on_key=True)
    if "sra" in given:
        written = Written(_nested(nested, reading), nested)
        return _policy(written, reading, flat=False)
    return _policy(_dotted(arguments, dotted, reading), reading, flat=True)


def _nested(spot: Spot, reading: Reading) -> dict[str, Spot]:
    fields = reading.fields(spot, NESTED_KEYS)
    found: dict[str, Spot] = {key: fields[key] for key in ("policy", "resources") if key in fields}
    for part in POLICIES:
        inside = reading.mapping(fields[part]) if part in fields else {}
        found |= {f"{part}.{key}": fields[part] / key for key in inside}
    return found


def _dotted(arguments: Spot, keys: list[str], reading: Reading) -> Written:
    found = {}
    for key in keys:
        inner = key[len(DOTTED) :]
        if inner in ("policy", "resources") or inner.startswith(tuple(f"{part}." for part in POLICIES)):
            found[inner] = arguments / key
        else:
            known = ("sra.policy", "sra.resources", "sra.retention.weight", "sra.proportional.")
            reading.unknown(arguments / key, key, known)
    return Written(found, arguments)


def _policy(written: Written, reading: Reading, flat: bool) -> tuple[Retention | None, Proportional | None]:
    name = _text(written, "policy", reading, flat)
    if "policy" not in written.spots:
        reading.bent(written.place, "there is no 'policy'", "then leaves it off", f"one of {', '.join(POLICIES)}", on_key=True)
    elif name.strip().lower() not in POLICIES:
        message = f"{values.found(name)} is not a policy"
        reading.bent(written.spots["policy"], message, "then leaves it off", did_you_mean(name[:100], POLICIES))
    spot = written.spots.get("resources", written.place)
    policy = name.strip().lower()
    if policy not in POLICIES:
        return None, None
    names = lists.listed(spot, _text(written, "resources", reading, flat), reading, "counts it twice in the sum")
    if not names and not ("resources" in written.spots and lists.is_unreadable(spot)):
        reading.bent(spot, "no resources are listed", "then does nothing", "resources: nvidia.com/gpu")
    if policy == "retention":
        return _retention(written, names, reading, flat), None
    return None, _proportional(written, names, reading, flat)


def _text(written: Written, key: str, reading: Reading, flat: bool) -> str:
    if key not in written.spots:
        return ""
    return _value(written.spots[key], reading, flat, decode.text, getters.get_string, "", "text")


def _value(
    spot: Spot, reading: Reading, flat: bool, decoder: Callable[[Any], decode.Read[T]],
    getter: Callable[[Mapping[str, Any], str, T], decode.Read[T]], base: T, expected: str,
) -> T:  # fmt: skip
    """The dotted form was read by the getters, the nested one by the decoder."""
    if flat:
        return reading.got(Spot(spot.document, spot.path[:-1]), str(spot.path[-1]), getter, base, expected)
    return reading.decoded(spot, decoder, base)


def _retention(written: Written, names: list[str], reading: Reading, flat: bool) -> Retention:
    given = written.under("retention")
    weights = {}
    for name, spot in given.items():
        weights[name] = _value(spot, reading, flat, decode.whole, getters.get_int, 1, "a whole number")
        if weights[name] < 0:
            reading.bent(spot, f"{weights[name]} is negative", "takes 1", "0, or a whole number above it")
        if name != "weight":
            lists.is_listed(spot, name, names, reading)
    weight = weights.pop("weight", 1)
    weight = 1 if weight < 0 else weight
    if weight == 0:
        reading.bent(given["weight"], "weight 0", "then does nothing", "write a weight above 0, or leave the policy out")
    return strategy_fit.weighed(written.place, weight, names, weights, reading)


def _proportional(written: Written, names: list[str], reading: Reading, flat: bool) -> Proportional:
    ratios = {}
    for key, spot in written.under("proportional").items():
        ratio = _value(spot, reading, flat, decode.number, getters.get_float64, 1.0, "a number")
        if ratio < 0:
            reading.bent(spot, f"{ratio:g} is negative", "takes 1", "0, or a number above it")
            ratio = 1.0
        if lists.is_ratio(spot, key, names, reading):
            ratios[key] = ratio
    listed = written.spots.get("resources", written.place)
    return strategy_fit.reserved(listed, written.place, names, ratios, reading)
