"""Resource names in lists and patterns, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Final

from bayplan.dialects.source import values
from bayplan.dialects.source.report import Spot
from bayplan.dialects.volcano import decode
from bayplan.dialects.volcano.reading import Reading
from bayplan.errors import did_you_mean
from bayplan.model import resources
from bayplan.model.strategy import pattern_fault

COUNTED_APART: Final = ("cpu", "memory")
"""Volcano does not count these among the scalar resources, the only ones that can be primary."""


def listed(spot: Spot, written: str, reading: Reading, twice: str) -> list[str]:
    """The names of a comma list. `twice`: what Volcano does with a name that is listed twice."""
    found: list[str] = []
    for name in decode.names(written):
        if not resources.is_name(name):
            hint = "patterns work only in the plugin's own 'resources'" if "*" in name else "write names with commas between them"
            reading.bent(spot, f"{values.found(name)} is not a resource name", "finds it nowhere", hint)
        elif name in found:
            reading.bent(spot, f"{name!r} is listed twice", twice, "list it once")
        found.append(name)
    return found


def is_unreadable(spot: Spot) -> bool:
    """Whether something else than text stands where names should; that is said already."""
    return spot.value is not None and not isinstance(spot.value, str)


def is_pattern(spot: Spot, name: str, reading: Reading) -> bool:
    """Whether a name or pattern can match anything."""
    fault = pattern_fault(name)
    if fault is None:
        return True
    hint = "a resource name, or the beginning of one and one * at the end, such as nvidia.com/*"
    reading.bent(spot, fault, "drops it" if "*" in name else "never finds it", hint, on_key=True)
    return False


def is_listed(spot: Spot, name: str, known: Collection[str], reading: Reading) -> bool:
    """Whether a key speaks of a resource that is listed. (That none are is said elsewhere.)"""
    if known and name not in known:
        near = reading.mistakes.near_miss(name, dict.fromkeys(known)) or "list it in 'resources', too"
        reading.bent(spot, f"{values.found(name)} is not listed in 'resources'", "ignores it", near, on_key=True)
    return name in known


def ratio_keys(names: Iterable[str]) -> list[str]:
    """`<name>.cpu` and `<name>.memory`"""
    return [f"{name}.{secondary}" for name in names for secondary in COUNTED_APART]


def is_ratio(spot: Spot, key: str, names: Collection[str], reading: Reading) -> bool:
    """Whether a key is one of these for a listed name."""
    known = ratio_keys(names)
    primary, _, secondary = key.rpartition(".")
    if key not in known and primary in names and not did_you_mean(secondary, COUNTED_APART).startswith("did"):
        hint = "the filter 'reserve' of bayplan's own policies takes any resource"
        reading.bent(spot, f"only cpu and memory are reserved, not {secondary}", "ignores it", hint, on_key=True)
        return False
    return is_listed(spot, key, known, reading)


def primaries(spot: Spot, names: Iterable[str], reading: Reading) -> Iterator[str]:
    """The names that can be primary: what is reserved is cpu and memory, per unit of a scalar resource."""
    for name in dict.fromkeys(names):
        if name in COUNTED_APART:
            reading.bent(
                spot, f"{name} cannot be primary", "reserves nothing for it", "list scarce resources such as nvidia.com/gpu"
            )
        elif resources.in_bytes(name):
            reading.refuse(spot, f"{name} is counted in bytes and cannot be primary here")
        elif resources.is_name(name):
            if name == "pods":
                reading.bent(spot, "every pod requests 'pods'", "reserves nothing for it", "list scarce resources")
            yield name
