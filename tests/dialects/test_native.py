"""The native dialect by example: what is written, and what it means."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

import bayplan
from bayplan.dialects import native
from bayplan.dialects.source.scalars import plain
from bayplan.engine.spec import PolicySpec, build
from bayplan.model import labels as algebra
from bayplan.model.group import Group, Strategy
from bayplan.model.labels import ValueSet
from bayplan.model.neighbours import ALL, NODE, Apart, Near, Spread
from bayplan.model.node import Device, Effect, Node, NodeTemplate, Taint
from bayplan.model.selector import EVERYTHING, Selector
from bayplan.model.strategy import ResourceStrategy as Use
from bayplan.model.tolerations import Match, Toleration
from bayplan.model.workload import Fallback, Preference, Workload

NODES = [
    ("only a name", "name: n", [Node("n")]),
    ("counted", "{name: n, count: 2}", [Node("n-0"), Node("n-1")]),
    ("counted once", "{name: n, count: 1}", [Node("n-0")]),
    ("capacity", "{name: n, capacity: {cpu: 32, memory: 1Gi, x: 0.5}}", [Node("n", {"cpu": 32, "memory": "1Gi", "x": 0.5})]),
    ("devices", "{name: n, devices: {gpu: 2}}", [Node("n", devices={"gpu": 2})]),
    ("devices by id", "{name: n, devices: {gpu: [a, b]}}", [Node("n", devices=[Device("gpu", "a"), Device("gpu", "b")])]),
    ("labels", "{name: n, labels: {zone: a, no: 'no', empty: ''}}", [Node("n", labels={"zone": "a", "no": "no", "empty": ""})]),
    ("cordoned", "{name: n, cordoned: true}", [Node("n", cordoned=True)]),
    ("a taint as text", "{name: n, taints: ['a=b:NoExecute']}", [Node("n", taints=[Taint("a", "b", Effect.NO_EXECUTE)])]),
    ("a taint without value", "{name: n, taints: ['gpu:NoSchedule']}", [Node("n", taints=[Taint("gpu")])]),
    ("a taint without effect", "{name: n, taints: ['gpu=true', gpu]}", [Node("n", taints=[Taint("gpu", "true"), Taint("gpu")])]),
    ("a taint as mapping", "{name: n, taints: [{key: a, value: b}]}", [Node("n", taints=[Taint("a", "b")])]),
    ("a name in another script", "name: 結点", [Node("結点")]),
]  # fmt: skip


@pytest.mark.parametrize("source, expected", [row[1:] for row in NODES], ids=[row[0] for row in NODES])
def test_nodes(source: str, expected: list[Node]) -> None:
    assert list(native.loads(f"nodes:\n- {source}\n").nodes) == expected


def test_templates() -> None:
    source = "templates: [{name: t, minimum: 1, maximum: 10, price: 1.5, capacity: {cpu: 4}, labels: {zone: a}}, {name: u}]"
    assert native.loads(source).templates == (
        NodeTemplate("t", Node("t", {"cpu": 4}, {"zone": "a"}), 1, 10, 1.5),
        NodeTemplate("u", Node("u")),
    )


A = Selector.of({"zone": "a"})
APP = Selector.of({"app": "web"})
WORKLOADS: list[tuple[str, str, dict[str, Any]]] = [
    ("requests", "requests: {cpu: 500m, memory: 1Gi}", {"requests": {"cpu": "500m", "memory": "1Gi"}}),
    ("labels", "labels: {app: web}", {"labels": {"app": "web"}}),
    ("about it", "{namespace: team, owner: shop, priority: -7}", {"namespace": "team", "owner": "shop", "priority": -7}),
    ("a queue", "queue: batch", {"queue": "batch"}),
    ("its own packing", "packing: {cpu: most, nvidia.com/*: least}", {"packing": (Use("cpu", "most"), Use("nvidia.com/*"))}),
    ("its own weights", "packing: {cpu: {strategy: most, weight: -2}}", {"packing": (Use("cpu", "most", -2.0),)}),
    (
        "its own shape",
        "packing: {cpu: {strategy: ratio, shape: [[0, 0], [100, 10]]}}",
        {"packing": (Use("cpu", "ratio", 1.0, ((0.0, 0.0), (100.0, 10.0))),)},
    ),
    ("no packing of its own", "packing: {}", {"packing": ()}),
    ("a selector", "selector: {zone: a}", {"selector": A}),
    ("a selector of two", "selector: [{zone: a}, {zone: b}]", {"selector": A | Selector.of({"zone": "b"})}),
    ("any node", "selector: {}", {"selector": EVERYTHING}),
    ("no node", "selector: []", {"selector": Selector(())}),
    ("a selector that can never match", "selector: {zone: {in: [a], exists: false}}", {"selector": Selector(())}),
    ("pinned", "nodes: [n1, n2]", {"nodes": frozenset({"n1", "n2"})}),
    ("a preference", "prefer: [{selector: {zone: a}}]", {"preferences": (Preference(A),)}),
    ("an aversion", "prefer: [{selector: {zone: a}, weight: -2}]", {"preferences": (Preference(A, -2.0),)}),
    ("near", "near: [{peers: {app: web}}]", {"near": (Near(APP),)}),
    ("near by zone", "near: [{peers: {app: web}, by: zone}]", {"near": (Near(APP, "zone"),)}),
    ("the first may start", "near: [{peers: {app: web}, first_may_start: true}]", {"near": (Near(APP, first_may_start=True),)}),
    ("near by both", "near: [{peers: {app: web}, by: [zone, node]}]", {"near": (Near(APP, ("zone", NODE)),)}),
    ("near everywhere", "near: [{peers: {app: web}, namespaces: ['*']}]", {"near": (Near(APP, namespaces=ALL),)}),
    ("near everywhere, shorter", "near: [{peers: {app: web}, namespaces: '*'}]", {"near": (Near(APP, namespaces=ALL),)}),
    ("near elsewhere", "near: [{peers: {app: web}, namespaces: [a]}]", {"near": (Near(APP, namespaces=frozenset("a")),)}),
    ("a wish to be near", "near: [{peers: {app: web}, weight: 2}]", {"near": (Near(APP, weight=2.0),)}),
    ("apart", "apart: [{peers: {app: web}}]", {"apart": (Apart(APP),)}),
    ("at most two", "apart: [{peers: {app: web}, by: zone, at_most: 2}]", {"apart": (Apart(APP, "zone", at_most=2),)}),
    ("spread", "spread: [{peers: {app: web}, by: zone, max_skew: 2}]", {"spread": (Spread(APP, "zone", max_skew=2),)}),
    (
        "spread as Kubernetes does",
        "spread: [{peers: {app: web}, honour_selector: false, on_allowed: true, may_lack: true, honour_taints: true}]",
        {"spread": (Spread(APP, honour_taints=True, honour_selector=False, on_allowed=True, may_lack=True),)},
    ),
    ("near nobody", "near: [{peers: {app: web}, namespaces: []}]", {"near": (Near(APP, namespaces=frozenset()),)}),
    (
        "near by joined terms",
        "near: [{peers: {app: web}, by: [zone, node], terms: [{peers: {app: web}, by: zone}, {peers: {}, namespaces: [a]}]}]",
        {"near": (Near(APP, ("zone", NODE), terms=[Near(APP, "zone"), Near(EVERYTHING, namespaces={"a"})]),)},
    ),
    ("images", "images: ['web:v1', 'web:v1']", {"images": ("web:v1", "web:v1")}),
    ("by the node's name", "selector: {'@name': [n1, n2]}", {"selector": Selector.of({NODE: algebra.in_("n1", "n2")})}),
    ("a fallback", "fallbacks: [{requests: {cpu: 1}}]", {"fallbacks": (Fallback({"cpu": 1}),)}),
    ("a fallback to any node", "fallbacks: [{nodes: []}]", {"fallbacks": (Fallback(nodes=frozenset()),)}),
    ("a fallback to any label", "fallbacks: [{selector: {}}]", {"fallbacks": (Fallback(selector=EVERYTHING),)}),
]  # fmt: skip


@pytest.mark.parametrize("source, expected", [row[1:] for row in WORKLOADS], ids=[row[0] for row in WORKLOADS])
def test_workloads(source: str, expected: dict[str, Any]) -> None:
    fields = yaml.safe_load(source)
    manifest = native.loads(yaml.safe_dump({"workloads": [{"name": "w", **fields}]}))
    assert manifest.requests == (Workload("w", **expected),)


VALUES = [
    ("a", algebra.in_("a")),
    ("''", algebra.in_("")),
    ("no", algebra.in_("no")),
    ("[a, b]", algebra.in_("a", "b")),
    ("{in: [a, b]}", algebra.in_("a", "b")),
    ("{not_in: [a]}", algebra.not_in("a")),
    ("{exists: true}", algebra.exists()),
    ("{exists: false}", algebra.does_not_exist()),
    ("{gt: 3}", algebra.gt(3)),
    ("{lt: -3}", algebra.lt(-3)),
    ("{gt: 3, lt: 9, not_in: ['5']}", algebra.gt(3) & algebra.lt(9) & algebra.not_in("5")),
    ("{exists: true, not_in: [a]}", algebra.exists() & algebra.not_in("a")),
]


@pytest.mark.parametrize("source, expected", VALUES)
def test_label_values(source: str, expected: ValueSet) -> None:
    (found,) = native.loads(f"workloads: [{{name: w, selector: {{zone: {source}}}}}]").requests
    assert isinstance(found, Workload)
    assert found.selector == Selector.of({"zone": expected})


TOLERATIONS = [
    ("gpu", Toleration("gpu", operator=Match.EXISTS)),
    ("gpu:NoSchedule", Toleration("gpu", operator=Match.EXISTS, effect=Effect.NO_SCHEDULE)),
    ("gpu=true", Toleration("gpu", "true")),
    ("gpu=", Toleration("gpu", "")),
    ("gpu=true:NoExecute", Toleration("gpu", "true", effect=Effect.NO_EXECUTE)),
    ("'*'", Toleration(operator=Match.EXISTS)),
    ("'*:NoExecute'", Toleration(operator=Match.EXISTS, effect=Effect.NO_EXECUTE)),
    ("{key: gpu}", Toleration("gpu", operator=Match.EXISTS)),
    ("{key: gpu, value: 'true'}", Toleration("gpu", "true")),
    ("{key: gpu, operator: Equal}", Toleration("gpu", "")),
    ("{operator: Exists}", Toleration(operator=Match.EXISTS)),
    ("{key: gpu, operator: Exists, value: , effect: }", Toleration("gpu", operator=Match.EXISTS)),
    ("{key: rank, operator: Gt, value: '3'}", Toleration("rank", "3", Match.GT)),
]


@pytest.mark.parametrize("source, expected", TOLERATIONS)
def test_tolerations(source: str, expected: Toleration) -> None:
    (found,) = native.loads(f"workloads: [{{name: w, tolerate: [{source}]}}]").requests
    assert isinstance(found, Workload)
    assert found.tolerations == (expected,)


def test_replicas_and_residents() -> None:
    manifest = native.loads(
        "nodes: [{name: n}]\n"
        "workloads:\n"
        "  - {name: web, replicas: 2, requests: {cpu: 1}}\n"
        "  - {name: db, on: n}\n"
        "  - {name: one, replicas: 1}\n"
    )
    assert manifest.requests == (Workload("web-0", {"cpu": 1}), Workload("web-1", {"cpu": 1}), Workload("one-0"))
    assert manifest.residents == ((Workload("db"), "n"),)


def test_groups() -> None:
    source = """
    groups:
      - name: train
        strategy: STRICT_SPREAD
        by: zone
        members:
          - {name: head, requests: {cpu: 1}}
          - {name: worker, replicas: 2, requests: {gpu: 1}}
        fallbacks:
          - strategy: PACK
          - by: node
            members: [{name: head, requests: {cpu: 8}}]
    """
    members = (Workload("head", {"cpu": 1}), Workload("worker-0", {"gpu": 1}), Workload("worker-1", {"gpu": 1}))
    small = Group("train", (Workload("head", {"cpu": 8}),), Strategy.STRICT_SPREAD, NODE)
    assert native.loads(source).requests == (
        Group("train", members, Strategy.STRICT_SPREAD, "zone", (Group("train", members, Strategy.PACK, "zone"), small)),
    )


def test_sections_of_documents_and_files_add_up(tmp_path: Path) -> None:
    (tmp_path / "b.yml").write_text(
        "workloads: [{name: w2}]\n---\ngroups: [{name: g, members: [{name: m}]}]\nworkloads: [{name: w3}]\n"
    )
    (tmp_path / "a.yaml").write_text("nodes: [{name: n1}]\nworkloads: [{name: w1, nodes: [n2]}]\n---\n---\n# nothing\n")
    (tmp_path / "c.json").write_text('{"nodes": [{"name": "n2", "capacity": {"cpu": 0.5}}], "policy": {"preset": "pack"}}')
    (tmp_path / "d.txt").write_text("not read")
    manifest = native.load(tmp_path)
    assert [one.name for one in manifest.nodes] == ["n1", "n2"]
    assert [one.name for one in manifest.requests] == ["w1", "w2", "g", "w3"]
    assert manifest.policy == PolicySpec("pack")
    assert manifest == native.load(tmp_path / "a.yaml", str(tmp_path / "b.yml"), tmp_path / "c.json")


def test_where_things_are_defined() -> None:
    source = (
        "nodes:\n- {name: n, count: 2}\nworkloads:\n- {name: w, namespace: team}\ngroups:\n- {name: g, members: [{name: m}]}\n"
    )
    manifest = native.loads(source, "f.yaml")
    rows = [("node", "n-1", 2), ("workload", "team/w", 4), ("workload", "m", 6), ("group", "g", 6)]
    assert [manifest.source(kind, name) for kind, name, _ in rows] == [f"f.yaml:{line}" for _, _, line in rows]
    assert manifest.source("node", "other") == ""


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"nodes: [{name: n}]")))
    assert native.load("-").nodes == (Node("n"),)


@pytest.mark.parametrize(
    "text", ["", "\n", "# nothing\n", "---\n", "null\n", "{}", "nodes:\nworkloads:\n", "nodes: []\npolicy:\n", "\ufeff"]
)
def test_nothing_is_fine(text: str) -> None:
    assert native.loads(text) == native.Manifest()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_encodings(encoding: str) -> None:
    assert native.loads("nodes: [{name: é}]".encode(encoding)).nodes == (Node("é"),)


def test_anchors_and_merges() -> None:
    source = """
    nodes:
      - &big {name: a, capacity: {cpu: 8}, labels: &l {zone: a}}
      - {<<: *big, name: b}
      - {<<: [{cordoned: true}, *big], name: c, labels: {<<: *l, disk: ssd}}
    """
    assert native.loads(source).nodes == (
        Node("a", {"cpu": 8}, {"zone": "a"}),
        Node("b", {"cpu": 8}, {"zone": "a"}),
        Node("c", {"cpu": 8}, {"zone": "a", "disk": "ssd"}, cordoned=True),
    )


PLAIN = [
    ("", None), ("~", None), ("null", None), ("true", True), ("False", False), ("yes", "yes"), ("no", "no"), ("on", "on"),
    ("Off", "Off"), ("12", 12), ("-3", -3), ("+3", 3), ("0", 0), ("012", "012"), ("0x1f", "0x1f"), ("0o7", "0o7"),
    ("1_000", "1_000"), ("1:30", "1:30"), ("1.5", 1.5), ("1.", 1.0), (".5", 0.5), ("1e3", 1000.0), ("-.inf", float("-inf")),
    (".", "."), ("-", "-"), ("1.2.3", "1.2.3"), ("2024-01-01", "2024-01-01"), ("=", "="), ("9" * 101, "9" * 101),
    ("64Gi", "64Gi"), ("１２", "１２"),
]  # fmt: skip


@pytest.mark.parametrize("text, expected", PLAIN)
def test_words_without_quotes(text: str, expected: object) -> None:
    assert (type(plain(text)), plain(text)) == (type(expected), expected)


POLICIES = [
    ("the default", "{}", "balanced", "packing 1.0, balance 1.0, preference 1.0, neighbours 1.0, spread 1.0"),
    ("a preset", "{preset: pack}", "pack", "packing 1.0, preference 1.0, neighbours 1.0, spread 1.0"),
    ("a name", "{preset: pack, name: mine}", "mine", "packing 1.0, preference 1.0, neighbours 1.0, spread 1.0"),
    ("a weight", "{scorers: {packing: 2}}", "balanced", "packing 2.0, balance 1.0, preference 1.0, neighbours 1.0, spread 1.0"),
    ("switched off", "{scorers: {balance: 0, spread: {weight: 0}}}", "balanced", "packing 1.0, preference 1.0, neighbours 1.0"),
    ("for GPUs", "{preset: ai-mixed}", "ai-mixed", "packing 1.0, scarcity 2.0, preference 1.0, neighbours 1.0, spread 1.0"),
    ("none at all", "{preset: plain}", "plain", ""),
    (
        "added",
        "{preset: pack, scorers: {balance: {weight: 0.5}}}",
        "pack",
        "preference 1.0, neighbours 1.0, spread 1.0, balance 0.5",
    ),
]


@pytest.mark.parametrize("source, name, scorers", [row[1:] for row in POLICIES], ids=[row[0] for row in POLICIES])
def test_policies(source: str, name: str, scorers: str) -> None:
    spec = native.loads(f"policy: {source}").policy
    assert spec is not None
    policy = build(spec)
    assert policy.name == name
    assert ", ".join(f"{one.name} {one.weight}" for one in policy.scorers).endswith(scorers)


def test_a_policy_in_full() -> None:
    from bayplan.engine.policy import FILTERS
    from bayplan.model.strategy import ResourceStrategy
    from bayplan.scorers.balance import Balance
    from bayplan.scorers.packing import Packing

    spec = native.loads("""
    policy:
      preset: spread
      scorers:
        packing:
          weight: 3
          over: requested
          resources: {cpu: least, gpu: {strategy: most, weight: 5}, memory: {strategy: ratio, shape: [[0, 0], [100, 10]]}}
        balance: {weight: 0.5, resources: [cpu, gpu]}
      filters: {taints: false, fit: true}
    """).policy
    assert spec is not None
    policy = build(spec)
    strategies = (
        ResourceStrategy("cpu", "least"),
        ResourceStrategy("gpu", "most", 5.0),
        ResourceStrategy("memory", "ratio", 1.0, ((0.0, 0.0), (100.0, 10.0))),
    )
    assert policy.scorers[0] == Packing(strategies, "requested", 3.0)
    assert policy.scorers[-1] == Balance(("cpu", "gpu"), 0.5)
    assert policy.filters == tuple(name for name in FILTERS if name != "taints")


EXAMPLE = """
nodes:
  - {name: gpu, count: 3, capacity: {cpu: 32, memory: 128Gi}, devices: {gpu: 4}, labels: {zone: a}, taints: ["gpu:NoSchedule"]}
templates: [{name: spare, maximum: 10, price: 1.5, capacity: {cpu: 8}}]
workloads:
  - name: web
    replicas: 3
    labels: {app: web}
    requests: {cpu: 500m, memory: 1Gi}
    selector: [{zone: [a, b]}, {disk: {exists: true, not_in: [hdd]}, size: {gt: 3}}]
    prefer: [{selector: {zone: a}, weight: 2}]
    tolerate: ["*", {key: gpu, operator: Exists}]
    near: [{peers: {app: cache}, by: [zone, node], namespaces: ["*"]}]
    apart: [{peers: {app: web}}]
    spread: [{peers: {app: web}, by: zone, max_skew: 1, weight: 1}]
    fallbacks: [{requests: {cpu: 250m}}]
groups: [{name: train, strategy: STRICT_SPREAD, members: [{name: t, replicas: 2, requests: {gpu: 1}}], fallbacks: [{by: zone}]}]
policy: {preset: pack, scorers: {packing: {resources: {cpu: least}}, balance: 0.5, mine: {x: 1}}, filters: {taints: false}}
"""


def test_the_json_schema() -> None:
    schema = native.json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$schema"].endswith("2020-12/schema")
    assert schema["title"] == "bayplan manifest"
    checker = jsonschema.Draft202012Validator(schema)
    native.loads(EXAMPLE)
    good = yaml.safe_load(EXAMPLE)
    assert [error.message for error in checker.iter_errors(good)] == []
    for section, key, value in (
        ("nodes", "colour", 1),
        ("nodes", "count", "3"),
        ("workloads", "requests", None),
        ("groups", "by", 1),
    ):
        bad = json.loads(json.dumps(good))
        bad[section][0][key] = value
        assert not checker.is_valid(bad), (section, key)


def test_every_field_is_described() -> None:
    schema = native.json_schema()
    models = {"document": schema, **schema["$defs"]}
    bare = [
        f"{name}.{key}"
        for name, model in models.items()
        for key, one in model["properties"].items()
        if not one.get("description")
    ]
    assert bare == []


def test_reading_loads_no_numpy() -> None:
    """Checking a file should be quick. (The package's own __init__, which may load the engine, is kept out of this.)"""
    code = f"""
import sys, types
sys.modules["bayplan"] = package = types.ModuleType("bayplan")
package.__path__ = [{str(Path(bayplan.__file__).parent)!r}]
from bayplan.dialects import native
native.loads("policy: {{preset: pack}}")
print("numpy" in sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


def test_the_public_names() -> None:
    assert sorted(native.__all__) == ["Manifest", "dumps", "json_schema", "load", "loads"]
    assert all(hasattr(native, name) for name in native.__all__)


def test_ten_thousand_entries_take_seconds() -> None:
    machine = "  - {name: n%d, capacity: {cpu: 32, memory: 128Gi}, devices: {gpu: 4}, labels: {zone: a}, taints: [gpu]}\n"
    work = "  - {name: w%d, labels: {a: b}, requests: {cpu: 1}, selector: {zone: [a]}, tolerate: [x], apart: [{peers: {a: b}}]}\n"
    text = "nodes:\n" + "".join(machine % i for i in range(5000)) + "workloads:\n" + "".join(work % i for i in range(5000))
    start = time.process_time()
    manifest = native.loads(text)
    print(f"ten thousand entries: {time.process_time() - start:.1f} s")
    assert (len(manifest.nodes), len(manifest.requests)) == (5000, 5000)
