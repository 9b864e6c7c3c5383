"""The workloads of kube-scheduler's own performance suite, through the dialect and the engine.

Nodes have 4 cores, 32 GiB and room for 110 pods; pods request 100m and 500 MiB. First the initial pods are placed, then
the measured ones, one by one, as many as the suite measures (at most `MEASURED`). `repeated` pods are alike; of
`unique` ones each requests another amount. Beside each figure stands what upstream's continuous integration demands
of release 1.37, in pods per second. That figure includes an API server in the same process; ours is decisions alone.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bayplan import Cluster, Workload
from bayplan.dialects.kubernetes import node_of, workload_of_pod
from bayplan.dialects.kubernetes.context import Context

NODES = 5_000
MEASURED = 3_000
ZONES = ("zone1", "zone2", "zone3")
HOST, ZONE = "kubernetes.io/hostname", "topology.kubernetes.io/zone"
Pod = dict[str, Any]


@dataclass(frozen=True)
class Suite:
    name: str
    threshold: int
    initial: tuple[tuple[str, int], ...]
    """Templates by name, and how many of each are there already."""
    measured: str
    count: int
    zones: tuple[str, ...] = ()


SUITES = (
    Suite("SchedulingBasic", 680, (("basic", 1000),), "basic", 10_000),
    Suite("SchedulingNodeAffinity", 540, (("basic", 5000),), "zone in two", 10_000, ("zone1", "zone2")),
    Suite("SchedulingPodAffinity", 70, (("near zone", 5000),), "near zone", 5_000, ("zone1",)),
    Suite("SchedulingPodAntiAffinity", 180, (("apart", 1000),), "apart", 2_000),
    Suite("SchedulingPodMatchingAntiAffinity", 540, (("apart", 1000),), "labelled", 5_000),
    Suite("SchedulingPreferredPodAffinity", 160, (("likes", 5000),), "likes", 5_000),
    Suite("SchedulingPreferredPodAntiAffinity", 190, (("dislikes", 5000),), "dislikes", 5_000),
    Suite("TopologySpreading", 460, (("basic", 5000),), "spread", 5_000, ZONES),
    Suite("PreferredTopologySpreading", 340, (("basic", 5000),), "soft spread", 5_000, ZONES),
    Suite("Unschedulable", 590, (("too large", 100),), "basic", 10_000),
    Suite(
        "MixedSchedulingBasePod", 540,
        tuple((one, 2000) for one in ("basic", "near zone", "apart other", "likes", "dislikes")), "basic", 5_000, ("zone1",),
    ),
)  # fmt: skip


def rows(repeats: int) -> Iterator[dict[str, object]]:
    for suite in SUITES:
        for how, factor in (("unique", 10), ("repeated", 30)):
            best = min(_seconds(suite, unique=how == "unique") for _ in range(min(repeats, 3)))
            yield {
                "what": suite.name, "how": f"kubernetes {how}", "nodes": NODES, "per_second": round(1 / best),
                "microseconds": round(best * 1e6, 2), "threshold": suite.threshold, "aim": suite.threshold * factor,
                "times_baseline": round(1 / best / suite.threshold),
            }  # fmt: skip


def _seconds(suite: Suite, *, unique: bool) -> float:
    """Per measured pod; those that find no node count as well."""
    cluster = _cluster(suite)
    for template, count in suite.initial:
        place_all(cluster, template, f"old-{template.replace(' ', '-')}", count)
    count = min(suite.count, MEASURED)
    pods = [_read(suite.measured, f"new-{i}", i) for i in range(count)] if unique else _read(suite.measured, "new").copies(count)
    gc.collect()
    gc.disable()
    start = time.thread_time()
    for pod in pods:
        cluster.place(pod)
    taken = time.thread_time() - start
    gc.enable()
    return taken / count


def place_all(cluster: Cluster, template: str, name: str, count: int) -> None:
    cluster.place(_read(template, name).copies(count))


def _cluster(suite: Suite) -> Cluster:
    return Cluster([node_of(_node(i, suite.zones)) for i in range(NODES)], "kubernetes")


def _node(number: int, zones: tuple[str, ...]) -> Mapping[str, Any]:
    name = f"node-{number}"
    labels = {HOST: name} | ({ZONE: zones[number % len(zones)]} if zones else {})
    amounts = {"cpu": "4", "memory": "32Gi", "pods": "110"}
    return {"metadata": {"name": name, "labels": labels}, "status": {"allocatable": amounts}}


def _read(template: str, name: str, more: int = 0) -> Workload:
    """A pod; `more` bytes of memory make it another kind."""
    pod = TEMPLATES[template]()
    requests = {"cpu": "100m", "memory": str(500 * 2**20 + more)} if template != "too large" else {"cpu": "9"}
    pod["metadata"]["name"] = name
    pod["spec"]["containers"] = [{"name": "pause", "image": "pause", "resources": {"requests": requests}}]
    return workload_of_pod(pod, CONTEXT)


CONTEXT = Context(namespaces={"default": {}, "sched-1": {}})


def _pod(labels: dict[str, str] | None = None, **spec: Any) -> Pod:
    return {"metadata": {"namespace": "default", "labels": labels or {}}, "spec": spec}


def _term(color: str, key: str) -> dict[str, Any]:
    return {"labelSelector": {"matchLabels": {"color": color}}, "topologyKey": key, "namespaces": ["default", "sched-1"]}


def _affinity(kind: str, term: Any) -> dict[str, Any]:
    """A hard term, or a list of weighted ones."""
    when = "preferred" if isinstance(term, list) else "required"
    return {kind: {f"{when}DuringSchedulingIgnoredDuringExecution": term if isinstance(term, list) else [term]}}


def _spread(mode: str) -> list[dict[str, Any]]:
    labels = {"matchLabels": {"color": "blue"}}
    return [{"maxSkew": 5, "topologyKey": ZONE, "whenUnsatisfiable": mode, "labelSelector": labels}]


_IN_TWO = {"nodeSelectorTerms": [{"matchExpressions": [{"key": ZONE, "operator": "In", "values": ["zone1", "zone2"]}]}]}

TEMPLATES: dict[str, Callable[[], Pod]] = {
    "basic": _pod,
    "labelled": lambda: _pod({"color": "green-ish"}),
    "too large": _pod,
    "zone in two": lambda: _pod(affinity={"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": _IN_TWO}}),
    "near zone": lambda: _pod({"color": "blue"}, affinity=_affinity("podAffinity", _term("blue", ZONE))),
    "apart": lambda: _pod({"color": "green"}, affinity=_affinity("podAntiAffinity", _term("green", HOST))),
    "apart other": lambda: _pod({"color": "green"}, affinity=_affinity("podAntiAffinity", _term("green", HOST))),
    "likes": lambda: _pod(
        {"color": "red"}, affinity=_affinity("podAffinity", [{"weight": 1, "podAffinityTerm": _term("red", HOST)}])
    ),
    "dislikes": lambda: _pod(
        {"color": "yellow"}, affinity=_affinity("podAntiAffinity", [{"weight": 1, "podAffinityTerm": _term("yellow", HOST)}])
    ),
    "spread": lambda: _pod({"color": "blue"}, topologySpreadConstraints=_spread("DoNotSchedule")),
    "soft spread": lambda: _pod({"color": "blue"}, topologySpreadConstraints=_spread("ScheduleAnyway")),
}
