"""Order says nothing: of nodes in the input, of labels, of requests, of taints. Only ties depend on the seed.

Nodes loaded together are dealt rows by capacity, taints and a seeded hash of their names, and ties
go to the lowest row; so the same input in any order gives the same plan, and another seed may change
which of several equally good nodes is taken, but never how good it is.
"""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from bayplan import Cluster, Decision, Node, Workload
from tests import random_scenarios as space
from tests.adapter import Pair, engine_policy
from tests.fingerprint import fingerprint
from tests.laws.test_snapshot import take


def shuffled(items: dict[str, object], rng: random.Random) -> dict[str, object]:
    keys = list(items)
    rng.shuffle(keys)
    return {key: items[key] for key in keys}


def same_node(node: Node, rng: random.Random) -> Node:
    """Written in another order."""
    taints = list(node.taints)
    rng.shuffle(taints)
    amounts = type(node.capacity)(shuffled(dict(node.capacity), rng))  # type: ignore[arg-type]
    return Node(node.name, amounts, shuffled(dict(node.labels), rng), taints, node.devices, node.cordoned)  # type: ignore[arg-type]


def same_workload(workload: Workload, rng: random.Random) -> Workload:
    requests = type(workload.requests)(shuffled(dict(workload.requests), rng))  # type: ignore[arg-type]
    nodes = frozenset(rng.sample(sorted(workload.nodes), len(workload.nodes)))
    return replace(workload, requests=requests, labels=shuffled(dict(workload.labels), rng), nodes=nodes)  # type: ignore[arg-type]


def run(cluster: Cluster, steps: tuple[space.Step, ...], rng: random.Random | None) -> list[Decision]:
    found: list[Decision] = []
    for step in steps:
        if isinstance(step, Workload):
            found += cluster.place(step if rng is None else same_workload(step, rng))
        elif isinstance(step, space.AddNode | space.RemoveNode | space.ReplaceNode | space.Release):
            take(cluster, step)
        else:
            found += cluster.place(step)
    return found


@pytest.mark.parametrize("chunk", range(4))
def test_the_order_of_nodes_and_keys_changes_nothing(chunk: int) -> None:
    for seed, scenario in space.scenarios(60, first_seed=40_000 + 60 * chunk):
        rng = random.Random(seed)
        plain = Cluster(scenario.nodes, engine_policy(scenario.policy, scenario.reserve), seed=seed)
        expected = run(plain, scenario.steps, None)
        nodes = [same_node(one, rng) for one in rng.sample(scenario.nodes, len(scenario.nodes))]
        other = Cluster(nodes, engine_policy(scenario.policy, scenario.reserve), seed=seed)
        assert run(other, scenario.steps, rng) == expected, f"seed {seed}"
        assert fingerprint(other.snapshot) == fingerprint(plain.snapshot)
        assert other.snapshot.names == plain.snapshot.names


def test_the_order_of_a_thousand_equal_nodes_changes_nothing() -> None:
    nodes = [Node(f"n{i}", {"cpu": 4, "memory": "8Gi"}, {"zone": f"z{i % 3}"}) for i in range(1000)]
    work = [*Workload("a", {"cpu": 1}).copies(50), *Workload("b", {"memory": "1Gi"}).copies(50)]
    expected = Cluster(nodes).place(work).assignments
    for seed in range(3):
        mixed = nodes.copy()
        random.Random(seed).shuffle(mixed)
        assert Cluster(mixed).place(work).assignments == expected
    assert Cluster(reversed(nodes)).place(work).assignments == expected


@pytest.mark.parametrize("chunk", range(4))
def test_another_seed_changes_only_ties(chunk: int) -> None:
    """Under another seed every decision is still one the oracle calls best, of the same score."""
    for seed, scenario in space.scenarios(50, first_seed=41_000 + 50 * chunk):
        pair = Pair.of(scenario)
        for step in scenario.steps:
            if isinstance(step, Workload):
                for tie_seed in (1, 2, -7):
                    other = reseeded(pair.cluster, tie_seed)
                    mine, [theirs] = pair.cluster.fork().place(step)[0], other.place(step)
                    assert (theirs.status, theirs.fallback) == (mine.status, mine.fallback), f"seed {seed}"
                    if theirs.placed:
                        alternative = list(step.alternatives())[theirs.fallback]
                        assert theirs.score == mine.score
                        assert theirs.node in pair.oracle.acceptable(alternative, pair.policy)
            pair.take(step)


def reseeded(cluster: Cluster, seed: int) -> Cluster:
    """The same nodes and residents, with another order of ties."""
    twin = Cluster(cluster.snapshot.nodes(), cluster.policy, seed=seed)
    for one in cluster.snapshot.placements.values():
        name = str(cluster.snapshot.names[one.row])
        kind = twin.snapshot.kind(one.workload)
        twin.snapshot.reseat(one._replace(kind=kind, row=twin.snapshot.row(name), version=twin.snapshot.version))
    return twin


def test_seeds_do_break_ties_differently_and_favour_no_prefix() -> None:
    nodes = [Node(f"n{i:03}", {"cpu": 4}) for i in range(100)]
    firsts = [Cluster(nodes, seed=seed).place(Workload("w", {"cpu": 1}))[0].node for seed in range(20)]
    assert len(set(firsts)) > 10
    order = [node.name for node in Cluster(nodes).snapshot.nodes()]
    assert order != sorted(order)
    assert sorted(order) == [node.name for node in nodes]


def test_a_node_that_joins_later_takes_the_lowest_free_row() -> None:
    cluster = Cluster([Node(f"n{i}", {"cpu": 1}) for i in range(4)])
    [_, second, *_] = [node.name for node in cluster.snapshot.nodes()]
    cluster.remove(second)
    cluster.add(Node("new", {"cpu": 1}))
    cluster.add(Node("newer", {"cpu": 1}))
    names = [node.name for node in cluster.snapshot.nodes()]
    assert (names[1], names[4]) == ("new", "newer")
