"""Under the Kubernetes policy the engine agrees with the oracle of kube-scheduler, exactly.

    verdicts    per node, which plugins refuse it
    points      per plugin and feasible node, weighted; and the totals that decide
    choice      the first in tie order of those with the highest total, with that score
    state       no shortcut has drifted: counts on allowed nodes and of admirers equal those of a recount

A failure names its seed: `agree(space.scenario(space.Dice(seed)))` is the same scenario again.
"""

from __future__ import annotations

import pytest

from bayplan import Cluster, Workload
from bayplan.dialects.kubernetes.messages import plugin_of
from bayplan.engine.policy import PRESETS, Policy
from bayplan.scorers.kubernetes.allocation import Allocation
from bayplan.scorers.kubernetes.attraction import InterPodAffinity
from bayplan.scorers.kubernetes.balanced import BalancedAllocation
from bayplan.table.invariants import broken
from tests import random_kubernetes as space
from tests.oracle.kube import KubeOracle
from tests.oracle.kube_scores import WEIGHTS, Profile
from tests.random_scenarios import AddNode, Release, RemoveNode, ReplaceNode

CHUNK, CHUNKS = 40, 8


def policy(profile: Profile) -> Policy:
    found = PRESETS["kubernetes"].with_scorer(Allocation(profile.fit.type, profile.fit.resources, profile.fit.shape))  # type: ignore[arg-type]
    found = found.with_scorer(BalancedAllocation(profile.balanced))
    return found.with_scorer(InterPodAffinity(hard_weight=profile.hard_weight))


class Pair:
    """The engine acts, the oracle follows."""

    def __init__(self, scenario: space.Scenario):
        self.cluster = Cluster(scenario.nodes, policy(scenario.profile))
        self.oracle = KubeOracle(self.cluster.snapshot.nodes(), scenario.profile)
        self.decisions = 0

    def take(self, step: space.Step) -> None:
        match step:
            case Workload():
                self.decide(step)
            case space.Settle():
                self.cluster.settle(step.pod, step.node, overbooked=True)
                self.oracle.cluster.place(step.pod, step.node)
            case Release():
                self.release(step.id)
            case AddNode():
                self.cluster.add(step.node)
                self.oracle.cluster.add(step.node)
            case RemoveNode():
                self.cluster.remove(step.name)
                self.oracle.cluster.remove(step.name)
            case ReplaceNode():
                self.cluster.snapshot.replace(step.node)
                self.oracle.cluster.replace(step.node)

    def release(self, pod: str) -> None:
        if pod in self.oracle.cluster.residents:
            self.oracle.cluster.release(pod)
        if pod in self.cluster.snapshot.placements or pod in self.cluster.pending:
            self.cluster.release(pod)

    def decide(self, pod: Workload) -> None:
        order = self.judged(pod)
        totals = self.scored(pod)
        best = max(totals.values(), default=None)
        expected = next((name for name in order if totals.get(name, -1) == best), None)
        decision = self.cluster.place(pod).decisions[0]
        assert (decision.node, decision.score) == (expected, best)
        if expected is not None:
            self.oracle.cluster.place(pod, expected)
        self.decisions += 1

    def judged(self, pod: Workload) -> list[str]:
        """Who refuses which node; the nodes in tie order."""
        found = {name: {plugin_of(one) for one in reasons} for name, reasons in self.cluster.why(pod).nodes()}
        assert found == self.oracle.refusing(pod)
        return list(found)

    def scored(self, pod: Workload) -> dict[str, int]:
        scores = {one.node: one for one in self.cluster.why(pod).scores()}
        nodes = [node.name for node in self.oracle.feasible(pod)]
        for plugin, points in self.oracle.scores(pod).items():
            given = [0] * len(nodes) if points is None else points.normalised
            found = {name: scores[name].of(plugin) for name in nodes}
            assert found == {name: WEIGHTS[plugin] * one for name, one in zip(nodes, given, strict=True)}, plugin
        totals = self.oracle.totals(pod)
        assert {name: one.score for name, one in scores.items() if one.fits} == totals
        return totals


def agree(scenario: space.Scenario) -> int:
    pair = Pair(scenario)
    for step in scenario.steps:
        pair.take(step)
        assert broken(pair.cluster.snapshot, overbooked=True) == [], step
    return pair.decisions


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_the_engine_agrees_with_the_oracle(chunk: int) -> None:
    decisions = 0
    for seed, scenario in space.scenarios(CHUNK, first_seed=chunk * CHUNK):
        try:
            decisions += agree(scenario)
        except Exception as error:
            error.add_note(f"seed {seed}")
            raise
    assert decisions > 5 * CHUNK


@pytest.mark.parametrize("seed", range(95_000, 95_008))
def test_the_engine_agrees_with_the_oracle_where_there_are_many_hosts(seed: int) -> None:
    """More than 64 domains are counted in another form."""
    assert agree(space.scenario(space.Dice(seed), 40, names=[f"n{i}" for i in range(100)])) > 0
