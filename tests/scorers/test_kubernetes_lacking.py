"""What kube-scheduler's score plugins do where something is lacking: a topology key, or a request."""

from __future__ import annotations

import pytest

from bayplan import Cluster, Node, Spread, Workload
from bayplan.engine.policy import Policy, Scorer
from bayplan.scorers.kubernetes.allocation import Allocation
from bayplan.scorers.kubernetes.balanced import BalancedAllocation
from bayplan.scorers.kubernetes.spreading import HOST, PodTopologySpread

APP = {"app": "web"}


def system_spread(key: str, skew: int) -> Spread:
    """As the scheduler gives it to pods without one of their own."""
    return Spread(APP, key, {"default"}, 1.0, skew, on_allowed=True, may_lack=True)


# what is lacking, labels of the node with two pods, labels of one more node, points of busy, a and b
LACKING: list[tuple[str, dict[str, str], dict[str, str] | None, list[int]]] = [
    # ln 5 by host, ln 4 by zone: 12, 9 and 6
    ("nothing", {"zone": "a", HOST: "busy"}, None, [100 * (18 - 12) // 12, 100 * (18 - 9) // 12, 100]),
    # the pods count for the zone all the same: 7, 9 and 6
    ("the host name", {"zone": "a"}, None, [100 * (15 - 7) // 9, 100 * (15 - 9) // 9, 100]),
    # they count for no zone: 5, 6 and 6
    ("the zone", {HOST: "busy"}, None, [100, 100 * (11 - 6) // 6, 100 * (11 - 6) // 6]),
    # ln 6 by host, and ln 5 by zone, because nodes without one are a domain, too: 13, 9, 6, and 2 for the node more
    (
        "another's zone",
        {"zone": "a", HOST: "busy"},
        {HOST: "c"},
        [100 * (15 - 13) // 13, 100 * (15 - 9) // 13, 100 * (15 - 6) // 13],
    ),
]


@pytest.mark.parametrize("labels, more, expected", [row[1:] for row in LACKING], ids=[row[0] for row in LACKING])
def test_a_spread_by_default_lets_nodes_lack_a_key(
    labels: dict[str, str], more: dict[str, str] | None, expected: list[int]
) -> None:
    """raw = round(sum(count * ln(domains + 2) + skew - 1)), points = 100 * (max + min - raw) / max"""
    nodes = [Node("busy", labels=labels), *(Node(zone, labels={"zone": zone, HOST: zone}) for zone in ("a", "b"))]
    nodes += [] if more is None else [Node("c", labels=more)]
    cluster = Cluster(nodes, Policy("test", (PodTopologySpread(1.0),)))
    pod = Workload("new", labels=APP, spread=[system_spread(HOST, 3), system_spread("zone", 5)])
    for number in range(2):
        cluster.settle(pod.named(f"old-{number}"), "busy")
    found = {one.node: one.score for one in cluster.why(pod).scores()}
    assert [found["busy"], found["a"], found["b"]] == expected


DISK = {"cpu": 4, "ephemeral-storage": 100}

# a scorer over cpu and disk, points of a pod that asks for a quarter of the cpu while half of the disk is used
NATIVE: list[tuple[Scorer, int]] = [
    (Allocation(resources=(("cpu", 1), ("ephemeral-storage", 1))), (75 + 50) // 2),
    (Allocation("MostAllocated", (("cpu", 1), ("ephemeral-storage", 1))), (25 + 50) // 2),
    (BalancedAllocation(("cpu", "ephemeral-storage")), 50 + (50 + 87 - 75) // 2),
]


@pytest.mark.parametrize("scorer, expected", NATIVE)
def test_disk_is_scored_even_if_none_is_requested(scorer: Scorer, expected: int) -> None:
    cluster = Cluster([Node("n", DISK)], Policy("test", (scorer,)))
    cluster.settle(Workload("old", {"ephemeral-storage": 50}), "n")
    assert [one.score for one in cluster.why(Workload("new", {"cpu": 1})).scores()] == [expected]


def test_scalar_resources_are_scored_only_if_they_are_requested() -> None:
    scorer = Allocation(resources=(("cpu", 1), ("nvidia.com/gpu", 9)))
    cluster = Cluster([Node("n", {"cpu": 4, "nvidia.com/gpu": 4})], Policy("test", (scorer,)))
    asked = [Workload("plain", {"cpu": 1}), Workload("gpu", {"cpu": 1, "nvidia.com/gpu": 4})]
    assert [next(cluster.why(one).scores()).score for one in asked] == [75, 75 // 10]
