"""One table per scorer: the points every node gets, worked out by hand.

`points` asks a scorer alone, on every node; all ways of asking (one row, some rows, all rows) must agree.
"""

from __future__ import annotations

import numpy as np
import pytest

from bayplan import NODE, Apart, Near, Node, Preference, Selector, Spread, Taint, Toleration, Workload, gt
from bayplan.engine.policy import Scorer
from bayplan.model.node import Effect
from bayplan.model.strategy import ResourceStrategy
from bayplan.model.tolerations import Match
from bayplan.scorers.balance import Balance
from bayplan.scorers.neighbours import Neighbours
from bayplan.scorers.packing import Packing
from bayplan.scorers.preference import Preferences
from bayplan.scorers.spread import Spreading
from bayplan.table.snapshot import Snapshot

WEB = Selector.of({"app": "web"})
Residents = list[tuple[Workload, str]]


def points(scorer: Scorer, nodes: list[Node], residents: Residents, workload: Workload) -> dict[str, float]:
    snapshot = Snapshot(nodes)
    for one, name in residents:
        snapshot.place(one, name)
    parts = scorer.parts(snapshot, workload)
    for part in parts:
        if part.follower is not None:
            part.follower.catch_up()
    found = {}
    for node in nodes:
        row = snapshot.row(node.name)
        found[node.name] = sum(part.term.one(row) for part in parts)
        some = sum(float(part.term.at(np.array([row]))[0]) for part in parts)
        every = np.zeros(snapshot.room)
        for part in parts:
            part.term.add(every)
        assert some == pytest.approx(found[node.name], abs=1e-12)
        assert every[row] == pytest.approx(found[node.name], abs=1e-12)
    return {name: pytest.approx(value, abs=1e-12) for name, value in found.items()}


def work(name: str = "new", **fields: object) -> Workload:
    return Workload(**{"name": name, "labels": {"app": "web"}, **fields})  # type: ignore[arg-type]


# --- packing: half has 4 of 8 cpu and 2 of 8Gi taken; empty has 16 cpu and 16Gi; bare has cpu only ---

NODES = [Node("half", {"cpu": 8, "memory": "8Gi"}), Node("empty", {"cpu": 16, "memory": "16Gi"}), Node("bare", {"cpu": 4})]
TAKEN: Residents = [(work("r", requests={"cpu": 4, "memory": "2Gi"}), "half")]
ASK = {"cpu": 2, "memory": "2Gi"}
TENT = ((0.0, 0.0), (50.0, 10.0), (100.0, 0.0))


def strategies(*rows: tuple[object, ...]) -> tuple[ResourceStrategy, ...]:
    return tuple(ResourceStrategy(*row) for row in rows)  # type: ignore[arg-type]


# name, scorer, requests, points on half, empty, bare
PACKING: list[tuple[str, Packing, dict[str, object], list[float]]] = [
    ("most cpu", Packing(strategies(("cpu", "most"))), ASK, [6 / 8, 2 / 16, 2 / 4]),
    ("least cpu", Packing(strategies(("cpu", "least"))), ASK, [2 / 8, 14 / 16, 2 / 4]),
    (
        "most, both",
        Packing(strategies(("cpu", "most"), ("memory", "most"))),
        ASK,
        [(6 / 8 + 4 / 8) / 2, (2 / 16 + 2 / 16) / 2, 2 / 4],
    ),
    (
        "weights",
        Packing(strategies(("cpu", "most", 3.0), ("memory", "most", 1.0))),
        ASK,
        [(3 * 6 / 8 + 4 / 8) / 4, 2 / 16, 2 / 4],
    ),
    (
        "most and least",
        Packing(strategies(("cpu", "most"), ("memory", "least"))),
        ASK,
        [(6 / 8 + 4 / 8) / 2, (2 / 16 + 14 / 16) / 2, 2 / 4],
    ),
    ("nothing asked", Packing(strategies(("cpu", "most"), ("memory", "most"))), {}, [(4 / 8 + 2 / 8) / 2, 0, 0]),
    ("requested only", Packing(strategies(("cpu", "most"), ("memory", "most")), "requested"), {"cpu": 2}, [6 / 8, 2 / 16, 2 / 4]),
    ("requested, nothing asked", Packing(strategies(("cpu", "most")), "requested"), {}, [0, 0, 0]),
    ("weighted as a whole", Packing(strategies(("cpu", "most")), weight=-2.0), ASK, [-12 / 8, -4 / 16, -4 / 4]),
    ("ratio", Packing(strategies(("cpu", "ratio", 1.0, TENT))), ASK, [0.5, 0.25, 1.0]),
    (
        "ratio and most",
        Packing(strategies(("cpu", "ratio", 1.0, TENT), ("memory", "most", 3.0))),
        ASK,
        [(0.5 + 3 * 4 / 8) / 4, (0.25 + 3 * 2 / 16) / 4, 1.0],
    ),
    ("ratio, flat beyond the ends", Packing(strategies(("cpu", "ratio", 1.0, ((60.0, 2.0), (70.0, 8.0))))), ASK, [0.8, 0.2, 0.2]),
    ("a resource nobody has", Packing(strategies(("tpu", "most"))), ASK, [0, 0, 0]),
]


@pytest.mark.parametrize("scorer, requests, expected", [row[1:] for row in PACKING], ids=[row[0] for row in PACKING])
def test_packing(scorer: Packing, requests: dict[str, object], expected: list[float]) -> None:
    assert list(points(scorer, NODES, TAKEN, work(requests=requests)).values()) == expected


# --- balance: 1 - standard deviation of what would be used ---

BALANCE: list[tuple[str, Balance, dict[str, object], list[float]]] = [
    ("6/8 and 4/8; 2/16 and 2/16; cpu alone", Balance(), ASK, [1 - 0.125, 1.0, 1.0]),
    ("4/8 and 2/8", Balance(), {}, [1 - 0.125, 1.0, 1.0]),
    ("all cpu", Balance(), {"cpu": 4}, [1 - 0.375, 1 - 0.125, 1.0]),
    ("weighted", Balance(weight=2.0), {"cpu": 4}, [2 - 0.75, 2 - 0.25, 2.0]),
    ("one resource", Balance(("cpu",)), ASK, [1.0, 1.0, 1.0]),
    ("none it has", Balance(("tpu",)), ASK, [1.0, 1.0, 1.0]),
]


@pytest.mark.parametrize("scorer, requests, expected", [row[1:] for row in BALANCE], ids=[row[0] for row in BALANCE])
def test_balance(scorer: Balance, requests: dict[str, object], expected: list[float]) -> None:
    assert list(points(scorer, NODES, TAKEN, work(requests=requests)).values()) == expected


# --- preferences and soft taints ---

SOFT = [Taint(key, effect=Effect.PREFER_NO_SCHEDULE) for key in ("old", "loud")]
PLACES = [
    Node("a1", labels={"zone": "a", "tier": "1"}),
    Node("a2", labels={"zone": "a", "tier": "5"}, taints=SOFT[:1]),
    Node("b1", labels={"zone": "b"}, taints=SOFT),
    Node("out", taints=[Taint("hard")]),
]
IN_A, HIGH = Preference(Selector.of({"zone": "a"}), 3.0), Preference(Selector.of({"tier": gt(3)}), -0.5)

PREFERENCES: list[tuple[str, Workload, list[float]]] = [
    ("soft taints cost 1 each", work(), [0, -1, -2, 0]),
    ("tolerated ones do not", work(tolerations=(Toleration("old", operator=Match.EXISTS),)), [0, 0, -1, 0]),
    ("a wish", work(preferences=(IN_A,)), [3, 2, -2, 0]),
    ("two wishes", work(preferences=(IN_A, HIGH)), [3, 1.5, -2, 0]),
    ("the same wish twice", work(preferences=(IN_A, IN_A)), [6, 5, -2, 0]),
    ("either or", work(preferences=(Preference(Selector.of({"zone": "b"}) | Selector.of({"tier": "1"})),)), [1, -1, -1, 0]),
    ("by name", work(preferences=(Preference(Selector.of({NODE: "out"}), 2.0),)), [0, -1, -2, 2]),
    ("for everything", work(preferences=(Preference(Selector.of({}), 2.0),)), [2, 1, 0, 2]),
]


@pytest.mark.parametrize("workload, expected", [row[1:] for row in PREFERENCES], ids=[row[0] for row in PREFERENCES])
def test_preferences(workload: Workload, expected: list[float]) -> None:
    assert list(points(Preferences(), PLACES, [], workload).values()) == expected
    assert list(points(Preferences(2.0), PLACES, [], workload).values()) == [2 * one for one in expected]


# --- wishes about neighbours: two webs on a1, one on out ---

WEBS: Residents = [(work("r1"), "a1"), (work("r2"), "a1"), (work("r3"), "out")]

NEIGHBOURS: list[tuple[str, Workload, list[float]]] = [
    ("near, by node", work(near=(Near(WEB, weight=2),)), [2, 0, 0, 2]),
    ("near, by zone", work(near=(Near(WEB, ("zone",), weight=2),)), [2, 2, 0, 0]),
    ("near, nobody like it", work(near=(Near(Selector.of({"app": "db"}), weight=2),)), [0, 0, 0, 0]),
    ("apart, by node", work(apart=(Apart(WEB, weight=2),)), [-4, 0, 0, -2]),
    ("apart, by zone", work(apart=(Apart(WEB, "zone", weight=2),)), [-4, -4, 0, 0]),
    ("apart, one is allowed", work(apart=(Apart(WEB, weight=2, at_most=2),)), [-2, 0, 0, 0]),
    ("both", work(near=(Near(WEB, ("zone",), weight=5),), apart=(Apart(WEB, weight=1),)), [3, 5, 0, -1]),
    ("in another namespace", work(near=(Near(WEB, weight=2, namespaces=frozenset({"prod"})),)), [0, 0, 0, 0]),
    ("hard ones give no points", work(near=(Near(WEB),), apart=(Apart(WEB),)), [0, 0, 0, 0]),
]


@pytest.mark.parametrize("workload, expected", [row[1:] for row in NEIGHBOURS], ids=[row[0] for row in NEIGHBOURS])
def test_neighbours(workload: Workload, expected: list[float]) -> None:
    assert list(points(Neighbours(), PLACES, WEBS, workload).values()) == expected
    assert list(points(Neighbours(0.5), PLACES, WEBS, workload).values()) == [0.5 * one for one in expected]


SPREADING: list[tuple[str, Workload, list[float]]] = [
    ("over zones; out counts as the fullest", work(spread=(Spread(WEB, "zone", weight=3),)), [-6, -6, 0, -6]),
    ("over nodes", work(spread=(Spread(WEB, NODE, weight=3),)), [-6, 0, 0, -3]),
    ("a wider skew cares less", work(spread=(Spread(WEB, "zone", weight=3, max_skew=2),)), [-3, -3, 0, -3]),
    ("two", work(spread=(Spread(WEB, "zone", weight=1), Spread(WEB, NODE, weight=1))), [-4, -2, 0, -3]),
    ("hard ones give no points", work(spread=(Spread(WEB, "zone"),)), [0, 0, 0, 0]),
]


@pytest.mark.parametrize("workload, expected", [row[1:] for row in SPREADING], ids=[row[0] for row in SPREADING])
def test_spreading(workload: Workload, expected: list[float]) -> None:
    assert list(points(Spreading(), PLACES, WEBS, workload).values()) == expected
