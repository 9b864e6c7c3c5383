"""Three ways to one answer: scan, kept ranking and block bounds give the same row and the same score, bit for bit.

The streams repeat kinds (so rankings live long), release, change nodes, and ask every kind again after
every few steps. Small clusters come from the space of random scenarios; larger ones have several
blocks of 256 rows and few shapes, so that ties are common, with topologies of every size:

    zone 3    rack 12    pair 2 nodes per value (fine)    host one node per value (fine)    NODE
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from bayplan import NODE, Apart, Cluster, Near, Node, Policy, Preference, Selector, Spread, Taint, Toleration, Workload
from bayplan.engine import bounds
from bayplan.engine.bounds import bounded
from bayplan.engine.pipeline import Pipeline, scan
from bayplan.engine.policy import PRESETS
from bayplan.engine.query import Query
from bayplan.engine.ranking import Ranking
from bayplan.model.node import Effect
from bayplan.model.tolerations import Match
from bayplan.table.invariants import broken
from tests import random_scenarios as space
from tests.adapter import engine_policy
from tests.laws.test_snapshot import take


@pytest.fixture(autouse=True)
def one_block_at_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise bounds would open all blocks of these clusters at once, and nothing would hang on them."""
    monkeypatch.setattr(bounds, "FIRST_BLOCKS", 1)
    monkeypatch.setattr(bounds, "FEW", 0, raising=False)


TOPOLOGIES = (NODE, "zone", "rack", "pair", "host")


class Asked:
    """Kinds that are asked again and again, each with a ranking that is kept across all changes."""

    def __init__(self, cluster: Cluster):
        self.cluster = cluster
        self.pipeline = Pipeline(cluster.snapshot, cluster.policy)
        self.rankings: dict[object, tuple[Query, Ranking]] = {}

    def ask(self, workload: Workload) -> tuple[int, float] | None:
        query = self.pipeline.query(workload)
        query.catch_up()  # a ranking is made from columns that are up to date
        if query.normalised:
            return self._ask_normalised(query, workload)
        kept = self.rankings.get(workload.kind)
        if kept is None or kept[0] is not query:
            self.rankings[workload.kind] = kept = (query, Ranking(query))
        found = scan(query)
        assert bounded(query) == found, "bounds"
        assert kept[1].best() == found, "the kept ranking"
        assert Ranking(query).best() == found, "a new ranking"
        fresh = Pipeline(self.cluster.snapshot, self.cluster.policy).query(workload)
        assert scan(fresh) == found, "compiled anew"
        if found is not None:
            assert query.passes(found[0])
        return found

    def _ask_normalised(self, query: Query, workload: Workload) -> tuple[int, float] | None:
        """Points that depend on who else fits allow one way only: it is the best of all rows that fit."""
        found = self.pipeline.best(query)
        scores = np.where(query.mask(), query.scores(), -np.inf)
        best = int(scores.argmax())
        assert found == (None if scores[best] == -np.inf else (best, scores[best]))
        fresh = Pipeline(self.cluster.snapshot, self.cluster.policy).query(workload)
        assert Pipeline(self.cluster.snapshot, self.cluster.policy).search(fresh) == found, "compiled anew"
        return found

    def every_row(self, workload: Workload) -> None:
        """Not only the best: what the kept ranking holds for any row is what the row is worth."""
        if workload.kind not in self.rankings:
            return
        query, ranking = self.rankings[workload.kind]
        if query.current:
            ranking.best()
            values = {row: query.value(row) for row in range(query.snapshot.room)}
            assert {row: ranking._cell[ranking._position[row]] for row in values} == values


# --- small clusters, everything the space has ---


@pytest.mark.parametrize("chunk", range(5))
def test_on_small_clusters(chunk: int) -> None:
    for seed, scenario in space.scenarios(60, first_seed=80_000 + chunk * 60):
        cluster = Cluster(scenario.nodes, engine_policy(scenario.policy, scenario.reserve))
        asked = Asked(cluster)
        kinds = [alternative for step in scenario.steps if isinstance(step, Workload) for alternative in step.alternatives()]
        try:
            for step in scenario.steps:
                take(cluster, step)
                for kind in kinds[:6]:
                    asked.ask(kind)
        except AssertionError as error:
            error.add_note(f"seed {seed}")
            raise


# --- larger clusters, one kind of work at a time ---

WEB = Selector.of({"app": "web"})
SPOT = Taint("spot", effect=Effect.PREFER_NO_SCHEDULE)
DEDICATED = Taint("dedicated", "db")


def node(i: int, rng: random.Random) -> Node:
    """Five shapes; every label of TOPOLOGIES (a few nodes lack some), some taints, some GPUs."""
    cpu, memory = rng.choice(((4, "8Gi"), (8, "16Gi"), (8, "32Gi"), (16, "32Gi"), (16, "64Gi")))
    labels = {"zone": f"z{i % 3}", "rack": f"r{i % 12}", "pair": f"p{i // 2}", "host": f"h{i}", "tier": str(i % 5)}
    lacking = {key for key in ("zone", "rack", "pair", "host") if rng.random() < 0.02}
    taints = [mark for mark in (SPOT, DEDICATED) if rng.random() < 0.05]
    devices = {"gpu": 4} if i % 5 == 0 else {}
    kept = {key: value for key, value in labels.items() if key not in lacking}
    return Node(f"n{i}", {"cpu": cpu, "memory": memory}, kept, taints, devices, cordoned=rng.random() < 0.01)


def web(name: str, **fields: object) -> Workload:
    return Workload(**{"name": name, "requests": {"cpu": 1, "memory": "2Gi"}, "labels": {"app": "web"}, **fields})


# name, workloads
KINDS: list[tuple[str, list[Workload]]] = [
    ("resources", [web("a"), web("b", requests={"cpu": "250m"}), web("c", requests={"memory": "3Gi"}), web("d", requests={})]),
    ("devices", [web("a", requests={"gpu": 0.3}), web("b", requests={"cpu": 1, "gpu": 2})]),
    (
        "selectors",
        [
            web("a", selector=Selector.of({"tier": "3"})),
            web("b", selector=Selector.of({"tier": "1"}) | Selector.of({"zone": "z1", "tier": "2"})),
            web("c", nodes=frozenset({"n7", "n400", "n1200"})),
        ],
    ),
    (
        "taints",
        [
            web("a", tolerations=(Toleration(operator=Match.EXISTS),)),
            web("b", tolerations=(Toleration("spot", operator=Match.EXISTS),)),
        ],
    ),
    (
        "preferences",
        [
            web("a", preferences=(Preference(Selector.of({"tier": "3"}), 0.5), Preference(Selector.of({"zone": "z1"}), 0.25))),
            web("b", preferences=(Preference(Selector.of({"tier": "3"}), -0.5),)),
        ],
    ),
    *((f"apart by {by}", [web("a", apart=(Apart(WEB, by),)), web("b")]) for by in TOPOLOGIES),
    *((f"at most 2 apart by {by}", [web("a", apart=(Apart(WEB, by, at_most=2),)), web("b")]) for by in TOPOLOGIES),
    *((f"near by {by}", [web("a", near=(Near(WEB, (by,), first_may_start=True),)), web("b")]) for by in TOPOLOGIES),
    *((f"spread over {by}", [web("a", spread=(Spread(WEB, by, max_skew=2),))]) for by in TOPOLOGIES),
    *(
        (f"wishes by {by}", [web("a", near=(Near(WEB, (by,), weight=0.3),)), web("b", apart=(Apart(WEB, by, weight=0.2),))])
        for by in TOPOLOGIES
    ),
    *((f"soft spread over {by}", [web("a", spread=(Spread(WEB, by, weight=0.5),)), web("b")]) for by in TOPOLOGIES),
    (
        "mixed",
        [
            web("a", apart=(Apart(WEB, "pair"),), spread=(Spread(WEB, "zone", max_skew=3),), selector=Selector.of({"tier": "3"})),
            web(
                "b",
                apart=(Apart(WEB, "rack", weight=0.1),),
                spread=(Spread(WEB, "host", weight=0.2), Spread(WEB, "zone", weight=0.1)),
            ),
            web("c", near=(Near(WEB, ("zone",)),), apart=(Apart(WEB, "host"), Apart(WEB, "rack", at_most=40))),
        ],
    ),
]

RNG = random.Random(1)
LARGE = [node(i, RNG) for i in range(1500)]


def change_something(cluster: Cluster, rng: random.Random, i: int) -> None:
    """Mostly releases; now and then a node goes, comes, moves or is closed."""
    snapshot = cluster.snapshot
    names = list(snapshot.row_of)
    if snapshot.guests and rng.random() < 0.6:
        names = [str(snapshot.names[row]) for row in snapshot.guests]  # where a change moves residents between domains
    match rng.choice(("release",) * 4 + ("relabel", "share a host", "taint", "cordon", "remove", "add")):
        case "release" if snapshot.placements:
            cluster.release(rng.choice(list(snapshot.placements)))
        case "relabel":
            key, value = rng.choice(
                (("zone", "z9"), ("zone", "z1"), ("rack", "r3"), ("pair", "p5"), ("tier", "3"), ("zone", None))
            )
            cluster.relabel(rng.choice(names), {key: value})
        case "share a host":
            # Two nodes share a value of a fine topology, and part again: the row noted for it must be right.
            one, other = rng.choice(names), rng.choice(list(snapshot.row_of))
            cluster.relabel(one, {"host": snapshot.node(other).labels.get("host")})
            cluster.relabel(one, {"host": f"alone-{i}"})
        case "taint":
            cluster.taint(rng.choice(names), rng.choice(((), (SPOT,), (DEDICATED,))))
        case "cordon":
            cluster.cordon(rng.choice(names), rng.random() < 0.5)
        case "remove":
            cluster.remove(rng.choice(names))
        case "add":
            cluster.add(replace(node(i % 1500, rng), name=f"new-{i}"))


@pytest.mark.parametrize("kinds", [row[1] for row in KINDS], ids=[row[0] for row in KINDS])
@pytest.mark.parametrize("policy", list(PRESETS))
def test_on_larger_clusters(policy: str, kinds: list[Workload]) -> None:
    cluster, rng = Cluster(LARGE, policy), random.Random(repr(kinds))
    asked = Asked(cluster)
    for i in range(36):
        kind = rng.choice(kinds)
        found = asked.ask(kind)
        if found is not None:
            [decision] = cluster.place(kind.named(f"w{i}"))
            assert (cluster.snapshot.row(str(decision.node)), decision.score) == found, "the cluster's own decision"
        if i % 3 == 2:
            change_something(cluster, rng, i)
        if i % 12 == 7:
            cluster.place(rng.choice(kinds).named(f"many{i}").copies(9))
    for kind in kinds:
        asked.ask(kind)
    assert broken(cluster.snapshot) == []


# --- any policy, also with scorers that count against a node ---

PACK, BALANCED = PRESETS["pack"], PRESETS["balanced"]


def negated(policy: Policy) -> Policy:
    return replace(policy, scorers=tuple(replace(one, weight=-one.weight) for one in policy.scorers))  # type: ignore[type-var]


def tied(count: int) -> list[Node]:
    return [Node(f"n{i}", {"cpu": 8, "memory": "16Gi"}, {"zone": f"z{i % 3}"}) for i in range(count)]


def heavy(policy: Policy) -> Policy:
    return replace(policy, scorers=tuple(replace(one, weight=1000.0) for one in policy.scorers))  # type: ignore[type-var]


WEIGHTED = {
    "packing": negated(PACK),
    "packing and balance": negated(BALANCED),
    "heavy": heavy(PACK),
    "heavy balance": heavy(BALANCED),
}


@pytest.mark.parametrize("policy", list(WEIGHTED.values()), ids=list(WEIGHTED))
def test_with_negative_and_heavy_weights(policy: Policy) -> None:
    """A negative weight turns a scorer round; bounds over blocks must turn round with it."""
    cluster, rng = Cluster(LARGE, policy), random.Random(2)
    asked = Asked(cluster)
    for i in range(40):
        asked.ask(kind := rng.choice((web("a"), web("b", requests={"cpu": 3, "memory": "1Gi"}))))
        cluster.place(kind.named(f"w{i}"))


@pytest.mark.parametrize("seed", range(6))
def test_random_policies_on_larger_clusters(seed: int) -> None:
    pick = space.Dice(900 + seed)
    cluster, rng = Cluster(LARGE[:700], engine_policy(space.policy(pick), space.reserve(pick))), random.Random(seed)
    kinds = [space.workload(pick, f"k{i}", fallbacks=False) for i in range(4)] + [web("a"), web("b", requests={"cpu": "300m"})]
    asked = Asked(cluster)
    for i in range(40):
        kind = rng.choice(kinds)
        asked.ask(kind)
        cluster.place(kind.named(f"w{i}"))
        if i % 3 == 2:
            change_something(cluster, rng, i)
    assert broken(cluster.snapshot) == []


# --- ties ---

# name, workload, how many may be placed on one node before the next is taken
TIES: list[tuple[str, Callable[[], Workload]]] = [
    ("resources", lambda: web("w")),
    ("by zone", lambda: web("w", spread=(Spread(WEB, "zone", weight=0.001),))),
]


@pytest.mark.parametrize("make", [row[1] for row in TIES], ids=[row[0] for row in TIES])
@pytest.mark.parametrize("policy", list(PRESETS))
def test_ties_go_to_the_lowest_row(policy: str, make: Callable[[], Workload]) -> None:
    cluster = Cluster(tied(1000), policy)
    asked = Asked(cluster)
    first = asked.ask(make())
    assert first is not None
    assert first[0] == 0
    for i in range(30):
        found = asked.ask(make())
        assert found is not None
        query = asked.pipeline.query(make())
        scores, mask = query.scores(), query.mask()
        assert found[0] == min(row for row in range(1000) if mask[row] and scores[row] == found[1])
        cluster.place(make().named(f"w{i}"))


# --- two rows of one fine domain: what happens to one is news for the other ---

BY_PAIR = [
    web("near", requests={}, near=(Near(WEB, ("pair",)),)),
    web("apart", requests={}, apart=(Apart(WEB, "pair"),)),
    web("at-most-2", requests={}, apart=(Apart(WEB, "pair", at_most=2),)),
    web("spread", requests={}, spread=(Spread(WEB, "pair"),)),
    web("wish-near", requests={}, near=(Near(WEB, ("pair",), weight=1),)),
    web("wish-apart", requests={}, apart=(Apart(WEB, "pair", weight=1),)),
    web("wish-spread", requests={}, spread=(Spread(WEB, "pair", weight=1),)),
]
TWENTY = [f"n{i}" for i in range(0, 40, 2)]


def settle(cluster: Cluster, name: str, node: str) -> None:
    cluster.settle(web(name), node)


# name, what happens to nodes with even numbers (their partners are n1, n3, ...)
NEWS: list[tuple[str, Callable[[Cluster], object]]] = [
    ("one comes", lambda c: settle(c, "new", "n100")),
    ("many come at once", lambda c: c.place(web("new", nodes=frozenset(TWENTY[10:])).copies(10))),
    ("one goes", lambda c: c.release("r4")),
    ("all go", lambda c: [c.release(f"r{i}") for i in range(20)]),
    ("its node leaves the domain", lambda c: c.relabel("n4", {"pair": "alone"})),
    ("its node loses the label", lambda c: c.relabel("n4", {"pair": None})),
    ("its node joins a domain", lambda c: c.relabel("n4", {"pair": "p60"})),
    ("an empty node joins its domain", lambda c: c.relabel("n121", {"pair": "p2"})),
    ("its node goes", lambda c: c.remove("n4")),
    ("a node comes into its domain", lambda c: c.add(Node("new", {"cpu": 8, "memory": "16Gi"}, {"pair": "p2"}))),
    ("undone", lambda c: c.snapshot.undo_to(c.snapshot.version - 5)),
]


@pytest.mark.parametrize("kind", BY_PAIR, ids=[one.name for one in BY_PAIR])
@pytest.mark.parametrize("event", [row[1] for row in NEWS], ids=[row[0] for row in NEWS])
@pytest.mark.parametrize("policy", ["pack", "spread"])
def test_a_kept_ranking_hears_of_the_other_rows_of_a_fine_domain(
    policy: str, event: Callable[[Cluster], object], kind: Workload
) -> None:
    nodes = [Node(f"n{i}", {"cpu": 8, "memory": "16Gi"}, {"pair": f"p{i // 2}"}) for i in range(400)]
    cluster = Cluster(nodes, policy)
    for i, name in enumerate(TWENTY):
        settle(cluster, f"r{i}", name)
    asked = Asked(cluster)
    asked.ask(kind)
    event(cluster)
    asked.every_row(kind)
    asked.ask(kind)
