"""The snapshot: incremental, yet after any sequence of changes equal to one built afresh.

after anything      snapshot == Snapshot(its nodes) + its residents, and no invariant is broken
undo_to(version)    exactly the state of that version
fork()              neither side ever sees the other's changes
amounts             never negative, never above capacity; a release gives back what was recorded
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings

from bayplan import Cluster, ConfigError, Node, PlacementError, Selector, Workload
from bayplan.model.node import Device, Taint
from bayplan.table.invariants import broken
from bayplan.table.snapshot import Snapshot
from tests import random_scenarios as space
from tests import strategies
from tests.adapter import engine_policy
from tests.fingerprint import Fingerprint, fingerprint, rebuilt

few = settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


def sound(snapshot: Snapshot) -> None:
    assert broken(snapshot) == []
    fresh = rebuilt(snapshot)
    assert broken(fresh) == []
    assert fingerprint(snapshot) == fingerprint(fresh)


def take(cluster: Cluster, step: space.Step) -> None:
    """A step of a scenario; what is refused or unknown is simply not done."""
    match step:
        case space.Release():
            if step.id in cluster.snapshot.placements or step.id in cluster.pending:
                cluster.release(step.id)
        case space.AddNode():
            if step.node.name not in cluster.snapshot.row_of:
                cluster.add(step.node)
        case space.RemoveNode():
            if step.name in cluster.snapshot.row_of:
                cluster.remove(step.name)
        case space.ReplaceNode():
            if step.node.name in cluster.snapshot.row_of:
                with suppress(PlacementError):
                    cluster.snapshot.replace(step.node)
        case _:
            cluster.place(step)


def start(scenario: space.Scenario) -> Cluster:
    return Cluster(scenario.nodes, engine_policy(scenario.policy, scenario.reserve))


@pytest.mark.parametrize("chunk", range(6))
def test_after_any_sequence_it_equals_one_built_afresh(chunk: int) -> None:
    for seed, scenario in space.scenarios(50, first_seed=50_000 + chunk * 50):
        cluster = start(scenario)
        for at, step in enumerate(scenario.steps):
            take(cluster, step)
            faults = broken(cluster.snapshot) if at % 3 == 0 else []
            assert faults == [], f"seed {seed}, step {at}: {step}"
        sound(cluster.snapshot)


@few
@given(strategies.scenarios(most_nodes=4, most_steps=8))
def test_after_any_drawn_sequence_it_equals_one_built_afresh(scenario: space.Scenario) -> None:
    cluster = start(scenario)
    for step in scenario.steps:
        take(cluster, step)
        sound(cluster.snapshot)


@pytest.mark.parametrize("chunk", range(4))
def test_undo_restores_every_version(chunk: int) -> None:
    """Back and back again, and forward anew from a version in the middle."""
    for seed, scenario in space.scenarios(40, first_seed=60_000 + chunk * 40):
        cluster = start(scenario)
        snapshot = cluster.snapshot
        known: dict[int, Fingerprint] = {snapshot.version: fingerprint(snapshot)}
        for step in scenario.steps:
            take(cluster, step)
            known[snapshot.version] = fingerprint(snapshot)
        rows = list(snapshot.names)
        versions = sorted(known, reverse=True)
        for version in versions:
            past = snapshot.at(version)
            assert past.version == version
            assert fingerprint(past).state == known[version].state, f"seed {seed}, version {version}"
        assert snapshot.names == rows, "looking back is done on a fork"
        middle = versions[len(versions) // 2]
        snapshot.undo_to(middle)
        assert fingerprint(snapshot).state == known[middle].state
        sound(snapshot)


@pytest.mark.parametrize("chunk", range(4))
def test_a_fork_and_its_parent_never_see_each_other(chunk: int) -> None:
    for seed, scenario in space.scenarios(40, first_seed=70_000 + chunk * 40):
        cluster, half = start(scenario), len(scenario.steps) // 2
        for step in scenario.steps[:half]:
            take(cluster, step)
        twin = cluster.fork()
        here = fingerprint(cluster.snapshot)
        assert fingerprint(twin.snapshot) == here
        for step in scenario.steps[half:]:
            take(twin, step)
        assert fingerprint(cluster.snapshot) == here, f"seed {seed}: the fork changed its parent"
        there = fingerprint(twin.snapshot)
        for step in reversed(scenario.steps[half:]):
            take(cluster, step)
        assert fingerprint(twin.snapshot) == there, f"seed {seed}: the parent changed its fork"
        sound(cluster.snapshot)
        sound(twin.snapshot)


def test_a_fork_can_be_wound_back_to_before_it_was_made() -> None:
    cluster = Cluster([Node("n", {"cpu": 4})])
    before, version = fingerprint(cluster.snapshot), cluster.snapshot.version
    cluster.place(Workload("w", {"cpu": 1}).copies(3))
    twin = cluster.snapshot.fork()
    twin.undo_to(version)
    assert fingerprint(twin) == before
    assert (twin.version, cluster.snapshot.version) == (version, version + 3)


@pytest.mark.parametrize("version", [-1, 3, 99])
def test_versions_that_never_were_cannot_be_restored(version: int) -> None:
    snapshot = Snapshot([Node("n", {"cpu": 4})])
    snapshot.place(Workload("w", {"cpu": 1}), "n")
    with pytest.raises(ConfigError, match=f"version {version} is out of reach"):
        snapshot.undo_to(version)


# --- one change at a time, on a small cluster with residents ---


def small() -> Snapshot:
    """Two nodes with two GPUs each; a on n1 with a GPU and a half, b on n2."""
    nodes = [
        Node(name, {"cpu": 4, "memory": "8Gi"}, {"zone": zone}, devices={"gpu": 2}) for name, zone in (("n1", "a"), ("n2", "b"))
    ]
    snapshot = Snapshot(nodes)
    snapshot.place(Workload("a", {"cpu": 1, "gpu": 1}, {"app": "web"}), "n1")
    snapshot.place(Workload("half", {"gpu": 0.5}, {"app": "web"}), "n1")
    snapshot.place(Workload("b", {"cpu": "500m", "memory": "1Gi"}, {"app": "db"}), "n2")
    return snapshot


def changed(name: str, **fields: object) -> Callable[[Snapshot], object]:
    return lambda snapshot: snapshot.replace(replace(snapshot.node(name), **fields))


WEB = Selector.of({"app": "web"})

# name, change
CHANGES: list[tuple[str, Callable[[Snapshot], object]]] = [
    ("place", lambda s: s.place(Workload("c", {"cpu": 1, "gpu": 0.25}), "n1")),
    ("release", lambda s: s.release("a")),
    ("release a share", lambda s: s.release("half")),
    ("relabel", changed("n1", labels={"zone": "b"})),
    ("relabel to a new value", changed("n1", labels={"zone": "c", "rack": "r1"})),
    ("take all labels away", changed("n1", labels={})),
    ("taint", changed("n1", taints=(Taint("spot"),))),
    ("cordon", changed("n2", cordoned=True)),
    ("more capacity", changed("n2", capacity={"cpu": 16, "memory": "8Gi", "gpu": 2})),
    ("less capacity", changed("n2", capacity={"cpu": "500m", "memory": "1Gi", "gpu": 2})),
    ("a new resource", changed("n2", capacity={"cpu": 4, "memory": "8Gi", "gpu": 2, "licence": 3})),
    ("add", lambda s: s.add(Node("n3", {"cpu": 1, "tpu": 1}, {"zone": "a"}))),
    ("add with devices", lambda s: s.add(Node("n3", {"cpu": 1}, devices={"gpu": 8, "tpu": 2}))),
    ("add many", lambda s: [s.add(one) for one in [Node(f"m{i}", {"cpu": 1}, {"rack": str(i % 7)}) for i in range(600)]]),
    ("remove", lambda s: s.remove("n1")),
    ("watch", lambda s: s.residents.watch(WEB, frozenset({"default"}), "zone")),
]


@pytest.mark.parametrize("change", [row[1] for row in CHANGES], ids=[row[0] for row in CHANGES])
def test_every_change_leaves_it_sound_and_can_be_undone(change: Callable[[Snapshot], object]) -> None:
    snapshot = small()
    before, version = fingerprint(snapshot), snapshot.version
    change(snapshot)
    sound(snapshot)
    snapshot.undo_to(version)
    assert fingerprint(snapshot).state == before.state
    sound(snapshot)


@pytest.mark.parametrize("first", [row[1] for row in CHANGES], ids=[row[0] for row in CHANGES])
def test_pairs_of_changes_on_a_fork(first: Callable[[Snapshot], object]) -> None:
    for name, second in CHANGES:
        parent = small()
        before = fingerprint(parent)
        twin = parent.fork()
        for change in (first, second):
            try:
                change(twin)
            except (ConfigError, PlacementError, KeyError):
                continue  # the first one took away what the second needs
        assert broken(twin) == [], name
        assert fingerprint(parent) == before, name


def test_a_release_gives_back_exactly_what_was_recorded() -> None:
    snapshot = small()
    before = fingerprint(snapshot)
    snapshot.place(Workload("c", {"cpu": "1m", "memory": 1, "gpu": 0.3}), "n1")
    assert fingerprint(snapshot).free["n1"] == {"cpu": 29_990, "memory": (8 << 30) - 1, "gpu": 2_000}
    assert fingerprint(snapshot).shares["n1"] == {"gpu": [0, 2_000]}
    given_back = snapshot.release("c")
    assert (given_back.id, given_back.devices) == ("c", (("gpu", (1,)),))
    assert fingerprint(snapshot) == before


def test_a_second_release_is_refused_and_changes_nothing() -> None:
    snapshot = small()
    snapshot.release("a")
    before, version = fingerprint(snapshot), snapshot.version
    with pytest.raises(ConfigError, match="no workload 'a' is placed"):
        snapshot.release("a")
    assert (fingerprint(snapshot), snapshot.version) == (before, version)


# name, what is tried, what is said
REFUSED: list[tuple[str, Callable[[Snapshot], object], str]] = [
    ("no room", lambda s: s.place(Workload("c", {"cpu": 4}), "n1"), "4 of cpu asked, 3 free"),
    ("no device", lambda s: s.place(Workload("c", {"gpu": 1}), "n1"), "1 of gpu asked, 0.5 free"),
    ("no whole device", lambda s: s.place(Workload("c", {"gpu": 1.5}), "n2"), "not on the devices it needs"),
    ("twice", lambda s: s.place(Workload("a"), "n2"), "already placed"),
    ("no such node", lambda s: s.place(Workload("c"), "n9"), "there is no node 'n9'"),
    ("the same node again", lambda s: s.add(Node("n1")), "already a node 'n1'"),
    ("less than is used", changed("n1", capacity={"cpu": "500m", "gpu": 2}), "1 of cpu is in use"),
    ("other devices under residents", changed("n1", devices=(Device("gpu", "x"), Device("gpu", "y"))), "devices cannot change"),
    ("nobody to remove", lambda s: s.remove("n9"), "there is no node 'n9'"),
]


@pytest.mark.parametrize("act, says", [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_what_is_refused_changes_nothing(act: Callable[[Snapshot], object], says: str) -> None:
    snapshot = small()
    before, version = fingerprint(snapshot), snapshot.version
    with pytest.raises((ConfigError, PlacementError), match=says):
        act(snapshot)
    assert (fingerprint(snapshot), snapshot.version) == (before, version)
    sound(snapshot)


# --- topologies that turn fine and coarse again ---


def test_a_topology_may_turn_fine_and_coarse_under_residents() -> None:
    """With many values counts are kept sparse, with few dense; nobody may see the difference."""
    snapshot = Snapshot([Node(f"n{i}", {"cpu": 4}, {"host": f"h{i % 3}"}) for i in range(120)])
    for i in range(0, 120, 2):
        snapshot.place(Workload(f"w{i}", {"cpu": 1}, {"app": "web"}), f"n{i}")
    snapshot.residents.watch(WEB, frozenset({"default"}), "host")
    forms = set()
    for step in (list(range(120)), list(range(60)), list(range(119, -1, -1))):
        for i in step:
            old = snapshot.node(f"n{i}").labels["host"]
            new = f"h{i % 3}" if old == f"own{i}" else f"own{i}"
            snapshot.replace(replace(snapshot.node(f"n{i}"), labels={"host": new}))
            forms.add(snapshot.labels["host"].fine)
            if i % 10 == 0:
                assert broken(snapshot) == []
    assert forms == {True, False}
    sound(snapshot)
