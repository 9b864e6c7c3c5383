"""The frame around the arguments: what Volcano's YAML parser refuses, and what it ignores; and texts of any kind."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayplan import ConfigError
from bayplan.dialects import volcano
from bayplan.engine.spec import build

WRONG_IN_BOTH_MODES = {
    "": "no configuration",
    "- a": "expected a mapping",
    "actions: [allocate]\ntiers: []": "expected text, found a list",
    "actions: allocate\ntiers: {plugins: []}": "expected a list, found a mapping",
    "actions: allocate\ntiers: [plugins]": "expected a mapping with 'plugins'",
    "actions: allocate\ntiers: [{plugins: {name: gang}}]": "expected a list",
    "actions: allocate\ntiers: [{plugins: [gang]}]": "expected a plugin, found 'gang'",
    "actions: allocate\ntiers: [{plugins: [{arguments: {}}]}]": "expected the name of a plugin",
    "actions: allocate\ntiers: [{plugins: [{name: gang, arguments: [1]}]}]": "expected a mapping, found a list",
    "actions: allocate\ntiers: [{plugins: [{name: gang, enableJobOrder: 'true'}]}]": "expected true or false",
    "actions: allocate\ntiers: [{plugins: [{name: gang}]}]\nactions: allocate": "given twice",
    "actions: allocate\ntiers: [": "not YAML",
    "kind: ConfigMap": "has no 'volcano-scheduler.conf'",
    "{kind: ConfigMap, data: {volcano-scheduler.conf: 3}}": "expected the configuration as text",
    "{kind: ConfigMap, data: {volcano-scheduler.conf: '[1]'}}": "expected a mapping",
    "{kind: ConfigMap, data: {volcano-scheduler.conf: '{'}}": "not YAML",
    "actions: allocate\ntiers: []\n---\nactions: allocate\ntiers: []": "a configuration already",
}


@pytest.mark.parametrize("mode", ["strict", "lenient"])
@pytest.mark.parametrize("text, fault", WRONG_IN_BOTH_MODES.items())
def test_wrong_in_both_modes(text: str, fault: str, mode: str) -> None:
    with pytest.raises(ConfigError) as caught:
        volcano.loads(text, mode=mode)  # type: ignore[arg-type]
    assert fault in str(caught.value)


IGNORED_BY_VOLCANO = {
    "tiers: [{plugins: [{name: binpack}]}]": "there are no actions",
    "actions: allocate": "there are no plugins",
    "actions: allocate, dance\ntiers: [{plugins: [{name: binpack}]}]": "there is no action 'dance'",
    "actions: allocate\ntier: []\ntiers: [{plugins: [{name: binpack}]}]": "did you mean 'tiers'",
    "actions: allocate\ntiers: [{plugins: [{name: binpack}], plugin: 1}]": "did you mean 'plugins'",
    "actions: allocate\ntiers: [{plugins: [{name: binpack, argument: {}}]}]": "did you mean 'arguments'",
    "actions: allocate\ntiers: [{plugins: [{name: binpack, enabledNodeOrder: false}]}]": "write 'enableNodeOrder'",
    "actions: allocate\ntiers: [{plugins: [{name: binpack}, {name: binpak}]}]": "did you mean 'binpack'",
    "actions: allocate\ntiers: [{plugins: [{name: binpack}, {name: binpack}]}]": "listed already",
}


@pytest.mark.parametrize("text, fault", IGNORED_BY_VOLCANO.items())
def test_ignored_by_volcano(text: str, fault: str) -> None:
    with pytest.raises(ConfigError) as caught:
        volcano.loads(text)
    assert fault in str(caught.value)
    assert any(fault in str(one) for one in volcano.loads(text, mode="lenient").warnings)


def test_a_plugin_listed_twice_scores_twice_to_volcano() -> None:
    twice = "{name: binpack, arguments: {binpack.weight: 7}}, {name: binpack, arguments: {binpack.weight: 2}}"
    found = volcano.loads(f"{{actions: allocate, tiers: [{{plugins: [{twice}]}}]}}", mode="lenient")
    assert found.policy.scorers["binpack"]["weight"] == 400.0


def test_yaml_1_1_switches_are_understood_leniently() -> None:
    text = "actions: allocate\ntiers: [{plugins: [{name: binpack, enableNodeOrder: no}]}]"
    assert volcano.loads(text, mode="lenient").policy.scorers == {}
    with pytest.raises(ConfigError, match=r"YAML 1\.1.*write false"):
        volcano.loads(text)


# --- any text: a configuration or a ConfigError, never a traceback ---------------------------------

VALUES = """\
cpu memory pods nvidia.com/gpu nvidia.com/* * a*b hugepages-2Mi MostAllocated LeastAllocated retention proportional
a,b,a cpu,gpu yes no true 1 0x10 010 1_000 enable resources
"""
KEYS = """\
resourceStrategyFitWeight resources sra proportional enable Enable weight resourceWeight resourceProportion type policy
retention cpu memory gpu gpu.cpu gpu.memory * sra.policy sra.resources sra.retention.weight sra.retention.gpu
sra.proportional.gpu.cpu binpack.weight binpack.cpu binpack.resources binpack.resources.gpu nodeaffinity.weight
predicate.ProportionalEnable predicate.resources predicate.resources.gpu.cpu predicate.TaintTolerationEnable
"""
NUMBERS = st.integers(-5, 10**30) | st.floats()
SCALARS = st.none() | st.booleans() | NUMBERS | st.sampled_from(VALUES.split()) | st.text(max_size=5)
NAMES = st.sampled_from([*KEYS.split(), *VALUES.split()]) | st.text(max_size=4)
TREES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=5), max_leaves=15
)
ARGUMENTS = st.dictionaries(NAMES, TREES, max_size=6)
PLUGIN = st.fixed_dictionaries(
    {"name": st.sampled_from(["resource-strategy-fit", "binpack", "nodeorder", "predicates", "gang"])},
    optional={"arguments": ARGUMENTS | TREES, "enableNodeOrder": SCALARS, "enablePredicate": SCALARS},
)
MODES = st.sampled_from(["strict", "lenient"])
DIALECTS = st.sampled_from(["auto", "volcano", "design"])
ANNOTATIONS = st.fixed_dictionaries(
    {},
    optional={
        "volcano.sh/resource-strategy-scoring-type": st.text() | st.sampled_from(["MostAllocated"]),
        "volcano.sh/resource-strategy-weight": st.text() | TREES.map(json.dumps),
    },
)


@given(st.lists(PLUGIN, max_size=3), MODES, DIALECTS)
def test_any_arguments(plugins: list[object], mode: str, dialect: str) -> None:
    text = json.dumps({"actions": "allocate", "tiers": [{"plugins": plugins}]})
    try:
        found = volcano.loads(text, "x", dialect, mode)  # type: ignore[arg-type]
    except ConfigError:
        return
    build(found.policy)  # what is read can be used


@given(TREES.map(json.dumps) | st.text() | st.binary(), MODES)
def test_any_text(text: str | bytes, mode: str) -> None:
    with suppress(ConfigError):
        build(volcano.loads(text, mode=mode).policy)  # type: ignore[arg-type]


@given(ANNOTATIONS)
def test_any_annotations(annotations: dict[str, str]) -> None:
    with suppress(ConfigError):
        volcano.strategies_of_pod(annotations, "strict")
    volcano.strategies_of_pod(annotations, "lenient")  # never refuses
