"""kube-scheduler's plugins as scorers in a policy section: what they mean, what is wrong with them, and the way back."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest
import yaml

from bayplan.dialects import kubernetes, native
from bayplan.dialects.native import Manifest
from bayplan.engine.policy import FILTERS, preset
from bayplan.engine.spec import PolicySpec, build
from bayplan.errors import ConfigError
from bayplan.scorers.kubernetes.allocation import Allocation
from bayplan.scorers.kubernetes.attraction import InterPodAffinity
from bayplan.scorers.kubernetes.balanced import BalancedAllocation
from bayplan.scorers.kubernetes.images import ImageLocality
from bayplan.scorers.kubernetes.points import NodeAffinity, TaintToleration
from bayplan.scorers.kubernetes.spreading import PodTopologySpread
from tests.dialects.test_native_policy import spec_of

CHECKER = jsonschema.Draft202012Validator(native.json_schema())
FIT = "NodeResourcesFit"
RATIO = "RequestedToCapacityRatio"
ROWS: list[tuple[str, str, Any]] = [
    ("a weight", "TaintToleration: 5", TaintToleration(5.0)),
    ("the usual weight", "NodeAffinity: {}", NodeAffinity()),
    ("a weight among the words", "PodTopologySpread: {weight: 7}", PodTopologySpread(7.0)),
    ("hard terms", "InterPodAffinity: {hard_weight: 50}", InterPodAffinity(hard_weight=50)),
    (
        "of those that run",
        "InterPodAffinity: {ignore_preferred_of_existing: true}",
        InterPodAffinity(ignore_preferred_of_existing=True),
    ),
    ("filled up", f"{FIT}: {{strategy: MostAllocated}}", Allocation("MostAllocated")),
    (
        "resources",
        f"{FIT}: {{resources: {{cpu: 1, example.com/x: 5}}}}",
        Allocation(resources=(("cpu", 1), ("example.com/x", 5))),
    ),
    ("a shape", f"{FIT}: {{strategy: {RATIO}, shape: [[0, 0], [100, 10]]}}", Allocation(RATIO, shape=((0, 0), (100, 10)))),
    ("before 1.36", "NodeResourcesBalancedAllocation: {version: '1.35'}", BalancedAllocation(version="1.35")),
    ("of three", "NodeResourcesBalancedAllocation: {resources: [cpu, x]}", BalancedAllocation(("cpu", "x"))),
    ("images", "ImageLocality: 2", ImageLocality(2.0)),
    (
        "another one",
        f"mine: {{scorer: {FIT}, strategy: MostAllocated, weight: 3}}",
        Allocation("MostAllocated", weight=3.0, name="mine"),
    ),
]


@pytest.mark.parametrize("source, expected", [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_plugins(source: str, expected: Any) -> None:
    written = f"{{preset: kubernetes, scorers: {{{source}}}}}"
    spec = spec_of(written)
    found = {one.name: one for one in build(spec).scorers}
    assert found == {one.name: one for one in preset("kubernetes").scorers} | {expected.name: expected}
    assert native.loads(native.dumps(Manifest(policy=spec))).policy == spec
    assert CHECKER.is_valid({"policy": yaml.safe_load(written)})


WRONG: list[tuple[str, str, str, str]] = [
    ("a slip", f"{FIT}: {{strtegy: MostAllocated}}", f"{FIT}.strtegy", "unknown key"),
    ("a strategy that is none", f"{FIT}: {{strategy: Most}}", f"{FIT}.strategy", "expected one of LeastAllocated"),
    ("a shape for none", f"{FIT}: {{shape: [[0, 0]]}}", FIT, "belongs to"),
    ("no shape", f"{FIT}: {{strategy: {RATIO}}}", FIT, "which needs one"),
    ("a falling shape", f"{FIT}: {{strategy: {RATIO}, shape: [[9, 0], [1, 2]]}}", f"{FIT}.shape[1]", "rising"),
    ("a high score", f"{FIT}: {{strategy: {RATIO}, shape: [[9, 11]]}}", f"{FIT}.shape[0]", "0 to 10"),
    ("a weight of 0", f"{FIT}: {{resources: {{cpu: 0}}}}", f"{FIT}.resources.cpu", "must be 1 or more"),
    ("half a weight", f"{FIT}: {{resources: {{cpu: 0.5}}}}", f"{FIT}.resources.cpu", "expected a whole number"),
    ("no name", f"{FIT}: {{resources: {{c pu: 1}}}}", f"{FIT}.resources.c pu", "not a resource name"),
    ("twice", "NodeResourcesBalancedAllocation: {resources: [a, a]}", "NodeResourcesBalancedAllocation.resources[1]", "twice"),
    ("too old", "NodeResourcesBalancedAllocation: {version: '1.3'}", "NodeResourcesBalancedAllocation.version", "one of 1.30"),
    ("too heavy", "InterPodAffinity: {hard_weight: 101}", "InterPodAffinity.hard_weight", "100 or less"),
    ("of another plugin", "ImageLocality: {hard_weight: 1}", "ImageLocality.hard_weight", "unknown key"),
    ("under another name", "mine: {scorer: InterPodAffinity, hard_weight: x}", "mine.hard_weight", "expected a whole number"),
]


@pytest.mark.parametrize("source, path, message", [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_mistakes(source: str, path: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        spec_of(f"{{preset: kubernetes, scorers: {{{source}}}}}")
    (problem,) = caught.value.problems
    assert problem.path == f"policy.scorers.{path}"
    assert message in problem.message
    assert problem.line == 2


def test_the_filter_of_nodes_that_are_cordoned() -> None:
    assert "unschedulable" not in build(spec_of("{preset: kubernetes, filters: {unschedulable: false}}")).filters
    assert build(spec_of("filters: {cordon: false, unschedulable: true}")).filters == (*FILTERS, "unschedulable")[1:]


CONFIGURATION = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
  - schedulerName: default-scheduler
    plugins: {score: {disabled: [{name: ImageLocality}], enabled: [{name: NodeAffinity, weight: 9}]}}
    pluginConfig:
      - name: NodeResourcesFit
        args:
          scoringStrategy:
            type: RequestedToCapacityRatio
            resources: [{name: cpu, weight: 3}, {name: nvidia.com/gpu, weight: 5}]
            requestedToCapacityRatio: {shape: [{utilization: 0, score: 0}, {utilization: 100, score: 10}]}
      - name: InterPodAffinity
        args: {hardPodAffinityWeight: 7, ignorePreferredTermsOfExistingPods: true}
      - name: NodeResourcesBalancedAllocation
        args: {resources: [{name: cpu, weight: 1}, {name: nvidia.com/gpu, weight: 1}]}
"""


@pytest.mark.parametrize("version", ["1.30", "1.35", "1.36", "1.37"])
def test_a_scheduler_configuration_goes_the_way_back(version: str) -> None:
    spec = kubernetes.loads(CONFIGURATION, version=version).policy
    assert spec is not None
    again = native.loads(native.dumps(Manifest(policy=spec))).policy
    assert again == spec
    assert build(again) == build(spec)


def test_the_preset_goes_the_way_back() -> None:
    spec = PolicySpec("kubernetes")
    assert native.loads(native.dumps(Manifest(policy=spec))).policy == spec
