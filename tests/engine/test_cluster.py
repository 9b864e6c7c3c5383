"""The cluster a user holds: one verb for each question, and what is said when it is asked wrongly."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bayplan import Cluster, ConfigError, Device, Group, Node, NodeTemplate, PlacementError, Selector, Status, Taint, Workload, gt


def test_five_lines() -> None:
    cluster = Cluster([Node("n1", {"cpu": 4}), Node("n2", {"cpu": 8})], policy="pack")
    plan = cluster.place(Workload("web", {"cpu": 2}).copies(3))
    assert plan.assignments == {"web-0": "n1", "web-1": "n1", "web-2": "n2"}
    assert cluster.why("web-0").chosen == "n1"
    assert cluster.whatif().drain("n1").plan().cluster.assignments == {"web-0": "n2", "web-1": "n2", "web-2": "n2"}


def test_place_takes_workloads_groups_and_lists_of_them() -> None:
    cluster = Cluster([Node("n", {"cpu": 100})])
    w = Workload("w", {"cpu": 1})
    plan = cluster.place(w, w.named("x").copies(2), Group("g", tuple(w.named("m").copies(2))), (w.named(n) for n in ("y", "z")))
    assert [one.workload for one in plan] == ["w", "x-0", "x-1", "m-0", "m-1", "y", "z"]
    assert cluster.place() == cluster.place([])
    assert len(cluster.place()) == 0


# name, request, status on a node of 4 cpu of which 1 is taken
FATES = [
    ("fits", Workload("w", {"cpu": 3}), Status.PLACED),
    ("later", Workload("w", {"cpu": 4}), Status.PENDING),
    ("never", Workload("w", {"cpu": 5}), Status.IMPOSSIBLE),
    ("no such label", Workload("w", selector=Selector.of({"zone": "b"})), Status.IMPOSSIBLE),
    ("contradiction", Workload("w", selector=Selector.of({"zone": gt(5)}) & Selector.of({"zone": "a"})), Status.IMPOSSIBLE),
]


@pytest.mark.parametrize("workload, status", [row[1:] for row in FATES], ids=[row[0] for row in FATES])
def test_fates(workload: Workload, status: Status) -> None:
    cluster = Cluster([Node("n", {"cpu": 4}, {"zone": "a"})])
    cluster.settle(Workload("r", {"cpu": 1}), "n")
    plan = cluster.place(workload)
    assert plan[0].status is status
    assert (len(plan.placed), len(plan.pending)) == ((1, 0) if status is Status.PLACED else (0, 1))


def test_what_could_be_bought_keeps_hope() -> None:
    large = NodeTemplate("large", Node("large", {"cpu": 64}))
    sold_out = NodeTemplate("huge", Node("huge", {"cpu": 640}), maximum=0)
    cluster = Cluster([Node("n", {"cpu": 4})], templates=[large, sold_out])
    assert cluster.place(Workload("w", {"cpu": 60}))[0].status is Status.PENDING
    assert cluster.place(Workload("x", {"cpu": 600}))[0].status is Status.IMPOSSIBLE


def test_a_plan_and_its_decisions_as_data() -> None:
    cluster = Cluster([Node("n", {"cpu": 4}, devices=[Device("gpu", "left"), Device("gpu", "right")])], "pack")
    plan = cluster.place(Workload("w", {"gpu": 1}, namespace="prod"), Group("g", (Workload("m", {"cpu": 8}),)))
    assert plan.as_json() == {
        "placed": 1,
        "pending": 1,
        "decisions": [
            {
                "workload": "prod/w",
                "status": "placed",
                "node": "n",
                "score": pytest.approx(1 / 3, abs=1e-9),
                "devices": {"gpu": ["left"]},
            },
            {"workload": "m", "status": "impossible", "node": None, "group": "g"},
        ],
    }
    assert [one.workload for one in plan[:1]] == ["prod/w"]


# --- dynamic labels, taints, cordons ---


def test_labels_can_change_at_run_time() -> None:
    cluster = Cluster([Node("n", {"cpu": 4}, {"zone": "a", "old": "yes"})])
    fresh = Workload("w", selector=Selector.of({"load": gt(3)}))
    assert cluster.place(fresh)[0].status is Status.IMPOSSIBLE
    cluster.relabel("n", {"load": "5", "old": None})
    assert cluster.snapshot.node("n").labels == {"zone": "a", "load": "5"}
    assert cluster.retry().assignments == {"w": "n"}
    cluster.relabel("n", {"load": "2"})
    assert cluster.assignments == {"w": "n"}, "who runs, runs"
    assert not cluster.place(fresh.named("next"))[0].placed


def test_taint_cordon_and_drain() -> None:
    cluster = Cluster([Node("n1", {"cpu": 4}), Node("n2", {"cpu": 2})])
    cluster.settle(Workload("a", {"cpu": 1}), "n1")
    cluster.taint("n2", [Taint("spot")])
    cluster.cordon("n1")
    assert not cluster.place(Workload("b", {"cpu": 1}))[0].placed
    cluster.cordon("n1", False)
    assert cluster.retry().assignments == {"b": "n1"}
    homeless = cluster.drain("n1")
    assert [one.id for one in homeless] == ["a", "b"]
    assert cluster.assignments == {}
    assert cluster.snapshot.node("n1").cordoned
    cluster.taint("n2", [])
    assert cluster.place(homeless).assignments == {"a": "n2", "b": "n2"}


def test_a_removed_node_gives_back_its_workloads_as_they_were_asked_for() -> None:
    cluster = Cluster([Node("n", {"cpu": 4})])
    asked = [Workload("a", {"cpu": 1}, {"app": "web"}, "prod", owner="job"), Workload("b")]
    cluster.place(asked)
    assert cluster.remove("n") == asked
    assert (cluster.assignments, cluster.snapshot.nodes()) == ({}, [])


def test_settle_says_what_runs_already() -> None:
    cluster = Cluster([Node("n", {"cpu": 2}, cordoned=True)])
    cluster.settle(Workload("a", {"cpu": 2}), "n")
    assert cluster.assignments == {"a": "n"}
    with pytest.raises(PlacementError, match="'b' does not fit on node 'n': 1 of cpu asked, 0 free"):
        cluster.settle(Workload("b", {"cpu": 1}), "n")


def test_another_policy_from_now_on() -> None:
    cluster = Cluster([Node("n1", {"cpu": 4}), Node("n2", {"cpu": 4})], "pack")
    first = cluster.place(Workload("a", {"cpu": 1}).copies(2)).assignments
    assert len(set(first.values())) == 1
    cluster.use("spread")
    assert cluster.place(Workload("b", {"cpu": 1}))[0].node not in first.values()


# --- errors ---


def busy() -> Cluster:
    cluster = Cluster([Node("node-1", {"cpu": 1})])
    cluster.place(Workload("web", {"cpu": 1}), Workload("waiting", {"cpu": 1}))
    return cluster


# name, what is asked, what is said
MISTAKES: list[tuple[str, Callable[[Cluster], object], str]] = [
    ("placed twice", lambda c: c.place(Workload("web")), "there is already a workload 'web'"),
    ("pending twice", lambda c: c.place(Workload("waiting")), "there is already a workload 'waiting'"),
    ("twice in one call", lambda c: c.place(Workload("a"), Workload("a", {"cpu": 1})), "there is already a workload 'a'"),
    ("in a group", lambda c: c.place(Group("g", (Workload("web"),))), "there is already a workload 'web'"),
    ("release of nobody", lambda c: c.release("wob"), r"no workload 'wob' is placed \(did you mean 'web'\?\)"),
    ("why nobody", lambda c: c.why("waitin"), r"there is no workload 'waitin' \(did you mean 'waiting'\?\)"),
    ("no node to drain", lambda c: c.drain("node-2"), r"there is no node 'node-2' \(did you mean 'node-1'\?\)"),
    ("no node to relabel", lambda c: c.relabel("n", {"a": "b"}), "there is no node 'n'"),
    ("a wrong label", lambda c: c.relabel("node-1", {"a b": "c"}), "'a b'"),
    ("a node twice", lambda c: c.add(Node("node-1")), "there is already a node 'node-1'"),
    ("settled twice", lambda c: c.settle(Workload("web"), "node-1"), "there is already a workload 'web'"),
    ("settled nowhere", lambda c: c.settle(Workload("x"), "n"), "there is no node 'n'"),
    ("two nodes of one name", lambda c: Cluster([Node("n"), Node("n")]), "there are two nodes 'n'"),
]


@pytest.mark.parametrize("act, says", [row[1:] for row in MISTAKES], ids=[row[0] for row in MISTAKES])
def test_mistakes_are_named_and_change_nothing(act: Callable[[Cluster], object], says: str) -> None:
    cluster = busy()
    with pytest.raises(ConfigError, match=says):
        act(cluster)
    assert cluster.assignments == {"web": "node-1"}
    assert cluster.pending.ids == ["waiting"]
    assert [one.name for one in cluster.snapshot.nodes()] == ["node-1"]


def test_the_same_name_in_two_namespaces_is_two_workloads() -> None:
    cluster = Cluster([Node("n", {"cpu": 4})])
    plan = cluster.place(Workload("w"), Workload("w", namespace="prod"))
    assert list(plan.assignments) == ["w", "prod/w"]
    cluster.release("prod/w")
    assert list(cluster.assignments) == ["w"]


@pytest.mark.parametrize(
    "ask, says",
    [
        (lambda c: c.place(["x"]), "'x' cannot be placed"),
        (lambda c: c.place(5), "cannot be placed"),
        (lambda c: c.taint("n", ["x"]), "'x' is not a Taint"),
        (lambda c: Workload("w").copies(-1), "there cannot be -1 copies"),
    ],
)
def test_wrong_types_are_said_at_once(ask: Callable[[Cluster], object], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        ask(Cluster([Node("n", {"cpu": 1})]))
