"""One table per filter: who is refused, why, and which kind of no. Numbers are worked out by hand.

`judged` asks a filter alone, on every node: `rule topic no` for each reason it gives. The law that
binds the parts: a clause refuses a row exactly when it has a reason for it, in all four ways of asking.
"""

from __future__ import annotations

import numpy as np
import pytest

from bayplan import ALL, NODE, Apart, Near, Node, Selector, Spread, Taint, Toleration, Workload, exists, gt, in_, not_in
from bayplan.engine.policy import FILTERS
from bayplan.model.node import Effect
from bayplan.model.selector import NOWHERE
from bayplan.model.tolerations import Match
from bayplan.table.snapshot import Snapshot

WEB, DB = Selector.of({"app": "web"}), Selector.of({"app": "db"})

Residents = list[tuple[Workload, str]]
Verdict = dict[str, list[str]]
"""Node to reasons, for those that are out."""


def judged(rule: str, nodes: list[Node], residents: Residents, workload: Workload) -> Verdict:
    snapshot = Snapshot(nodes)
    for one, name in residents:
        snapshot.place(one, name)
    clauses = FILTERS[rule](snapshot, workload)
    found: Verdict = {}
    for node in snapshot.nodes():
        row = snapshot.row(node.name)
        reasons: list[str] = []
        for clause in clauses:
            passes = clause.check.one(row)
            said = [f"{reason.topic} {reason.no}" for reason in clause.reasons(row)] if not passes else []
            assert passes is not bool(said)
            assert bool(clause.check.at(np.array([row]))[0]) is passes
            mask = snapshot.alive.data.copy()
            clause.check.narrow(mask)
            assert bool(mask[row]) is passes
            reasons += [text for text in said if text not in reasons]
        if reasons:
            found[node.name] = reasons
    return found


def said(reason: str, *names: str) -> Verdict:
    return {name: [reason] for name in names}


def work(name: str = "new", **fields: object) -> Workload:
    return Workload(**{"name": name, "labels": {"app": "web"}, **fields})  # type: ignore[arg-type]


# --- fit: free >= requested, of what the node has ---

SIZES = [Node("small", {"cpu": 1}), Node("large", {"cpu": 4, "memory": "8Gi"})]
TAKEN = [(work("r", requests={"cpu": 3, "memory": "6Gi"}), "large")]

FIT: list[tuple[str, dict[str, object], Verdict]] = [
    ("nothing asked", {}, {}),
    ("exactly what is free", {"cpu": 1}, {}),
    ("a thousandth more", {"cpu": "1001m"}, {"small": ["cpu never"], "large": ["cpu busy"]}),
    ("a ten-thousandth more", {"cpu": 1.0001}, {"small": ["cpu never"], "large": ["cpu busy"]}),
    ("more than any has", {"cpu": 5}, {"small": ["cpu never"], "large": ["cpu never"]}),
    ("what one lacks", {"memory": "2Gi"}, {"small": ["memory never"]}),
    ("one byte more", {"memory": 2**31 + 1}, {"small": ["memory never"], "large": ["memory busy"]}),
    (
        "two kinds of no at once",
        {"cpu": 2, "memory": "9Gi"},
        {"small": ["cpu never", "memory never"], "large": ["cpu busy", "memory never"]},
    ),
    ("unheard of", {"tpu": 1}, {"small": ["tpu never"], "large": ["tpu never"]}),
]


@pytest.mark.parametrize("requests, expected", [row[1:] for row in FIT], ids=[row[0] for row in FIT])
def test_fit(requests: dict[str, object], expected: Verdict) -> None:
    assert judged("fit", SIZES, TAKEN, work(requests=requests)) == expected


# --- devices: a share of one, or whole ones ---

CARDS = [Node("one", devices={"gpu": 1}), Node("four", devices={"gpu": 4}), Node("pool", {"gpu": 4})]
CARDS_TAKEN = [
    (work("r", requests={"gpu": 0.7}), "one"),
    (work("s", requests={"gpu": 0.5}), "four"),
    (work("t", requests={"gpu": 2}), "four"),
]

DEVICES: list[tuple[object, Verdict]] = [
    (0.3, {}),
    (0.4, {"one": ["gpu busy"]}),
    (1, {"one": ["gpu busy"]}),
    (2, {"one": ["gpu never"], "four": ["gpu busy"]}),
    (5, {"one": ["gpu never"], "four": ["gpu never"]}),  # for the pool it is a matter of fit
    (1.5, {"one": ["gpu never"], "four": ["gpu never"]}),
    (0, {}),
]


@pytest.mark.parametrize("amount, expected", DEVICES, ids=[str(row[0]) for row in DEVICES])
def test_devices(amount: object, expected: Verdict) -> None:
    assert judged("devices", CARDS, CARDS_TAKEN, work(requests={"gpu": amount})) == expected


# --- selector ---

ZONES = [Node("a", labels={"zone": "a", "tier": "1"}), Node("b", labels={"zone": "b", "tier": "20"}), Node("out")]

SELECTOR: list[tuple[str, dict[str, object], Verdict]] = [
    ("anything", {}, {}),
    ("in", {"selector": Selector.of({"zone": "a"})}, {"b": ["zone never"], "out": ["zone never"]}),
    ("in two", {"selector": Selector.of({"zone": in_("a", "b")})}, {"out": ["zone never"]}),
    ("not in: absent is fine", {"selector": Selector.of({"zone": not_in("a")})}, {"a": ["zone never"]}),
    ("exists", {"selector": Selector.of({"zone": exists()})}, {"out": ["zone never"]}),
    ("gt compares numbers, not texts", {"selector": Selector.of({"tier": gt(3)})}, {"a": ["tier never"], "out": ["tier never"]}),
    (
        "two keys",
        {"selector": Selector.of({"zone": "a", "tier": "20"})},
        {"a": ["tier never"], "b": ["zone never"], "out": ["tier never", "zone never"]},
    ),
    ("one of two", {"selector": Selector.of({"zone": "a"}) | Selector.of({"tier": "20"})}, {"out": ["any of 2 never"]}),
    ("by name", {"nodes": frozenset({"a", "out"})}, {"b": ["@name never"]}),
    (
        "by name and label",
        {"nodes": frozenset({"a"}), "selector": Selector.of({"zone": "b"})},
        {"a": ["zone never"], "b": ["@name never"], "out": ["@name never", "zone never"]},
    ),
    ("never, by algebra", {"selector": NOWHERE}, {"a": ["never never"], "b": ["never never"], "out": ["never never"]}),
    (
        "a label nobody has",
        {"selector": Selector.of({"disk": "ssd"})},
        {"a": ["disk never"], "b": ["disk never"], "out": ["disk never"]},
    ),
]


@pytest.mark.parametrize("fields, expected", [row[1:] for row in SELECTOR], ids=[row[0] for row in SELECTOR])
def test_selector(fields: dict[str, object], expected: Verdict) -> None:
    assert judged("selector", ZONES, [], work(**fields)) == expected


# --- taints and cordons ---

MARKED = [
    Node("plain"),
    Node("spot", taints=[Taint("spot", "5")]),
    Node("both", taints=[Taint("spot", "7"), Taint("dedicated", "db", Effect.NO_EXECUTE)]),
    Node("soft", taints=[Taint("old", effect=Effect.PREFER_NO_SCHEDULE)]),
]
SPOT5, SPOT7, DEDICATED = "spot=5:NoSchedule never", "spot=7:NoSchedule never", "dedicated=db:NoExecute never"

TAINTS: list[tuple[str, list[Toleration], Verdict]] = [
    ("none", [], {"spot": [SPOT5], "both": [DEDICATED, SPOT7]}),
    ("everything", [Toleration(operator=Match.EXISTS)], {}),
    ("equal", [Toleration("spot", "5")], {"both": [DEDICATED, SPOT7]}),
    ("any value", [Toleration("spot", operator=Match.EXISTS)], {"both": [DEDICATED]}),
    ("greater", [Toleration("spot", "6", Match.GT)], {"spot": [SPOT5], "both": [DEDICATED]}),
    ("less", [Toleration("spot", "6", Match.LT)], {"both": [DEDICATED, SPOT7]}),
    (
        "the wrong effect",
        [Toleration("dedicated", "db", effect=Effect.NO_SCHEDULE)],
        {"spot": [SPOT5], "both": [DEDICATED, SPOT7]},
    ),
    ("two", [Toleration("spot", operator=Match.EXISTS), Toleration("dedicated", "db")], {}),
]


@pytest.mark.parametrize("tolerations, expected", [row[1:] for row in TAINTS], ids=[row[0] for row in TAINTS])
def test_taints(tolerations: list[Toleration], expected: Verdict) -> None:
    assert judged("taints", MARKED, [], work(tolerations=tuple(tolerations))) == expected


def test_cordon() -> None:
    assert judged("cordon", [Node("open"), Node("shut", cordoned=True)], [], work()) == {"shut": [" never"]}
    tolerant = work(tolerations=(Toleration(operator=Match.EXISTS),))
    assert judged("cordon", [Node("shut", cordoned=True)], [], tolerant) == {"shut": [" never"]}, "no toleration opens a cordon"


# --- near, apart, spread: a1 and a2 in zone a, b1 in zone b, out in none ---

PLACES = [Node("a1", labels={"zone": "a"}), Node("a2", labels={"zone": "a"}), Node("b1", labels={"zone": "b"}), Node("out")]
WEB_ON_A1, DB_ON_A1 = (work("r"), "a1"), (work("r", labels={"app": "db"}), "a1")

NEAR_ZONE, NEAR_NODE = "near app in (web) by zone", "near app in (web) by node"
NEAR: list[tuple[str, Residents, Workload, Verdict]] = [
    ("nobody there", [], work(near=(Near(WEB),)), said(f"{NEAR_NODE} busy", "a1", "a2", "b1", "out")),
    ("on the node", [WEB_ON_A1], work(near=(Near(WEB),)), said(f"{NEAR_NODE} busy", "a2", "b1", "out")),
    (
        "in the zone",
        [WEB_ON_A1],
        work(near=(Near(WEB, ("zone",)),)),
        {"b1": [f"{NEAR_ZONE} busy"], "out": [f"{NEAR_ZONE} never"]},
    ),
    ("the first may start", [], work(near=(Near(WEB, ("zone",), first_may_start=True),)), {"out": [f"{NEAR_ZONE} never"]}),
    (
        "only the first",
        [WEB_ON_A1],
        work(near=(Near(WEB, ("zone",), first_may_start=True),)),
        {"b1": [f"{NEAR_ZONE} busy"], "out": [f"{NEAR_ZONE} never"]},
    ),
    (
        "in another namespace",
        [(work("r", namespace="prod"), "a1")],
        work(near=(Near(WEB, namespaces=ALL),)),
        said(f"{NEAR_NODE} busy", "a2", "b1", "out"),
    ),
    ("a wish refuses nobody", [], work(near=(Near(WEB, weight=1),)), {}),
]

APART_ZONE, APART_NODE = "apart from app in (web) by zone", "apart from app in (web) by node"
APART: list[tuple[str, Residents, Workload, Verdict]] = [
    ("by node", [WEB_ON_A1], work(apart=(Apart(WEB),)), {"a1": [f"{APART_NODE} busy"]}),
    ("by zone", [WEB_ON_A1], work(apart=(Apart(WEB, "zone"),)), {"a1": [f"{APART_ZONE} busy"], "a2": [f"{APART_ZONE} busy"]}),
    ("from others only", [DB_ON_A1], work(apart=(Apart(WEB),)), {}),
    ("no key, no domain", [(work("r"), "out")], work(apart=(Apart(WEB, "zone"),)), {}),
    ("two are allowed", [WEB_ON_A1], work(apart=(Apart(WEB, "zone", at_most=2),)), {}),
    (
        "two are there",
        [WEB_ON_A1, (work("s"), "a2")],
        work(apart=(Apart(WEB, "zone", at_most=2),)),
        said(f"at most 2 {APART_ZONE} busy", "a1", "a2"),
    ),
    ("a resident objects", [(work("r", labels={}, apart=(Apart(WEB),)), "a1")], work(), {"a1": [f"resident {APART_NODE} busy"]}),
    ("a resident objects to others", [(work("r", apart=(Apart(DB),)), "a1")], work(), {}),
    ("a resident in another namespace", [(work("r", namespace="x", apart=(Apart(WEB),)), "a1")], work(), {}),
    ("a resident allows one", [(work("r", labels={}, apart=(Apart(WEB, at_most=2),)), "a1")], work(), {}),
    (
        "a resident allows one, who is there",
        [(work("r", labels={}, apart=(Apart(WEB, at_most=2),)), "a1"), (work("s"), "a1")],
        work(),
        {"a1": [f"resident at most 2 {APART_NODE} busy"]},
    ),
    (
        "both object",
        [(work("r", apart=(Apart(WEB),)), "a1")],
        work(apart=(Apart(WEB),)),
        {"a1": [f"{APART_NODE} busy", f"resident {APART_NODE} busy"]},
    ),
    ("a wish refuses nobody", [WEB_ON_A1], work(apart=(Apart(WEB, weight=1),)), {}),
]

SPREAD_ZONE = "spread app in (web) over zone within"
OUT = {"out": [f"{SPREAD_ZONE} 1 never"]}
SPREAD: list[tuple[str, Residents, Workload, Verdict]] = [
    ("the first", [], work(spread=(Spread(WEB, "zone"),)), OUT),
    (
        "zone a is one ahead",
        [WEB_ON_A1],
        work(spread=(Spread(WEB, "zone"),)),
        {"a1": [f"{SPREAD_ZONE} 1 busy"], "a2": [f"{SPREAD_ZONE} 1 busy"], **OUT},
    ),
    ("even again", [WEB_ON_A1, (work("s"), "b1")], work(spread=(Spread(WEB, "zone"),)), OUT),
    ("a wider skew", [WEB_ON_A1], work(spread=(Spread(WEB, "zone", max_skew=2),)), {"out": [f"{SPREAD_ZONE} 2 never"]}),
    ("of others", [WEB_ON_A1], work(labels={}, spread=(Spread(WEB, "zone"),)), OUT),
    (
        "over nodes: 1 + 1 - 0 > 1",
        [WEB_ON_A1],
        work(spread=(Spread(WEB, NODE),)),
        {"a1": ["spread app in (web) over node within 1 busy"]},
    ),
    ("only zone a counts", [WEB_ON_A1], work(spread=(Spread(WEB, "zone"),), selector=Selector.of({"zone": "a"})), OUT),
    (
        "two domains, three wanted: the emptiest counts as 0",
        [WEB_ON_A1, (work("s"), "b1")],
        work(spread=(Spread(WEB, "zone", min_domains=3),)),
        {**said(f"{SPREAD_ZONE} 1 busy", "a1", "a2", "b1"), **OUT},
    ),
    ("a wish refuses nobody", [WEB_ON_A1], work(spread=(Spread(WEB, "zone", weight=1),)), {}),
]


@pytest.mark.parametrize("residents, newcomer, expected", [row[1:] for row in NEAR], ids=[row[0] for row in NEAR])
def test_near(residents: Residents, newcomer: Workload, expected: Verdict) -> None:
    assert judged("near", PLACES, residents, newcomer) == expected


@pytest.mark.parametrize("residents, newcomer, expected", [row[1:] for row in APART], ids=[row[0] for row in APART])
def test_apart(residents: Residents, newcomer: Workload, expected: Verdict) -> None:
    assert judged("apart", PLACES, residents, newcomer) == expected


@pytest.mark.parametrize("residents, newcomer, expected", [row[1:] for row in SPREAD], ids=[row[0] for row in SPREAD])
def test_spread(residents: Residents, newcomer: Workload, expected: Verdict) -> None:
    assert judged("spread", PLACES, residents, newcomer) == expected


# honour_taints, who is refused while zone b is empty and tainted
HONOUR: list[tuple[bool, Verdict]] = [(False, {"a1": [f"{SPREAD_ZONE} 1 busy"]}), (True, {})]


@pytest.mark.parametrize("honour, expected", HONOUR)
def test_spread_may_leave_out_nodes_it_cannot_use(honour: bool, expected: Verdict) -> None:
    """Zone a has one: an empty zone b holds it back, unless b does not count for its taint."""
    nodes = [PLACES[0], Node("b1", labels={"zone": "b"}, taints=[Taint("spot")])]
    found = judged("spread", nodes, [WEB_ON_A1], work(spread=(Spread(WEB, "zone", honour_taints=honour),)))
    assert found == expected
