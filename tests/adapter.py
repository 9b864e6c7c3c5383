"""The engine and the oracle side by side, on the same scenario.

`engine_policy` translates the oracle's scorers into the engine's. A `Pair` takes every step on both
sides; the oracle follows the engine's choices, so that one tie broken otherwise (which the oracle
accepts) does not make two histories of one.
"""

from __future__ import annotations

from collections.abc import Iterable

from bayplan import Cluster, Decision, Group, Node, PlacementError, Policy, Workload
from bayplan.engine.policy import Scorer
from bayplan.filters.reserve import Pool, Reserve
from bayplan.model.resources import Resources
from bayplan.model.strategy import ResourceStrategy
from bayplan.scorers.balance import Balance
from bayplan.scorers.neighbours import Neighbours
from bayplan.scorers.packing import Packing
from bayplan.scorers.preference import Preferences
from bayplan.scorers.scarcity import Scarcity
from bayplan.scorers.spread import Spreading
from tests import oracle
from tests import random_scenarios as space
from tests.oracle.rules import Refusal


def engine_policy(scorers: Iterable[oracle.scores.Scorer], reserve: oracle.Reserve | None = None) -> Policy:
    policy = Policy("test", tuple(_scorer(one) for one in scorers))
    return policy if reserve is None else policy.with_filter(_reserve(reserve))


def _reserve(one: oracle.Reserve) -> Reserve:
    pool = Pool(Resources(dict(one.kept)), primaries=frozenset((one.primary,)))
    return Reserve({one.primary: dict(one.per_unit)}, (pool,) if one.kept else ())


def _scorer(one: oracle.scores.Scorer) -> Scorer:
    match one:
        case oracle.Packing():
            return Packing(tuple(_strategy(use) for use in one.uses), one.over, one.weight, one.lacking)
        case oracle.Scarcity():
            return Scarcity(one.weights, one.weight)
        case oracle.Balance():
            return Balance(one.resources, one.weight)
        case oracle.Preferences():
            return Preferences(one.weight)
        case oracle.Neighbours():
            return Neighbours(one.weight)
        case oracle.Spreading():
            return Spreading(one.weight)


def _strategy(use: oracle.Use) -> ResourceStrategy:
    return ResourceStrategy(use.resource, use.kind, use.weight, use.shape if use.kind == "ratio" else ())


Reasons = dict[str, set[Refusal]]
"""Per node, without the words."""


class Pair:
    """`pair.take(step)` on both; `pair.cluster` is the engine's side, `pair.oracle` the judge's."""

    def __init__(self, nodes: Iterable[Node], policy: tuple[oracle.scores.Scorer, ...], reserve: oracle.Reserve | None = None):
        self.policy = policy
        self.cluster = Cluster(nodes, engine_policy(policy, reserve))
        self.oracle = oracle.Oracle(self.cluster.snapshot.nodes(), reserve)

    @classmethod
    def of(cls, scenario: space.Scenario) -> Pair:
        return cls(scenario.nodes, scenario.policy, scenario.reserve)

    @property
    def names(self) -> list[str]:
        return [node.name for node in self.oracle.cluster.nodes]

    def reasons(self, workload: Workload) -> Reasons:
        """What the oracle has against every node, now."""
        return {name: said_once(set(self.oracle.reasons(workload, name))) for name in self.names}

    def take(self, step: space.Step) -> list[Decision]:
        """The engine acts, the oracle follows."""
        match step:
            case Workload():
                decisions = list(self.cluster.place(step))
                self._follow([list(step.alternatives())[decisions[0].fallback]], decisions)
                return decisions
            case Group():
                decisions = list(self.cluster.place(step))
                self._follow(list(step.alternatives())[decisions[0].fallback].members, decisions)
                return decisions
            case space.Release():
                if step.id in self.oracle.residents:
                    self.oracle.release(step.id)
                if step.id in self.cluster.snapshot.placements or step.id in self.cluster.pending:
                    self.cluster.release(step.id)
            case space.AddNode():
                self.cluster.add(step.node)
                self.oracle.add(step.node)
            case space.RemoveNode():
                self.cluster.remove(step.name)
                self.oracle.remove(step.name)
            case space.ReplaceNode():
                self.replace(step.node)
        return []

    def _follow(self, workloads: Iterable[Workload], decisions: list[Decision]) -> None:
        if decisions[0].placed:
            for one, decision in zip(workloads, decisions, strict=True):
                assert one.id == decision.workload
                assert decision.node is not None
                self.oracle.place(one, decision.node)

    def replace(self, node: Node) -> bool:
        """False when the engine refuses, because residents hold more than the node would have."""
        try:
            self.cluster.snapshot.replace(node)
        except PlacementError:
            return False
        self.oracle.replace(node)
        return True


def said_once(found: set[Refusal]) -> set[Refusal]:
    """The oracle lists every rule that refuses. Explanations leave out the amount where the devices say the same."""
    devices = {topic for rule, topic, _ in found if rule == "devices"}
    return {one for one in found if not (one[0] == "fit" and one[1] in devices)}


def engine_reasons(explanation: object) -> Reasons:
    """What the engine's explanation has against every node, without the words."""
    return {name: {(one.rule, one.topic, one.no) for one in found} for name, found in explanation.nodes()}  # type: ignore[attr-defined]
