"""Gangs: whole or not at all, the first alternative that is possible, laid out as the strategy says."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings

from bayplan import NODE, Apart, Cluster, ConfigError, Fallback, Group, Near, Node, Selector, Status, Strategy, Workload
from bayplan.table.invariants import broken
from tests import random_scenarios as space
from tests import strategies
from tests.adapter import Pair, engine_policy
from tests.fingerprint import fingerprint

PACK, SPREAD, STRICT_PACK, STRICT_SPREAD = Strategy.PACK, Strategy.SPREAD, Strategy.STRICT_PACK, Strategy.STRICT_SPREAD


def whole_or_nothing(cluster: Cluster, group: Group) -> None:
    before, version = fingerprint(cluster.snapshot).state, cluster.snapshot.version
    plan = cluster.place(group)
    placed = [one.workload for one in plan.placed]
    if placed:
        chosen = list(group.alternatives())[plan[0].fallback]
        assert placed == [one.id for one in chosen.members]
        assert set(cluster.assignments) - set(before.placements) == set(placed)
    else:
        assert (fingerprint(cluster.snapshot).state, cluster.snapshot.version) == (before, version)
        assert [one.workload for one in plan] == [one.id for one in group.members]
    assert broken(cluster.snapshot) == []


@pytest.mark.parametrize("chunk", range(4))
def test_a_gang_is_placed_whole_or_changes_nothing(chunk: int) -> None:
    for seed in range(30_000 + 60 * chunk, 30_000 + 60 * (chunk + 1)):
        pick = space.Dice(seed)
        cluster = Cluster(space.nodes(pick, 1, 6), engine_policy(space.policy(pick), space.reserve(pick)))
        for i in range(5):
            if pick.chance(50):
                cluster.place(space.workload(pick, f"w{i}"))
            whole_or_nothing(cluster, space.group(pick, f"g{i}", most=6))


@settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(strategies.clusters(1, 5), strategies.groups("a"), strategies.groups("b"))
def test_drawn_gangs_are_placed_whole_or_change_nothing(nodes: list[Node], first: Group, second: Group) -> None:
    cluster = Cluster(nodes)
    whole_or_nothing(cluster, first)
    whole_or_nothing(cluster, second)


def test_the_first_alternative_that_is_possible_wins() -> None:
    """Whether it is possible is the oracle's business: it searches exhaustively."""
    used: Counter[int] = Counter()
    for seed in range(31_000, 31_250):
        pick = space.Dice(seed)
        pair = Pair(space.nodes(pick, 1, 5), space.policy(pick), space.reserve(pick))
        others = [space.group(pick, f"g-{i}", 3, fallbacks=False) for i in range(3)]
        first = others[0]
        group = Group("g", first.members, first.strategy, first.by, tuple(others[1:]))
        possible = [pair.oracle.group_possible(one) for one in others]
        plan = pair.cluster.place(group)
        assert bool(plan.placed) == any(possible), f"seed {seed}"
        if plan.placed:
            assert plan[0].fallback == possible.index(True), f"seed {seed}"
            used[plan[0].fallback] += 1
    assert set(used) == {0, 1, 2}


# --- strategies ---


def zones(per_zone: int = 3, cpu: int = 4) -> list[Node]:
    """n0.. in zones a, b, c; and one node outside every zone."""
    nodes = [Node(f"{zone}{i}", {"cpu": cpu}, {"zone": zone}) for zone in "abc" for i in range(per_zone)]
    return [*nodes, Node("out", {"cpu": 64})]


def members(count: int, **requests: object) -> tuple[Workload, ...]:
    return tuple(Workload("m", requests or {"cpu": 2}).copies(count))  # type: ignore[arg-type]


def layout(cluster: Cluster, by: str) -> list[int]:
    """Members per domain, largest first."""
    nodes = [cluster.snapshot.node(name) for name in cluster.assignments.values()]
    return sorted(Counter(node.name if by == NODE else node.labels.get(by, "-") for node in nodes).values(), reverse=True)


# strategy, by, members of 2 cpu, members per domain (None: pending), with 3 nodes of 4 cpu in each of 3 zones
STRICT: list[tuple[Strategy, str, int, list[int] | None]] = [
    (STRICT_PACK, NODE, 2, [2]),
    (STRICT_PACK, NODE, 20, [20]),  # all on the one large node outside the zones
    (STRICT_PACK, NODE, 33, None),
    (STRICT_PACK, "zone", 2, [2]),
    (STRICT_PACK, "zone", 6, [6]),
    (STRICT_PACK, "zone", 7, None),
    (STRICT_SPREAD, NODE, 1, [1]),
    (STRICT_SPREAD, NODE, 10, [1] * 10),
    (STRICT_SPREAD, NODE, 11, None),
    (STRICT_SPREAD, "zone", 3, [1, 1, 1]),
    (STRICT_SPREAD, "zone", 4, None),
]


@pytest.mark.parametrize("policy", ["pack", "spread", "balanced"])
@pytest.mark.parametrize("strategy, by, count, expected", STRICT, ids=[f"{s} by {b} {n}" for s, b, n, _ in STRICT])
def test_strict_strategies_hold(strategy: Strategy, by: str, count: int, expected: list[int] | None, policy: str) -> None:
    cluster = Cluster(zones(), policy)
    plan = cluster.place(Group("g", members(count), strategy, by))
    if expected is None:
        assert {one.status for one in plan} == {Status.PENDING}
        assert cluster.assignments == {}
    else:
        assert layout(cluster, by) == expected


# strategy, by, members of 2 cpu, members per domain when nothing else speaks
WISHED: list[tuple[Strategy, str, int, list[int]]] = [
    (PACK, NODE, 2, [2]),
    (PACK, NODE, 4, [2, 2]),
    (PACK, NODE, 5, [2, 2, 1]),
    (PACK, "zone", 4, [4]),
    (PACK, "zone", 6, [6]),
    (PACK, "zone", 8, [6, 2]),
    (SPREAD, NODE, 4, [1, 1, 1, 1]),
    (SPREAD, NODE, 12, [2, 2, 2, 1, 1, 1, 1, 1, 1]),
    (SPREAD, "zone", 3, [1, 1, 1]),
    (SPREAD, "zone", 5, [2, 2, 1]),
    (SPREAD, "zone", 18, [6, 6, 6]),
]


@pytest.mark.parametrize("policy", ["pack", "spread", "balanced"])
@pytest.mark.parametrize("strategy, by, count, expected", WISHED, ids=[f"{s} by {b} {n}" for s, b, n, _ in WISHED])
def test_pack_uses_few_domains_and_spread_many(strategy: Strategy, by: str, count: int, expected: list[int], policy: str) -> None:
    """The group's wish outweighs the policy's packing: here 3 zones of 3 nodes of 4 cpu, and none outside."""
    cluster = Cluster(zones()[:-1], policy)
    plan = cluster.place(Group("g", members(count), strategy, by))
    assert not plan.pending
    assert layout(cluster, by) == expected


def test_members_need_not_be_alike() -> None:
    cluster = Cluster(zones(), "pack")
    big, small = Workload("big", {"cpu": 4}), Workload("small", {"cpu": 1})
    plan = cluster.place(Group("g", (small, big), STRICT_PACK, "zone"))
    assert {cluster.snapshot.node(str(one.node)).labels["zone"] for one in plan} <= {"a", "b", "c"}
    assert plan[0].node != plan[1].node, "4 and 1 do not fit on one node of 4"
    assert len({cluster.snapshot.node(str(one.node)).labels["zone"] for one in plan}) == 1


def test_the_search_goes_back_when_the_best_node_for_one_leaves_none_for_the_next() -> None:
    """The first member could go anywhere and the second only to n1: the first must make way."""
    cluster = Cluster([Node("n1", {"cpu": 2}, {"disk": "ssd"}), Node("n2", {"cpu": 4})], "pack")
    only_n1 = Workload("picky", {"cpu": 2}, selector=Selector.of({"disk": "ssd"}))
    plan = cluster.place(Group("g", (Workload("any", {"cpu": 2}), only_n1)))
    assert plan.assignments == {"any": "n2", "picky": "n1"}


def test_members_see_each_other() -> None:
    """Rules between workloads hold among members: apart by node, near by zone."""
    web = Selector.of({"app": "web"})
    member = Workload("m", {"cpu": 1}, {"app": "web"}, apart=(Apart(web),), near=(Near(web, ("zone",), first_may_start=True),))
    cluster = Cluster(zones(), "pack")
    plan = cluster.place(Group("g", tuple(member.copies(3)), SPREAD))
    nodes = [cluster.snapshot.node(str(one.node)) for one in plan]
    assert len({node.name for node in nodes}) == 3
    assert len({node.labels["zone"] for node in nodes}) == 1
    assert [one.placed for one in cluster.place(Group("h", (member.named("x"), member.named("y"))))] == [False, False], (
        "a zone is full"
    )


def test_a_member_may_fall_back_on_its_own() -> None:
    ssd, hdd = Selector.of({"disk": "ssd"}), Selector.of({"disk": "hdd"})
    member = Workload("m", {"cpu": 2}, selector=ssd, fallbacks=(Fallback(selector=hdd),))
    cluster = Cluster([Node("fast", {"cpu": 2}, {"disk": "ssd"}), Node("slow", {"cpu": 2}, {"disk": "hdd"})])
    plan = cluster.place(Group("g", tuple(member.copies(2))))
    assert [(one.node, one.fallback) for one in plan] == [("fast", 0), ("slow", 1)]


# --- all or nothing, also when something is wrong ---


def test_a_member_of_a_fallback_that_already_runs_is_refused_before_anything_happens() -> None:
    cluster = Cluster([Node("n", {"cpu": 8})])
    cluster.place(Workload("taken", {"cpu": 1}))
    other = Group("other", (Workload("fine", {"cpu": 1}), Workload("taken", {"cpu": 1})))
    before = fingerprint(cluster.snapshot).state
    with pytest.raises(ConfigError, match="there is already a workload 'taken'"):
        cluster.place(Group("g", members(2, cpu=100), fallbacks=(other,)))
    assert fingerprint(cluster.snapshot).state == before


def test_the_names_of_a_pending_groups_fallbacks_are_not_given_away() -> None:
    """Else a later retry would find its members' names taken, half way through."""
    cluster = Cluster([Node("n", {"cpu": 1})])
    other = Group("other", (Workload("x", {"cpu": 1}), Workload("y", {"cpu": 1})))
    cluster.place(Group("g", members(2, cpu=100), fallbacks=(other,)))
    try:
        cluster.place(Workload("y", {"cpu": 1}))
    except ConfigError:
        return  # refusing the name is right
    cluster.add(Node("n2", {"cpu": 8}))
    before = fingerprint(cluster.snapshot).state
    cluster.retry()  # and so is leaving the group pending, without an error or a trace
    assert fingerprint(cluster.snapshot).state == before


def test_a_pending_gang_comes_in_when_there_is_room_for_all() -> None:
    cluster = Cluster([Node("n1", {"cpu": 4})])
    gang = Group("g", members(3), SPREAD)
    assert [one.status for one in cluster.place(gang)] == [Status.PENDING] * 3
    cluster.add(Node("n2", {"cpu": 2}))
    assert sorted(cluster.retry().assignments.values()) == ["n1", "n1", "n2"]
    assert cluster.pending.ids == []


def test_a_gang_no_node_can_ever_hold_is_impossible() -> None:
    cluster = Cluster([Node("n1", {"cpu": 4})])
    plan = cluster.place(Group("g", (Workload("a", {"cpu": 1}), Workload("b", {"cpu": 5}))))
    assert {one.status for one in plan} == {Status.IMPOSSIBLE}


def test_any_leaves_the_lie_of_the_members_to_the_policy() -> None:
    members = Workload("m", {"cpu": 1}).copies(4)
    for policy, nodes in (("pack", 1), ("spread", 4)):
        alone = Cluster([Node(f"n{i}", {"cpu": 4}) for i in range(4)], policy)
        gang = alone.fork()
        assert gang.place(Group("g", tuple(members), Strategy.ANY)).assignments == alone.place(members).assignments
        assert len(set(alone.assignments.values())) == nodes
