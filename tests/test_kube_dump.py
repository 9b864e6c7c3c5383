"""The generator of dumps: the same arguments give the same cluster, and it is one that could be."""

from __future__ import annotations

from bayplan import Cluster
from bayplan.dialects import kubernetes
from scripts.make_kube_dump import dump
from tests.cli.test_kube_log import GENERATED


def test_the_same_again() -> None:
    assert list(dump(10, 60, seed=4)) == list(dump(10, 60, seed=4))
    assert list(dump(10, 60, seed=4)) != list(dump(10, 60, seed=5))


def test_it_has_as_many_as_asked_for() -> None:
    kinds = [one["kind"] for one in dump(10, 60)]
    assert (kinds.count("Node"), kinds.count("Pod")) == (10, 60)


def test_it_is_read_without_a_note_and_nothing_is_overbooked() -> None:
    found = kubernetes.loads(GENERATED)
    assert not found.notes
    assert len(found.residents) + len(found.requests) == 200
    cluster = Cluster(found.nodes, "kubernetes")
    for pod, node in found.residents:
        cluster.settle(pod, node)  # it would be refused if there were no room
