"""Parts of plugins: how many pods each domain of a spread has, shapes, normalisation."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayplan import Cluster, Spread, Workload
from bayplan.dialects.kubernetes import labels, selector_text
from bayplan.dialects.kubernetes.neighbours import STAYING
from bayplan.engine.policy import PRESETS
from bayplan.scorers.kubernetes.allocation import on_shape
from bayplan.scorers.kubernetes.points import Peak
from bayplan.table.column import Column
from bayplan.table.eligible import eligible_for, tally_of
from tests.conformance.kube_pipeline_objects import cluster_of, incoming
from tests.conformance.registry import Case, Skips, Suite, judges, same

NO_DOMAIN = 2**31 - 1
"""The minimum over no domains."""


@judges("spread_counts")
def spread_counts(case: Case, suite: Suite) -> None:
    cluster, workload = cluster_of(case, PRESETS["kubernetes"]), incoming(case)
    hard = [one for one in workload.spread if one.weight is None]
    expected = case["expect"]["constraints"] or []
    same(len(hard), len(expected), "constraints")
    for one, wanted in zip(hard, expected, strict=True):
        found = {**written(one), **counts(cluster, workload, one)}
        selector = wanted["selector"]
        same({name: found.get(name) for name in wanted if name != "selector"}, without(wanted, "selector"), one.by)
        if selector:
            same(one.peers, labels.selector(selector_text.parse(selector)) & STAYING, "selector")
        else:
            same(one.peers.never, True, "an absent selector counts nobody")


def without(mapping: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in mapping.items() if name != key}


def written(one: Spread) -> dict[str, Any]:
    return {
        "topologyKey": one.by,
        "maxSkew": one.max_skew,
        "minDomains": one.min_domains,
        "nodeAffinityPolicy": "Honor" if one.honour_selector else "Ignore",
        "nodeTaintsPolicy": "Honor" if one.honour_taints else "Ignore",
    }


def counts(cluster: Cluster, workload: Workload, one: Spread) -> dict[str, Any]:
    """Matching pods in every domain that has a node the pod may use, and the least of them."""
    snapshot = cluster.snapshot
    eligible = eligible_for(snapshot, workload, one)
    tally, follower = tally_of(snapshot, workload, one, eligible)
    assert follower is not None
    follower.catch_up()
    values = snapshot.labels[one.by].values
    found = {values[code]: int(tally.of_code(code)) for code in eligible.codes.tolist()}
    return {"matchNum": found, "min": min(found.values(), default=NO_DOMAIN)}


@judges("broken_linear")
def broken_linear(case: Case, suite: Suite) -> None:
    points = [(one["utilization"], one["score"]) for one in case["points"]]
    for percent, expected in case["expect"]["assertions"]:
        same(on_shape(points, percent), expected, f"score at {percent}")


@judges("normalize")
def normalize(case: Case, suite: Suite) -> None:
    if case["maxScore"] != 100:
        raise Skips("scores go up to 100")
    column = Column(np.array(case["scores"], np.float64))
    found = Peak(column, 1.0, case["reverse"]).points(np.arange(len(case["scores"])))
    same(found.tolist(), case["expect"]["scores"], "scores")
