"""Whole scheduler configurations: plugins, switches, tiers, and where the text stands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bayplan import Cluster, ConfigError, Node, Preference, Taint, Workload
from bayplan.dialects import volcano
from bayplan.dialects.volcano import Binpack, NodeOrder
from bayplan.engine.spec import build


def conf(*plugins: str) -> str:
    return "actions: allocate\ntiers:\n- plugins:\n" + "".join(f"  - {one}\n" for one in plugins)


def test_scorers_stand_in_the_order_of_the_tiers() -> None:
    text = conf("name: binpack") + "- plugins:\n  - name: resource-strategy-fit\n"
    assert list(volcano.loads(text).policy.scorers) == ["binpack", "resource-strategy-fit"]


def test_switches_of_plugins() -> None:
    fit = "{name: resource-strategy-fit, %s, arguments: {proportional: {enable: true, resources: g}}}"
    no_scores = volcano.loads(conf(fit % "enableNodeOrder: false", "{name: binpack, enableNodeOrder: false}")).policy
    assert list(no_scores.scorers) == []
    assert "proportional" in no_scores.filters
    no_filter = volcano.loads(conf(fit % "enablePredicate: false")).policy
    assert list(no_filter.scorers) == ["resource-strategy-fit"]
    assert "proportional" not in no_filter.filters
    assert volcano.loads(conf("{name: nodeorder, enableNodeOrder: false}")).policy.scorers == {}


def test_predicates_decide_which_conditions_count() -> None:
    everything = volcano.loads(conf("name: predicates"))
    assert everything.policy.filters == {}
    assert everything.warnings == ()
    one_off = volcano.loads(conf("{name: predicates, arguments: {predicate.TaintTolerationEnable: false}}"))
    assert one_off.policy.filters == {"taints": False}
    for text in (conf("name: binpack"), conf("{name: predicates, enablePredicate: false}", "name: binpack")):
        none = volcano.loads(text)
        assert set(none.policy.filters) == {"cordon", "selector", "taints", "near", "apart", "spread"}
        assert any("only room counts" in one.message for one in none.warnings)
        planned = Cluster([Node("n", {"cpu": 1}, taints=[Taint("a")], cordoned=True)], policy=build(none.policy))
        assert planned.place(Workload("w", {"cpu": 1}, selector={"zone": "x"})).assignments == {"w": "n"}


def test_binpack_has_its_own_defaults() -> None:
    assert volcano.loads(conf("name: binpack")).binpack == Binpack(1, {"cpu": 1, "memory": 1})
    text = conf("{name: binpack, arguments: {binpack.weight: -2, binpack.cpu: 0, binpack.resources: g, binpack.resources.g: 3}}")
    found = volcano.loads(text)
    assert found.binpack == Binpack(-2, {"g": 3, "cpu": 0, "memory": 1})
    assert found.policy.scorers["binpack"]["weight"] == -200.0
    assert set(found.policy.scorers["binpack"]["resources"]) == {"g", "memory"}  # 0 leaves cpu alone
    assert volcano.loads(conf("{name: binpack, arguments: {binpack.weight: 0}}")).policy.scorers == {}


def test_nodeorder_is_kube_schedulers_score_plugins() -> None:
    found = volcano.loads(conf("name: predicates", "name: nodeorder"))
    assert found.node_order == NodeOrder()
    assert found.warnings == ()
    nodes = [Node("a", {"cpu": 2}, labels={"zone": "x"}), Node("b", {"cpu": 2}, taints=[Taint("t", effect="PreferNoSchedule")])]
    wish = [Preference({"zone": "x"}, 1.0)]
    best, other = Cluster(nodes, policy=build(found.policy)).why(Workload("w", {"cpu": 1}, preferences=wish)).scores()
    assert (best.node, other.node) == ("a", "b")
    # By weight: half of the cpu is left, and one resource alone is always even; b has the taint and not the label.
    assert {rule: number for rule, _, number in best.parts} == {
        "leastrequested": 1 * 50, "balancedresource": 1 * 100, "nodeaffinity": 2 * 100, "tainttoleration": 3 * 100,
    }  # fmt: skip
    assert (other.of("nodeaffinity"), other.of("tainttoleration")) == (0, 0)


@pytest.mark.parametrize(
    "arguments, expected",
    [
        ("{nodeaffinity.weight: 5, tainttoleration.weight: 1}", {"nodeaffinity": 5.0, "tainttoleration": 1.0}),
        ("{nodeaffinity.weight: 0}", {"tainttoleration": 3.0}),
        ("{nodeaffinity.weight: 0, tainttoleration.weight: 0}", {}),
        ("{mostrequested.weight: 2}", {"nodeaffinity": 2.0, "tainttoleration": 3.0, "mostrequested": 2.0}),
    ],
)
def test_plugins_of_nodeorder_have_weights_of_their_own(arguments: str, expected: dict[str, float]) -> None:
    found = volcano.loads(conf("name: predicates", f"{{name: nodeorder, arguments: {arguments}}}")).policy.scorers
    asked = ("nodeaffinity", "tainttoleration", "mostrequested")
    assert {name: written["weight"] for name, written in found.items() if name in asked} == expected


def test_plugins_bayplan_does_not_have_are_named_once_each() -> None:
    found = volcano.loads(conf("name: predicates", "name: gang", "name: drf", "name: proportion", "name: our-own"))
    assert [one.message for one in found.warnings] == [
        f"bayplan has no plugin {name!r}" for name in ("gang", "drf", "proportion", "our-own")
    ]
    assert "groups" in found.warnings[0].hint
    assert [one.line for one in found.warnings] == [5, 6, 7, 8]


# --- where the configuration stands ---------------------------------------------------------------

CONFIG_MAP = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: volcano-scheduler-configmap
data:
  volcano-scheduler.conf: |
    actions: "enqueue, allocate, backfill"
    tiers:
    - plugins:
      - name: predicates
      - name: binpack
        arguments:
          binpack.weight: 5
          # a comment

          binpack.cpu: "2"
"""


def test_a_config_map_has_the_right_lines() -> None:
    with pytest.raises(ConfigError) as caught:
        volcano.loads(CONFIG_MAP, "map.yaml")
    (problem,) = caught.value.problems
    assert (problem.file, problem.line, problem.column) == ("map.yaml", 16, 24)
    good = volcano.loads(CONFIG_MAP.replace('"2"', "2"))
    assert good.binpack == Binpack(5, {"cpu": 2, "memory": 1})


def test_a_config_map_in_json_and_among_other_objects() -> None:
    inner = conf("name: predicates", "name: binpack")
    whole = {"apiVersion": "v1", "kind": "ConfigMap", "data": {"volcano-scheduler.conf": inner}}
    assert list(volcano.loads(json.dumps(whole)).policy.scorers) == ["binpack"]
    several = "apiVersion: v1\nkind: Namespace\n---\n" + CONFIG_MAP.replace('"2"', "2")
    assert list(volcano.loads(several).policy.scorers) == ["binpack"]
    bad = json.dumps(whole | {"data": {"volcano-scheduler.conf": conf("name: binpak")}})
    with pytest.raises(ConfigError, match=r"x.json \(volcano-scheduler.conf\):4:.*did you mean 'binpack'"):
        volcano.loads(bad, "x.json")


def test_a_configuration_in_json() -> None:
    plugins = [{"name": "predicates"}, {"name": "binpack", "arguments": {"binpack.weight": 3}}]
    found = volcano.loads(json.dumps({"actions": "allocate", "tiers": [{"plugins": plugins}]}))
    assert found.binpack == Binpack(3, {"cpu": 1, "memory": 1})


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "volcano-scheduler.conf"
    path.write_text(conf("name: predicates", "name: binpack"))
    assert volcano.load(path).dialect == "volcano"
    with pytest.raises(ConfigError, match="cannot be read"):
        volcano.load(tmp_path / "none")
    with pytest.raises(ConfigError, match="not a dialect"):
        volcano.load(path, dialect="klingon")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="not a mode"):
        volcano.load(path, mode="kind")  # type: ignore[arg-type]


def test_a_refused_rule_names_the_line_of_its_plugin() -> None:
    places = volcano.loads(conf("name: predicates", "name: binpack"), "x.conf").policy.places
    assert places["policy.scorers.binpack"] == ("x.conf", 5, 11)


# --- one mistake, one message ---------------------------------------------------------------------

SRA = "enable: true, resources: t4, weight: 1"
ONE = [
    ("both grammars", f"{{sra: {{policy: retention, {SRA}, resourceWeight: {{t4: 1}}}}, proportional: {{enable: true}}}}",
     "'sra.policy' is written in the design document's grammar, 'sra.enable' in that of the releases",
     "use one, or choose the dialect: volcano or design"),
    ("dotted and released", f"{{sra.policy: retention, sra: {{{SRA}}}}}", "'sra.policy' is written in", "use one"),
    ("a list of names", "{sra: {enable: true, resources: [t4, a10], weight: 1, resourceWeight: {t4: 1}}}",
     "expected text, found a list", 'write "t4, a10"'),
    ("a list in the design's grammar", "{sra: {policy: retention, resources: [t4], retention: {t4: 1}}}",
     "expected text, found a list", 'write "t4"'),
    ("a weight in quotes", '{sra: {enable: true, resources: t4, weight: "2"}}', "expected a whole number", "without quotes"),
    ("a fraction", "{resources: {cpu: {type: MostAllocated, weight: 2.9}}}", "cuts it down to 2", "write 2"),
    ("no type", "{resources: {cpu: {type: , weight: 2}}}", "nothing is not a strategy; Volcano takes Least", "MostAllocated"),
    ("another secondary", "{proportional: {enable: true, resources: t4, resourceProportion: {t4.disk: 8}}}",
     "only cpu and memory are reserved, not disk", "the filter 'reserve'"),
    ("a slip in a secondary", "{proportional: {enable: true, resources: t4, resourceProportion: {t4.cpus: 8}}}",
     "'t4.cpus' is not listed", "did you mean 't4.cpu'?"),
]  # fmt: skip


@pytest.mark.parametrize("arguments, message, hint", [row[1:] for row in ONE], ids=[row[0] for row in ONE])
def test_one_mistake_is_told_once_with_what_to_write(arguments: str, message: str, hint: str) -> None:
    with pytest.raises(ConfigError) as caught:
        volcano.loads(conf("name: predicates", f"{{name: resource-strategy-fit, arguments: {arguments}}}"))
    (problem,) = caught.value.problems
    assert message in problem.message
    assert hint in problem.hint
