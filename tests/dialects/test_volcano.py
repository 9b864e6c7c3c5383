"""The design document's examples, written out in full: the retention table, 1:8:8, and the AI scenario."""

from __future__ import annotations

import pytest

from bayplan import Cluster, Node, ResourceStrategy, Workload
from bayplan.dialects import volcano
from bayplan.dialects.volcano import Ratio, Retention, StrategyFit
from bayplan.engine.spec import build

DOTTED_RETENTION = """\
actions: "enqueue, reclaim, allocate, backfill, preempt"
tiers:
- plugins:
  - name: resource-strategy-fit
    arguments:
      resourceStrategyFitWeight: 0
      sra.policy: retention
      sra.resources: nvidia.com/t4, nvidia.com/a10
      sra.retention.weight: 2
      sra.retention.nvidia.com/t4: 1
      sra.retention.nvidia.com/a10: 1
"""
NESTED_RETENTION = """\
actions: "enqueue, reclaim, allocate, backfill, preempt"
tiers:
- plugins:
  - name: resource-strategy-fit
    arguments:
      resourceStrategyFitWeight: 0
      sra:
        policy: retention
        resources: nvidia.com/t4, nvidia.com/a10
        retention:
          weight: 2
          nvidia.com/t4: 1
          nvidia.com/a10: 1
"""
RELEASED_RETENTION = """\
actions: "enqueue, reclaim, allocate, backfill, preempt"
tiers:
- plugins:
  - name: resource-strategy-fit
    arguments:
      resourceStrategyFitWeight: 0
      sra:
        enable: true
        resources: nvidia.com/t4, nvidia.com/a10
        weight: 2
        resourceWeight:
          nvidia.com/t4: 1
          nvidia.com/a10: 1
"""
TASKS = {
    "cpu-task-0": {"cpu": 2, "memory": "4Gi"},
    "gpu-task-0": {"cpu": 2, "memory": "4Gi", "nvidia.com/t4": 2},
    "gpu-task-1": {"cpu": 2, "memory": "4Gi", "nvidia.com/t4": 1, "nvidia.com/a10": 2},
}
NODES = {
    "node1": {"cpu": 32, "memory": "64Gi"},
    "node2": {"cpu": 16, "memory": "32Gi", "nvidia.com/t4": 10},
    "node3": {"cpu": 16, "memory": "32Gi", "nvidia.com/t4": 5, "nvidia.com/a10": 10},
}
NINE_CELLS = [
    ("cpu-task-0", "node1", 200),
    ("cpu-task-0", "node2", 100),
    ("cpu-task-0", "node3", 0),
    ("gpu-task-0", "node1", 0),
    ("gpu-task-0", "node2", 100),
    ("gpu-task-0", "node3", 0),
    ("gpu-task-1", "node1", 0),
    ("gpu-task-1", "node2", 0),
    ("gpu-task-1", "node3", 0),
]


def cluster(text: str, nodes: dict[str, dict[str, object]]) -> Cluster:
    return Cluster([Node(name, one) for name, one in nodes.items()], policy=build(volcano.loads(text).policy))


@pytest.mark.parametrize("task, node, score", NINE_CELLS)
@pytest.mark.parametrize(
    "text, dialect", [(DOTTED_RETENTION, "design"), (NESTED_RETENTION, "design"), (RELEASED_RETENTION, "volcano")]
)
def test_the_retention_table_of_the_design(text: str, dialect: str, task: str, node: str, score: float) -> None:
    configuration = volcano.loads(text)
    assert configuration.dialect == dialect
    assert configuration.retention == Retention(2, {"nvidia.com/t4": 1, "nvidia.com/a10": 1}, 2)
    scores = {one.node: one for one in cluster(text, NODES).why(Workload(task, TASKS[task])).scores()}
    assert scores[node].score == score
    assert scores[node].of("sra") == score


NESTED_PROPORTIONAL = """\
actions: "enqueue, reclaim, allocate, backfill, preempt"
tiers:
- plugins:
  - name: resource-strategy-fit
    arguments:
      sra:
        policy: proportional
        resources: nvidia.com/gpu,nvidia.com/v100-sxm2-16gb
        proportional:
          nvidia.com/gpu.cpu: 8
          nvidia.com/gpu.memory: 8
          nvidia.com/v100-sxm2-16gb.cpu: 16
          nvidia.com/v100-sxm2-16gb.memory: 16
"""
DOTTED_PROPORTIONAL = """\
actions: "enqueue, reclaim, allocate, backfill, preempt"
tiers:
- plugins:
  - name: resource-strategy-fit
    arguments:
      sra.policy: proportional
      sra.resources: nvidia.com/gpu,nvidia.com/v100-sxm2-16gb
      sra.proportional.nvidia.com/gpu.cpu: 8
      sra.proportional.nvidia.com/gpu.memory: 8
      sra.proportional.nvidia.com/v100-sxm2-16gb.cpu: 16
      sra.proportional.nvidia.com/v100-sxm2-16gb.memory: 16
"""
RELEASED_PROPORTIONAL = """\
actions: "enqueue, reclaim, allocate, backfill, preempt"
tiers:
- plugins:
  - name: resource-strategy-fit
    arguments:
      proportional:
        enable: true
        resources: nvidia.com/gpu,nvidia.com/v100-sxm2-16gb
        resourceProportion:
          nvidia.com/gpu.cpu: 8
          nvidia.com/gpu.memory: 8
          nvidia.com/v100-sxm2-16gb.cpu: 16
          nvidia.com/v100-sxm2-16gb.memory: 16
"""
OLD_PROPORTIONAL = """\
actions: "enqueue, reclaim, allocate, backfill, preempt"
tiers:
- plugins:
  - name: predicates
    arguments:
      predicate.ProportionalEnable: true
      predicate.resources: nvidia.com/gpu,nvidia.com/v100-sxm2-16gb
      predicate.resources.nvidia.com/gpu.cpu: 8
      predicate.resources.nvidia.com/gpu.memory: 8
      predicate.resources.nvidia.com/v100-sxm2-16gb.cpu: 16
      predicate.resources.nvidia.com/v100-sxm2-16gb.memory: 16
"""


@pytest.mark.parametrize(
    "text, dialect",
    [
        (NESTED_PROPORTIONAL, "design"),
        (DOTTED_PROPORTIONAL, "design"),
        (RELEASED_PROPORTIONAL, "volcano"),
        (OLD_PROPORTIONAL, "volcano-1.12"),
    ],
)
def test_the_one_to_eight_to_eight_of_the_design(text: str, dialect: str) -> None:
    configuration = volcano.loads(text)
    assert configuration.dialect == dialect
    assert configuration.proportional is not None
    assert configuration.proportional.ratios == {"nvidia.com/gpu": Ratio(8, 8), "nvidia.com/v100-sxm2-16gb": Ratio(16, 16)}

    planned = cluster(text, {"nodeC0-0": {"cpu": 74, "memory": "128G", "nvidia.com/gpu": 8}})
    # The first job leaves 66 cores and 120G for 8 idle GPUs: enough.
    first = planned.place(Workload("single-1000-0", {"cpu": 8, "memory": "8G", "nvidia.com/gpu": 0}))
    assert first.assignments == {"single-1000-0": "nodeC0-0"}
    # The second would leave 58 cores, and 64 are reserved.
    second = planned.place(Workload("single-1000-1", {"cpu": 8, "memory": "8G", "nvidia.com/gpu": 0}))
    assert second.assignments == {}
    (reason,) = planned.why("single-1000-1").node("nodeC0-0")
    assert reason.rule == "proportional"
    assert str(reason) == "64 cpu is reserved for 8 idle nvidia.com/gpu, and it would leave 58"
    # Nothing was taken by asking: two more cores still go, a third does not.
    assert planned.place(Workload("two", {"cpu": 2})).assignments == {"two": "nodeC0-0"}
    assert planned.place(Workload("three", {"cpu": "1m"})).assignments == {}
    # Who asks for a GPU is exempt, and with fewer GPUs idle less is reserved.
    assert planned.place(Workload("train", {"cpu": 4, "nvidia.com/gpu": 4})).assignments == {"train": "nodeC0-0"}
    planned.retry()
    assert planned.assignments["single-1000-1"] == "nodeC0-0"


AI_NESTED = """\
actions: "enqueue, allocate, backfill, reclaim, preempt"
tiers:
  - plugins:
    - name: resource-strategy-fit
      arguments:
        resourceStrategyFitWeight: 10
        resources:
          nvidia.com/gpu:
            type: MostAllocated
            weight: 2
          cpu:
            type: LeastAllocated
            weight: 1
        sra:
          policy: retention
          resources: nvidia.com/gpu
          retention:
            weight: 10
            nvidia.com/gpu: 1
"""
AI_DOTTED = """\
actions: "enqueue, allocate, backfill, reclaim, preempt"
tiers:
  - plugins:
    - name: resource-strategy-fit
      arguments:
        resourceStrategyFitWeight: 10
        resources:
          nvidia.com/gpu:
            type: MostAllocated
            weight: 2
          cpu:
            type: LeastAllocated
            weight: 1
        sra.policy: retention
        sra.resources: nvidia.com/gpu
        sra.retention.weight: 10
        sra.retention.nvidia.com/gpu: 1
"""


@pytest.mark.parametrize("text", [AI_NESTED, AI_DOTTED], ids=["nested", "dotted"])
def test_the_ai_scenario_of_the_design(text: str) -> None:
    found = volcano.loads(text)
    assert found.dialect == "design"
    strategies = (ResourceStrategy("nvidia.com/gpu", "most", 2), ResourceStrategy("cpu", "least", 1))
    assert found.strategy_fit == StrategyFit(10, strategies)
    assert found.retention == Retention(10, {"nvidia.com/gpu": 1}, 1)
    assert found.proportional is None
    assert found.policy.scorers == {
        "resource-strategy-fit": {
            "scorer": "packing",
            "resources": {"nvidia.com/gpu": {"strategy": "most", "weight": 2}, "cpu": {"strategy": "least", "weight": 1}},
            "weight": 1000.0,
            "over": "requested",
            "lacking": "zero",
        },
        "sra": {"scorer": "scarcity", "resources": {"nvidia.com/gpu": 1}, "total": 1.0, "weight": 1000.0},
    }
    gpu = {"cpu": 16, "nvidia.com/gpu": 8}
    planned = cluster(text, {"cpu-1": {"cpu": 16}, "cpu-2": {"cpu": 16}, "gpu-1": gpu, "gpu-2": gpu})
    cpu_work = planned.place(Workload("master", {"cpu": 2}).copies(2)).assignments
    assert set(cpu_work.values()) == {"cpu-1", "cpu-2"}  # spread, and off the GPU nodes
    gpu_work = planned.place(Workload("worker", {"cpu": 2, "nvidia.com/gpu": 2}).copies(3)).assignments
    assert len(set(gpu_work.values())) == 1  # gathered
