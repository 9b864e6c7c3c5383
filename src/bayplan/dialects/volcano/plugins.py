"""Plugins: which are listed, which grammar they are written in, what each was told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from bayplan.dialects.source.report import Spot
from bayplan.dialects.volcano import design, flat, strategy_fit
from bayplan.dialects.volcano.reading import Reading
from bayplan.dialects.volcano.settings import PLUGIN, Dialect, Plugins
from bayplan.dialects.volcano.tiers import Use
from bayplan.errors import did_you_mean

OTHERS: Final[Mapping[str, str]] = {
    "gang": "bayplan's groups do it: all members of a group are placed, or none",
    "drf": "bayplan decides by priority, then in the order in which work is asked for",
    "proportion": "bayplan does not share capacity out to queues",
    "capacity": "bayplan does not share capacity out to queues",
    "priority": "bayplan always places the most important work first",
    **dict.fromkeys(("conformance", "pdb", "tdm", "rescheduling", "cdp"), "bayplan evicts nobody"),
    **dict.fromkeys(("overcommit", "sla", "resourcequota"), "bayplan has no stage of queueing before placement"),
    "deviceshare": "describe devices of nodes, and shares of them are placed by bayplan's own rule",
    **dict.fromkeys(("task-topology", "network-topology-aware"), "use near, apart, and the strategies of groups"),
    "nodegroup": "use selectors",
    **dict.fromkeys(("numaaware", "usage", "extender", "capacity-card", "crossquota"), "bayplan has nothing like it"),
}
"""Plugins that bayplan does not have, and what it has to say about each."""

MIXED: Final = "mixed"
"""Not a grammar: whose keys are wrong cannot be told."""
KNOWN: Final = (PLUGIN, "binpack", "nodeorder", "predicates", *OTHERS)


def read(uses: list[Use], wanted: Dialect, reading: Reading) -> tuple[Plugins, str]:
    """What the plugins say, and the name of the grammar it is said in."""
    dialect = _grammar(uses, wanted, reading)
    found = Plugins()
    for use in _once(uses, reading):
        if use.name == PLUGIN:
            found = _strategy_fit(use, found, dialect, reading)
        elif use.name == "binpack":
            settings = flat.binpack(use.arguments, reading)
            found = replace(found, binpack=settings if use.scores else None)
        elif use.name == "nodeorder":
            ordered = flat.node_order(use.arguments, reading)
            found = replace(found, node_order=ordered if use.scores else None)
        elif use.name == "predicates":
            found = _predicates(use, found, dialect, reading)
        else:
            _not_here(use, reading)
    return replace(found, order=tuple(use.name for use in uses if use.scores)), dialect


def _once(uses: list[Use], reading: Reading) -> Iterator[Use]:
    """Every plugin once, as it is listed last."""
    last = {use.name: use for use in uses}
    for use in uses:
        if use is last[use.name]:
            yield use
        else:
            again = last[use.name].spot
            volcano = "takes the arguments of the last, and counts its scores each time"
            reading.bent(again / "name", f"{use.name!r} is listed already, at {use.spot.source}", volcano, "list it once")


def _not_here(use: Use, reading: Reading) -> None:
    if use.name in OTHERS:
        reading.warn(use.spot / "name", f"bayplan has no plugin {use.name!r}", OTHERS[use.name])
        return
    near = did_you_mean(use.name[:100], KNOWN)
    if near.startswith("did"):
        reading.bent(use.spot / "name", f"there is no plugin {use.name!r}", "goes on without it", near)
    else:
        reading.warn(use.spot / "name", f"bayplan has no plugin {use.name[:100]!r}", "it is left out")


def _strategy_fit(use: Use, found: Plugins, dialect: str, reading: Reading) -> Plugins:
    if dialect == MIXED:
        return found
    arguments, given = use.arguments, use.arguments.value or {}
    released = dialect != "design"
    known = [*strategy_fit.KEYS, "sra", *(("proportional",) if released else ())]
    for key in given:
        if design.is_dotted(key) and not released:
            continue  # design.py looks at them
        if key not in known:
            hint = strategy_fit.DESIGN_HINT if design.is_dotted(key) else ""
            reading.unknown(arguments / key, key, known, hint)
    found = replace(found, strategy_fit=strategy_fit.strategies(arguments, reading))
    if not released:
        asked = "sra" in given or any(map(design.is_dotted, given))
        retention, proportional = design.read(arguments, reading) if asked else (None, None)
    else:
        retention = strategy_fit.retention(arguments / "sra", reading) if "sra" in given else None
        proportional = strategy_fit.proportional(arguments / "proportional", reading) if "proportional" in given else None
    found = replace(found, strategy_fit=found.strategy_fit if use.scores else None)
    return replace(found, retention=retention if use.scores else None, proportional=proportional if use.filters else None)


def _predicates(use: Use, found: Plugins, dialect: str, reading: Reading) -> Plugins:
    settings = flat.predicates(use.arguments, reading)
    old = [key for key in use.arguments.value or {} if flat.is_proportional_1_12(key)]
    if dialect == "volcano-1.12":
        proportional = flat.proportional_1_12(use.arguments, reading)
        found = replace(found, proportional=proportional if use.filters else None)
    elif old:
        message = f"{old[0]!r} is read up to 1.12, and {PLUGIN} exists from 1.13 on"
        hint = f"'proportional: {{enable, resources, resourceProportion}}' under {PLUGIN}"
        reading.bent(use.arguments / old[0], message, "then ignores it", hint, on_key=True)
    return replace(found, predicates=settings if use.filters else None)


def _grammar(uses: list[Use], wanted: Dialect, reading: Reading) -> str:
    """The grammar asked for, or the one whose keys are there; a file that has keys of both is refused."""
    ours = [use for use in uses if use.name == PLUGIN]
    drafted = [one for use in ours for one in _design_keys(use.arguments)]
    released = [one for use in ours for one in _released_keys(use.arguments)]
    if wanted == "auto" and drafted and released:
        names = [".".join(map(str, one.path[one.path.index("arguments") + 1 :])) for one in (drafted[0], released[0])]
        message = f"{names[0]!r} is written in the design document's grammar, {names[1]!r} in that of the releases"
        reading.refuse(drafted[0], message, "use one, or choose the dialect: volcano or design", on_key=True)
        return MIXED
    if wanted == "design" or (wanted == "auto" and drafted):
        return "design"
    old = any(flat.is_proportional_1_12(key) for use in uses if use.name == "predicates" for key in use.arguments.value or {})
    return "volcano-1.12" if old and not ours else "volcano"


def _design_keys(arguments: Spot) -> list[Spot]:
    given = arguments.value or {}
    dotted = [arguments / key for key in given if design.is_dotted(key)]
    return dotted + _inside(arguments / "sra", ("policy", "retention", "proportional"))


def _released_keys(arguments: Spot) -> list[Spot]:
    top = [arguments / "proportional"] if "proportional" in (arguments.value or {}) else []
    return _inside(arguments / "sra", ("enable", "weight", "resourceweight")) + top


def _inside(spot: Spot, names: tuple[str, ...]) -> list[Spot]:
    value: Any = spot.value
    return [spot / key for key in value if key.lower() in names] if isinstance(value, Mapping) else []
