"""The whole pipeline on one cluster: verdicts of every plugin, who is feasible, points, totals, and the choice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bayplan import Cluster
from bayplan.engine.policy import PRESETS
from bayplan.engine.scores import NodeScore
from tests.conformance import kube_pipeline_filters as filters
from tests.conformance.kube_pipeline_objects import cluster_of, incoming, names
from tests.conformance.kube_pipeline_scores import allocation
from tests.conformance.registry import Case, Suite, judges, same


@judges("pipeline")
def pipeline(case: Case, suite: Suite) -> None:
    strategy = case["fitStrategy"]
    policy = PRESETS["kubernetes"].with_scorer(allocation(strategy, case["fitStrategies"][strategy]))
    cluster = cluster_of(case, policy)
    expect = case["expect"]
    verdicts(case, cluster, expect["filter"])
    scores = {one.node: one for one in cluster.why(incoming(case)).scores()}
    feasible = [node for node in names(case) if scores[node].fits]
    same(feasible, expect["feasible"], "feasible nodes")
    for plugin, wanted in expect.get("scores", {}).items():
        points(plugin, [scores[node] for node in feasible], wanted, case["weights"][plugin])
    totals = expect.get("total") or [0] * len(feasible)
    if expect.get("total"):
        same([scores[node].score for node in feasible], totals, "totals")
    best = {node for node, total in zip(feasible, totals, strict=True) if total == max(totals)}
    chosen = cluster.place(incoming(case)).decisions[0].node
    same(chosen in best if best else chosen is None, True, f"{chosen} is one of {sorted(best)}")


def verdicts(case: Case, cluster: Cluster, expected: Mapping[str, Any]) -> None:
    found = filters.by_plugin(case, cluster, incoming(case))
    for plugin, wanted in expected.items():
        against = found.get(plugin, {})
        if "nodes" in wanted:
            filters.compare(plugin, wanted["nodes"], against)
        else:  # PreFilter rejected the pod
            same(sorted(against), sorted(names(case)), f"nodes that {plugin} refuses")


def points(plugin: str, scores: list[NodeScore], wanted: Mapping[str, Any], weight: int) -> None:
    skipped = [0] * len(scores)
    expected = wanted["normalized"] if wanted["preScore"] == "Success" else skipped
    same([one.of(plugin) for one in scores], [weight * one for one in expected], f"points of {plugin}")
