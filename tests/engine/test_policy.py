"""Policies: presets, scorers in and out, users' own rules by entry point, unknown names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import metadata

import numpy as np
import pytest

from bayplan import Cluster, ConfigError, Node, Policy, Preference, Reason, Selector, Workload, in_
from bayplan.engine import policy as registry
from bayplan.engine.policy import FILTERS, PRESETS, SCORERS, filter_named, preset, scorer_named
from bayplan.model.decision import No
from bayplan.model.strategy import ResourceStrategy
from bayplan.scorers.balance import Balance
from bayplan.scorers.packing import Packing
from bayplan.table.checks import Holds, Where
from bayplan.table.column import Rows
from bayplan.table.forms import Clause, Part
from bayplan.table.snapshot import Snapshot
from bayplan.table.terms import Curve

# --- presets ---


def layout(policy: Policy | str, nodes: list[Node], work: list[Workload]) -> dict[str, int]:
    found = Cluster(nodes, policy).place(work).assignments.values()
    return {node.name: list(found).count(node.name) for node in nodes}


def two(cpu_small: int = 4, cpu_large: int = 8) -> list[Node]:
    return [Node("small", {"cpu": cpu_small, "memory": "8Gi"}), Node("large", {"cpu": cpu_large, "memory": "16Gi"})]


def test_pack_fills_the_node_that_ends_fullest() -> None:
    assert layout("pack", two(), Workload("w", {"cpu": 1, "memory": "2Gi"}).copies(4)) == {"small": 4, "large": 0}


def test_spread_keeps_them_even() -> None:
    """Free shares after: large 7/8, 6/8 (a tie with small's 3/4) ... in the end as much of each is used."""
    assert layout("spread", two(), Workload("w", {"cpu": 1, "memory": "2Gi"}).copies(6)) == {"small": 2, "large": 4}


def test_balanced_avoids_stranding_a_resource() -> None:
    """Both nodes are as full either way; balance prefers the one whose cpu and memory are used alike."""
    nodes = [Node("lean", {"cpu": 8, "memory": "8Gi"}), Node("fat", {"cpu": 8, "memory": "64Gi"})]
    assert layout("balanced", nodes, [Workload("w", {"cpu": 1, "memory": "8Gi"})]) == {"lean": 0, "fat": 1}


@pytest.mark.parametrize("name", list(PRESETS))
def test_presets_are_policies_of_their_name_with_every_filter(name: str) -> None:
    assert preset(name).name == name
    if name != "kubernetes":
        assert preset(name).filters == tuple(FILTERS)
    wishes = {"packing", "preference", "neighbours", "spread"} if name not in ("plain", "kubernetes") else set()
    assert {one.name for one in preset(name).scorers} >= wishes
    assert Cluster(policy=name).policy is PRESETS[name]


# --- changing a policy ---


def test_a_scorer_is_replaced_added_or_taken_out_by_name() -> None:
    pack = preset("pack")
    least = Packing((ResourceStrategy("cpu", "least"),))
    assert [one.name for one in pack.scorers] == ["packing", "preference", "neighbours", "spread"]
    assert pack.with_scorer(least).scorers[0] == least
    assert pack.with_scorer(Balance()).scorers[-1] == Balance()
    assert [one.name for one in pack.with_scorer(Packing(weight=0)).scorers] == ["preference", "neighbours", "spread"]
    assert pack == preset("pack"), "the preset itself stays"


def test_a_policy_without_scorers_takes_the_first_node_that_fits() -> None:
    cluster = Cluster(two(), Policy("any", ()))
    [decision] = cluster.place(Workload("w", {"cpu": 6}))
    assert (decision.node, decision.score) == ("large", 0.0)


@pytest.mark.parametrize("name", ["fit", "devices"])
def test_filters_that_keep_nodes_from_being_overbooked_cannot_be_left_out(name: str) -> None:
    with pytest.raises(ConfigError, match=f"the filter '{name}' cannot be left out"):
        Policy("bold", (), tuple(other for other in FILTERS if other != name))


def test_a_policy_may_leave_filters_out() -> None:
    cluster = Cluster(
        [Node("n", {"cpu": 4}, cordoned=True)], Policy("bold", (), tuple(name for name in FILTERS if name != "cordon"))
    )
    assert cluster.place(Workload("w"))[0].placed


# what is wrong with it
BAD_STRATEGIES: list[tuple[dict[str, object], str]] = [
    ({"kind": "some"}, "'some' is not a strategy"),
    ({"weight": 0}, "0 is not a weight"),
    ({"weight": float("nan")}, "nan is not a weight"),
    ({"kind": "ratio"}, "ratio needs one"),
    ({"shape": ((0, 0),)}, "belongs to strategy ratio"),
    ({"kind": "ratio", "shape": ((50, 1), (50, 2))}, "rising"),
    ({"kind": "ratio", "shape": ((0, 11),)}, "score 0..10"),
]


@pytest.mark.parametrize("fields, says", BAD_STRATEGIES)
def test_wrong_strategies(fields: dict[str, object], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        ResourceStrategy("cpu", **fields)  # type: ignore[arg-type]


# --- names ---


@pytest.mark.parametrize("name", list(FILTERS))
def test_filters_are_found_by_name(name: str) -> None:
    assert filter_named(name) is FILTERS[name]


@pytest.mark.parametrize("name", list(SCORERS))
def test_scorers_are_found_by_name(name: str) -> None:
    assert scorer_named(name)().name == name


UNKNOWN = [
    (preset, "packed", "there is no preset 'packed' .*did you mean 'pack'"),
    (filter_named, "taint", "there is no filter 'taint' .*did you mean 'taints'"),
    (scorer_named, "packs", "there is no scorer 'packs' .*did you mean 'packing'"),
    (
        lambda name: Cluster(policy=name),
        "nothing",
        "there is no preset 'nothing' .*known: ai-mixed, balanced, kubernetes, pack",
    ),
    (lambda name: Cluster([Node("n")], Policy("x", (), (name,))).place(Workload("w")), "fits", "there is no filter 'fits'"),
]


@pytest.mark.parametrize("ask, name, says", UNKNOWN, ids=[f"{row[1]}" for row in UNKNOWN])
def test_unknown_names_are_errors_with_a_hint(ask: object, name: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        ask(name)  # type: ignore[operator]


# --- users' own rules ---


def quiet(snapshot: Snapshot, workload: Workload) -> list[Clause]:
    """No web work on nodes whose name begins with q."""
    if workload.labels.get("app") != "web":
        return []

    def loud(rows: Rows) -> np.ndarray:
        return np.array([not str(snapshot.names[row]).startswith("q") for row in rows], np.bool_)

    def reasons(row: int) -> tuple[Reason, ...]:
        return (Reason.of("quiet", "web", No.NEVER, "the node wants quiet"),)

    return [Clause("quiet", Where(loud), False, reasons)]


@dataclass(frozen=True)
class Late:
    """Later letters are better."""

    weight: float = 1.0
    name: str = field(default="late", init=False)

    def parts(self, snapshot: Snapshot, workload: Workload) -> list[Part]:
        def letter(rows: Rows) -> np.ndarray:
            return np.array([ord((snapshot.names[row] or "a")[0]) / 256 if row < len(snapshot.names) else 0.0 for row in rows])

        return [Part("late", "letters", Curve(letter, self.weight, 1.0, snapshot.room))]


@dataclass(frozen=True)
class FakeEntry:
    name: str
    rule: object

    def load(self) -> object:
        return self.rule


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As if a package had registered `quiet` and `late`."""
    entries = {"bayplan.filters": [FakeEntry("quiet", quiet)], "bayplan.scorers": [FakeEntry("late", Late)]}
    monkeypatch.setattr(metadata, "entry_points", lambda group: entries[group])
    registry._users.cache_clear()
    yield
    registry._users.cache_clear()


@pytest.mark.usefixtures("installed")
def test_users_rules_are_found_by_entry_point_and_run_like_any_other() -> None:
    assert filter_named("quiet") is quiet
    assert scorer_named("late") is Late
    rules = Policy("mine", (scorer_named("late")(),), (*FILTERS, "quiet"))
    cluster = Cluster([Node(name, {"cpu": 4}) for name in ("a1", "m1", "q1")], rules)
    web = Workload("web", {"cpu": 1}, {"app": "web"})
    assert cluster.place(*web.copies(6), Workload("batch", {"cpu": 1})).assignments == {
        **{f"web-{i}": "m1" for i in range(4)},
        "web-4": "a1",
        "web-5": "a1",
        "batch": "q1",
    }
    why = cluster.why(web)
    assert [(one.rule, one.no, one.nodes) for one in why.counts if one.rule == "quiet"] == [("quiet", "never", 1)]
    assert str(why.node("q1")[0]) == "the node wants quiet"
    assert [part.rule for part in cluster.why("batch").parts] == ["late"]


@pytest.mark.usefixtures("installed")
def test_users_rules_agree_with_preferences_of_the_house() -> None:
    rules = Policy("mine", (*preset("pack").scorers, Late(0.001)), (*FILTERS, "quiet"))
    cluster = Cluster([Node(name, {"cpu": 4}) for name in ("a1", "m1", "q1")], rules)
    likes_a = Workload("w", {"cpu": 1}, preferences=(Preference(Selector.of({"@name": "a1"}), 1),))
    assert cluster.place(likes_a)[0].node == "a1"


@pytest.mark.usefixtures("installed")
def test_hints_know_the_users_rules() -> None:
    with pytest.raises(ConfigError, match="did you mean 'quiet'"):
        filter_named("quite")


def test_a_filter_of_ones_own_may_depend_on_the_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its columns are the workload's own, not those of another size that was asked for before."""

    def roomy(snapshot: Snapshot, workload: Workload) -> list[Clause]:
        if workload.requests.get("cpu", 0) < 40_000:
            return []
        column = snapshot.statics.expression("size", in_("big"))
        return [Clause("roomy", Holds(column), False, lambda row: (Reason.of("roomy", "", No.NEVER, "is not big"),))]

    monkeypatch.setitem(registry._users("bayplan.filters"), "roomy", roomy)
    nodes = [Node(f"n{i}", {"cpu": 16}, {"size": "big"} if i == 3 else {}) for i in range(5)]
    cluster = Cluster(nodes, Policy("mine", preset("pack").scorers, (*FILTERS, "roomy")))
    small, large = cluster.place(Workload("small", {"cpu": 1})), cluster.place(Workload("large", {"cpu": 4}))
    assert small[0].placed
    assert large[0].node == "n3"
    assert cluster.why("large").feasible == 1
