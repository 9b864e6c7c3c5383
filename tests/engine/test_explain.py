"""Explanations in words: whole sentences for whole situations, and the same as data."""

from __future__ import annotations

import json

import pytest

from bayplan import Apart, Cluster, Fallback, Group, Near, Node, Preference, Selector, Spread, Strategy, Taint, Workload

WEB = Selector.of({"app": "web"})


def lines(text: str) -> str:
    """A block of text, without its indentation and first line break."""
    rows = text.strip("\n").splitlines()
    margin = min(len(row) - len(row.lstrip()) for row in rows if row.strip())
    return "\n".join(row[margin:] for row in rows).rstrip()


def test_placed() -> None:
    cluster = Cluster([Node("n1", {"cpu": 4}, {"disk": "ssd"}), Node("n2", {"cpu": 8})], "pack")
    cluster.place(Workload("w", {"cpu": 1}, preferences=(Preference(Selector.of({"disk": "ssd"}), 0.5),)))
    assert str(cluster.why("w")) == lines("""
        w is on n1: score 0.7500, 2 of 2 nodes fit.
          packing: most cpu: +0.2500  (n2: +0.1250)
          preference: labels: +0.5000  (n2: +0.0000)
    """)


def test_placed_without_a_runner_up() -> None:
    cluster = Cluster([Node("n1", {"cpu": 4}), Node("n2", {"cpu": 1})], "pack")
    cluster.place(Workload("w", {"cpu": 2}))
    assert str(cluster.why("w")) == lines("""
        w is on n1: score 0.5000, 1 of 2 nodes fit.
          packing: most cpu: +0.5000
          1 x fit (never): n2 needs 2 cpu, the node has 1
    """)


def test_pending() -> None:
    """Two full nodes, a tainted one, one in the wrong zone."""
    zone = {"zone": "a"}
    nodes = [Node("full", {"cpu": 4}, zone), Node("fuller", {"cpu": 4}, zone), Node("spot", {"cpu": 4}, zone, [Taint("spot")])]
    cluster = Cluster([*nodes, Node("away", {"cpu": 4}, {"zone": "b"})])
    cluster.settle(Workload("r", {"cpu": "2500m"}), "full")
    cluster.settle(Workload("s", {"cpu": 4}), "fuller")
    cluster.place(Workload("w", {"cpu": 2}, selector=Selector.of(zone)))
    assert str(cluster.why("w")) == lines("""
        w is pending: none of 4 nodes fits.
          2 x fit (busy): full needs 2 cpu, 1500m of 4 free
          1 x selector (never): away wants zone in (a), it is 'b'
          1 x taints (never): spot has the taint spot:NoSchedule, which is not tolerated
          nearest full: needs 2 cpu, 1500m of 4 free
          nearest fuller: needs 2 cpu, 0 of 4 free
          nearest away: wants zone in (a), it is 'b'
          nearest spot: has the taint spot:NoSchedule, which is not tolerated
          smallest change: on full: free 500m more cpu
    """)


def test_impossible() -> None:
    cluster = Cluster([Node("n", {"cpu": 4})])
    cluster.place(Workload("w", {"cpu": 8}))
    assert str(cluster.why("w")) == lines("""
        w can never be placed: none of 1 nodes fits.
          1 x fit (never): n needs 8 cpu, the node has 4
          nearest n: needs 8 cpu, the node has 4
          smallest change: on n: ask for at most 4 cpu (of 4)
    """)


def test_a_workload_that_was_never_asked_for() -> None:
    cluster = Cluster([Node("n1", {"cpu": 4}), Node("n2", {"cpu": 1})])
    assert str(cluster.why(Workload("w", {"cpu": 2}))) == lines("""
        w would fit on 1 of 2 nodes.
          1 x fit (never): n2 needs 2 cpu, the node has 1
    """)
    assert cluster.assignments == {}


def test_nothing_at_all() -> None:
    assert str(Cluster().why(Workload("w"))) == "w can never be placed: none of 0 nodes fits."


# --- one sentence for each rule ---

ONE = Node("n", {"cpu": 4, "memory": "8Gi"}, {"zone": "a", "tier": "2"}, devices={"gpu": 2})
RESIDENT = Workload("r", {"cpu": 1, "memory": "6Gi", "gpu": 0.6}, {"app": "web"})
DB = Selector.of({"app": "db"})

# what is asked of ONE, on which RESIDENT lives; what is said
SENTENCES: list[tuple[dict[str, object], list[str]]] = [
    ({"requests": {"cpu": "3500m"}}, ["needs 3500m cpu, 3 of 4 free"]),
    ({"requests": {"memory": "4Gi"}}, ["needs 4Gi memory, 2Gi of 8Gi free"]),
    ({"requests": {"tpu": 1}}, ["needs 1 tpu, the node has 0"]),
    ({"requests": {"gpu": 2}}, ["needs 2 whole gpu, 1 of 2 devices are wholly free"]),
    ({"requests": {"gpu": 3}}, ["needs 3 gpu, the node has 2 devices"]),
    ({"requests": {"gpu": 1.2}}, ["1.2 gpu is neither a share of one device nor a whole number of devices"]),
    ({"selector": Selector.of({"zone": "b"})}, ["wants zone in (b), it is 'a'"]),
    ({"selector": Selector.of({"disk": "ssd"})}, ["wants disk in (ssd), it is absent"]),
    (
        {"selector": Selector.of({"zone": "b"}) | Selector.of({"tier": "1", "disk": "x"})},
        ["none of 2 alternatives matches; nearest: wants zone in (b), it is 'a'"],
    ),
    ({"nodes": frozenset({"m"})}, ["wants node name in (m), it is 'n'"]),
    ({"near": (Near(DB, ("zone",)),)}, ["must be near app in (db) by zone: nobody matching is in zone a"]),
    ({"near": (Near(DB),)}, ["must be near app in (db) by node: nobody matching is in this node"]),
    ({"near": (Near(DB, ("rack",)),)}, ["must be near app in (db) by rack, and the node has no label rack"]),
    ({"apart": (Apart(WEB),)}, ["must be apart from app in (web) by node: the node has 1"]),
    ({"apart": (Apart(WEB, "zone"),)}, ["must be apart from app in (web) by zone: zone a has 1"]),
    (
        {"labels": {"app": "web"}, "spread": (Spread(WEB, "zone", min_domains=2),)},
        ["must spread app in (web) over zone within 1: zone a has 1, the emptiest has 0"],
    ),
    ({"spread": (Spread(WEB, "rack"),)}, ["must spread app in (web) over rack within 1, and the node has no label rack"]),
]


@pytest.mark.parametrize("fields, says", SENTENCES, ids=[row[1][0] for row in SENTENCES])
def test_sentences(fields: dict[str, object], says: list[str]) -> None:
    cluster = Cluster([ONE])
    cluster.place(RESIDENT)
    assert [str(one) for one in cluster.why(Workload(**{"name": "w", **fields})).node("n")] == says  # type: ignore[arg-type]


def test_a_resident_that_objects() -> None:
    cluster = Cluster([ONE])
    cluster.place(Workload("loner", labels={"app": "db"}, apart=(Apart(WEB, "zone", at_most=2), Apart(WEB))))
    cluster.place(Workload("loner-2", labels={"app": "db"}, apart=(Apart(WEB),)))
    assert [str(one) for one in cluster.why(Workload("w", labels={"app": "web"})).node("n")] == [
        "2 residents of the node must be apart from app in (web) by node"
    ]


# --- alternatives and groups ---


def test_a_fallback_says_why_the_wishes_before_it_failed() -> None:
    ssd, hdd = Selector.of({"disk": "ssd"}), Selector.of({"disk": "hdd"})
    cluster = Cluster([Node("n", {"cpu": 4}, {"disk": "hdd"})])
    cluster.place(Workload("w", {"cpu": 1}, selector=ssd, fallbacks=(Fallback(selector=hdd),)))
    why = cluster.why("w")
    assert (why.chosen, why.fallback) == ("n", 1)
    assert [str(one.node("n")[0]) for one in why.earlier] == ["wants disk in (ssd), it is 'hdd'"]
    assert why.as_json()["fallback"] == 1


def test_all_alternatives_of_a_pending_workload_are_explained() -> None:
    cluster = Cluster([Node("n", {"cpu": 4})])
    cluster.place(Workload("w", {"cpu": 8}, fallbacks=(Fallback(requests={"cpu": 6}), Fallback(requests={"cpu": 5}))))  # type: ignore[arg-type]
    why = cluster.why("w")
    assert [str(one.node("n")[0]) for one in (why, *why.earlier)] == [f"needs {n} cpu, the node has 4" for n in (8, 6, 5)]


def test_a_pending_gang_hangs_on_the_member_that_finds_no_node() -> None:
    cluster = Cluster([Node("n1", {"cpu": 2}), Node("n2", {"cpu": 2})], "pack")
    cluster.place(Group("g", tuple(Workload("m", {"cpu": 2}).copies(3)), Strategy.SPREAD))
    why = cluster.why("m-0")
    assert (why.group, why.workload) == ("g", "m-2")
    assert why.note == "group 'g' is placed whole or not at all: 2 of 3 members find a node, m-2 does not"
    assert why.assumed == (("m-0", "n2"), ("m-1", "n1")), "the reasons hold while these are seated, which they are not"
    assert why.as_json()["assumed"] == {"m-0": "n2", "m-1": "n1"}
    assert str(why) == lines("""
        group g is pending: m-2 finds none of 2 nodes.
          group 'g' is placed whole or not at all: 2 of 3 members find a node, m-2 does not
          assuming the first 2 members seated on n2, n1:
          2 x fit (busy): n2 needs 2 cpu, 0 of 2 free
          nearest n2: needs 2 cpu, 0 of 2 free
          nearest n1: needs 2 cpu, 0 of 2 free
          smallest change: on n2: free 2 more cpu
    """)
    assert [(one.rule, one.no, one.nodes) for one in why.counts] == [("fit", "busy", 2)]
    assert cluster.assignments == {}


def test_a_node_that_is_short_of_devices_is_counted_once() -> None:
    cluster = Cluster([ONE, Node("plain", {"gpu": 1})])
    cluster.place(RESIDENT)
    why = cluster.why(Workload("w", {"gpu": 2}))
    assert [(one.rule, one.no, one.nodes) for one in why.counts] == [("devices", "busy", 1), ("fit", "never", 1)]
    assert [[one.rule for one in miss.reasons] for miss in why.nearest] == [["devices"], ["fit"]]


def test_the_fallbacks_of_a_pending_group_come_after_its_own_reasons() -> None:
    small = Group("g", (Workload("s", {"cpu": 8}),))
    cluster = Cluster([Node("n", {"cpu": 4})])
    cluster.place(Group("g", (Workload("m", {"cpu": 9}),), fallbacks=(small,)))
    assert str(cluster.why("m")) == lines("""
        group g can never be placed: m finds none of 1 nodes.
          group 'g' is placed whole or not at all: 0 of 1 members find a node, m does not
          1 x fit (never): n needs 9 cpu, the node has 4
          nearest n: needs 9 cpu, the node has 4
          smallest change: on n: ask for at most 4 cpu (of 4)
          fallback 1: group 'g' is placed whole or not at all: 0 of 1 members find a node, s does not
            1 x fit (never): n needs 8 cpu, the node has 4
    """)


def test_a_strict_spread_gang_names_its_own_members_as_the_reason() -> None:
    cluster = Cluster([Node("n1", {"cpu": 8}), Node("n2", {"cpu": 8})])
    cluster.place(Group("g", tuple(Workload("m", {"cpu": 1}).copies(3)), Strategy.STRICT_SPREAD))
    assert [str(one) for one in cluster.why("m-0").node("n1")] == ["another member of group 'g' is already in this node"]


def test_a_strict_pack_gang_says_that_no_domain_has_room_for_all() -> None:
    cluster = Cluster([Node("n1", {"cpu": 3}), Node("n2", {"cpu": 3})])
    cluster.place(Group("g", tuple(Workload("m", {"cpu": 2}).copies(2)), Strategy.STRICT_PACK))
    assert [str(one) for one in cluster.why("m-0").node("n1")] == [
        "no single node has room for all 2 members: node n2 comes nearest, with 3 of 4 cpu free"
    ]


def test_a_strict_pack_gang_names_the_domain_that_comes_nearest_and_what_it_is_short_of() -> None:
    nodes = [Node(f"{zone}{i}", {"cpu": 4, "memory": "8Gi"}, {"zone": zone}) for zone in "ab" for i in range(2)]
    cluster = Cluster([*nodes, Node("bare", {"cpu": 99, "memory": "99Gi"})])
    cluster.settle(Workload("r", {"cpu": 1}), "a0")
    cluster.place(Group("g", tuple(Workload("m", {"cpu": 3, "memory": "5Gi"}).copies(4)), Strategy.STRICT_PACK, "zone"))
    why = cluster.why("m-0")
    nearest = "zone b comes nearest, with 8 of 12 cpu, 16Gi of 20Gi memory free"
    assert [str(one) for one in why.node("a1")] == [f"no single zone has room for all 4 members: {nearest}"]
    assert dict(why.node("a1")[0].facts) == {
        "group": "g", "domain": "b", "resource": "cpu", "free": 80_000, "requested": 120_000
    }  # fmt: skip
    assert [str(one) for one in why.node("bare")] == ["the group is placed by zone, and the node has no such label"]
    json.dumps(why.as_json(every_node=True))


def test_a_gang_that_would_fit_now() -> None:
    cluster = Cluster([Node("n1", {"cpu": 4})])
    assert cluster.why(Group("g", tuple(Workload("m", {"cpu": 1}).copies(2)))).note == "the whole group 'g' fits now (2 members)"


# --- data ---


def test_the_same_as_data() -> None:
    cluster = Cluster([Node("n", {"cpu": 4})])
    cluster.settle(Workload("r", {"cpu": 1}), "n")
    cluster.place(Workload("w", {"cpu": 4}))
    reason = {
        "rule": "fit",
        "topic": "cpu",
        "no": "busy",
        "sentence": "needs 4 cpu, 3 of 4 free",
        "facts": {"requested": 40_000, "free": 30_000, "capacity": 40_000, "short": 10_000},
    }
    assert json.loads(json.dumps(cluster.why("w").as_json(every_node=True))) == {
        "workload": "w",
        "status": "pending",
        "policy": "balanced",
        "nodes": 1,
        "feasible": 0,
        "reasons": [{"rule": "fit", "topic": "cpu", "no": "busy", "nodes": 1, "example": "n needs 4 cpu, 3 of 4 free"}],
        "nearest": [{"node": "n", "reasons": [reason]}],
        "change": {"node": "n", "edits": ["free 1 more cpu"], "proven": True},
        "scores": [],
        "every_node": {"n": [reason]},
    }


def test_every_reason_can_be_written_as_json() -> None:
    cluster = Cluster([ONE])
    cluster.place(RESIDENT)
    for fields, _ in SENTENCES:
        json.dumps(cluster.why(Workload(**{"name": "w", **fields})).as_json(every_node=True))  # type: ignore[arg-type]


def test_the_smallest_change_is_looked_for_among_all_kinds_of_misses() -> None:
    """Six busy nodes are nearer than the tainted one, but one toleration is all it takes."""
    web = {"app": "web"}
    nodes = [Node(f"a{i}", {"cpu": 4}, {"zone": "a"}) for i in range(6)]
    cluster = Cluster([*nodes, Node("b", {"cpu": 4}, {"zone": "b"}, [Taint("x")])])
    cluster.settle(Workload("there", {"cpu": 1}, web), "a0")
    spread = Workload("w", {"cpu": 1}, web, spread=[Spread(web, by="zone")])
    assert str(cluster.why(spread).change) == "on b: tolerate x:NoSchedule"


def test_what_was_settled_against_the_rules_is_explained_as_such() -> None:
    cluster = Cluster([Node("n", {"cpu": 4}, taints=[Taint("x")])])
    cluster.settle(Workload("old", {"cpu": 1}), "n")
    assert [line.strip() for line in cluster.why("old").lines()][:3] == [
        "old is on n: 0 of 1 nodes fit.",
        "packing: least cpu: +0.7500",
        "balance: cpu, memory: +1.0000",
    ]
    assert cluster.why("old").note == "it was put there; the rules would not: has the taint x:NoSchedule, which is not tolerated"


def test_scores_of_every_node_split_up_by_rule_and_resource() -> None:
    nodes = [
        Node("cpu", {"cpu": 8, "memory": "8Gi"}),
        Node("gpu", {"cpu": 8, "memory": "8Gi", "gpu": 4}),
        Node("tiny", {"cpu": 1}),
    ]
    cluster = Cluster(nodes, "ai-mixed")
    found = {one.node: one for one in cluster.why(Workload("w", {"cpu": 2})).scores()}
    assert list(found) == ["cpu", "gpu", "tiny"], "those that fit first, the best first"
    assert [one.fits for one in found.values()] == [True, True, False]
    parts = (("packing", "least cpu", 0.75), ("scarcity", "without gpu", 1.0), ("scarcity", "without nvidia.com/gpu", 1.0))
    assert found["gpu"].parts[:2] == (("packing", "least cpu", 0.75), ("scarcity", "without gpu", 0.0))
    assert found["cpu"].parts[:3] == parts
    assert found["gpu"].as_json()["parts"][0] == {"rule": "packing", "topic": "least cpu", "score": 0.75}  # type: ignore[index]
    assert (found["cpu"].of("packing"), found["cpu"].score, found["gpu"].score) == (0.75, 2.75, 1.75)
