"""What if: the outcome of a change, decided on a fork; the cluster itself never moves."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bayplan import Cluster, ConfigError, Fallback, Group, Node, Selector, Strategy, Taint, Workload
from bayplan.engine.diff import Move, difference
from bayplan.engine.whatif import WhatIf
from tests.fingerprint import fingerprint


def start() -> Cluster:
    """a on n1, b on n2 (4 cpu each, one taken); big is pending, ssd wants a label nobody has."""
    cluster = Cluster([Node("n1", {"cpu": 4}, {"zone": "a"}), Node("n2", {"cpu": 4}, {"zone": "b"})], "spread")
    cluster.settle(Workload("a", {"cpu": 1}), "n1")
    cluster.settle(Workload("b", {"cpu": 1}), "n2")
    cluster.place(Workload("big", {"cpu": 4}), Workload("ssd", {"cpu": 1}, selector=Selector.of({"disk": "ssd"})))
    return cluster


# name, what if, gained, lost, moved
CASES: list[tuple[str, Callable[[WhatIf], WhatIf], list[str], list[str], list[str]]] = [
    ("nothing", lambda w: w, [], [], []),
    ("add", lambda w: w.add(Node("n3", {"cpu": 8})), ["big: pending -> n3"], [], []),
    (
        "add two",
        lambda w: w.add(Node("n3", {"cpu": 4}), Node("n4", {"cpu": 1}, {"disk": "ssd"})),
        ["big: pending -> n3", "ssd: pending -> n4"],
        [],
        [],
    ),
    ("drain", lambda w: w.drain("n1"), [], [], ["a: n1 -> n2"]),
    ("remove", lambda w: w.remove("n2"), [], [], ["b: n2 -> n1"]),
    ("remove both", lambda w: w.remove("n1").remove("n2"), [], ["a: n1 -> pending", "b: n2 -> pending"], []),
    ("release", lambda w: w.release("a"), ["big: pending -> n1"], ["a: n1 -> pending"], []),
    ("relabel", lambda w: w.relabel("n1", {"disk": "ssd"}), ["ssd: pending -> n1"], [], []),
    ("relabel in vain", lambda w: w.relabel("n1", {"disk": "hdd"}), [], [], []),
    ("cordon: residents stay", lambda w: w.cordon("n1"), [], [], []),
    ("taint: residents stay", lambda w: w.taint("n1", [Taint("spot")]), [], [], []),
    (
        "submit",
        lambda w: w.submit(Workload("new", {"cpu": 2}, selector=Selector.of({"zone": "b"}))),
        ["new: pending -> n2"],
        [],
        [],
    ),
    ("two at once", lambda w: w.drain("n1").add(Node("n3", {"cpu": 8})), ["big: pending -> n3"], [], ["a: n1 -> n3"]),
]


@pytest.mark.parametrize("change, gained, lost, moved", [row[1:] for row in CASES], ids=[row[0] for row in CASES])
def test_what_a_change_would_do(change: Callable[[WhatIf], WhatIf], gained: list[str], lost: list[str], moved: list[str]) -> None:
    cluster = start()
    before, waiting = fingerprint(cluster.snapshot), cluster.pending.ids
    outcome = change(cluster.whatif()).plan()
    assert [str(one) for one in outcome.gained] == gained
    assert sorted(str(one) for one in outcome.lost) == lost
    assert [str(one) for one in outcome.moved] == moved
    assert (fingerprint(cluster.snapshot), cluster.pending.ids) == (before, waiting), "nothing happened to the cluster"


def test_another_policy_places_everything_anew() -> None:
    cluster = start()
    before = fingerprint(cluster.snapshot)
    outcome = cluster.whatif().use("pack").plan()
    assert set(outcome.cluster.assignments) == {"a", "b", "big"}, "packing a and b leaves a whole node for big"
    assert outcome.cluster.assignments["a"] == outcome.cluster.assignments["b"]
    assert outcome.cluster.policy.name == "pack"
    assert (fingerprint(cluster.snapshot), cluster.policy.name) == (before, "spread")


def test_the_outcome_in_words_and_data() -> None:
    outcome = start().whatif().drain("n1").relabel("n2", {"disk": "ssd", "zone": None}).use("pack").plan()
    assert outcome.changes == ("drain n1", "relabel n2 disk=ssd, zone-", "policy pack")
    assert str(outcome).splitlines()[0] == "1 gain a place, 0 lose theirs, 1 move, 2 stay"
    assert outcome.as_json() == {
        "changes": ["drain n1", "relabel n2 disk=ssd, zone-", "policy pack"],
        "gained": [{"workload": "ssd", "before": None, "after": "n2"}],
        "lost": [],
        "moved": [{"workload": "a", "before": "n1", "after": "n2"}],
        "unchanged": 2,
    }


def test_taints_are_told_as_what_was_done() -> None:
    cluster = Cluster([Node("n", {"cpu": 1}, taints=[Taint("x"), Taint("x", "1"), Taint("y")])])
    outcome = cluster.whatif().untaint("n", "x").plan()
    assert outcome.changes == ("remove taint x from n",)
    assert outcome.cluster.snapshot.node("n").taints == (Taint("y"),)
    assert cluster.whatif().taint("n", []).plan().changes == ("remove all taints from n",)


def test_the_cluster_as_it_would_be_can_be_asked_anything() -> None:
    outcome = start().whatif().add(Node("n3", {"cpu": 8})).plan()
    assert outcome.cluster.why("big").chosen == "n3"
    assert [one.workload for one in outcome.plan] == ["big"]


@pytest.mark.parametrize(
    "ask, says",
    [
        (lambda w: w.drain("n9"), "there is no node 'n9'"),
        (lambda w: w.add(Node("n1")), "already a node 'n1'"),
        (lambda w: w.use("packed"), "there is no preset 'packed'"),
        (lambda w: w.release("nobody"), "no workload 'nobody'"),
        (lambda w: w.untaint("n1", "x"), "node 'n1' has no taint 'x'"),
        (lambda w: w.submit(Workload("a")), "already a workload 'a'"),
    ],
)
def test_impossible_questions(ask: Callable[[WhatIf], WhatIf], says: str) -> None:
    cluster = start()
    before = fingerprint(cluster.snapshot)
    with pytest.raises(ConfigError, match=says):
        ask(cluster.whatif()).plan()
    assert fingerprint(cluster.snapshot) == before


def test_the_difference_of_two_states() -> None:
    before = {"a": "n1", "b": "n2", "c": None, "d": "n1"}
    after = {"a": "n1", "b": "n3", "c": "n1", "e": None}
    moves, unchanged = difference(before, after)
    assert moves == (Move("b", "n2", "n3"), Move("c", None, "n1"), Move("d", "n1", None))
    assert unchanged == 2


# --- what was asked for is asked for again, not what came of it ---

PICKY = Workload("w", {"cpu": 1}, selector=Selector.of({"disk": "ssd"}), fallbacks=(Fallback(selector=Selector.of({})),))


@pytest.mark.parametrize(
    "change", [lambda w: w.drain("n1"), lambda w: w.remove("n1"), lambda w: w.use("pack")], ids=["drain", "remove", "policy"]
)
def test_a_workload_on_its_fallback_gets_its_first_wish_when_it_can(change: Callable[[WhatIf], WhatIf]) -> None:
    cluster = Cluster([Node("n1", {"cpu": 4})])
    cluster.place(PICKY)
    ssd = Node("n2", {"cpu": 4}, {"disk": "ssd"})
    outcome = change(cluster.whatif().add(ssd)).plan()
    assert outcome.cluster.assignments == {"w": "n2"}
    assert outcome.cluster.why("w").fallback == 0


def test_a_gang_stays_a_gang_under_another_policy() -> None:
    """Packing must not put the members of a STRICT_SPREAD group on one node."""
    cluster = Cluster([Node("n1", {"cpu": 4}), Node("n2", {"cpu": 4})], "spread")
    cluster.place(Group("g", tuple(Workload("m", {"cpu": 1}).copies(2)), Strategy.STRICT_SPREAD))
    outcome = cluster.whatif().use("pack").plan()
    assert sorted(outcome.cluster.assignments.values()) == ["n1", "n2"]


def test_a_drained_member_keeps_the_rule_of_its_gang() -> None:
    """The other member is on n2, so the drained one may go to n3 only, however full n2 is."""
    cluster = Cluster([Node("n1", {"cpu": 4}), Node("n2", {"cpu": 4})], "pack")
    cluster.place(Group("g", tuple(Workload("m", {"cpu": 1}).copies(2)), Strategy.STRICT_SPREAD))
    outcome = cluster.whatif().add(Node("n3", {"cpu": 4})).drain("n1").plan()
    assert sorted(outcome.cluster.assignments.values()) == ["n2", "n3"]


def test_two_drained_members_of_one_kind_keep_apart() -> None:
    """They are alike, but not decided in one go: each keeps the rule of its gang."""
    cluster = Cluster([Node(f"n{i}", {"cpu": 4}) for i in range(4)], "pack")
    cluster.place(Group("g", tuple(Workload("m", {"cpu": 1}).copies(2)), Strategy.STRICT_SPREAD))
    moved = [one for name in set(cluster.assignments.values()) for one in cluster.drain(name)]
    assert len({one.node for one in cluster.place(moved)}) == 2


GANG = Group("g", tuple(Workload("m", {"cpu": 1}).copies(3)), Strategy.STRICT_SPREAD)


@pytest.mark.parametrize(
    "change, left",
    [
        (lambda w: w.drain("n0").use("pack"), {"m-0", "m-1", "m-2"}),
        (lambda w: w.release("m-0").use("pack"), {"m-1", "m-2"}),
        (lambda w: w.drain("n0").drain("n1").drain("n2").use("pack").use("spread"), {"m-0", "m-1", "m-2"}),
    ],
    ids=["drain, then all anew", "a finished member stays finished", "all displaced"],
)
def test_a_gang_is_placed_anew_once_and_as_far_as_it_is_there(change: Callable[[WhatIf], WhatIf], left: set[str]) -> None:
    cluster = Cluster([Node(f"n{i}", {"cpu": 4}) for i in range(7)], "spread")
    cluster.place(GANG)
    outcome = change(cluster.whatif()).plan().cluster
    assert set(outcome.assignments) == left
    assert len(set(outcome.assignments.values())) == len(left)


def test_two_groups_of_one_name_are_two_groups() -> None:
    cluster = Cluster([Node("n", {"cpu": 4})])
    cluster.place(Group("g", (Workload("a", {"cpu": 1}),)), Group("g", (Workload("b", {"cpu": 1}),)))
    assert set(cluster.whatif().use("pack").plan().cluster.assignments) == {"a", "b"}


def test_what_was_displaced_can_be_released() -> None:
    cluster = Cluster([Node("n", {"cpu": 4}), Node("m", {"cpu": 4})], "pack")
    cluster.place(Workload("w", {"cpu": 1}))
    there = cluster.assignments["w"]
    assert cluster.whatif().drain(there).release("w").plan().cluster.assignments == {}


def test_the_last_of_a_packed_group_needs_room_for_itself_only() -> None:
    rack = {"rack": "r"}
    cluster = Cluster([Node("n1", {"cpu": 8}, rack), Node("n2", {"cpu": 4}, rack)], "pack")
    cluster.settle(Workload("other", {"cpu": 4}), "n2")
    cluster.place(Group("g", tuple(Workload("m", {"cpu": 2}).copies(4)), Strategy.STRICT_PACK, "rack"))
    for name in ("m-0", "m-1", "m-2", "other"):
        cluster.release(name)
    moved = cluster.drain("n1")
    assert [one.node for one in cluster.place(moved)] == ["n2"]
