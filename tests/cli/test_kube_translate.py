"""`bayplan translate`: there and back again says the same; what cannot be said is refused."""

from __future__ import annotations

import json
from pathlib import Path

import yaml

from bayplan.dialects import kubernetes, native
from scripts.make_kube_dump import dump
from tests.cli.command import FITS, bayplan
from tests.cli.kube_cluster import NODES, PODS

WORK = """
nodes: [{name: n1, capacity: {cpu: 4, memory: 8Gi}, labels: {zone: a}}, {name: n2, capacity: {cpu: 4, memory: 8Gi}}]
workloads:
  - {name: web, replicas: 2, requests: {cpu: 500m}, labels: {app: web}, apart: [{peers: {app: web}}], priority: 5}
  - {name: old, requests: {cpu: 1}, selector: {zone: a}, "on": n1}
"""


def test_native_to_kubernetes_and_back() -> None:
    written = bayplan("translate", "f.yaml", "--to", "kubernetes", f=WORK)
    assert (written.code, written.err) == (0, "")
    kinds = [one["kind"] for one in yaml.safe_load_all(written.out)]
    assert kinds == ["PriorityClass", "Node", "Node", "Pod", "Pod", "Pod"]
    found, wanted = kubernetes.loads(written.out), native.loads(WORK)
    assert found.nodes == wanted.nodes
    assert [one.name for one in found.requests] == ["web-0", "web-1"]
    assert [(one.name, node) for one, node in found.residents] == [("old", "n1")]
    again = bayplan("translate", "--kube", "k.yaml", "--to", "native", k=written.out)
    assert native.loads(again.out).requests == found.requests


def test_kubernetes_to_native() -> None:
    ran = bayplan("translate", "--kube", "nodes.yaml", "--kube", "pods.yaml", "--to", "native", nodes=NODES, pods=PODS)
    assert ran.code == 0
    found, wanted = native.loads(ran.out), kubernetes.loads(f"{NODES}---\n{PODS}")
    assert (found.nodes, found.requests, found.residents) == (wanted.nodes, wanted.requests, wanted.residents)
    assert found.policy is not None
    assert found.policy.preset == "kubernetes"


def test_a_generated_cluster_there_and_back(tmp_path: Path) -> None:
    file = tmp_path / "dump.json"
    file.write_text(json.dumps({"kind": "List", "apiVersion": "v1", "items": list(dump(12, 90, seed=1, waiting=0.1))}))
    wanted = kubernetes.load(file)
    ran = bayplan("translate", "--kube", str(file), "--to", "native")
    found = native.loads(ran.out)
    assert (found.nodes, found.requests, found.residents) == (wanted.nodes, wanted.requests, wanted.residents)
    again = kubernetes.loads(bayplan("translate", "f.yaml", "--to", "kubernetes", f=ran.out).out)
    assert again.nodes == wanted.nodes
    assert {one.id: one for one in again.requests} == {one.id: one for one in wanted.requests}  # type: ignore[union-attr]
    assert dict(again.residents) == dict(wanted.residents)


def test_what_is_kept_elsewhere_is_left_out_with_a_note() -> None:
    ran = bayplan("translate", "f.yaml", "--to", "kubernetes", f=FITS + "policy: {preset: pack}\n")
    assert ran.code == 0
    assert "note: templates are left out" in ran.err
    assert "note: the policy is left out" in ran.err


def test_what_cannot_be_said() -> None:
    ran = bayplan("translate", "f.yaml", "--to", "kubernetes", f="nodes: [{name: n, devices: {gpu: 2}}]")
    assert (ran.code, ran.out) == (2, "")
    assert "error: node 'n': single devices" in ran.err
    ran = bayplan("translate", "f.yaml", "--to", "kubernetes", f="workloads: [{name: w, queue: q}]")
    assert ran.code == 2
    assert "workload 'w': queue" in ran.err


def test_words_that_are_wrong() -> None:
    assert bayplan("translate", "f.yaml", f=WORK).code == 2
    assert bayplan("translate", "f.yaml", "--to", "klingon", f=WORK).code == 2
    assert bayplan("translate", "--to", "native").code == 2
