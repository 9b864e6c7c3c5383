"""Many at once is one by one: `place(list)` decides as if each were placed alone, in order of
(priority, given order): the same node, the same score to the bit, the same devices, the same version.

The batches are of repeated kinds, because those have direct answers of their own (engine/batch.py);
they run into full clusters on purpose, on equal nodes (everything ties) and on different ones.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bayplan import NODE, Apart, Cluster, Decision, Fallback, Near, Node, Policy, Preference, Selector, Spread, Workload
from bayplan.engine.policy import PRESETS
from bayplan.model.strategy import ResourceStrategy
from bayplan.scorers.balance import Balance
from bayplan.scorers.neighbours import Neighbours
from bayplan.scorers.packing import Packing
from bayplan.scorers.preference import Preferences
from bayplan.scorers.spread import Spreading
from bayplan.table.invariants import broken
from tests import random_scenarios as space
from tests import strategies
from tests.adapter import engine_policy
from tests.fingerprint import fingerprint

WEB, DB = Selector.of({"app": "web"}), Selector.of({"app": "db"})
RAMP = ((0.0, 0.0), (60.0, 10.0), (100.0, 5.0))


def one_by_one(cluster: Cluster, workloads: Sequence[Workload]) -> list[Decision]:
    """The meaning of a batch."""
    decisions = {}
    for at in sorted(range(len(workloads)), key=lambda at: -workloads[at].priority):
        [decisions[at]] = cluster.place(workloads[at])
    return [decisions[at] for at in range(len(workloads))]


def same(cluster: Cluster, workloads: Sequence[Workload]) -> list[Decision]:
    alone = cluster.fork()
    expected = one_by_one(alone, workloads)
    found = list(cluster.place(workloads))
    for got, wanted in zip(found, expected, strict=True):
        assert got == wanted
    assert fingerprint(cluster.snapshot) == fingerprint(alone.snapshot)
    assert cluster.pending.ids == alone.pending.ids
    assert broken(cluster.snapshot) == []
    return found


# --- clusters ---


def equal_nodes(count: int = 60) -> list[Node]:
    return [
        Node(
            f"n{i}",
            {"cpu": 4, "memory": "8Gi"},
            {"zone": f"z{i % 3}", "rack": f"r{i % 10}"},
            devices={"gpu": 2} if i % 4 == 0 else {},
        )
        for i in range(count)
    ]


def different_nodes(count: int = 60) -> list[Node]:
    rng = random.Random(5)
    nodes = []
    for i in range(count):
        capacity = {"cpu": rng.choice((1, 2, 3.5, 8, 16)), "memory": rng.choice(("3Gi", "8Gi", "17Gi")), "licence": i % 3}
        labels = {"zone": f"z{i % 3}", "rack": f"r{i % 10}", "tier": str(i % 4)} if i % 9 else {}
        nodes.append(Node(f"n{i}", capacity, labels, devices={"gpu": i % 4}, cordoned=i == 17))
    return nodes


def many_nodes() -> list[Node]:
    return [Node(f"n{i}", {"cpu": 2 + i % 3, "memory": "8Gi"}, {"zone": f"z{i % 3}"}) for i in range(600)]


CLUSTERS: dict[str, Callable[[], list[Node]]] = {"equal": equal_nodes, "different": different_nodes, "many": many_nodes}

# --- policies ---

MOST_CPU, LEAST_CPU = ResourceStrategy("cpu", "most"), ResourceStrategy("cpu", "least")
MOST_MEMORY, LEAST_MEMORY = ResourceStrategy("memory", "most"), ResourceStrategy("memory", "least", 3.0)
WISHES = (Preferences(), Neighbours(), Spreading())

POLICIES: dict[str, Policy] = {
    **PRESETS,
    "most and least": Policy("p", (Packing((MOST_CPU, LEAST_MEMORY)), *WISHES)),
    "most, requested": Policy("p", (Packing((MOST_CPU, MOST_MEMORY), "requested"), *WISHES)),
    "least, requested": Policy("p", (Packing((LEAST_CPU, LEAST_MEMORY), "requested"), *WISHES)),
    "ratio": Policy("p", (Packing((ResourceStrategy("cpu", "ratio", 1.0, RAMP), LEAST_MEMORY)), *WISHES)),
    "balance": Policy("p", (Balance(("cpu", "memory", "gpu")), *WISHES)),
    "two packings": Policy("p", (Packing((MOST_CPU,)), Packing((LEAST_MEMORY,)), *WISHES)),
    "most, turned round": Policy("p", (Packing((MOST_CPU, MOST_MEMORY), weight=-1.0), *WISHES)),
    "least, turned round": Policy("p", (Packing((LEAST_CPU, LEAST_MEMORY), weight=-1.0), *WISHES)),
    "least, heavy": Policy("p", (Packing((LEAST_CPU, LEAST_MEMORY), weight=1000.0), *WISHES)),
    "nothing": Policy("p", ()),
}

# --- kinds ---


def web(**fields: object) -> Workload:
    return Workload(**{"name": "w", "requests": {"cpu": 1, "memory": "1Gi"}, "labels": {"app": "web"}, **fields})


KINDS: dict[str, Workload] = {
    "resources": web(),
    "odd sizes": web(requests={"cpu": "333m", "memory": "700Mi"}),
    "cpu only": web(requests={"cpu": "700m"}),
    "memory only": web(requests={"memory": "2Gi"}),
    "licence": web(requests={"licence": 1}),
    "no requests": web(requests={}),
    "devices": web(requests={"cpu": "100m", "gpu": 0.3}),
    "whole devices": web(requests={"gpu": 1}),
    "selector": web(selector=Selector.of({"zone": "z1"})),
    "any of two": web(selector=Selector.of({"zone": "z1"}) | Selector.of({"rack": "r2"})),
    "preference": web(preferences=(Preference(Selector.of({"zone": "z1"}), 0.2), Preference(Selector.of({"rack": "r2"}), -0.1))),
    "apart by node": web(apart=(Apart(WEB),)),
    "apart from others": web(apart=(Apart(DB),)),
    "apart by zone": web(apart=(Apart(WEB, "zone"),)),
    "apart by rack": web(apart=(Apart(WEB, "rack"),)),
    "at most 2 by node": web(apart=(Apart(WEB, at_most=2),)),
    "at most 5 by rack": web(apart=(Apart(WEB, "rack", at_most=5),)),
    "spread over zones": web(spread=(Spread(WEB, "zone"),)),
    "spread over nodes": web(spread=(Spread(WEB, NODE, max_skew=2),)),
    "near by zone": web(near=(Near(WEB, ("zone",), first_may_start=True),)),
    "near by node": web(near=(Near(WEB, (NODE,), first_may_start=True),)),
    "near others": web(near=(Near(DB, ("zone",)),)),
    "wish: near": web(near=(Near(WEB, ("zone",), weight=0.3),)),
    "wish: near others": web(near=(Near(DB, ("zone",), weight=0.3),)),
    "wish: apart": web(apart=(Apart(WEB, weight=0.3),)),
    "wish: apart from others": web(apart=(Apart(DB, "rack", weight=0.3),)),
    "wish: spread": web(spread=(Spread(WEB, "zone", weight=0.3),)),
    "fallback": web(selector=Selector.of({"zone": "z1"}), fallbacks=(Fallback(selector=Selector.of({"zone": "z2"})),)),
}

RESIDENTS = [
    Workload("db-0", {"cpu": 1}, {"app": "db"}, apart=(Apart(WEB),)),
    Workload("db-1", {"cpu": "250m"}, {"app": "db"}, apart=(Apart(WEB, "rack", at_most=3),)),
    Workload("web-0", {"cpu": "250m"}, {"app": "web"}),
]


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("nodes", ["equal", "different"])
@pytest.mark.parametrize("residents", [[], RESIDENTS], ids=["empty", "residents that object"])
def test_one_kind_until_nothing_fits(residents: list[Workload], nodes: str, policy: str) -> None:
    """300 copies are more than fit, for most kinds; 50 are not."""
    for name, kind in KINDS.items():
        for count in (60, 300) if kind.requests and not residents else (120,):
            cluster = Cluster(CLUSTERS[nodes](), POLICIES[policy])
            cluster.place(residents)
            try:
                same(cluster, kind.copies(count))
            except AssertionError as error:
                error.add_note(f"{count} x {name}")
                raise


@pytest.mark.parametrize("policy", ["pack", "spread", "balanced", "most, turned round"])
@pytest.mark.parametrize("kind", ["resources", "apart by node", "preference", "wish: near others", "odd sizes"])
def test_over_several_blocks_of_rows(policy: str, kind: str) -> None:
    cluster = Cluster(many_nodes(), POLICIES[policy])
    cluster.place(RESIDENTS[:1])
    same(cluster, KINDS[kind].copies(280))
    same(cluster, [one.named(f"again-{i}") for i, one in enumerate(KINDS[kind].copies(150))])


@pytest.mark.parametrize("seed", range(24))
def test_mixes_of_kinds_and_priorities(seed: int) -> None:
    """Runs of kinds, several batches in a row, releases in between."""
    rng = random.Random(seed)
    policy = POLICIES[list(POLICIES)[seed % len(POLICIES)]]
    cluster = Cluster(CLUSTERS[rng.choice(("equal", "different"))](), policy, seed=seed)
    for round_ in range(3):
        asked: list[Workload] = []
        for i in range(rng.randint(1, 5)):
            kind = KINDS[rng.choice(list(KINDS))]
            twin = replace(kind, priority=rng.choice((0, 0, 5, -5)))
            asked += twin.named(f"r{round_}-{i}").copies(rng.choice((1, 2, 7, 8, 9, 30, 120)))
        if rng.random() < 0.3:
            rng.shuffle(asked)
        same(cluster, asked)
        for gone in rng.sample(sorted(cluster.snapshot.placements), len(cluster.snapshot.placements) // 3):
            cluster.release(gone)


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(
    strategies.clusters(), strategies.workloads(constrained=15), strategies.picked(space.policy), st.sampled_from((8, 9, 20, 60))
)
def test_drawn_batches(nodes: list[Node], kind: Workload, policy: tuple[object, ...], count: int) -> None:
    same(Cluster(nodes, engine_policy(policy)), kind.copies(count))  # type: ignore[arg-type]


@pytest.mark.parametrize("chunk", range(4))
def test_random_batches(chunk: int) -> None:
    for seed in range(1000 + 60 * chunk, 1060 + 60 * chunk):
        pick = space.Dice(seed)
        cluster = Cluster(space.nodes(pick, 3), engine_policy(space.policy(pick), space.reserve(pick)))
        for i in range(3):
            kind = space.workload(pick, f"k{i}", constrained=12)
            try:
                same(cluster, kind.copies(pick.of((8, 12, 40))))
            except AssertionError as error:
                error.add_note(f"seed {seed}")
                raise


def test_the_plan_keeps_the_order_of_the_question() -> None:
    asked = [Workload(f"w{i}", {"cpu": 1}, priority=i % 3) for i in range(12)]
    cluster = Cluster([Node("n", {"cpu": 5})])
    plan = cluster.place(asked)
    assert [one.workload for one in plan] == [one.name for one in asked]
    assert {one.workload for one in plan.placed} == {"w2", "w5", "w8", "w11", "w1"}, "the important first, then as given"
