"""A policy that is written and one that is built in Python decide alike, and so do the workloads they are about."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bayplan import Cluster, Node, Policy, Workload
from bayplan.dialects import native
from bayplan.engine.policy import preset
from bayplan.engine.spec import build
from bayplan.filters.reserve import Pool, Reserve
from bayplan.model.resources import requests
from bayplan.model.selector import Selector
from bayplan.model.strategy import ResourceStrategy as Use
from bayplan.scorers.packing import Packing
from bayplan.scorers.scarcity import Scarcity
from tests import random_scenarios as space

Q = {"q": (Use("cpu", "most"), Use("lic*", "least", 2.0))}
ROWS: list[tuple[str, str, Policy]] = [
    ("a preset", "{preset: ai-mixed}", preset("ai-mixed")),
    ("the first that fits", "{preset: plain}", preset("plain")),
    (
        "per queue and namespace",
        "{scorers: {packing: {lacking: zero, per_queue: {q: {cpu: most, lic*: {strategy: least, weight: 2}}}, "
        "per_namespace: {other: {memory: most}}}}}",
        preset("balanced").with_scorer(Packing(lacking="zero", per_queue=Q, per_namespace={"other": (Use("memory", "most"),)})),
    ),
    (
        "two of a kind",
        "{preset: plain, scorers: {a: {scorer: packing, over: requested, resources: {gpu: most}}, "
        "b: {scorer: scarcity, weight: 2, resources: {gpu: 1, licence: 3}, total: 5}}}",
        Policy(
            "plain",
            (Packing((Use("gpu", "most"),), "requested", name="a"), Scarcity((("gpu", 1.0), ("licence", 3.0)), 2.0, 5.0, "b")),
        ),
    ),
    (
        "reserves",
        "{filters: {reserve: {per_unit: {gpu: {cpu: 0.5, memory: 1Gi}}}, "
        "mine: {filter: reserve, pools: [{nodes: {zone: a}, keep: {cpu: 1, memory: 25%}, for: [gpu]}]}}}",
        preset("balanced")
        .with_filter(Reserve({"gpu": {"cpu": 0.5, "memory": 1.073741824}}))
        .with_filter(
            Reserve(
                {},
                (Pool(requests({"cpu": 1}), {"memory": 25.0}, Selector.of({"zone": "a"}), frozenset(("gpu",))),),
                "mine",
            )
        ),
    ),
]


def work(scenario: space.Scenario) -> list[Workload]:
    """Its workloads; every third comes from a queue, every fifth packs in its own way."""
    found = []
    for i, step in enumerate(scenario.steps):
        if isinstance(step, Workload):
            own = (Use("cpu", "most", -1.0), Use("g*", "least")) if i % 5 == 0 else None
            found.append(replace(step, name=f"w{i}", queue="q" if i % 3 == 0 else "", packing=own))
    return found


@pytest.mark.parametrize("source, policy", [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_words_and_python_decide_alike(source: str, policy: Policy) -> None:
    spec = native.loads(f"policy: {source}").policy
    assert spec is not None
    assert build(spec) == policy
    placed = 0
    for _, scenario in space.scenarios(40):
        here, there = Cluster(scenario.nodes, build(spec)), Cluster(scenario.nodes, policy)
        asked = work(scenario)
        assert here.place(asked) == there.place(asked)
        placed += len(here.assignments)
    assert placed > 40


def test_rules_make_a_difference() -> None:
    """Else the law above would say little."""
    nodes = [Node("gpu", {"cpu": 8, "gpu": 4}), Node("plain", {"cpu": 8})]
    rows = [
        ("{preset: plain, scorers: {scarcity: {resources: [gpu]}}}", {}, "plain"),
        ("{preset: plain, scorers: {packing: {resources: {gpu: most}, per_queue: {q: {cpu: most}}}}}", {"queue": "q"}, "plain"),
        ("{preset: plain, scorers: {packing: {resources: {cpu: most}}}}", {"packing": [Use("cpu")]}, "gpu"),
        ("{preset: plain, filters: {reserve: {per_unit: {gpu: {cpu: 2}}}}}", {}, "plain"),
        ("{preset: plain, filters: {reserve: {pools: [{nodes: {a: b}, keep: {cpu: 100%}}]}}}", {}, "plain"),
    ]
    for source, fields, expected in rows:
        spec = native.loads(f"policy: {source}").policy
        assert spec is not None
        cluster = Cluster([replace(nodes[0], labels={"a": "b"}), nodes[1]], build(spec))
        cluster.settle(Workload("there", {"cpu": 1}), "plain")
        cluster.place(Workload("w", {"cpu": 1}, **fields))
        assert cluster.assignments["w"] == expected, source
