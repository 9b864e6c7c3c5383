"""The oracle of kube-scheduler against kube-scheduler: verdicts, raw and normalised points, totals of random pipelines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.kube_pipeline_objects import incoming, nodes_of, residents
from tests.oracle.kube import KubeOracle
from tests.oracle.kube_amounts import Strategy
from tests.oracle.kube_filters import FILTERS
from tests.oracle.kube_scores import Points, Profile

FILE = Path(__file__).parents[3] / "shared" / "conformance" / "kubernetes" / "fuzz_pipeline.json"
Case = dict[str, Any]


def oracle(case: Case, strategies: dict[str, Any]) -> KubeOracle:
    said = strategies[case["fitStrategy"]]
    resources = tuple((one["name"], one["weight"]) for one in said["resources"])
    shape = tuple((one["utilization"], one["score"]) for one in said.get("shape", ()))
    found = KubeOracle(nodes_of(case), Profile(Strategy(case["fitStrategy"], resources, shape)))
    there = {node.name for node in found.cluster.nodes}
    for pod, node in residents(case):
        if node in there:
            found.cluster.place(pod, node)
    return found


def agree(case: Case, judge: KubeOracle) -> None:
    pod, expect = incoming(case), case["expect"]
    refusing = judge.refusing(pod)
    for plugin in FILTERS:
        verdicts = {one["node"]: one["fits"] for one in expect["filter"][plugin].get("nodes", ())}
        for node, plugins in refusing.items():
            # Host ports are kept apart by the same rule as pods, so what the oracle says of the two is one.
            both = {"InterPodAffinity", "NodePorts"} if plugin == "InterPodAffinity" else {plugin}
            others = [one["fits"] for name in both for one in expect["filter"][name].get("nodes", ()) if one["node"] == node]
            assert (plugin not in plugins) == (verdicts.get(node, False) and all(others)), (plugin, node)
    assert [node.name for node in judge.feasible(pod)] == expect["feasible"]
    points = judge.scores(pod)
    for plugin, wanted in expect.get("scores", {}).items():
        found = points[plugin]
        nothing = Points([0] * len(expect["feasible"]), [0] * len(expect["feasible"]))
        # A preference of weight 0 is none to the dialect; the plugin runs, and gives nothing.
        expected = Points(wanted["raw"], wanted["normalized"]) if wanted["preScore"] == "Success" else nothing
        assert (found or nothing) == expected, plugin
    if expect.get("total"):
        assert list(judge.totals(pod).values()) == expect["total"]


@pytest.mark.skipif(not FILE.exists(), reason=f"there is no {FILE}")
def test_the_oracle_agrees_with_kube_scheduler() -> None:
    data = json.loads(FILE.read_text())
    for case in data["cases"]:
        try:
            agree(case, oracle(case, data["fitStrategies"]))
        except AssertionError as error:
            error.add_note(case["id"])
            raise
    assert len(data["cases"]) > 500
