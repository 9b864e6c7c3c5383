"""Preemption plans: the least important and fewest that would have to go, and nobody goes by itself."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bayplan import Apart, Cluster, ConfigError, Fallback, Group, Near, Node, Selector, Strategy, Taint, Workload
from tests import random_scenarios as space
from tests.adapter import Pair
from tests.fingerprint import fingerprint

WEB = Selector.of({"app": "web"})


def work(name: str, cpu: float, priority: int = 0, **fields: object) -> Workload:
    return Workload(**{"name": name, "requests": {"cpu": cpu}, "priority": priority, **fields})


def settled(nodes: list[Node], residents: list[tuple[Workload, str]]) -> Cluster:
    cluster = Cluster(nodes)
    for workload, node in residents:
        cluster.settle(workload, node)
    return cluster


TWO = [Node("n1", {"cpu": 4}), Node("n2", {"cpu": 4})]
URGENT = work("urgent", 2, 10)

# name, residents, the newcomer, node and victims (None: nobody can be asked to go)
PLANS: list[tuple[str, list[tuple[Workload, str]], Workload, tuple[str, tuple[str, ...]] | None]] = [
    ("one goes", [(work("a", 4), "n1"), (work("b", 4, 10), "n2")], URGENT, ("n1", ("a",))),
    ("equals are left alone", [(work("a", 4, 10), "n1"), (work("b", 4, 11), "n2")], URGENT, None),
    ("the least important", [(work("a", 4, 5), "n1"), (work("b", 4, 1), "n2")], URGENT, ("n2", ("b",))),
    (
        "importance before number",
        [(work("a", 4, 5), "n1"), (work("b", 1, 1), "n2"), (work("c", 1, 1), "n2"), (work("d", 2, 20), "n2")],
        URGENT,
        ("n2", ("b", "c")),
    ),
    (
        "the fewest",
        [(work("a", 1), "n1"), (work("b", 1), "n1"), (work("x", 2, 20), "n1"), (work("c", 4), "n2")],
        URGENT,
        ("n2", ("c",)),
    ),
    (
        "no more than needed",
        [(work("a", 1, 1), "n1"), (work("b", 1, 2), "n1"), (work("c", 2, 3), "n1"), (work("x", 4, 20), "n2")],
        URGENT,
        ("n1", ("a", "b")),
    ),
    (
        "the important comes back first",
        [(work("small", 1, 1), "n1"), (work("large", 3, 2), "n1"), (work("x", 4, 20), "n2")],
        work("urgent", 1, 10),
        ("n1", ("small",)),
    ),
    ("too big for any node", [(work("a", 4), "n1")], work("urgent", 5, 10), None),
    ("fits without", [(work("a", 4), "n1")], URGENT, None),
    (
        "fits without, by its fallback",
        [(work("a", 4), "n1")],
        work("urgent", 2, 10, nodes=frozenset({"n1"}), fallbacks=(Fallback(nodes=frozenset({"n2"})),)),
        None,
    ),
    ("an unknown resource", [(work("a", 4), "n1")], Workload("urgent", {"tpu": 1}, priority=10), None),
    (
        "anti-affinity",
        [(work("a", 1, labels={"app": "web"}), "n1"), (work("b", 1, 20, labels={"app": "web"}), "n2")],
        work("urgent", 1, 10, apart=(Apart(WEB),)),
        ("n1", ("a",)),
    ),
    (
        "a resident that objects",
        [(work("a", 1, apart=(Apart(WEB),)), "n1"), (work("b", 1, 20, apart=(Apart(WEB),)), "n2")],
        work("urgent", 1, 10, labels={"app": "web"}),
        ("n1", ("a",)),
    ),
    (
        "who is needed near is not sent away",
        [(work("a", 1, 20, labels={"app": "web"}), "n1"), (work("b", 3), "n1"), (work("c", 4), "n2")],
        work("urgent", 2, 10, near=(Near(WEB),)),
        ("n1", ("b",)),
    ),
]


@pytest.mark.parametrize("residents, newcomer, expected", [row[1:] for row in PLANS], ids=[row[0] for row in PLANS])
def test_who_would_have_to_go(
    residents: list[tuple[Workload, str]], newcomer: Workload, expected: tuple[str, tuple[str, ...]] | None
) -> None:
    cluster = settled(TWO, residents)
    before, version = fingerprint(cluster.snapshot).state, cluster.snapshot.version
    plan = cluster.preempt(newcomer)
    assert (plan and (plan.node, plan.victims)) == expected
    assert (fingerprint(cluster.snapshot).state, cluster.snapshot.version) == (before, version), "nobody goes by itself"


# name, node
CLOSED = [
    ("wrong label", Node("n", {"cpu": 4}, {"disk": "hdd"})),
    ("taint", Node("n", {"cpu": 4}, {"disk": "ssd"}, [Taint("spot")])),
    ("cordon", Node("n", {"cpu": 4}, {"disk": "ssd"}, cordoned=True)),
]


@pytest.mark.parametrize("node", [row[1] for row in CLOSED], ids=[row[0] for row in CLOSED])
def test_a_node_that_will_never_do_is_not_cleared(node: Node) -> None:
    cluster = settled([node], [(work("a", 4), "n")])
    assert cluster.preempt(work("urgent", 1, 10, selector=Selector.of({"disk": "ssd"}))) is None


def test_devices_are_won_back_whole() -> None:
    cluster = Cluster([Node("n", devices={"gpu": 2})])
    cluster.place(Workload("a", {"gpu": 0.5}), Workload("b", {"gpu": 1}, priority=5), Workload("c", {"gpu": 0.5}))
    plan = cluster.preempt(Workload("urgent", {"gpu": 1}, priority=10))
    assert plan is not None
    assert plan.victims == ("a", "c"), "both shares of one device, not the more important whole one"


def test_the_plan_in_words_and_data() -> None:
    cluster = settled(TWO, [(work("a", 4, 3), "n1"), (work("b", 4, 10), "n2")])
    cluster.place(URGENT)
    plan = cluster.preempt("urgent")
    assert str(plan) == "urgent fits on n1 if a left"
    assert plan is not None
    assert plan.as_json() == {"workload": "urgent", "nodes": ["n1"], "victims": ["a"], "highest_priority": 3, "fallback": 0}


def test_wrong_questions() -> None:
    cluster = settled(TWO, [(work("a", 4), "n1")])
    with pytest.raises(ConfigError, match="no workload 'nobody' is pending"):
        cluster.preempt("nobody")


def test_a_group_is_made_way_for_as_a_whole() -> None:
    cluster = settled(TWO, [(work("a", 4, 1), "n1"), (work("b", 3, 2), "n2")])
    cluster.place(Group("g", tuple(work("m", 2, 10).copies(2)), Strategy.STRICT_SPREAD))
    plan = cluster.preempt("m-0")
    assert str(plan) == "g fits on n1, n2 if a, b left"
    assert cluster.preempt(Group("h", (work("x", 9, 10),))) is None, "no node is that large"
    assert cluster.assignments == {"a": "n1", "b": "n2"}, "asking evicts nobody"


def test_random_plans_hold_what_they_promise() -> None:
    """With the victims gone it fits there, with any one of them back it does not, and all were less important.
    Where there is no plan, clearing any one node of all that is less important would not help either."""
    found = 0
    for seed in range(320):
        scenario = space.scenario(space.Dice(seed), most_nodes=3, most_steps=40, groups=False)
        pair = Pair.of(scenario)
        for step in scenario.steps:
            pair.take(step)
        urgent = replace(space.workload(space.Dice(seed + 10_000), "urgent", fallbacks=False, constrained=10), priority=20)
        before = fingerprint(pair.cluster.snapshot).state
        plan = pair.cluster.preempt(urgent)
        assert fingerprint(pair.cluster.snapshot).state == before
        if plan is None:
            assert pair.oracle.feasible(urgent) or not any(fits_when_cleared(pair, urgent, name) for name in pair.names), (
                f"seed {seed}"
            )
            continue
        found += 1
        assert pair.oracle.feasible(urgent) == []
        gone = {one: pair.oracle.residents[one] for one in plan.victims}
        assert all(one.workload.priority < 20 and one.node == plan.node for one in gone.values())
        for one in gone:
            pair.oracle.release(one)
        assert pair.oracle.reasons(urgent, plan.node) == []
        for back in gone.values():
            trial = pair.oracle.copy()
            trial.place(back.workload, back.node, back.devices)
            assert trial.reasons(urgent, plan.node), f"seed {seed}: {back.workload.id} need not have gone"
    assert found > 30


def fits_when_cleared(pair: Pair, urgent: Workload, name: str) -> bool:
    trial = pair.oracle.copy()
    for one in [
        key for key, resident in trial.residents.items() if resident.node == name and resident.workload.priority < urgent.priority
    ]:
        trial.release(one)
    return not trial.reasons(urgent, name)


def test_a_group_never_evicts_its_own_members() -> None:
    cluster = settled([Node("n1", {"cpu": 4})], [(work("r", 3, 0), "n1")])
    assert cluster.preempt(Group("g", (work("m0", 1, 5), work("m1", 4, 10)))) is None
    assert cluster.preempt(Group("h", (work("m2", 1, 0), work("m3", 3, 10)))) is None, "a group is as weighty as its least member"


def test_kubernetes_weighs_priorities_before_numbers_and_spares_what_began_first() -> None:
    nodes = [Node(name, {"cpu": 4}) for name in ("n1", "n2", "n3")]
    lowest = -(2**31) + 1
    cheap = [(work("a", 2, 5), "n1"), (work("b", 2, lowest), "n1"), (work("c", 2, lowest), "n2"), (work("d", 2, 5), "n2")]
    cluster = settled(nodes, [*cheap, (work("e", 4, 5), "n3")])
    urgent = work("urgent", 4, 10)
    assert str(cluster.preempt(urgent)) == "urgent fits on n3 if e left", "one is fewer than two"
    dearer = settled(nodes, [*cheap, (work("e", 2, 5), "n3"), (work("f", 2, 4), "n3")])
    dearer.use("kubernetes")
    assert str(dearer.preempt(urgent)) == "urgent fits on n2 if c, d left", "of a and d, both most important, d began last"
