"""kube-scheduler's score plugins, by hand; thousands of answers of the real ones are in tests/conformance."""

from __future__ import annotations

import pytest

from bayplan import Cluster, Node, Workload
from bayplan.engine.policy import Policy
from bayplan.scorers.kubernetes.allocation import Allocation
from bayplan.scorers.kubernetes.balanced import BalancedAllocation
from bayplan.scorers.kubernetes.images import MIB, ImageLocality


def points(scorer: object, nodes: list[Node], workload: Workload) -> dict[str, float]:
    cluster = Cluster(nodes, Policy("test", (scorer,)))  # type: ignore[arg-type]
    return {one.node: one.score for one in cluster.why(workload).scores()}


NODES = [
    Node("both", {"cpu": 1}, images={"web:1": 500 * MIB, "db:2": 700 * MIB}),
    Node("one", {"cpu": 1}, images={"web:1": 500 * MIB}),
    Node("none", {"cpu": 1}),
]


def test_images_that_are_there_count_by_size_and_by_how_many_nodes_have_them() -> None:
    # web:1 is on 2 of 3 nodes: 333.3 MiB; db:2 on 1 of 3: 233.3 MiB; the scale is 23 to 2000 MiB for two containers.
    both, one = 333 + 233, 333
    expected = {"both": 100 * (both - 23) // (2000 - 23), "one": 100 * (one - 23) // (2000 - 23), "none": 0}
    assert points(ImageLocality(), NODES, Workload("w", {"cpu": 1}, images=["web:1", "db:2"])) == expected


@pytest.mark.parametrize("images", [[], ["unknown:1"]])
def test_without_images_there_is_nothing_to_score(images: list[str]) -> None:
    assert set(points(ImageLocality(), NODES, Workload("w", {"cpu": 1}, images=images)).values()) == {0}


def test_images_that_come_later_count() -> None:
    cluster = Cluster([Node("a", {"cpu": 1}), Node("b", {"cpu": 1})], Policy("test", (ImageLocality(),)))
    workload = Workload("w", {"cpu": 1}, images=["web:1"])
    assert {one.score for one in cluster.why(workload).scores()} == {0.0}
    cluster.snapshot.replace(Node("b", {"cpu": 1}, images={"web:1": 2000 * MIB}))
    assert cluster.place(workload).assignments == {"w": "b"}


# requests, least, most, balanced since 1.36, balanced before
ALLOCATIONS = [
    ({"cpu": 1, "memory": "1Gi"}, (75 + 87) // 2, (25 + 12) // 2, 50 + (50 + 93 - 100) // 2, 93),
    ({"cpu": 4, "memory": "8Gi"}, 0, 100, 75, 100),
    ({"cpu": 2}, (50 + 100) // 2, (50 + 0) // 2, 50 + (50 + 75 - 100) // 2, 75),
]


@pytest.mark.parametrize("requests, least, most, since, before", ALLOCATIONS)
def test_allocation_in_whole_numbers(requests: dict[str, object], least: int, most: int, since: int, before: int) -> None:
    nodes, workload = [Node("n", {"cpu": 4, "memory": "8Gi"})], Workload("w", requests)  # type: ignore[arg-type]
    found = [
        points(scorer, nodes, workload)["n"]
        for scorer in (Allocation(), Allocation("MostAllocated"), BalancedAllocation(), BalancedAllocation(version="1.35"))
    ]
    assert found == [least, most, since, before]


def test_pods_that_request_nothing_count_as_small_ones() -> None:
    workload = Workload("w", {"counted-cpu": "100m", "counted-memory": "200Mi"})
    assert points(Allocation(), [Node("n", {"cpu": 1, "memory": "400Mi"})], workload) == {"n": (90 + 50) // 2}
