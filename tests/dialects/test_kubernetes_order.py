"""The order in which waiting pods are asked for, and what switching a plugin off means for the placements."""

from __future__ import annotations

import json

from bayplan import Cluster
from bayplan.dialects import kubernetes
from bayplan.engine.spec import build


def pod(name: str, cpu: str, created: str = "") -> dict[str, object]:
    times = {"creationTimestamp": created} if created else {}
    spec = {"containers": [{"name": "c", "image": "x", "resources": {"requests": {"cpu": cpu}}}]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, **times}, "spec": spec}


def read(*objects: dict[str, object]) -> kubernetes.Objects:
    return kubernetes.loads(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)}))


def test_pods_of_equal_age_come_as_they_stand_whatever_they_look_like() -> None:
    found = read(pod("a", "1"), pod("b", "2"), pod("c", "1"), pod("d", "2"))
    assert [one.name for one in found.requests] == ["a", "b", "c", "d"]


def test_the_oldest_come_first_and_those_without_a_time_last() -> None:
    late, early = "2026-01-02T00:00:00Z", "2026-01-01T00:00:00Z"
    found = read(pod("none", "1"), pod("late", "1", late), pod("early", "2", early), pod("also-early", "1", early))
    assert [one.name for one in found.requests] == ["early", "also-early", "late", "none"]


def test_without_the_plugin_unschedulable_nodes_take_pods() -> None:
    node = {
        "apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, "spec": {"unschedulable": True},
        "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "9"}},
    }  # fmt: skip
    profile = {"plugins": {"filter": {"disabled": [{"name": "NodeUnschedulable"}]}}}
    off = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", "profiles": [profile]}
    for more, placed in (([], 0), ([off], 1)):
        found = read(node, pod("a", "1"), *more)
        cluster = Cluster(found.nodes, build(found.policy) if found.policy else "kubernetes")
        assert len(cluster.place(found.requests).placed) == placed
