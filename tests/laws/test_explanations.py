"""A node is feasible exactly when there is nothing to explain; at the time, and ever after.

Decisions are taken, and what the oracle has against every node *at that moment* is noted. Then life
goes on: placements, releases, nodes that come, go and change. `why(decision)` must still answer from
the state in which the decision was taken, and asking must change nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

import pytest

from bayplan import Cluster, ConfigError, Decision, Fallback, Group, Node, Selector, Status, Strategy, Taint, Toleration, Workload
from bayplan.engine.explanation import Explanation
from bayplan.engine.fixes import Fix
from bayplan.model.labels import in_
from bayplan.model.resources import Resources, request
from bayplan.model.tolerations import Match
from tests import random_scenarios as space
from tests.adapter import Pair, Reasons, engine_reasons
from tests.fingerprint import fingerprint


@dataclass
class Memory:
    """A decision, and what was true when it was taken: for the alternative that was placed, or for all."""

    decision: Decision
    reasons: list[Reasons]
    nodes: dict[str, Node]


def remember(pair: Pair, workload: Workload) -> Memory:
    reasons = [pair.reasons(one) for one in workload.alternatives()]
    nodes = {one.name: one for one in pair.oracle.cluster.nodes}
    [decision] = pair.take(workload)
    return Memory(decision, [reasons[decision.fallback]] if decision.placed else reasons, nodes)


def history(seed: int) -> tuple[Pair, list[Memory]]:
    """A whole scenario, with a memory of every decision about a single workload."""
    scenario = space.scenario(space.Dice(seed), most_steps=24)
    pair = Pair.of(scenario)
    memories = []
    for step in scenario.steps:
        if isinstance(step, Workload):
            memories.append(remember(pair, step))
        else:
            pair.take(step)
    return pair, memories


def agrees(explanation: Explanation, expected: Reasons) -> None:
    assert engine_reasons(explanation) == expected
    assert explanation.feasible == sum(not reasons for reasons in expected.values())
    assert explanation.total == len(expected)
    counted = Counter({(one.rule, one.topic, one.no): one.nodes for one in explanation.counts})
    assert counted == Counter(reason for reasons in expected.values() for reason in reasons), (
        "counts are the nodes' reasons, summed"
    )
    assert all(
        set(engine_reasons(explanation)[miss.node]) == {(r.rule, r.topic, r.no) for r in miss.reasons}
        for miss in explanation.nearest
    )


def still_known(pair: Pair, decision: Decision) -> bool:
    """Was nothing done with it since: it runs where it was put, or waits."""
    if decision.placed:
        return pair.cluster.assignments.get(decision.workload) == decision.node
    return decision.workload in pair.cluster.pending


@pytest.mark.parametrize("chunk", range(8))
def test_the_reasons_of_a_decision_are_those_of_its_moment(chunk: int) -> None:
    for seed in range(20_000 + 40 * chunk, 20_000 + 40 * (chunk + 1)):
        pair, memories = history(seed)
        before, version = fingerprint(pair.cluster.snapshot).state, pair.cluster.snapshot.version
        for memory in memories:
            if not still_known(pair, memory.decision):
                continue
            explanation = pair.cluster.why(memory.decision)
            tries = [explanation] if memory.decision.placed else [explanation, *explanation.earlier]
            try:
                for one, expected in zip(tries, memory.reasons, strict=True):
                    agrees(one, expected)
                assert explanation.status is memory.decision.status
                assert explanation.chosen == memory.decision.node
                assert explanation.score == memory.decision.score
                assert explanation.fallback == memory.decision.fallback
                assert str(explanation)
                assert explanation.as_json(every_node=True)["workload"] == memory.decision.workload
            except AssertionError as error:
                error.add_note(f"seed {seed}, {memory.decision}")
                raise
        assert (fingerprint(pair.cluster.snapshot).state, pair.cluster.snapshot.version) == (before, version), (
            f"seed {seed}: asking changed it"
        )


def test_a_chosen_node_beats_the_runner_up_and_the_parts_sum_to_the_score() -> None:
    for seed in range(21_000, 21_060):
        pair, memories = history(seed)
        for memory in memories:
            if memory.decision.placed and still_known(pair, memory.decision):
                explanation = pair.cluster.why(memory.decision)
                assert sum(part.chosen for part in explanation.parts) == pytest.approx(explanation.score, abs=2e-9)
                if explanation.runner_up is not None:
                    assert explanation.runner_up_score is not None
                    assert explanation.score is not None
                    assert explanation.score >= explanation.runner_up_score
                    assert explanation.runner_up != explanation.chosen
                    assert sum(part.runner_up or 0 for part in explanation.parts) == pytest.approx(
                        explanation.runner_up_score, abs=2e-9
                    )
                else:
                    assert explanation.feasible == 1


# --- a decision can be explained whatever became of the workload since ---


def crowded() -> tuple[Cluster, Decision, Decision]:
    """`a` was placed on the only node, `b` then found no room."""
    cluster = Cluster([Node("n", {"cpu": 2})])
    [a], [b] = cluster.place(Workload("a", {"cpu": 2})), cluster.place(Workload("b", {"cpu": 1}))
    return cluster, a, b


def test_a_placed_workload_that_was_released_since() -> None:
    cluster, a, _ = crowded()
    cluster.release("a")
    explanation = cluster.why(a)
    assert (explanation.status, explanation.chosen, explanation.feasible) == (Status.PLACED, "n", 1)


def test_a_placed_workload_whose_node_has_gone() -> None:
    cluster, a, _ = crowded()
    cluster.remove("n")
    explanation = cluster.why(a)
    assert (explanation.chosen, explanation.total) == ("n", 1)


def test_a_pending_workload_that_found_a_place_since() -> None:
    cluster, _, b = crowded()
    cluster.release("a")
    assert [one.workload for one in cluster.retry()] == ["b"]
    explanation = cluster.why(b)
    assert (explanation.status, explanation.feasible) == (Status.PENDING, 0)
    assert engine_reasons(explanation) == {"n": {("fit", "cpu", "busy")}}
    assert str(explanation).startswith("b is pending: none of 1 nodes fits.")


def test_a_pending_workload_that_was_withdrawn() -> None:
    cluster, _, b = crowded()
    cluster.release("b")
    assert engine_reasons(cluster.why(b)) == {"n": {("fit", "cpu", "busy")}}


def test_a_name_that_was_used_again() -> None:
    """The decision is about the first `a`, which asked for 2 cpu, not about its namesake."""
    cluster, a, _ = crowded()
    cluster.release("a")
    cluster.place(Workload("a", {"cpu": "500m"}))
    explanation = cluster.why(a)
    assert (explanation.chosen, explanation.score) == (a.node, a.score)


def test_a_fallback_of_a_workload_that_is_gone_is_not_its_namesakes() -> None:
    cluster = Cluster([Node("n", {"cpu": 2}, {"zone": "a"})])
    zone_b = Selector.of({"zone": "b"})
    cluster.place(Workload("w", {"cpu": 1}, selector=zone_b, fallbacks=(Fallback(selector=Selector.of({})),)))
    assert cluster.why("w").fallback == 1
    cluster.remove("n")
    cluster.add(Node("n", {"cpu": 2}, {"zone": "b"}))
    cluster.place(Workload("w", {"cpu": 1}))
    explanation = cluster.why("w")
    assert (explanation.fallback, explanation.earlier) == (0, ())


@pytest.mark.parametrize("strategy", list(Strategy))
def test_members_of_a_group_are_explained_with_the_groups_rule(strategy: Strategy) -> None:
    """The score is the decision's, and a node the strategy forbade is not called feasible."""
    cluster = Cluster([Node(f"n{i}", {"cpu": 4}) for i in range(3)], "pack")
    plan = cluster.place(Group("g", tuple(Workload("m", {"cpu": 1}).copies(2)), strategy))
    for decision in plan:
        assert cluster.why(decision).score == decision.score
    feasible = {Strategy.STRICT_PACK: [3, 1], Strategy.STRICT_SPREAD: [3, 2]}
    assert [cluster.why(decision).feasible for decision in plan] == feasible.get(strategy, [3, 3])


def test_asking_about_the_unknown_is_an_error() -> None:
    cluster, _, _ = crowded()
    with pytest.raises(ConfigError, match="there is no workload 'c'"):
        cluster.why("c")
    with pytest.raises(ConfigError, match="there was no node 'm'"):
        cluster.why("b").node("m")


# --- the smallest change, made by hand ---


def by_hand(cluster: Cluster, workload: Workload, fix: Fix) -> Workload:
    """Do what each edit says: on a fork for the node, in the request for the workload. Freeing so much
    is asking for so much less."""
    for edit in fix.edits:
        node = cluster.snapshot.node(fix.node)
        if found := re.fullmatch(r"free (\S+) more (\S+)", edit):
            short = request(found[2], found[1])
            workload = asking(workload, found[2], workload.requests[found[2]] - short)
        elif found := re.fullmatch(r"ask for at most (\S+) (\S+) \(of .*\)", edit):
            workload = asking(workload, found[2], min(workload.requests[found[2]], request(found[2], found[1])))
        elif found := re.fullmatch(r"tolerate (\S+)", edit):
            taint, *_ = [one for one in node.taints if str(one) == found[1]]
            tolerated = Toleration(taint.key, taint.value, Match.EQUAL, taint.effect)
            workload = replace(workload, tolerations=(*workload.tolerations, tolerated))
        elif edit == "uncordon it":
            cluster.cordon(fix.node, False)
        elif found := re.fullmatch(r"label it ([^:]+): in \((.*)\)", edit):
            value = found[2].split(", ")[0]
            cluster.relabel(fix.node, {found[1]: "" if value == '""' else value})
        else:
            raise LookupError(edit)
    return workload


def asking(workload: Workload, resource: str, units: int) -> Workload:
    return replace(workload, requests=Resources({**workload.requests, resource: units}))


def pending_ones(seeds: Iterable[int]) -> Iterable[tuple[int, Cluster, Workload, Fix]]:
    for seed in seeds:
        scenario = space.scenario(space.Dice(seed), most_steps=30, changes=False)
        pair = Pair.of(scenario)
        for step in scenario.steps:
            for decision in pair.take(step):
                if isinstance(step, Workload) and not decision.placed and not step.fallbacks:
                    change = pair.cluster.why(step).change
                    if change is not None:
                        yield seed, pair.cluster.fork(), step, change


def test_proven_changes_work_when_made_by_hand() -> None:
    """For all whose edits can be read off the sentence; enough of them to matter."""
    tried: Counter[str] = Counter()
    for seed, cluster, workload, fix in pending_ones(range(22_000, 22_500)):
        assert fix.edits
        if not fix.proven:
            continue
        try:
            eased = by_hand(cluster, workload, fix)
        except LookupError:
            continue
        reasons = cluster.why(replace(eased, name="eased")).node(fix.node)
        assert reasons == (), f"seed {seed}: {fix} leaves {reasons}"
        tried.update(edit.split()[0] for edit in fix.edits)
    assert {"free", "ask", "tolerate", "label"} <= set(tried)
    assert sum(tried.values()) > 100


# name, the node, the workload, what to do, proven
FIXES: list[tuple[str, Node, Workload, list[str], bool]] = [
    ("busy", Node("n", {"cpu": 4}), Workload("w", {"cpu": 4}), ["free 1 more cpu"], True),
    ("too small", Node("n", {"cpu": 4}), Workload("w", {"cpu": 8}), ["ask for at most 3 cpu (of 4)"], True),
    ("label", Node("n", {"cpu": 4}), Workload("w", selector=Selector.of({"zone": "a"})), ["label it zone: in (a)"], True),
    (
        "two labels",
        Node("n", {"cpu": 4}, {"zone": "b"}),
        Workload("w", selector=Selector.of({"zone": in_("a", "c"), "tier": "1"})),
        ["label it tier: in (1)", "label it zone: in (a, c)"],
        True,
    ),
    ("taint", Node("n", {"cpu": 4}, taints=[Taint("spot", "1")]), Workload("w"), ["tolerate spot=1:NoSchedule"], True),
    ("cordon", Node("n", {"cpu": 4}, cordoned=True), Workload("w"), ["uncordon it"], True),
    ("two things", Node("n", {"cpu": 4}, cordoned=True), Workload("w", {"cpu": 4}), ["free 1 more cpu", "uncordon it"], True),
    ("by name", Node("n", {"cpu": 4}), Workload("w", nodes=frozenset({"m"})), ["allow it by name"], False),
]


@pytest.mark.parametrize("node, workload, edits, proven", [row[1:] for row in FIXES], ids=[row[0] for row in FIXES])
def test_the_smallest_change_in_words(node: Node, workload: Workload, edits: list[str], proven: bool) -> None:
    """On a node of which 1 cpu is taken."""
    cluster = Cluster([replace(node, cordoned=False, taints=())])
    cluster.place(Workload("resident", {"cpu": 1}))
    cluster.snapshot.replace(node)
    before = fingerprint(cluster.snapshot).state
    change = cluster.why(workload).change
    assert change is not None
    assert (sorted(change.edits), change.proven) == (edits, proven)
    assert str(change) == f"on n: {', and '.join(change.edits)}"
    assert fingerprint(cluster.snapshot).state == before


def test_of_several_nodes_the_one_with_the_fewest_edits_is_offered() -> None:
    marks = [Taint("a"), Taint("b")]
    cluster = Cluster([Node("far", {"cpu": 1}, taints=marks), Node("near", {"cpu": 1}, taints=marks[:1])])
    assert str(cluster.why(Workload("w", {"cpu": 1})).change) == "on near: tolerate a:NoSchedule"


def test_a_share_of_devices_that_cannot_be_had_is_not_called_proven() -> None:
    """Asking for two GPUs where three are too many does not help while both are in part taken."""
    cluster = Cluster([Node("n", devices={"gpu": 2})])
    cluster.place(Workload("a", {"gpu": 0.6}), Workload("b", {"gpu": 0.6}))
    change = cluster.why(Workload("w", {"gpu": 3})).change
    assert change is not None
    eased = Workload("w", {"gpu": 2})
    assert not change.proven or cluster.why(eased).node("n") == ()
