"""Under the Kubernetes policy, too, the way to an answer does not matter.

batch    a list placed at once is placed as one by one
fork     a fork decides as its parent, and neither sees the other's changes
undo     what was undone leaves no trace in what is decided next
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from bayplan import Cluster, Workload
from bayplan.table.invariants import broken
from tests import random_kubernetes as space
from tests.laws.test_kubernetes import policy
from tests.random_scenarios import AddNode, Dice, Release, RemoveNode, ReplaceNode

SEEDS = range(90_000, 90_120)
Answer = list[tuple[str, str | None, float | None]]


def start(scenario: space.Scenario) -> Cluster:
    return Cluster(scenario.nodes, policy(scenario.profile))


def pods(seed: int) -> tuple[space.Scenario, list[Workload]]:
    """Many of few kinds, some of them in a row, so that some are decided in one go."""
    dice = Dice(seed)
    scenario = space.scenario(dice, only_pods=True)
    asked = [step for step in scenario.steps if isinstance(step, Workload)]
    for number, one in enumerate(asked[:3]):
        asked += [one.named(f"row-{number}-{i}") for i in range(dice.number(1, 15))]
    return scenario, asked


def answer(decisions: Sequence[object]) -> Answer:
    return [(one.workload, one.node, one.score) for one in decisions]  # type: ignore[attr-defined]


def one_by_one(cluster: Cluster, asked: Sequence[Workload]) -> Answer:
    return answer([cluster.place(one).decisions[0] for one in asked])


def sound(cluster: Cluster) -> bool:
    return broken(cluster.snapshot, overbooked=True) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_a_batch_equals_one_by_one(seed: int) -> None:
    scenario, asked = pods(seed)
    at_once, singly = start(scenario), start(scenario)
    assert answer(at_once.place(asked).decisions) == one_by_one(singly, asked)
    assert at_once.assignments == singly.assignments
    assert sound(at_once)
    assert sound(singly)


def take(cluster: Cluster, step: space.Step) -> None:
    match step:
        case Workload():
            cluster.place(step)
        case space.Settle():
            cluster.settle(step.pod, step.node, overbooked=True)
        case Release():
            if step.id in cluster.snapshot.placements or step.id in cluster.pending:
                cluster.release(step.id)
        case AddNode():
            cluster.add(step.node)
        case RemoveNode():
            cluster.remove(step.name)
        case ReplaceNode():
            cluster.snapshot.replace(step.node)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_fork_equals_its_parent(seed: int) -> None:
    scenario = space.scenario(Dice(seed))
    half = len(scenario.steps) // 2
    parent = start(scenario)
    for step in scenario.steps[:half]:
        take(parent, step)
    fork, before = parent.fork(), parent.assignments
    for step in scenario.steps[half:]:
        take(fork, step)
    assert parent.assignments == before
    for step in scenario.steps[half:]:
        take(parent, step)
    assert fork.assignments == parent.assignments
    assert sound(fork)
    assert sound(parent)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_was_undone_leaves_no_trace(seed: int) -> None:
    """Back to a version in the middle, on the table that has seen what came after."""
    scenario = space.scenario(Dice(seed))
    half = len(scenario.steps) // 2
    cluster = start(scenario)
    for step in scenario.steps[:half]:
        take(cluster, step)
    version, fresh = cluster.snapshot.version, cluster.fork()
    seen = cluster.snapshot
    for step in scenario.steps[half:]:
        take(cluster, step)
    seen.undo_to(version)
    assert sound(cluster)
    for number, step in enumerate(scenario.steps[half:]):
        if isinstance(step, Workload):
            again = step.named(f"again-{number}")
            assert scores(cluster, again) == scores(fresh, again)


def scores(cluster: Cluster, pod: Workload) -> dict[str, tuple[bool, float]]:
    return {one.node: (one.fits, one.score if one.fits else 0.0) for one in cluster.why(pod).scores()}
