"""Policies in words: what they mean, what is wrong with them, and what the JSON Schema says of them."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest
import yaml

from bayplan.dialects import native
from bayplan.dialects.native import policy_schema
from bayplan.engine.policy import FILTER_RULES, FILTERS, OTHER_FILTERS, PRESETS, SCORERS, preset
from bayplan.engine.spec import PolicySpec, build
from bayplan.errors import ConfigError
from bayplan.filters.reserve import Pool, Reserve
from bayplan.model import labels as algebra
from bayplan.model.resources import requests
from bayplan.model.selector import Selector
from bayplan.model.strategy import ResourceStrategy as Use
from bayplan.scorers.packing import Packing
from bayplan.scorers.scarcity import Scarcity

CHECKER = jsonschema.Draft202012Validator(native.json_schema())
GPU = "nvidia.com/gpu"
MOST = Packing((Use("cpu", "most"),))


def spec_of(source: str) -> PolicySpec:
    spec = native.loads(f"policy:\n  {source}\n", "f.yaml").policy
    assert spec is not None
    return spec


SCORER_ROWS: list[tuple[str, str, object]] = [
    ("a lacking resource", "packing: {resources: {cpu: most}, lacking: zero}", Packing((Use("cpu", "most"),), lacking="zero")),
    ("a beginning", "packing: {resources: {nvidia.com/*: most}}", Packing((Use("nvidia.com/*", "most"),))),
    (
        "both, in this order",
        "packing: {resources: {nvidia.com/*: most, nvidia.com/gpu: {strategy: least, weight: 2}}}",
        Packing((Use("nvidia.com/*", "most"), Use(GPU, "least", 2.0))),
    ),
    ("per queue", "packing: {per_queue: {batch: {cpu: most}}}", Packing(per_queue={"batch": (Use("cpu", "most"),)})),
    ("per namespace", "packing: {per_namespace: {a: {cpu: most}}}", Packing(per_namespace={"a": (Use("cpu", "most"),)})),
    ("a queue that does not care", "packing: {per_queue: {batch: {}}}", Packing(per_queue={"batch": ()})),
    ("scarce by name", f"scarcity: {{resources: [{GPU}, fpga]}}", Scarcity(((GPU, 1.0), ("fpga", 1.0)))),
    ("scarce by weight", f"scarcity: {{resources: {{{GPU}: 2, fpga: 0}}}}", Scarcity(((GPU, 2.0), ("fpga", 0.0)))),
    ("scarce of a total", "scarcity: {weight: 3, resources: [fpga], total: 4}", Scarcity((("fpga", 1.0),), 3.0, 4.0)),
    ("another packing", "mine: {scorer: packing, resources: {cpu: most}}", Packing((Use("cpu", "most"),), name="mine")),
    ("another scarcity", "mine: {scorer: scarcity, resources: [fpga]}", Scarcity((("fpga", 1.0),), name="mine")),
    ("its own kind said", "packing: {scorer: packing, resources: {cpu: most}}", MOST),
]


@pytest.mark.parametrize("source, expected", [row[1:] for row in SCORER_ROWS], ids=[row[0] for row in SCORER_ROWS])
def test_scorers(source: str, expected: Any) -> None:
    found = build(spec_of(f"scorers: {{{source}}}"))
    assert next(one for one in found.scorers if one.name == expected.name) == expected


ZONE = Selector.of({"zone": algebra.in_("a", "b")})
FILTER_ROWS: list[tuple[str, str, Reserve]] = [
    ("per unit", f"reserve: {{per_unit: {{{GPU}: {{cpu: 8}}}}}}", Reserve({GPU: {"cpu": 8.0}})),
    ("in 10^9 bytes", "reserve: {per_unit: {gpu: {memory: 8G, disk: 500m}}}", Reserve({"gpu": {"memory": 8.0, "disk": 0.5}})),
    ("in binary bytes", "reserve: {per_unit: {gpu: {memory: 1Gi}}}", Reserve({"gpu": {"memory": 1.073741824}})),
    ("a pool of all", "reserve: {pools: [{keep: {cpu: 4}}]}", Reserve({}, (Pool(requests({"cpu": 4})),))),
    ("a percentage", "reserve: {pools: [{keep: {cpu: 2.5%}}]}", Reserve({}, (Pool(requests({}), {"cpu": 2.5}),))),
    (
        "some nodes, for some",
        f"reserve: {{pools: [{{nodes: {{zone: [a, b]}}, keep: {{cpu: 4, memory: 10%}}, for: [{GPU}]}}]}}",
        Reserve({}, (Pool(requests({"cpu": 4}), {"memory": 10.0}, ZONE, frozenset((GPU,))),)),
    ),
    (
        "any of two",
        "reserve: {pools: [{nodes: [{zone: a}, {zone: {gt: 3}}], keep: {cpu: 1}}]}",
        Reserve({}, (Pool(requests({"cpu": 1}), {}, Selector.of({"zone": "a"}) | Selector.of({"zone": algebra.gt(3)})),)),
    ),
    ("another one", "mine: {filter: reserve, per_unit: {gpu: {cpu: 1}}}", Reserve({"gpu": {"cpu": 1.0}}, name="mine")),
]


@pytest.mark.parametrize("source, expected", [row[1:] for row in FILTER_ROWS], ids=[row[0] for row in FILTER_ROWS])
def test_filters(source: str, expected: Reserve) -> None:
    assert build(spec_of(f"filters: {{{source}}}")).filters == (*FILTERS, expected)


def test_switches_are_as_ever() -> None:
    found = build(spec_of("filters: {taints: false, near: true, reserve: false}"))
    assert found.filters == tuple(name for name in FILTERS if name != "taints")


def test_several_of_a_kind_add_up() -> None:
    found = build(spec_of("{preset: plain, scorers: {a: {scorer: packing, weight: 2}, b: {scorer: packing}, packing: 1}}"))
    assert [(one.name, one.weight) for one in found.scorers] == [("a", 2.0), ("b", 1.0), ("packing", 1.0)]


# --- mistakes -------------------------------------------------------------------------------------

IN_RESERVE = "filters.reserve."
WRONG: list[tuple[str, str, str, str, str]] = [
    # packing
    ("a misspelt word", "scorers: {packing: {laking: zero}}", "scorers.packing.laking", "unknown key", "'lacking'?"),
    ("a way to lack that is none", "scorers: {packing: {lacking: nil}}", "scorers.packing.lacking", "one of skip, zero", ""),
    ("no resources", "scorers: {packing: {resources: {}}}", "scorers.packing.resources", "must not be empty", ""),
    ("a star for all", "scorers: {packing: {resources: {'*': most}}}", "scorers.packing.resources.*", "everything", "end"),
    ("a star inside", "scorers: {packing: {resources: {a*b: most}}}", "scorers.packing.resources.a*b", "not its end", ""),
    ("two stars", "scorers: {packing: {resources: {a**: most}}}", "scorers.packing.resources.a**", "not its end", ""),
    ("no name", "scorers: {packing: {resources: {c pu: most}}}", "scorers.packing.resources.c pu", "not a resource name", ""),
    ("a weight of 0", "scorers: {packing: {resources: {cpu: {strategy: most, weight: 0}}}}",
     "scorers.packing.resources.cpu.weight", "must be above 0", ""),
    ("a ratio without a shape", "scorers: {packing: {resources: {cpu: ratio}}}", "scorers.packing.resources.cpu", "`shape`", ""),
    ("a falling shape", "scorers: {packing: {resources: {cpu: {strategy: ratio, shape: [[9, 1], [1, 2]]}}}}",
     "scorers.packing.resources.cpu", "rising", ""),
    ("a queue's star", "scorers: {packing: {per_queue: {q: {'*': most}}}}", "scorers.packing.per_queue.q.*", "everything", ""),
    ("a queue's word", "scorers: {packing: {per_queue: {q: most}}}", "scorers.packing.per_queue.q", "expected a mapping", ""),
    ("a queue's slip", "scorers: {packing: {per_queue: {weight: {cpu: {strategy: most, wieght: 1}}}}}",
     "scorers.packing.per_queue.weight.cpu.wieght", "unknown key", "did you mean 'weight'?"),
    ("a namespace that is none", "scorers: {packing: {per_namespace: {a b: {cpu: most}}}}",
     "scorers.packing.per_namespace.a b", "contains white space", ""),
    # scarcity, balance
    ("nothing scarce", "scorers: {scarcity: {weight: 1}}", "scorers.scarcity", "'resources' is missing", "[nvidia.com/gpu]"),
    ("scarce twice", "scorers: {scarcity: {resources: [a, a]}}", "scorers.scarcity.resources[1]", "'a' is listed twice", ""),
    ("scarce below 0", "scorers: {scarcity: {resources: {a: -1}}}", "scorers.scarcity.resources.a", "must be 0 or more", ""),
    ("scarce beginnings", "scorers: {scarcity: {resources: {a/*: 1}}}", "scorers.scarcity.resources.a/*", "not a resource", ""),
    ("one scarce word", "scorers: {scarcity: {resources: a}}", "scorers.scarcity.resources", "a list of resources, found", ""),
    ("a total below 0", "scorers: {scarcity: {resources: [a], total: -1}}", "scorers.scarcity.total", "must be 0 or more", ""),
    ("balance twice", "scorers: {balance: {resources: [cpu, cpu]}}", "scorers.balance.resources[1]", "listed twice", ""),
    # other names
    ("another's slip", "scorers: {mine: {scorer: packing, ovr: 1}}", "scorers.mine.ovr", "unknown key", "'over'?"),
    ("another's star", "scorers: {mine: {scorer: packing, resources: {a*b: most}}}",
     "scorers.mine.resources.a*b", "not its end", ""),
    ("another's words", "scorers: {mine: {scorer: scarcity, resources: {a: b}}}",
     "scorers.mine.resources.a", "expected a number", ""),
    ("a kind that is a number", "scorers: {mine: {scorer: 3}}", "scorers.mine.scorer", "expected text", ""),
    ("another kind under a known name", "scorers: {balance: {scorer: packing}}", "scorers.balance.scorer", "balance", ""),
    ("a filter without its kind", "filters: {mine: {per_unit: {g: {cpu: 1}}}}", "filters.mine", "is missing", "filter: reserve"),
    ("a filter of no kind", "filters: {mine: {filter: reserv, pools: []}}", "filters.mine.filter", "reserve", "'reserve'?"),
    ("parameters for a switch", "filters: {taints: {x: 1}}", "filters.taints", "expected true or false, found a mapping", ""),
    ("no parameters", "filters: {reserve: 1}", "filters.reserve", "expected false, or a mapping of per_unit, pools", ""),
    # reserve
    ("nothing reserved", "filters: {reserve: {}}", "filters.reserve", "nothing is reserved", "per_unit, pools, or both"),
    ("a slip", "filters: {reserve: {per_units: {}}}", IN_RESERVE + "per_units", "unknown key", "did you mean 'per_unit'?"),
    ("no primary", "filters: {reserve: {per_unit: {}}}", IN_RESERVE + "per_unit", "must not be empty", ""),
    ("no secondary", "filters: {reserve: {per_unit: {g: {}}}}", IN_RESERVE + "per_unit.g", "must not be empty", ""),
    ("bytes as primary", "filters: {reserve: {per_unit: {memory: {cpu: 1}}}}",
     IN_RESERVE + "per_unit.memory", "memory is not counted in units", "nvidia.com/gpu"),
    ("a beginning as primary", "filters: {reserve: {per_unit: {a/*: {cpu: 1}}}}",
     IN_RESERVE + "per_unit.a/*", "'a/*' is not a resource name", ""),
    ("a ratio that is none", "filters: {reserve: {per_unit: {g: {cpu: lots}}}}",
     IN_RESERVE + "per_unit.g.cpu", "'lots' is not a quantity", ""),
    ("a ratio below 0", "filters: {reserve: {per_unit: {g: {cpu: -1}}}}", IN_RESERVE + "per_unit.g.cpu", "negative", ""),
    ("a ratio beyond all", "filters: {reserve: {per_unit: {g: {cpu: '1e999'}}}}", IN_RESERVE + "per_unit.g.cpu", "too large", ""),
    ("a ratio in percent", "filters: {reserve: {per_unit: {g: {cpu: 5%}}}}", IN_RESERVE + "per_unit.g.cpu", "quantity", ""),
    ("no pool", "filters: {reserve: {pools: []}}", IN_RESERVE + "pools", "must not be empty", ""),
    ("a pool of nothing", "filters: {reserve: {pools: [{keep: {}}]}}", IN_RESERVE + "pools[0].keep", "not be empty", ""),
    ("a pool without amounts", "filters: {reserve: {pools: [{for: [g]}]}}", IN_RESERVE + "pools[0]", "'keep' is missing", ""),
    ("above 100 percent", "filters: {reserve: {pools: [{keep: {cpu: 101%}}]}}",
     IN_RESERVE + "pools[0].keep.cpu", "'101%' cannot be kept", "0% to 100%"),
    ("below 0 percent", "filters: {reserve: {pools: [{keep: {cpu: -1%}}]}}", IN_RESERVE + "pools[0].keep.cpu", "'-1%'", "0% to"),
    ("no percentage", "filters: {reserve: {pools: [{keep: {cpu: x%}}]}}", IN_RESERVE + "pools[0].keep.cpu", "'x%'", "0% to"),
    ("a share of no name", "filters: {reserve: {pools: [{keep: {c pu: 1%}}]}}", IN_RESERVE + "pools[0].keep.c pu", "name", ""),
    ("an amount that is none", "filters: {reserve: {pools: [{keep: {cpu: 1x}}]}}", IN_RESERVE + "pools[0].keep.cpu", "'1x'", ""),
    ("for nobody", "filters: {reserve: {pools: [{keep: {cpu: 1}, for: []}]}}", IN_RESERVE + "pools[0].for", "empty", ""),
    ("for one twice", "filters: {reserve: {pools: [{keep: {cpu: 1}, for: [a, a]}]}}",
     IN_RESERVE + "pools[0].for[1]", "'a' is listed twice", ""),
    ("a label that is none", "filters: {reserve: {pools: [{keep: {cpu: 1}, nodes: {a b: c}}]}}",
     IN_RESERVE + "pools[0].nodes.a b", "contains ' '", ""),
    ("an operator that is none", "filters: {reserve: {pools: [{keep: {cpu: 1}, nodes: {a: {inn: [b]}}}]}}",
     IN_RESERVE + "pools[0].nodes.a.inn", "unknown key", "'in'?"),
]  # fmt: skip
"""Rows: name, the policy, path in the policy, message, hint. The mistake is in line 2."""


@pytest.mark.parametrize("source, path, message, hint", [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_mistakes(source: str, path: str, message: str, hint: str) -> None:
    with pytest.raises(ConfigError) as caught:
        spec_of(source)
    (problem, *_) = caught.value.problems
    assert (problem.file, problem.line, problem.path) == ("f.yaml", 2, f"policy.{path}")
    assert message in problem.message
    assert hint in problem.hint


def test_a_scorer_that_would_do_nothing_is_refused() -> None:
    with pytest.raises(ConfigError) as caught:
        build(spec_of("{preset: pack, scorers: {scarcity: 2}}"))
    (problem,) = caught.value.problems
    assert (problem.file, problem.line) == ("f.yaml", 2)
    assert "'resources' is missing, and the preset has no scorer 'scarcity'" in problem.message
    assert "[nvidia.com/gpu]" in problem.hint


def test_a_weight_for_the_scarcity_of_the_preset() -> None:
    assert Scarcity((("gpu", 1.0), (GPU, 1.0)), 5.0) in build(spec_of("{preset: ai-mixed, scorers: {scarcity: 5}}")).scorers
    assert build(spec_of("{preset: pack, scorers: {scarcity: 0}}")).scorers == preset("pack").scorers


def test_all_mistakes_at_once_each_in_its_line() -> None:
    source = """scorers:
    packing:
      resources:
        '*': most
        cpu: ratio
  filters:
    reserve:
      per_unit:
        memory: {cpu: 1}
        gpu: {cpu: lots}
      pools:
        - keep: {cpu: 200%}
          for: [gpu, gpu]"""
    with pytest.raises(ConfigError) as caught:
        spec_of(source)
    assert [one.line for one in caught.value.problems] == [5, 6, 10, 11, 13, 14]


# --- the JSON Schema ------------------------------------------------------------------------------

GOOD = [
    *(f"scorers: {{{row[1]}}}" for row in SCORER_ROWS),
    *(f"filters: {{{row[1]}}}" for row in FILTER_ROWS),
    "scorers: {mine: {x: 1, weight: 2}, yours: {scorer: theirs, y: 2}, ours: 3}",
    "filters: {mine: true, taints: false, reserve: false}",
    *(f"preset: {name}" for name in PRESETS),
]


@pytest.mark.parametrize("source", GOOD)
def test_the_schema_takes_what_is_right(source: str) -> None:
    spec_of(source)
    assert [one.message for one in CHECKER.iter_errors({"policy": yaml.safe_load(source)})] == []


@pytest.mark.parametrize(
    "source", [row[1] for row in WRONG if "unknown key" in row[3] or "must " in row[3] or "expected" in row[3]]
)
def test_the_schema_refuses_what_has_the_wrong_shape(source: str) -> None:
    assert not CHECKER.is_valid({"policy": yaml.safe_load(source)})


def test_the_dialect_knows_all_our_rules() -> None:
    assert set(policy_schema.ScorersEntry.model_fields) == set(SCORERS)
    assert set(policy_schema.FiltersEntry.model_fields) == {*FILTERS, *OTHER_FILTERS, *FILTER_RULES}
    known = CHECKER.schema["$defs"]["PolicyEntry"]["properties"]["preset"]["enum"]  # type: ignore[index,call-overload]
    assert known == list(PRESETS)
