"""Pending work: tried again when, and only when, something changed that could have helped it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bayplan import Apart, Cluster, Group, Near, Node, Selector, Spread, Taint, Workload

WEB = Selector.of({"app": "web"})


def full(count: int = 3) -> Cluster:
    """Nodes of 2 cpu, each filled by one resident r0, r1, ...; n0 is tainted, n1 in zone a, n2 has an ssd."""
    nodes = [Node(f"n{i}", {"cpu": 2}, {"zone": "a"} if i == 1 else {"disk": "ssd"} if i == 2 else {}) for i in range(count)]
    cluster = Cluster(nodes)
    for i in range(count):
        cluster.settle(Workload(f"r{i}", {"cpu": 2}, {"app": "web"}), f"n{i}")
    cluster.taint("n0", [Taint("spot")])
    return cluster


# name, the pending workload, the event, is it placed then
EVENTS: list[tuple[str, Workload, Callable[[Cluster], object], bool]] = [
    ("nothing happened", Workload("w", {"cpu": 1}), lambda c: None, False),
    ("room", Workload("w", {"cpu": 1}), lambda c: c.release("r1"), True),
    ("room, not enough", Workload("w", {"cpu": 3}), lambda c: c.release("r1"), False),
    ("room on a node it does not tolerate", Workload("w", {"cpu": 1}), lambda c: c.release("r0"), False),
    (
        "room on a node it does not want",
        Workload("w", {"cpu": 1}, selector=Selector.of({"disk": "ssd"})),
        lambda c: c.release("r1"),
        False,
    ),
    (
        "room on the node it wants",
        Workload("w", {"cpu": 1}, selector=Selector.of({"disk": "ssd"})),
        lambda c: c.release("r2"),
        True,
    ),
    ("a new node", Workload("w", {"cpu": 1}), lambda c: c.add(Node("n9", {"cpu": 1})), True),
    ("a new node, too small", Workload("w", {"cpu": 1}), lambda c: c.add(Node("n9", {"cpu": "500m"})), False),
    ("a taint goes, too", Workload("w", {"cpu": 1}), lambda c: (c.release("r0"), c.taint("n0", [])), True),
    ("a label comes", Workload("w", selector=Selector.of({"gpu": "yes"})), lambda c: c.relabel("n1", {"gpu": "yes"}), True),
    (
        "a neighbour comes",
        Workload("w", near=(Near(Selector.of({"app": "db"}), ("zone",)),)),
        lambda c: c.settle(Workload("db", labels={"app": "db"}), "n1"),
        True,
    ),
    (
        "a neighbour comes to the wrong place",
        Workload("w", near=(Near(Selector.of({"app": "db"}), ("zone",)),)),
        lambda c: c.settle(Workload("db", labels={"app": "db"}), "n2"),
        False,
    ),
    ("a rival goes", Workload("w", apart=(Apart(WEB),)), lambda c: c.release("r1"), True),
    (
        "a rival goes from the zone",
        Workload("w", apart=(Apart(WEB, "zone"),), selector=Selector.of({"zone": "a"})),
        lambda c: c.release("r1"),
        True,
    ),
    (
        "the others catch up",
        Workload("w", {}, {"app": "x"}, spread=(Spread(WEB, "zone"),), selector=Selector.of({"zone": "b"})),
        lambda c: c.relabel("n2", {"zone": "b"}),
        True,
    ),
    ("a node goes", Workload("w", {"cpu": 1}), lambda c: c.remove("n1"), False),
]


@pytest.mark.parametrize("workload, event, placed", [row[1:] for row in EVENTS], ids=[row[0] for row in EVENTS])
def test_what_an_event_does_to_pending_work(workload: Workload, event: Callable[[Cluster], object], placed: bool) -> None:
    cluster = full()
    assert cluster.place(workload).pending
    event(cluster)
    plan = cluster.retry()
    assert ([one.workload for one in plan.placed] == ["w"]) is placed
    assert ("w" in cluster.pending) is not placed


def test_retrying_without_an_event_looks_at_nothing() -> None:
    cluster = full()
    cluster.place(Workload("w", {"cpu": 1}).copies(50))
    cluster.retry()
    looked = cluster.pending.examined
    cluster.retry()
    assert cluster.pending.examined == looked


def test_one_release_costs_one_row_for_each_kind_however_many_wait() -> None:
    cluster = full(40)
    cluster.place(Workload("a", {"cpu": 3}).copies(200), Workload("b", {"cpu": 4}).copies(200))
    cluster.retry()
    looked = cluster.pending.examined
    cluster.release("r7")
    assert list(cluster.retry()) == []
    assert cluster.pending.examined - looked == 2, "two kinds, one row each"


def test_what_was_looked_at_in_vain_is_not_looked_at_again() -> None:
    cluster = full(10)
    cluster.place(Workload("w", {"cpu": 3}))
    cluster.release("r5")
    cluster.retry()
    looked = cluster.pending.examined
    cluster.retry()
    assert cluster.pending.examined == looked


def test_asking_why_costs_a_retry_no_more_than_the_nearest_nodes() -> None:
    """Explaining tries its smallest change on the nearest nodes and takes it back; those rows are looked at again."""
    cluster = full(50)
    cluster.place(Workload("w", {"cpu": 1}, selector=Selector.of({"disk": "tape"})))
    cluster.retry()
    looked = cluster.pending.examined
    cluster.why("w")
    assert list(cluster.retry()) == []
    assert cluster.pending.examined - looked <= 5


def test_the_important_first_then_in_order_of_arrival() -> None:
    cluster = full()
    cluster.place(Workload("early", {"cpu": 1}), Workload("late", {"cpu": 1}), Workload("urgent", {"cpu": 1}, priority=5))
    cluster.release("r1")
    assert [one.workload for one in cluster.retry()] == ["urgent", "early"]


def test_a_try_in_vain_does_not_cost_the_place_in_the_queue() -> None:
    """The first room goes to early-0, and early-1 tries in vain; `late`, which came later, must still wait for it."""
    cluster = full()
    cluster.place(Workload("early", {"cpu": 2}).copies(2))
    cluster.place(Workload("late", {"cpu": 2}, selector=Selector.of({"disk": "ssd"})))
    cluster.release("r1")
    assert cluster.retry().assignments == {"early-0": "n1"}
    cluster.release("r2")
    assert cluster.retry().assignments == {"early-1": "n2"}


def test_one_that_finds_a_place_may_help_the_next() -> None:
    """`near` waits for a db, and the db waits for room."""
    cluster = full()
    db = Selector.of({"app": "db"})
    cluster.place(Workload("follower", {"cpu": "100m"}, near=(Near(db),)), Workload("db", {"cpu": 1}, {"app": "db"}))
    cluster.release("r1")
    assert cluster.retry().assignments == {"db": "n1", "follower": "n1"}


def test_a_group_waits_as_one() -> None:
    cluster = full()
    cluster.place(Group("g", tuple(Workload("m", {"cpu": 2}).copies(2))))
    cluster.release("r1")
    assert list(cluster.retry()) == []
    assert cluster.pending.ids == ["m-0", "m-1"]
    cluster.release("r2")
    assert sorted(cluster.retry().assignments.values()) == ["n1", "n2"]


def test_a_pending_workload_can_be_withdrawn() -> None:
    cluster = full()
    cluster.place(Workload("w", {"cpu": 1}))
    cluster.release("w")
    cluster.release("r1")
    assert list(cluster.retry()) == []
    assert len(cluster.pending) == 0


def test_a_forks_queue_is_its_own() -> None:
    cluster = full()
    cluster.place(Workload("w", {"cpu": 1}))
    twin = cluster.fork()
    twin.release("r1")
    assert [one.workload for one in twin.retry()] == ["w"]
    assert cluster.pending.ids == ["w"]
    assert list(cluster.retry()) == []


def test_a_fork_still_tries_what_its_parent_had_not_yet_tried() -> None:
    cluster = full()
    cluster.place(Workload("w", {"cpu": 1}))
    cluster.release("r1")
    assert [one.workload for one in cluster.fork().retry()] == ["w"]
    assert [one.workload for one in cluster.whatif().plan().gained] == ["w"]
