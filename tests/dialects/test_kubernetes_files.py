"""Whole files: lists, streams of JSON, controllers, gangs, and what is noted."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from bayplan import Group, Workload
from bayplan.dialects import kubernetes
from bayplan.dialects.kubernetes import Objects, stream
from bayplan.model.selector import NODE_NAME

CONTAINERS = [{"name": "c", "resources": {"requests": {"cpu": "1"}}}]


def obj(kind: str, name: str, api: str = "v1", meta: dict[str, Any] | None = None, **rest: Any) -> dict[str, Any]:
    return {"apiVersion": api, "kind": kind, "metadata": {"name": name, **(meta or {})}, **rest}


def node(name: str, **rest: Any) -> dict[str, Any]:
    return obj("Node", name, status={"allocatable": {"cpu": "4", "pods": "10"}}, **rest)


def pod(name: str, meta: dict[str, Any] | None = None, status: Any = None, **spec: Any) -> dict[str, Any]:
    return obj("Pod", name, meta=meta, spec={"containers": CONTAINERS, **spec}, status=status or {})


def controller(
    kind: str, name: str = "web", meta: dict[str, Any] | None = None, pod_spec: Any = None, **spec: Any
) -> dict[str, Any]:
    template = {"metadata": {"labels": {"app": name}}, "spec": {"containers": CONTAINERS, **(pod_spec or {})}}
    api = "batch/v1" if kind == "Job" else "apps/v1"
    selector = {} if kind == "Job" else {"selector": {"matchLabels": {"app": name}}}
    return obj(kind, name, api, meta, spec={**selector, "template": template, **spec})


def read(*objects: Any, **options: Any) -> Objects:
    return kubernetes.loads(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)}), **options)


def names(objects: Objects) -> list[str]:
    return [one.name for one in objects.requests]


def notes(objects: Objects) -> str:
    return "\n".join(map(str, objects.notes))


# --- nodes ----------------------------------------------------------------------------------------


def test_a_node() -> None:
    taints = [{"key": "b", "effect": "NoExecute"}, {"key": "a", "value": "v", "effect": "PreferNoSchedule"}]
    written = obj("Node", "n", meta={"labels": {"z": "1"}}, spec={"taints": taints, "unschedulable": True})
    written["status"] = {"capacity": {"cpu": "8"}, "allocatable": {"cpu": "7500.5m", "memory": "1Gi", "nvidia.com/gpu": "2"}}
    (found,) = read(written).nodes
    assert found.capacity == {"cpu": 75_010, "memory": 2**30, "nvidia.com/gpu": 20_000}
    assert found.cordoned
    assert [str(one) for one in found.taints] == ["a=v:PreferNoSchedule", "b:NoExecute"]


def test_capacity_stands_in_for_allocatable() -> None:
    assert read(obj("Node", "a", status={"capacity": {"cpu": 2}})).nodes[0].capacity == {"cpu": 20_000}


def test_images() -> None:
    listed = [{"names": ["x@sha256:1", "x:v1"], "sizeBytes": 7}, {"names": ["y:latest"]}]
    found = read(
        obj("Node", "a", status={"images": listed}), pod("p", containers=[{"name": "c", "image": "r.io:50/y"}, {"name": "d"}])
    )
    assert found.nodes[0].images == {"x@sha256:1": 7, "x:v1": 7, "y:latest": 0}
    assert isinstance(found.requests[0], Workload)
    assert found.requests[0].images == ("r.io:50/y:latest", ":latest")


# --- pods -----------------------------------------------------------------------------------------


def test_who_runs_and_who_waits() -> None:
    found = read(
        node("n"), pod("a", nodeName="n"), pod("b"), pod("done", nodeName="n", status={"phase": "Succeeded"}),
        pod("lost", nodeName="elsewhere"),
    )  # fmt: skip
    assert [(one.name, where) for one, where in found.residents] == [("a", "n")]
    assert names(found) == ["b"]
    assert "1 pods do not count: their nodes are not among the files (elsewhere)" in notes(found)


HELD = [
    (pod("p", schedulingGates=[{"name": "quota"}]), "it waits at the gate quota"),
    (pod("p", {"deletionTimestamp": "2026-01-01T00:00:00Z"}), "it is being deleted"),
    (pod("p", schedulerName="volcano"), "it waits for the scheduler 'volcano'"),
]


@pytest.mark.parametrize("written, why", HELD)
def test_who_is_left_out(written: dict[str, Any], why: str) -> None:
    found = read(written)
    assert found.requests == ()
    assert why in notes(found)
    assert "document 1, items[0], Pod p: " in notes(found)


def test_all_schedulers() -> None:
    assert names(read(pod("a"), pod("b", schedulerName="volcano"), scheduler=None)) == ["a", "b"]
    assert names(read(pod("a"), pod("b", schedulerName="volcano"), scheduler="volcano")) == ["b"]


NOTED = [
    ({"volumes": [{"name": "v", "persistentVolumeClaim": {}}]}, "spec.volumes[0]: a volume of kind persistentVolumeClaim"),
    ({"resourceClaims": [{"name": "gpu"}]}, "spec.resourceClaims: resource claims (DRA)"),
    ({"preemptionPolicy": "Never"}, "it never preempts"),
    ({"runtimeClassName": "kata"}, "RuntimeClass"),
    ({"nodeSelektor": {}}, "unknown field 'nodeSelektor' is not looked at (did you mean 'nodeSelector'?)"),
    ({"priorityClassName": "gold"}, "the PriorityClass 'gold' is not among the files"),
]


@pytest.mark.parametrize("spec, expected", NOTED)
def test_notes_per_pod(spec: dict[str, Any], expected: str) -> None:
    found = read(pod("a", **spec), pod("b", **spec))
    assert names(found) == ["a", "b"]
    assert "Pod a: " in notes(found)
    assert "Pod b: " in notes(found)
    assert expected in notes(found)


def test_harmless_fields_are_not_noted() -> None:
    spec = {"volumes": [{"name": "v", "emptyDir": {}}], "serviceAccountName": "x", "restartPolicy": "Always"}
    assert read(pod("a", **spec)).notes == ()


def test_order_of_arrival() -> None:
    found = read(pod("late", {"creationTimestamp": "2026-02"}), pod("never"), pod("early", {"creationTimestamp": "2026-01"}))
    assert names(found) == ["early", "late", "never"]


def test_equal_pods_are_of_one_kind() -> None:
    found = read(*(pod(f"p{i}", {"uid": str(i)}, hostname=f"h{i}") for i in range(3)))
    assert len({id(one.kind) for one in found.requests if isinstance(one, Workload)}) == 1


def test_priority_classes_and_namespaces_may_come_later() -> None:
    term = {"topologyKey": "z", "labelSelector": {}, "namespaceSelector": {"matchLabels": {"team": "x"}}}
    affinity = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    found = read(
        pod("p", priorityClassName="gold", affinity=affinity), pod("q"),
        obj("PriorityClass", "gold", "scheduling.k8s.io/v1", value=9),
        obj("PriorityClass", "tin", "scheduling.k8s.io/v1", value=2, globalDefault=True),
        obj("Namespace", "a", meta={"labels": {"team": "x"}}), obj("Namespace", "b"),
    )  # fmt: skip
    first, second = found.requests
    assert isinstance(first, Workload)
    assert first.apart[0].namespaces == frozenset({"a"})
    assert (first.priority, second.priority) == (9, 2)


# --- controllers ----------------------------------------------------------------------------------

COUNTS = [
    (controller("Deployment", replicas=3), ["web-0", "web-1", "web-2"]),
    (controller("StatefulSet", replicas=2), ["web-0", "web-1"]),
    (controller("ReplicaSet"), ["web-0"]),
    (controller("Deployment", replicas=0), []),
    (controller("Job", parallelism=3, completions=2), ["web-0", "web-1"]),
    (controller("Job", suspend=True), []),
    (controller("DaemonSet"), ["web-n1", "web-n2"]),
    (controller("DaemonSet", pod_spec={"nodeSelector": {"gpu": "1"}}), ["web-n2"]),
]


@pytest.mark.parametrize("written, expected", COUNTS)
def test_templates(written: dict[str, Any], expected: list[str]) -> None:
    tainted = node("n3", spec={"taints": [{"key": "t", "effect": "NoSchedule"}]})
    cordoned = node(
        "n2",
        meta={"labels": {"gpu": "1"}},
        spec={"taints": [{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}]},
    )
    assert names(read(written, node("n1"), cordoned, tainted)) == expected


def test_pods_of_a_daemon_set_are_bound_by_name() -> None:
    found = read(controller("DaemonSet"), node("n1")).requests[0]
    assert isinstance(found, Workload)
    assert found.selector.matches({NODE_NAME: "n1"})
    assert not found.selector.matches({NODE_NAME: "n2"})


def test_controllers_with_pods_make_none() -> None:
    owner = {"ownerReferences": [{"kind": "ReplicaSet", "name": "web-1", "controller": True}]}
    above = {"ownerReferences": [{"kind": "Deployment", "name": "web", "controller": True}]}
    objects = [controller("Deployment", replicas=3), controller("ReplicaSet", "web-1", above, replicas=3), pod("a", owner)]
    assert names(read(*objects)) == ["a"]
    assert names(read(*objects[:2])) == ["web-1-0", "web-1-1", "web-1-2"]


def test_a_job_whose_pods_have_ended_makes_none() -> None:
    owner = {"ownerReferences": [{"kind": "Job", "name": "web", "controller": True}]}
    assert names(read(controller("Job"), pod("a", owner, {"phase": "Succeeded"}))) == []


def test_labels_that_controllers_add() -> None:
    job, deployed = read(controller("Job", "j"), controller("Deployment", "d")).requests
    assert isinstance(job, Workload)
    assert isinstance(deployed, Workload)
    assert job.labels["job-name"] == "j"
    assert deployed.labels["pod-template-hash"]
    assert (job.owner, deployed.owner) == ("Job/j", "Deployment/d")


# --- the spread that pods get by default ----------------------------------------------------------


def spreads(*objects: Any) -> list[tuple[str, int, str]]:
    waiting = next(one for one in read(*objects).requests if isinstance(one, Workload))
    assert all(one.may_lack for one in waiting.spread)
    return [(one.by, one.max_skew, str(one.peers)) for one in waiting.spread]


def test_default_spread() -> None:
    labelled, staying = {"labels": {"app": "web", "v": "1"}}, "and bayplan.dev/terminating absent"
    service = obj("Service", "s", spec={"selector": {"app": "web"}})
    other = obj("Service", "t", spec={"selector": {"app": "db"}})
    assert spreads(pod("a", labelled)) == []
    assert spreads(pod("a", labelled), service, other) == [
        ("kubernetes.io/hostname", 3, f"app in (web) {staying}"),
        ("topology.kubernetes.io/zone", 5, f"app in (web) {staying}"),
    ]
    owned = {**labelled, "ownerReferences": [{"kind": "ReplicaSet", "name": "v", "controller": True}]}
    replicas = obj(
        "ReplicaSet",
        "v",
        "apps/v1",
        spec={"selector": {"matchLabels": {"v": "1"}}, "template": {"metadata": {"labels": {"v": "1"}}}},
    )
    assert spreads(pod("a", owned), service, replicas)[0][2] == f"app in (web) {staying} and v in (1)"


# --- gangs ----------------------------------------------------------------------------------------

MEMBERSHIPS = [
    ("scheduling.x-k8s.io/v1alpha1", {"labels": {"scheduling.x-k8s.io/pod-group": "g"}}, {}),
    ("scheduling.volcano.sh/v1beta1", {"annotations": {"scheduling.k8s.io/group-name": "g"}}, {}),
    ("scheduling.k8s.io/v1alpha2", {}, {"schedulingGroup": {"podGroupName": "g"}}),
]


@pytest.mark.parametrize("api, meta, spec", MEMBERSHIPS)
def test_gangs(api: str, meta: dict[str, Any], spec: dict[str, Any]) -> None:
    group = obj("PodGroup", "g", api, spec={"minMember": 2})
    found = read(group, pod("x"), *(pod(f"m{i}", meta, **spec) for i in range(3)))
    first, gang, rest = found.requests
    assert (first.name, rest.name) == ("x", "m2")
    assert isinstance(gang, Group)
    assert [one.name for one in gang.members] == ["m0", "m1"]


def test_gangs_of_a_workload_object() -> None:
    policy = {"gang": {"minCount": 2}}
    above = obj("Workload", "train", "scheduling.k8s.io/v1alpha1", spec={"podGroups": [{"name": "workers", "policy": policy}]})
    reference = {"workloadRef": {"name": "train", "podGroup": "workers"}}
    (gang,) = read(above, pod("a", **reference), pod("b", **reference)).requests
    assert isinstance(gang, Group)


def test_members_that_run_count_and_too_few_wait() -> None:
    meta = {"labels": {"scheduling.x-k8s.io/pod-group": "g"}}
    group = obj("PodGroup", "g", "scheduling.x-k8s.io/v1alpha1", spec={"minMember": 2})
    assert names(read(group, node("n"), pod("a", meta, nodeName="n"), pod("b", meta), pod("c", meta))) == ["g", "c"]
    alone = read(group, pod("a", meta))
    assert alone.requests == ()
    assert "1 pods of the group default/g are left out: 2 are needed to start" in notes(alone)


# --- forms of files -------------------------------------------------------------------------------


def test_a_list_of_its_kind() -> None:
    items = [{key: value for key, value in pod(name).items() if key not in ("kind", "apiVersion")} for name in "ab"]
    for written in (
        {"kind": "PodList", "apiVersion": "v1", "items": items},
        {"items": items, "apiVersion": "v1", "kind": "PodList"},
    ):
        assert names(kubernetes.loads(json.dumps(written))) == ["a", "b"]


def test_documents_one_after_the_other() -> None:
    text = json.dumps(pod("a")) + "\n" + json.dumps({"apiVersion": "v1", "kind": "List", "items": [pod("b"), pod("c")]})
    assert names(kubernetes.loads(text)) == ["a", "b", "c"]


def test_yaml_that_begins_like_json() -> None:
    assert names(kubernetes.loads("{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: c}]}}")) == ["a"]


def test_small_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = read(node("n"), pod("ä", nodeName="n") | {"metadata": {"name": "a", "labels": {"k": "v"}}}, pod("b"))
    monkeypatch.setattr(stream, "CHUNK", 7)
    assert read(node("n"), pod("ä", nodeName="n") | {"metadata": {"name": "a", "labels": {"k": "v"}}}, pod("b")) == whole


def test_directories_files_and_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "b.json").write_text(json.dumps(pod("b")))
    (tmp_path / "a.yaml").write_text("apiVersion: v1\nkind: Node\nmetadata: {name: n}\n")
    (tmp_path / "readme.txt").write_text("not read")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(pod("c")).encode())))
    seen: list[tuple[str, int]] = []
    found = kubernetes.load(tmp_path, "-", progress=lambda file, count: seen.append((Path(file).name, count)))
    assert names(found) == ["b", "c"]
    assert [one.name for one in found.nodes] == ["n"]
    assert seen == [("a.yaml", 1), ("b.json", 2), ("<stdin>", 3)]


def test_other_objects() -> None:
    found = read(obj("ConfigMap", "c"), obj("PersistentVolumeClaim", "v"), obj("CronJob", "x", "batch/v1"))
    assert [str(one) for one in found.notes] == [
        "1 objects of kind CronJob are not looked at",
        "1 objects of kind PersistentVolumeClaim are not looked at",
    ]


def test_strategies_of_a_pod_come_from_a_callback() -> None:
    given: list[dict[str, str]] = []
    read(pod("a", {"annotations": {"volcano.sh/x": "1", "cni/ip": "2"}}), strategies=lambda one: given.append(dict(one)))  # type: ignore[func-returns-value]
    assert given == [{"volcano.sh/x": "1"}]
