"""Decisions about Kubernetes' objects go through a log: the same again, and under another policy."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bayplan.dialects import kubernetes
from bayplan.run.replay import replay
from scripts.make_kube_dump import dump
from tests.cli.command import bayplan
from tests.cli.kube_cluster import HUGE, NODES, PACKED, PODS

SMALL = f"{NODES}---\n{PODS}---\n{HUGE}"


def recorded(tmp_path: Path, text: str, *words: str) -> Path:
    """The log of a plan."""
    file, log = tmp_path / "cluster.yaml", tmp_path / "d.jsonl"
    file.write_text(text)
    assert bayplan("place", "--kube", str(file), "--log", str(log), *words).code in (0, 1)
    return log


GENERATED = json.dumps({"kind": "List", "apiVersion": "v1", "items": list(dump(24, 200, seed=3, waiting=0.2))})
CLUSTERS = [("by hand", SMALL), ("with a configuration", f"{SMALL}---\n{PACKED}"), ("generated", GENERATED)]


@pytest.mark.parametrize("version", ["1.30", "1.37"])
@pytest.mark.parametrize("text", [row[1] for row in CLUSTERS], ids=[row[0] for row in CLUSTERS])
def test_it_replays_to_the_same(text: str, version: str, tmp_path: Path) -> None:
    log = recorded(tmp_path, text, "--kube-version", version)
    ran = bayplan("replay", str(log))
    assert (ran.code, "All came out as recorded." in ran.out) == (0, True), ran.out
    assert bayplan("replay", str(log), "--json").json["same"]


def test_what_is_read_from_the_log_is_what_was_asked(tmp_path: Path) -> None:
    log = recorded(tmp_path, SMALL)
    objects, cluster = kubernetes.loads(SMALL), replay(log).cluster
    placed = cluster.snapshot.placements
    for one in (*objects.requests, *(workload for workload, _ in objects.residents)):
        assert (placed[one.id].workload if one.id in placed else cluster.pending[one.id]) == one  # type: ignore[union-attr]
    assert [cluster.snapshot.node(one.name) for one in objects.nodes] == list(objects.nodes)


@pytest.mark.parametrize("text", [row[1] for row in CLUSTERS], ids=[row[0] for row in CLUSTERS])
def test_under_another_policy(text: str, tmp_path: Path) -> None:
    """As if it had been asked under that policy in the first place."""
    log = recorded(tmp_path, text)
    direct = bayplan("place", "--kube", str(tmp_path / "cluster.yaml"), "--policy", "pack", "--json").json
    cluster = replay(log, "pack").cluster
    assert {one["workload"]: one["node"] for one in direct["decisions"]} == {
        one["workload"]: cluster.assignments.get(one["workload"]) for one in direct["decisions"]
    }
    assert bayplan("replay", str(log), "--policy", "pack").code in (0, 1)


def test_native_work_replays_by_kube_schedulers_rules(tmp_path: Path) -> None:
    file, log = tmp_path / "f.yaml", tmp_path / "d.jsonl"
    file.write_text("nodes: [{name: n, count: 3, capacity: {cpu: 4}}]\nworkloads: [{name: w, replicas: 5, requests: {cpu: 1}}]\n")
    assert bayplan("place", str(file), "--log", str(log)).code == 0
    assert bayplan("replay", str(log), "--policy", "kubernetes").code == 0
