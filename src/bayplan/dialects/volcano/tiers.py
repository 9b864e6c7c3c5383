"""The frame of a configuration: actions, and tiers of plugins, each with switches and arguments.

This much Volcano reads with its YAML parser: a wrong type makes it refuse the whole file and go on with the
configuration it had before. So a wrong type is a mistake in either mode. Unknown keys it ignores.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from bayplan.dialects.source import values
from bayplan.dialects.source.report import Spot
from bayplan.dialects.volcano.reading import Reading
from bayplan.dialects.volcano.source import SECTIONS
from bayplan.errors import did_you_mean

ACTIONS: Final = ("enqueue", "allocate", "backfill", "preempt", "reclaim", "shuffle")
SCORES: Final = "enableNodeOrder"
FILTERS: Final = "enablePredicate"
SWITCHES: Final = (
    SCORES, FILTERS, "enableJobOrder", "enableNamespaceOrder", "enableHierarchy", "enableSubJobOrder", "enableJobReady",
    "enableJobPipelined", "enableTaskOrder", "enablePreemptable", "enableReclaimable", "enablePreemptive", "enableQueueOrder",
    "enableClusterOrder", "enableBestNode", "enableTargetJob", "enableReservedNodes", "enableJobEnqueued", "enabledVictim",
    "enableJobStarving", "enabledOverused", "enabledAllocatable", "enableHyperNodeOrder", "enabledSubJobReady",
    "enabledSubJobPipelined", "enabledSubJobOrder", "enabledHyperNodeGradient",
)  # fmt: skip
_REFUSES = "Volcano refuses the whole file"


@dataclass(frozen=True, slots=True)
class Use:
    """A plugin as it is listed."""

    name: str
    spot: Spot
    scores: bool
    filters: bool

    @property
    def arguments(self) -> Spot:
        return self.spot / "arguments"


def uses(conf: Spot, reading: Reading) -> list[Use]:
    """The plugins of all tiers, in order."""
    reading.unknown_keys(conf, SECTIONS)
    _actions(conf / "actions", reading)
    if _items(conf / "configurations", reading):
        reading.warn(conf / "configurations", "arguments of actions are not used by bayplan", on_key=True)
    found = []
    for tier in _items(conf / "tiers", reading):
        if not isinstance(tier.value, Mapping):
            reading.refuse(tier, f"expected a mapping with 'plugins', found {values.found(tier.value)}; {_REFUSES}")
            continue
        reading.unknown_keys(tier, ("plugins",))
        for plugin in _items(tier / "plugins", reading):
            use = _use(plugin, reading)
            found += [use] if use else []
    if not found and not reading.mistakes.problems:
        reading.bent(conf / "tiers", "there are no plugins", "then takes the first node that has room", on_key=True)
    return found


def _items(spot: Spot, reading: Reading) -> list[Spot]:
    if isinstance(spot.value, list):
        return [spot / at for at in range(len(spot.value))]
    if spot.value is not None:
        reading.refuse(spot, f"expected a list, found {values.found(spot.value)}; {_REFUSES}", "begin every entry with '- '")
    return []


def _actions(spot: Spot, reading: Reading) -> None:
    if spot.value is None:
        reading.bent(spot, "there are no actions", "then schedules nothing", 'actions: "enqueue, allocate, backfill"')
    elif not isinstance(spot.value, str):
        hint = f'write "{", ".join(ACTIONS[:3])}"'
        reading.refuse(spot, f"expected text, found {values.found(spot.value)}; {_REFUSES}", hint)
    else:
        names = [name.strip() for name in spot.value.split(",")]
        for name in names:
            if name not in ACTIONS:
                reading.bent(spot, f"there is no action {name!r}", "refuses the whole file", did_you_mean(name, ACTIONS))
        if "allocate" not in names:
            reading.warn(spot, "'allocate' is not among the actions: Volcano would place nothing, bayplan does")


def _use(spot: Spot, reading: Reading) -> Use | None:
    if not isinstance(spot.value, Mapping):
        reading.refuse(spot, f"expected a plugin, found {values.found(spot.value)}; {_REFUSES}", "- name: ...")
        return None
    name = spot.value.get("name")
    if not isinstance(name, str) or not name:
        reading.refuse(spot / "name", f"expected the name of a plugin, found {values.found(name)}")
        return None
    wrongly_spelt = {f"enabled{one[6:]}": f"write {one!r}" for one in SWITCHES if not one.startswith("enabled")}
    reading.unknown_keys(spot, ("name", "arguments", *SWITCHES), wrongly_spelt)
    if spot.value.get("arguments") is not None and not isinstance(spot.value["arguments"], Mapping):
        found = values.found(spot.value["arguments"])
        reading.refuse(spot / "arguments", f"expected a mapping, found {found}; {_REFUSES}")
        return None
    switched = {one: _switch(spot / one, reading) for one in SWITCHES if one in spot.value}
    return Use(name, spot, switched.get(SCORES, True), switched.get(FILTERS, True))


def _switch(spot: Spot, reading: Reading) -> bool:
    value: Any = reading.as_yaml11(spot)
    if value is not None and not isinstance(value, bool):
        reading.refuse(spot, f"expected true or false, found {values.found(value)}; {_REFUSES}")
    return value is not False
