"""Who judges the judge: worked examples small enough to check by hand, and invariants over random scenarios."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from bayplan.model.decision import No
from bayplan.model.group import Group, Strategy
from bayplan.model.neighbours import ALL, NODE, Apart, Near, Spread
from bayplan.model.node import Effect, Node, Taint
from bayplan.model.resources import UNIT
from bayplan.model.selector import NOWHERE, Selector
from bayplan.model.tolerations import Match, Toleration
from bayplan.model.workload import Preference, Workload
from tests import random_scenarios as space
from tests import strategies
from tests.oracle import Balance, Neighbours, Oracle, Packing, Preferences, Spreading, Use
from tests.oracle.scores import Scorer

WEB, DB = Selector.of({"app": "web"}), Selector.of({"app": "db"})
MOST = (Packing((Use("cpu"),)),)


def small(*residents: tuple[Workload, str]) -> Oracle:
    """a1, a2 in zone a, b1 in zone b, out in no zone; 4 cpu and 2 gpu each."""
    rows: tuple[tuple[str, dict[str, str]], ...] = (
        ("a1", {"zone": "a"}),
        ("a2", {"zone": "a"}),
        ("b1", {"zone": "b"}),
        ("out", {}),
    )
    oracle = Oracle([Node(name, {"cpu": 4}, labels, devices={"gpu": 2}) for name, labels in rows])
    for workload, name in residents:
        oracle.place(workload, name)
    return oracle


def work(name: str = "new", **fields: object) -> Workload:
    """A web workload, unless it says otherwise."""
    return Workload(**{"name": name, "labels": {"app": "web"}, **fields})  # type: ignore[arg-type]


def refused(oracle: Oracle, workload: Workload) -> dict[str, str]:
    """node -> "rule kind" of every reason, for the nodes that are out."""
    found = {node.name: oracle.reasons(workload, node.name) for node in oracle.cluster.nodes}
    return {name: ", ".join(f"{rule} {no}" for rule, _, no in reasons) for name, reasons in found.items() if reasons}


BUSY_EVERYWHERE = dict.fromkeys(("a1", "a2", "b1", "out"), "near busy")

# name, residents, the newcomer, who refuses it
NEIGHBOURS: list[tuple[str, list[tuple[Workload, str]], Workload, dict[str, str]]] = [
    ("near, nobody there", [], work(near=(Near(WEB),)), BUSY_EVERYWHERE),
    ("near, the first may start", [], work(near=(Near(WEB, first_may_start=True),)), {}),
    (
        "near, the first may start only where the key is",
        [],
        work(near=(Near(WEB, ("zone",), first_may_start=True),)),
        {"out": "near never"},
    ),
    ("near, not of its own kind", [], work(near=(Near(DB, first_may_start=True),)), BUSY_EVERYWHERE),
    ("near, by zone", [(work("r"), "a1")], work(near=(Near(WEB, ("zone",)),)), {"b1": "near busy", "out": "near never"}),
    (
        "near, a resident outside every zone still is one",
        [(work("r"), "out")],
        work(near=(Near(WEB, ("zone",), first_may_start=True),)),
        {"a1": "near busy", "a2": "near busy", "b1": "near busy", "out": "near never"},
    ),
    (
        "near, a different resident for each key",
        [(work("r"), "a1")],
        work(near=(Near(WEB, ("zone", NODE)),)),
        {"a2": "near busy", "b1": "near busy", "out": "near never"},
    ),
    ("near, other namespaces do not count", [(work("r", namespace="prod"), "a1")], work(near=(Near(WEB),)), BUSY_EVERYWHERE),
    (
        "near, every namespace counts",
        [(work("r", namespace="prod"), "a1")],
        work(near=(Near(WEB, namespaces=ALL),)),
        {"a2": "near busy", "b1": "near busy", "out": "near busy"},
    ),
    ("apart, by zone", [(work("r"), "a1")], work(apart=(Apart(WEB, "zone"),)), {"a1": "apart busy", "a2": "apart busy"}),
    ("apart, no key, no domain", [(work("r"), "out")], work(apart=(Apart(WEB, "zone"),)), {}),
    ("apart, at most two, one there", [(work("r"), "a1")], work(apart=(Apart(WEB, "zone", at_most=2),)), {}),
    (
        "apart, at most two, two there",
        [(work("r"), "a1"), (work("s"), "a2")],
        work(apart=(Apart(WEB, "zone", at_most=2),)),
        {"a1": "apart busy", "a2": "apart busy"},
    ),
    ("apart, asked by a resident", [(work("r", apart=(Apart(WEB),)), "a1")], work(), {"a1": "apart busy"}),
    ("apart, asked by a resident, of others", [(work("r", apart=(Apart(DB),)), "a1")], work(), {}),
    ("apart, a resident's wish binds nobody", [(work("r", apart=(Apart(WEB, weight=1.0),)), "a1")], work(), {}),
    ("apart, asked by a resident in its own namespace", [(work("r", apart=(Apart(WEB),), namespace="prod"), "a1")], work(), {}),
    ("apart, a resident allows two", [(work("r", apart=(Apart(WEB, at_most=2),)), "a1")], work(), {}),
    (
        "apart, a resident allows two and they are there",
        [(work("r", apart=(Apart(WEB, at_most=2),)), "a1"), (work("s"), "a1")],
        work(),
        {"a1": "apart busy"},
    ),
    ("spread, the first", [], work(spread=(Spread(WEB, "zone"),)), {"out": "spread never"}),
    (
        "spread, the emptier zone",
        [(work("r"), "a1")],
        work(spread=(Spread(WEB, "zone"),)),
        {"a1": "spread busy", "a2": "spread busy", "out": "spread never"},
    ),
    ("spread, a wider skew", [(work("r"), "a1")], work(spread=(Spread(WEB, "zone", max_skew=2),)), {"out": "spread never"}),
    (
        "spread, of others: it does not count itself",
        [(work("r"), "a1")],
        work(labels={}, spread=(Spread(WEB, "zone"),)),
        {"out": "spread never"},
    ),
    (
        "spread, only the selected zone counts",
        [(work("r"), "a1")],
        work(spread=(Spread(WEB, "zone"),), selector=Selector.of({"zone": "a"})),
        {"b1": "selector never", "out": "selector never, spread never"},
    ),
    (
        "spread, too few domains",
        [(work("r"), "a1"), (work("s"), "b1")],
        work(spread=(Spread(WEB, "zone", min_domains=3),)),
        {"a1": "spread busy", "a2": "spread busy", "b1": "spread busy", "out": "spread never"},
    ),
]


@pytest.mark.parametrize("residents, newcomer, expected", [row[1:] for row in NEIGHBOURS], ids=[row[0] for row in NEIGHBOURS])
def test_neighbours(residents: list[tuple[Workload, str]], newcomer: Workload, expected: dict[str, str]) -> None:
    assert refused(small(*residents), newcomer) == expected


TAINTED = Node("n", {"cpu": 2}, {"tier": "2"}, [Taint("t"), Taint("s", "1", Effect.PREFER_NO_SCHEDULE)], {"gpu": 2})
FINE = (Toleration(operator=Match.EXISTS),)

# name, workload, every reason against TAINTED, on which 1 cpu and half a gpu are taken
ALONE: list[tuple[str, Workload, list[tuple[str, str, No]]]] = [
    ("fits", work(tolerations=FINE), []),
    ("a soft taint refuses nobody", work(), [("taints", "t:NoSchedule", No.NEVER)]),
    ("busy", work(requests={"cpu": 2}, tolerations=FINE), [("fit", "cpu", No.BUSY)]),
    ("too big", work(requests={"cpu": 3}, tolerations=FINE), [("fit", "cpu", No.NEVER)]),
    ("not there", work(requests={"tpu": 1}, tolerations=FINE), [("fit", "tpu", No.NEVER)]),
    ("a whole gpu", work(requests={"gpu": 1}, tolerations=FINE), []),
    ("two gpus", work(requests={"gpu": 2}, tolerations=FINE), [("fit", "gpu", No.BUSY), ("devices", "gpu", No.BUSY)]),
    ("three gpus", work(requests={"gpu": 3}, tolerations=FINE), [("fit", "gpu", No.NEVER), ("devices", "gpu", No.NEVER)]),
    ("one and a half", work(requests={"gpu": 1.5}, tolerations=FINE), [("devices", "gpu", No.NEVER)]),
    ("wrong label", work(selector=Selector.of({"tier": "3"}), tolerations=FINE), [("selector", "tier", No.NEVER)]),
    (
        "two wrong labels",
        work(selector=Selector.of({"tier": "3", "zone": "a"}), tolerations=FINE),
        [("selector", "tier", No.NEVER), ("selector", "zone", No.NEVER)],
    ),
    (
        "neither of two",
        work(selector=Selector.of({"tier": "3"}) | Selector.of({"zone": "a"}), tolerations=FINE),
        [("selector", "any of 2", No.NEVER)],
    ),
    ("nothing ever", work(selector=NOWHERE, tolerations=FINE), [("selector", "never", No.NEVER)]),
    ("another node", work(nodes=frozenset({"m"}), tolerations=FINE), [("selector", "@name", No.NEVER)]),
]


@pytest.mark.parametrize("workload, expected", [row[1:] for row in ALONE], ids=[row[0] for row in ALONE])
def test_rules_of_one_node(workload: Workload, expected: list[tuple[str, str, No]]) -> None:
    oracle = Oracle([TAINTED])
    oracle.place(work("r", requests={"cpu": 1, "gpu": 0.5}), "n")
    assert oracle.reasons(workload, "n") == expected


def test_devices_fractions_fill_what_is_begun_and_whole_ones_take_the_lowest() -> None:
    oracle = Oracle([Node("n", devices={"gpu": 4})])
    for name, amount in (("a", 0.5), ("b", 1), ("c", 0.25), ("d", 0.5), ("e", 0.25), ("f", 1)):
        oracle.place(work(name, requests={"gpu": amount}), "n")
    taken = {name: dict(resident.devices["gpu"]) for name, resident in oracle.residents.items()}
    assert taken == {
        "a": {"0": UNIT // 2},
        "b": {"1": UNIT},
        "c": {"0": UNIT // 4},
        "d": {"2": UNIT // 2},  # 0 has a quarter left, 1 nothing
        "e": {"0": UNIT // 4},  # the fullest that still fits
        "f": {"3": UNIT},
    }


# name, scorer, the newcomer, its points on a1 (where a web with 1 of 4 cpu lives), a2, b1 and out
SCORES: list[tuple[str, Scorer, Workload, list[float]]] = [
    ("most", Packing((Use("cpu"),)), work(requests={"cpu": 1}), [0.5, 0.25, 0.25, 0.25]),
    ("least", Packing((Use("cpu", "least"),)), work(requests={"cpu": 1}), [0.5, 0.75, 0.75, 0.75]),
    (
        "weighted",
        Packing((Use("cpu", weight=3), Use("gpu", "least"))),
        work(requests={"cpu": 1}),
        [0.625, 0.4375, 0.4375, 0.4375],
    ),
    ("requested only", Packing((Use("cpu"), Use("gpu")), "requested"), work(requests={"gpu": 1}), [0.5] * 4),
    ("nothing qualifies", Packing((Use("cpu"),), "requested"), work(), [0] * 4),
    ("ratio", Packing((Use("cpu", "ratio", 1, ((0, 0), (50, 10), (100, 0))),)), work(requests={"cpu": 2}), [0.5, 1, 1, 1]),
    ("ratio, flat ends", Packing((Use("cpu", "ratio", 1, ((30, 2), (40, 10))),)), work(), [0.2] * 4),
    ("weight", Packing((Use("cpu"),), weight=-2), work(requests={"cpu": 1}), [-1, -0.5, -0.5, -0.5]),
    ("preference", Preferences(), work(preferences=(Preference(Selector.of({"zone": "a"}), 3),)), [3, 3, 0, 0]),
    ("near", Neighbours(), work(near=(Near(WEB, ("zone",), weight=2),)), [2, 2, 0, 0]),
    ("apart", Neighbours(), work(apart=(Apart(WEB, weight=2),)), [-2, 0, 0, 0]),
    ("apart, one is allowed", Neighbours(), work(apart=(Apart(WEB, weight=2, at_most=2),)), [0] * 4),
    ("spread", Spreading(), work(spread=(Spread(WEB, "zone", weight=3, max_skew=2),)), [-1.5, -1.5, 0, -1.5]),
    ("balance", Balance(("cpu", "gpu")), work(requests={"cpu": 1}), [0.75, 0.875, 0.875, 0.875]),
    ("balance of one", Balance(("cpu", "tpu")), work(), [1] * 4),
    ("hard rules give no points", Neighbours(), work(near=(Near(WEB),), apart=(Apart(WEB),)), [0] * 4),
]


@pytest.mark.parametrize("scorer, newcomer, expected", [row[1:] for row in SCORES], ids=[row[0] for row in SCORES])
def test_scores(scorer: Scorer, newcomer: Workload, expected: list[float]) -> None:
    oracle = small((work("r", requests={"cpu": 1}), "a1"))
    assert [oracle.score(newcomer, name, (scorer,)) for name in ("a1", "a2", "b1", "out")] == expected


def test_a_soft_taint_costs_one_point() -> None:
    assert Oracle([TAINTED]).score(work(), "n", (Preferences(),)) == -1
    assert Oracle([TAINTED]).score(work(tolerations=FINE), "n", (Preferences(),)) == 0


def test_the_best_wins_and_ties_go_by_order() -> None:
    oracle = small((work("r", requests={"cpu": 1}), "b1"))
    assert oracle.decide(work(requests={"cpu": 1}), MOST) == "b1"
    assert oracle.decide(work(requests={"cpu": 4}), MOST) == "a1"
    assert oracle.decide(work(requests={"cpu": 5}), MOST) is None
    assert oracle.acceptable(work(requests={"cpu": 4}), MOST) == ["a1", "a2", "out"]


# strategy, by, members of 2 cpu on 4 nodes of 4: how many can lie there together
GANGS = [
    (Strategy.STRICT_PACK, NODE, 2, True),
    (Strategy.STRICT_PACK, NODE, 3, False),
    (Strategy.STRICT_PACK, "zone", 4, True),
    (Strategy.STRICT_PACK, "zone", 5, False),
    (Strategy.STRICT_SPREAD, NODE, 4, True),
    (Strategy.STRICT_SPREAD, NODE, 5, False),
    (Strategy.STRICT_SPREAD, "zone", 2, True),
    (Strategy.STRICT_SPREAD, "zone", 3, False),
    (Strategy.PACK, "zone", 8, True),
    (Strategy.SPREAD, "zone", 8, True),
    (Strategy.SPREAD, "zone", 9, False),
]


@pytest.mark.parametrize("strategy, by, count, possible", GANGS)
def test_gangs(strategy: Strategy, by: str, count: int, possible: bool) -> None:
    oracle, gang = small(), Group("g", tuple(work(requests={"cpu": 2}).copies(count)), strategy, by)
    assert oracle.group_possible(gang) is possible
    assert (oracle.place_group(gang, MOST) is not None) is possible
    assert len(oracle.residents) == (count if possible else 0)


def test_what_is_wrong_with_an_assignment_is_said() -> None:
    gang = Group("g", tuple(work("m", requests={"cpu": 3}).copies(2)), Strategy.STRICT_PACK, "zone")
    assert small().check_group(gang, {"m-0": "a1", "m-1": "a2"}) == []
    assert small().check_group(gang, {"m-0": "a1", "m-1": "a1"}) == ["m-1 on a1: fit [cpu]"]
    assert small().check_group(gang, {"m-0": "a1", "m-1": "b1"}) == ["STRICT_PACK by zone does not hold over a1, b1"]
    assert small().check_group(gang, {"m-0": "a1"}) == ["m-1 has no place"]


def replay(scenario: space.Scenario) -> None:
    """Nothing is overbooked by a placement, and a gang that was placed is one that can be placed."""
    oracle = Oracle(list(scenario.nodes))
    for step in scenario.steps:
        before = oracle.copy()
        match step:
            case Workload():
                placed = oracle.place_one(step, scenario.policy)
                assert (placed is None) == (not any(before.feasible(one) for one in step.alternatives()))
                if placed is not None:
                    variant = list(step.alternatives())[placed[1]]
                    assert placed[0] in before.acceptable(variant, scenario.policy)
                    node = oracle.cluster.node(placed[0])
                    assert all(oracle.cluster.free(node, resource) >= 0 for resource in variant.requests)
                    assert all(share >= 0 for resource in variant.requests for _, share in oracle.cluster.devices(node, resource))
            case Group():
                gang = oracle.place_group(step, scenario.policy)
                if gang is not None:
                    chosen = list(step.alternatives())[gang[0]]
                    where = {member.id: name for member, (name, _) in zip(chosen.members, gang[1], strict=True)}
                    assert before.check_group(chosen, where) == []
            case space.Release():
                if step.id in oracle.residents:
                    oracle.release(step.id)
            case space.AddNode():
                oracle.add(step.node)
            case space.RemoveNode():
                oracle.remove(step.name)
            case space.ReplaceNode():
                oracle.replace(step.node)


def test_random_scenarios() -> None:
    for _, scenario in space.scenarios(150):
        replay(scenario)


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(strategies.scenarios(most_nodes=4, most_steps=6))
def test_drawn_scenarios(scenario: space.Scenario) -> None:
    replay(scenario)


def test_a_seed_makes_the_same_scenario_again() -> None:
    assert list(space.scenarios(3, 7))[1] == (8, space.scenario(space.Dice(8)))
