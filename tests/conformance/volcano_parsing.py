"""Volcano's cases of how arguments are parsed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bayplan.dialects import volcano
from bayplan.model.strategy import ResourceStrategy, strategy_for
from tests.conformance.registry import Case, Disagrees, Suite, judges, same
from tests.conformance.volcano_objects import FITS, configuration

TYPES = {"most": "MostAllocated", "least": "LeastAllocated"}


@judges("config_parse")
def config_parse(case: Case, suite: Suite) -> None:
    arguments = case["arguments"]
    expected = case["expected_config"] if "expected_config" in case else case["expected"]
    dialect = "design" if suite.status == "draft_never_merged" else "volcano"
    if any(key.startswith("binpack.") for key in arguments):
        found = configuration([{"name": "binpack", "arguments": arguments}]).binpack
        assert found is not None
        same({"weight": found.weight, "resources": dict(found.resources)}, expected, "binpack")
        return
    configured = configuration([{"name": FITS, "arguments": arguments}], dialect)
    for part, wanted in {**expected, **case.get("derived_expected", {})}.items() if "weight" not in expected else ():
        check(part, wanted, configured)
    if "weight" in expected:
        same(strategies(configured), expected, "strategies")


def check(part: str, wanted: Any, configured: volcano.Configuration) -> None:
    """One part of what is expected, in whichever of the words the suites use."""
    if part == "resourceStrategyFit":
        same(strategies(configured), wanted, part)
    elif part == "proportional":
        ratios = {} if configured.proportional is None else configured.proportional.ratios
        same({name: {"cpu": one.cpu, "memory": one.memory} for name, one in ratios.items()}, wanted, part)
    elif part in ("sra.policy", "policy"):
        same(configured.retention is not None, wanted == "retention", part)
    elif part == "sra" and "retention" in wanted:
        for inner, one in wanted.items():
            check(inner, one, configured)
    elif part in ("sra", "retention"):
        retention(wanted, configured, part)
    else:
        raise Disagrees(f"this runner knows nothing of {part!r}")


def retention(wanted: Mapping[str, Any], configured: volcano.Configuration, part: str) -> None:
    found = configured.retention or volcano.Retention()
    words = {"weight": found.weight, "resources": dict(found.resources), "sum": found.total, "resourcesWeightSum": found.total}
    same({key: words[key] for key in wanted}, dict(wanted), part)


def strategies(configured: volcano.Configuration) -> dict[str, Any]:
    found = configured.strategy_fit
    assert found is not None
    return {"weight": found.weight, "resources": {one.resource: shown(one) for one in found.resources}}


def shown(one: ResourceStrategy | None) -> dict[str, Any]:
    return {"type": "", "weight": 0} if one is None else {"type": TYPES[one.kind], "weight": one.weight}


@judges("prefix_match")
def prefix_match(case: Case, suite: Suite) -> None:
    # No resources at all would mean the default ones; here it means none.
    resources = case["resources"] or {"*": {"type": "MostAllocated", "weight": 1}}
    found = configuration([{"name": FITS, "arguments": {"resources": resources}}]).strategy_fit
    assert found is not None
    one = strategy_for(case["resource"], found.resources)
    same(one is not None, case["expected_found"], "found")
    same(shown(one), case["expected_config"], "strategy")
