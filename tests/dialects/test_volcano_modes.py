"""Strict and lenient: what Volcano swallows or dies of.

A row is a name, the arguments of a plugin (or the whole plugin), a word of the mistake that strict mode reports, and what
lenient mode reads instead: a function of the configuration and its value, or DIES where Volcano's process ends.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from bayplan import ConfigError, ResourceStrategy
from bayplan.dialects import volcano
from bayplan.dialects.volcano import Configuration, Ratio

DIES: Any = "lenient mode refuses it, too"
GOOD_SRA = "enable: true, resources: t4, weight: 1"
GOOD_RESERVE = "enable: true, resources: gpu"


def weight(found: Configuration) -> int:
    assert found.strategy_fit is not None
    return found.strategy_fit.weight


def strategies(found: Configuration) -> str:
    assert found.strategy_fit is not None
    return ", ".join(f"{one.kind} {one.resource} {one.weight}" for one in found.strategy_fit.resources)


def sra(found: Configuration) -> tuple[Any, ...] | None:
    kept = found.retention
    return None if kept is None else (kept.weight, dict(kept.resources), kept.total)


def ratios(found: Configuration) -> dict[str, Ratio] | None:
    return None if found.proportional is None else dict(found.proportional.ratios)


def binpack(found: Configuration) -> tuple[int, dict[str, int]]:
    assert found.binpack is not None
    return found.binpack.weight, dict(found.binpack.resources)


Row = tuple[str, str, Any, Any]
DEFAULTS = "least cpu 1, least memory 1"

FIT: list[Row] = [
    ("resourceStrategyFitWeight: -1", "negative", weight, 10),
    ("resourceStrategyFitWeight:", "nothing stands here", weight, 0),
    ("resourceStrategyFitWeight: 2.9", "2.9 stands here", weight, 2),
    ("resourceStrategyFitWeight: 2.0", "cuts it down to 2", weight, 2),
    ("resourceStrategyFitWeight: '10'", "without quotes", DIES, None),
    ("resourceStrategyFitWeight: true", "expected a whole number", DIES, None),
    ("resourceStrategyFitWeight: [1]", "found a list", DIES, None),
    ("resourceStrategyFitWeight: .inf", "64 bits", DIES, None),
    ("resourceStrategyFitWeight: 010", "YAML 1.1", weight, 8),
    ("resourceStrategyFitWeight: 0x1f", "YAML 1.1", weight, 31),
    ("resourceStrategyFitWeight: 1_0", "YAML 1.1", weight, 10),
    ("ResourceStrategyFitWeight: 3", "did you mean 'resourceStrategyFitWeight'", weight, 10),
    ("logLevel: 5", "unknown key 'logLevel'", weight, 10),
    ("resources:", "no resources", strategies, DEFAULTS),
    ("resources: {}", "no resources", strategies, DEFAULTS),
    ("resources: [cpu]", "expected a mapping, found a list", DIES, None),
    ("resources: cpu", "expected a mapping, found 'cpu'", DIES, None),
    ("resources: {cpu: }", "nothing stands here", strategies, "least cpu 1"),
    ("resources: {cpu: MostAllocated}", "expected a mapping", DIES, None),
    ("resources: {cpu: {type: mostallocated}}", "did you mean 'MostAllocated'", strategies, "least cpu 1"),
    ("resources: {cpu: {type: RequestedToCapacityRatio}}", "not a strategy", strategies, "least cpu 1"),
    ("resources: {cpu: {type: }}", "nothing is not a strategy", strategies, "least cpu 1"),
    ("resources: {cpu: {type: 5}}", "expected text", DIES, None),
    ("resources: {cpu: {Type: MostAllocated}}", "write 'type'", strategies, "most cpu 1"),
    ("resources: {cpu: {type: MostAllocated, wieght: 3}}", "did you mean 'weight'", strategies, "most cpu 1"),
    ("resources: {cpu: {type: MostAllocated, weight: 0}}", "not a weight above 0", strategies, "most cpu 1"),
    ("resources: {cpu: {type: MostAllocated, weight: -4}}", "not a weight above 0", strategies, "most cpu 1"),
    ("resources: {cpu: {type: MostAllocated, weight: 2.5}}", "cuts it down to 2", strategies, "most cpu 2"),
    ("resources: {cpu: {type: MostAllocated, weight: '2'}}", "without quotes", DIES, None),
    ("resources: {'*': {type: MostAllocated}}", "matches everything or nothing", strategies, ""),
    ("resources: {'gpu**': {type: MostAllocated}}", "a * that is not its end", strategies, ""),
    ("resources: {'a*b': {type: MostAllocated}, cpu: {type: LeastAllocated}}", "not its end", strategies, "least cpu 1"),
    ("resources: {'*.com/gpu': {type: MostAllocated, weight: '2'}}", "without quotes", DIES, None),
    ("resources: {a b: {type: MostAllocated}}", "not a resource name", strategies, ""),
]
SRA: list[Row] = [
    ("sra: 5", "expected a mapping", DIES, None),
    ("sra: {resources: t4, weight: 1}", "no 'enable: true'", sra, (0, {}, 0)),
    ("sra: {enable: 'true', resources: t4, weight: 1}", "without quotes", DIES, None),
    ("sra: {enable: yes, resources: t4, weight: 1}", "YAML 1.1", sra, (1, {"t4": 1}, 1)),
    ("sra: {enable: , resources: t4, weight: 1}", "nothing stands here", sra, (0, {}, 0)),
    ("sra: {Enable: true, resources: t4, Weight: 1}", "write 'enable'", sra, (1, {"t4": 1}, 1)),
    ("sra: {enable: true, Enable: true, resources: t4, weight: 1}", "given twice", DIES, None),
    ("sra: {enable: true, resources: t4}", "enabled with weight 0", sra, (0, {"t4": 1}, 1)),
    ("sra: {enable: true, resources: t4, weight: 0}", "enabled with weight 0", sra, (0, {"t4": 1}, 1)),
    ("sra: {enable: true, resources: t4, weight: -3}", "enabled with weight -3", sra, (0, {"t4": 1}, 1)),
    ("sra: {enable: true, resources: t4, weight: 1.5}", "cuts it down", sra, (1, {"t4": 1}, 1)),
    ("sra: {enable: true, weight: 1}", "no resources are listed", sra, (1, {}, 0)),
    ("sra: {enable: true, resources: ' , ', weight: 1}", "no resources are listed", sra, (1, {}, 0)),
    ("sra: {enable: true, resources: [t4], weight: 1}", "expected text, found a list", DIES, None),
    ("sra: {enable: true, resources: 'a, b,a', weight: 1}", "listed twice", sra, (1, {"a": 1, "b": 1}, 3)),
    ("sra: {enable: true, resources: 'nvidia.com/*', weight: 1}", "patterns work only", sra, (1, {"nvidia.com/*": 1}, 1)),
    (f"sra: {{{GOOD_SRA}, resourceWeight: {{t4: -5}}}}", "negative", sra, (1, {"t4": 1}, 1)),
    (f"sra: {{{GOOD_SRA}, resourceWeight: {{t4: 0}}}}", "all weights are 0", sra, (1, {"t4": 0}, 0)),
    (f"sra: {{{GOOD_SRA}, resourceWeight: {{t4: }}}}", "nothing stands here", sra, (1, {"t4": 0}, 0)),
    (f"sra: {{{GOOD_SRA}, resourceWeight: {{t5: 2}}}}", "known: t4", sra, (1, {"t4": 1}, 1)),
    (f"sra: {{{GOOD_SRA}, resourceWeight: {{t4: '1'}}}}", "without quotes", DIES, None),
    (f"sra: {{{GOOD_SRA}, resourceWeight: [t4]}}", "expected a mapping", DIES, None),
    (f"sra: {{{GOOD_SRA}, resourceweights: {{t4: 2}}}}", "did you mean 'resourceWeight'", sra, (1, {"t4": 1}, 1)),
]
RESERVE: list[Row] = [
    ("proportional: {resources: gpu}", "no 'enable: true'", ratios, None),
    ("proportional: {enable: 1, resources: gpu}", "expected true or false", DIES, None),
    ("proportional: {enable: true}", "no resources are listed", ratios, {}),
    ("proportional: {enable: true, resources: 'gpu,gpu'}", "listed twice", ratios, {"gpu": Ratio()}),
    ("proportional: {enable: true, resources: 'cpu, gpu'}", "cpu cannot be primary", ratios, {"gpu": Ratio()}),
    ("proportional: {enable: true, resources: memory}", "memory cannot be primary", ratios, {}),
    ("proportional: {enable: true, resources: pods}", "every pod requests 'pods'", ratios, {"pods": Ratio()}),
    ("proportional: {enable: true, resources: hugepages-2Mi}", "counted in bytes", DIES, None),
    (f"proportional: {{{GOOD_RESERVE}, resourceProportion: {{gpu.cpu: -1}}}}", "negative", ratios, {"gpu": Ratio()}),
    (f"proportional: {{{GOOD_RESERVE}, resourceProportion: {{gpu.cpu: '8'}}}}", "without quotes", DIES, None),
    (f"proportional: {{{GOOD_RESERVE}, resourceProportion: {{gpu.cpu: }}}}", "nothing stands", ratios, {"gpu": Ratio(0, 1)}),
    (
        f"proportional: {{{GOOD_RESERVE}, resourceProportion: {{gpu.cpus: 8}}}}",
        "did you mean 'gpu.cpu'",
        ratios,
        {"gpu": Ratio()},
    ),
    (f"proportional: {{{GOOD_RESERVE}, resourceProportion: {{npu.cpu: 8}}}}", "not listed", ratios, {"gpu": Ratio()}),
    (
        f"proportional: {{{GOOD_RESERVE}, resourceProportion: {{gpu.disk: 8}}}}",
        "only cpu and",
        ratios,
        {"gpu": Ratio()},
    ),
    (f"proportional: {{{GOOD_RESERVE}, resourceProportion: {{gpu.cpu: .nan}}}}", "below 2^63", DIES, None),
]
DESIGN: list[Row] = [
    ("sra: {policy: retetion, resources: t4}", "did you mean 'retention'", sra, None),
    ("sra: {policy: , resources: t4}", "nothing stands here", sra, None),
    ("sra: {retention: {t4: 1}, resources: t4}", "there is no 'policy'", sra, None),
    ("sra: {policy: retention}", "no resources are listed", sra, (1, {}, 0)),
    ("sra: {policy: retention, resources: t4, retention: {weight: 0}}", "weight 0", sra, (0, {"t4": 1}, 1)),
    ("sra: {policy: retention, resources: t4, retention: {weight: '2'}}", "without quotes", DIES, None),
    ("sra: {policy: retention, resources: t4, retention: {t5: 2}}", "not listed", sra, (1, {"t4": 1}, 1)),
    ("sra: {policy: retention, resources: t4, retention: {t4: -2}}", "negative", sra, (1, {"t4": 1}, 1)),
    ("{sra.policy: retention, sra.resources: t4, sra.retention.t4: '2'}", "without quotes", sra, (1, {"t4": 1}, 1)),
    ("{sra.policy: retention, sra.resources: t4, sra.retention.weight: 1.5}", "keeps 1", sra, (1, {"t4": 1}, 1)),
    ("{sra.policy: retention, sra.resource: t4}", "did you mean 'sra.resources'", sra, (1, {}, 0)),
    ("{sra.policy: proportional, sra.resources: cpu}", "cannot be primary", ratios, {}),
    ("{sra.policy: proportional, sra.resources: g, sra.proportional.g.cpu: -1}", "negative", ratios, {"g": Ratio()}),
    ("{sra.policy: retention, sra.resources: a, sra: {policy: retention, resources: b}}", "keep one form", sra, (1, {"b": 1}, 1)),
]


def loads(arguments: str, mode: str, plugin: str = "resource-strategy-fit", dialect: str = "auto") -> Configuration:
    inner = arguments if arguments.startswith("{") else f"{{{arguments} }}"
    text = f"actions: allocate\ntiers:\n- plugins:\n  - name: {plugin}\n    arguments: {inner}\n"
    return volcano.loads(text, "x.conf", dialect, mode)  # type: ignore[arg-type]


def check(
    arguments: str, fault: str, look: Callable[[Configuration], Any], value: Any, plugin: str = "resource-strategy-fit"
) -> None:
    with pytest.raises(ConfigError) as caught:
        loads(arguments, "strict", plugin)
    assert fault in str(caught.value)
    assert all(one.file == "x.conf" and one.line and one.path for one in caught.value.problems)
    if look is DIES:
        with pytest.raises(ConfigError) as caught:
            loads(arguments, "lenient", plugin)
        assert fault in str(caught.value)
        return
    found = loads(arguments, "lenient", plugin)
    assert look(found) == value
    assert any(fault in str(one) for one in found.warnings)


@pytest.mark.parametrize("arguments, fault, look, value", FIT + SRA + RESERVE + DESIGN)
def test_resource_strategy_fit(arguments: str, fault: str, look: Any, value: Any) -> None:
    check(arguments, fault, look, value)


@pytest.mark.parametrize(
    "arguments", ["", f"sra: {{{GOOD_SRA}}}", f"proportional: {{{GOOD_RESERVE}}}", "sra:", "sra: {enable: false}"]
)
def test_what_is_right_is_right_in_both_modes(arguments: str) -> None:
    assert loads(arguments, "strict") == loads(arguments, "lenient")


def test_what_kills_volcano_is_said() -> None:
    with pytest.raises(ConfigError, match="on this Volcano's scheduler process exits"):
        loads("resourceStrategyFitWeight: '10'", "lenient")


@pytest.mark.parametrize("mode", ["strict", "lenient"])
@pytest.mark.parametrize(
    "arguments, keys",
    [
        ("sra: {policy: retention, enable: true}", ("'sra.policy'", "'sra.enable'")),
        ("{sra.policy: retention, proportional: {enable: true}}", ("'sra.policy'", "'proportional'")),
        ("sra: {policy: retention, resourceWeight: {t4: 1}}", ("'sra.policy'", "'sra.resourceWeight'")),
    ],
)
def test_both_grammars_in_one_file_are_refused_by_name(arguments: str, keys: tuple[str, str], mode: str) -> None:
    with pytest.raises(ConfigError) as caught:
        loads(arguments, mode)
    assert all(key in str(caught.value.problems) for key in keys)


@pytest.mark.parametrize("arguments", ["sra: {policy: retention, resources: t4}", "{sra.policy: retention, sra.resources: t4}"])
def test_design_keys_under_the_released_grammar(arguments: str) -> None:
    with pytest.raises(ConfigError, match="a key of the design document"):
        loads(arguments, "strict", dialect="volcano")
    found = loads(arguments, "lenient", dialect="volcano")
    assert (found.dialect, sra(found) or (0, {}, 0)) == ("volcano", (0, {}, 0))
    assert any("design document" in str(one) for one in found.warnings)
    assert sra(loads(arguments, "strict", dialect="design")) == (1, {"t4": 1}, 1)


BINPACK: list[Row] = [
    ("binpack.weight: '10'", "without quotes", binpack, (1, {"cpu": 1, "memory": 1})),
    ("binpack.weight: 1.5", "keeps 1", binpack, (1, {"cpu": 1, "memory": 1})),
    ("binpack.weight:", "keeps 1", binpack, (1, {"cpu": 1, "memory": 1})),
    ("binpack.cpu: -2", "negative", binpack, (1, {"cpu": 1, "memory": 1})),
    ("binpack.resources: [a]", "found a list", binpack, (1, {"cpu": 1, "memory": 1})),
    ("binpack.resources.a: 2", "not listed", binpack, (1, {"cpu": 1, "memory": 1})),
    ("{binpack.resources: 'a, a'}", "listed twice", binpack, (1, {"a": 1, "cpu": 1, "memory": 1})),
    ("{binpack.resources: cpu, binpack.cpu: 3}", "of its own", binpack, (1, {"cpu": 3, "memory": 1})),
    ("binpack.wieght: 2", "did you mean 'binpack.weight'", binpack, (1, {"cpu": 1, "memory": 1})),
]
NODE_ORDER: list[Row] = [
    ("leastrequested.weight: '2'", "without quotes", lambda one: one.node_order.least, 1),
    ("nodeaffinity.weight: -1", "negative", lambda one: one.node_order.node_affinity, -1),
    ("leastRequested.weight: 2", "did you mean 'leastrequested.weight'", lambda one: one.node_order.least, 1),
]
PREDICATES: list[Row] = [
    ("predicate.TaintTolerationEnable: 'false'", "from 1.15 on", lambda one: one.policy.filters, {"taints": False}),
    ("predicate.TaintTolerationEnable: 0", "expected true or false", lambda one: one.policy.filters, {}),
    ("predicate.TaintEnable: false", "unknown key", lambda one: one.policy.filters, {}),
    ("predicate.resources: gpu", "no 'predicate.ProportionalEnable: true'", ratios, None),
    ("predicate.ProportionalEnable: true", "no resources are listed", ratios, {}),
    ("{predicate.ProportionalEnable: yes, predicate.resources: g}", "YAML 1.1", ratios, {"g": Ratio()}),
    (
        "{predicate.ProportionalEnable: true, predicate.resources: g, predicate.resources.g.cpu: '8'}",
        "keeps 1", ratios, {"g": Ratio()},
    ),
    (
        "{predicate.ProportionalEnable: true, predicate.resources: g, predicate.resources.h.cpu: 8}",
        "not listed", ratios, {"g": Ratio()},
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    "plugin, arguments, fault, look, value",
    [("binpack", *row) for row in BINPACK]
    + [("nodeorder", *row) for row in NODE_ORDER]
    + [("predicates", *row) for row in PREDICATES],
)
def test_plugins_with_flat_keys(plugin: str, arguments: str, fault: str, look: Any, value: Any) -> None:
    check(arguments, fault, look, value, plugin)


def test_all_mistakes_at_once_in_the_order_of_the_file() -> None:
    text = """\
actions: alocate
tiers:
- plugins:
  - name: resource-strategy-fit
    arguments:
      resourceStrategyFitWeight: -1
      resources:
        cpu: {type: most, weight: 0}
      sra: {enable: true, resources: "a,a"}
  - name: binpack
    enabledNodeOrder: false
"""
    with pytest.raises(ConfigError) as caught:
        volcano.loads(text)
    assert [one.line for one in caught.value.problems] == [1, 6, 8, 8, 9, 9, 11]
    assert "write 'enableNodeOrder'" in str(caught.value)


def test_a_type_may_be_left_out_with_a_warning() -> None:
    found = loads("resources: {cpu: {weight: 2}}", "strict")
    assert found.strategy_fit is not None
    assert found.strategy_fit.resources == (ResourceStrategy("cpu", "least", 2),)
    assert any("LeastAllocated is taken" in one.message for one in found.warnings)
