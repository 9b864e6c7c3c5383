"""What score plugins give to nodes, one plugin at a time, over all nodes of the case."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bayplan import Policy
from bayplan.dialects.kubernetes.node_affinity import BROKEN
from bayplan.dialects.kubernetes.reading import Remarks
from bayplan.engine.policy import Scorer, scorer_named
from bayplan.errors import ConfigError
from bayplan.scorers.kubernetes.allocation import Allocation
from bayplan.scorers.kubernetes.attraction import InterPodAffinity
from bayplan.scorers.kubernetes.balanced import BalancedAllocation
from tests.conformance.kube_pipeline_objects import cluster_of, incoming, name_of
from tests.conformance.registry import Case, Disagrees, Suite, judges, same

ONLY_AMOUNTS = ("unschedulable", "fit", "devices")
"""The plugins are tested as if all others had let the nodes pass; who was filtered out is closed."""


@judges("plugin_score")
def plugin_score(case: Case, suite: Suite) -> None:
    expect = case["expect"]
    if expect.get("preScore") == "Error":
        cannot_be_read(case)
    else:
        compare(case, expect)


def compare(case: Case, expect: Mapping[str, Any]) -> None:
    plugin = case["plugin"]
    cluster = cluster_of(case, Policy("one plugin", (scorer(plugin, case.get("args") or {}),), ONLY_AMOUNTS))
    found = {one.node: one.of(plugin) for one in cluster.why(incoming(case)).scores()}
    if expect.get("preScore") == "Skip":
        same(found, dict.fromkeys(found, 0.0), "points of a plugin that is skipped")
        return
    for one in expect["scores"]:
        node = name_of({"name": one["node"]})
        same(found[node], one["score"], f"{plugin} on {node}")


def scorer(plugin: str, arguments: Mapping[str, Any]) -> Scorer:
    if plugin == "NodeResourcesFit":
        return allocation(arguments["type"], arguments)
    if plugin == "NodeResourcesBalancedAllocation":
        return BalancedAllocation(tuple(one["name"] for one in arguments["resources"]), 1.0)
    if plugin == "InterPodAffinity":
        ignored = arguments.get("ignorePreferredTermsOfExistingPods", False)
        return InterPodAffinity(1.0, arguments.get("hardPodAffinityWeight", 1), ignored)
    return scorer_named(plugin)(weight=1.0)


def allocation(strategy: Any, arguments: Mapping[str, Any]) -> Allocation:
    resources = tuple((one["name"], one["weight"]) for one in arguments["resources"])
    shape = tuple((one["utilization"], one["score"]) for one in arguments.get("shape", ()))
    return Allocation(strategy, resources, shape)


def cannot_be_read(case: Case) -> None:
    """The scheduler fails on such a pod. The dialect refuses it, or says that the scheduler will."""
    remarks = Remarks()
    try:
        incoming(case, remarks)
    except ConfigError:
        return
    if not any(BROKEN in one.message for one in remarks.notes):
        raise Disagrees("the pod is read without a word")
