"""A strategy per resource, retention and a proportional reserve: every node judged and scored, beside plain Python.

The workloads request four resources that all have a strategy; nodes are of five shapes, a third with GPUs, partly used.
The plain formulas are Volcano's, node by node, in the order of operations of the engine's; both give the same numbers.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from bayplan import Cluster, Node, ResourceStrategy, Workload
from bayplan.engine.pipeline import Pipeline
from bayplan.engine.policy import Policy
from bayplan.filters.reserve import Reserve
from bayplan.scorers.packing import Packing
from bayplan.scorers.scarcity import Scarcity
from benchmarks.timing import best

NODES = 10_000
STRATEGIES = (
    ResourceStrategy("nvidia.com/gpu", "most", 2.0),
    ResourceStrategy("cpu", "least"),
    ResourceStrategy("memory", "least"),
    ResourceStrategy("ephemeral-storage", "most", 3.0),
)
SCARCE = (("nvidia.com/gpu", 1.0), ("vendor.com/fpga", 2.0))
RATIOS = {"vendor.com/fpga": {"cpu": 8.0, "memory": 8.0}}

POLICY = Policy(
    "strategies", (Packing(STRATEGIES, "requested", 1000.0, "zero"), Scarcity(SCARCE, 1000.0)),
).with_filter(Reserve(RATIOS))  # fmt: skip


def rows(repeats: int) -> Iterator[dict[str, object]]:
    cluster = _cluster()
    asked = [_request(i) for i in range(200)]
    pipeline = Pipeline(cluster.snapshot, POLICY)
    nodes = {node.name: (dict(node.capacity), _used(cluster, node)) for node in cluster.snapshot.nodes()}
    _same_numbers(pipeline, nodes, asked[0])
    plain = best(lambda: _plainly(nodes, asked[:3]), lambda: None, 3)
    seconds = best(lambda: _scores(pipeline, asked), lambda: None, repeats)
    yield _row("judge and score every node", "both policies", seconds, plain)
    seconds = best(lambda: _place(cluster, asked), lambda: _release(cluster, asked), repeats)
    yield _row("place", "both policies", seconds, plain)


def _row(what: str, how: str, seconds: float, plain: float) -> dict[str, object]:
    return {
        "what": what, "how": how, "nodes": NODES, "per_second": round(1 / seconds), "microseconds": round(seconds * 1e6, 2),
        "baseline_per_second": round(1 / plain, 2), "times_baseline": round(plain / seconds),
    }  # fmt: skip


def _cluster() -> Cluster:
    dice = random.Random(5)
    shapes = [(8, 32, 0, 0), (16, 64, 0, 0), (32, 256, 4, 0), (64, 512, 8, 0), (32, 128, 4, 2)]
    nodes = []
    for i in range(NODES):
        cpu, memory, gpu, fpga = dice.choice(shapes)
        scarce = {"nvidia.com/gpu": gpu, "vendor.com/fpga": fpga}
        nodes.append(Node(f"n{i}", {"cpu": cpu, "memory": f"{memory}Gi", "ephemeral-storage": "500G", **scarce}))
    cluster = Cluster(nodes, POLICY)
    with_gpus = [node for node in nodes if node.capacity.get("nvidia.com/gpu")]
    for i, node in enumerate(dice.sample(with_gpus, len(with_gpus) // 3)):
        cluster.settle(_request(dice.randrange(1000)).named(f"old-{i}"), node.name)
    return cluster


def _request(i: int) -> Workload:
    requests = {"cpu": f"{500 + i}m", "memory": f"{1000 + i}Mi", "nvidia.com/gpu": 1, "ephemeral-storage": f"{1 + i % 7}G"}
    return Workload(f"w{i}", requests)


def _scores(pipeline: Pipeline, asked: list[Workload]) -> int:
    for workload in asked:
        query = pipeline.query(workload)
        query.catch_up()
        query.mask()
        query.scores()
    return len(asked)


def _place(cluster: Cluster, asked: list[Workload]) -> int:
    for workload in asked:
        cluster.place(workload)
    return len(asked)


def _release(cluster: Cluster, asked: list[Workload]) -> None:
    for workload in asked:
        cluster.release(workload.id)


# --- the same in plain Python -----------------------------------------------------------------


Amounts = dict[str, int]
Nodes = dict[str, tuple[Amounts, Amounts]]
"""What each node has, and how much of it is used."""


def _used(cluster: Cluster, node: Node) -> Amounts:
    row = cluster.snapshot.row_of[node.name]
    return {name: amount - int(cluster.snapshot.free_of(name).cell[row]) for name, amount in node.capacity.items()}


def _plainly(nodes: Nodes, asked: list[Workload]) -> int:
    for workload in asked:
        requests = dict(workload.requests)
        for capacity, used in nodes.values():
            _fits(requests, capacity, used)
            _points(requests, capacity, used)
    return len(asked)


def _fits(requests: Amounts, capacity: Amounts, used: Amounts) -> bool:
    if any(capacity.get(name, 0) - used.get(name, 0) < amount for name, amount in requests.items()):
        return False
    if any(primary in requests for primary in RATIOS):
        return True
    for primary, ratios in RATIOS.items():
        idle = capacity.get(primary, 0) - used.get(primary, 0)
        for name, ratio in ratios.items():
            scale = 1e5 if name == "memory" else 1.0
            if capacity.get(primary, 0) and capacity[name] - used[name] - requests.get(name, 0) < idle * ratio * scale:
                return False
    return True


def _points(requests: Amounts, capacity: Amounts, used: Amounts) -> float:
    total, weights = 0.0, 0.0
    for one in STRATEGIES:
        request, size = requests.get(one.resource, 0), capacity.get(one.resource, 0)
        if not request:
            continue
        weights += one.weight
        if not size:
            continue
        after = used.get(one.resource, 0) + request
        if after > size:
            total, weights = 0.0, 0.0
            break
        total += (after if one.kind == "most" else size - after) * one.weight / size
    points = 1000.0 * (total / weights if weights else 0.0)
    if all(capacity.get(name, 0) for name in requests):
        points += 1000.0 * (1.0 - sum(weight for name, weight in SCARCE if capacity.get(name, 0)) / 3.0)
    return points


def _same_numbers(pipeline: Pipeline, nodes: Nodes, workload: Workload) -> None:
    query = pipeline.query(workload)
    query.catch_up()
    scores, mask, requests = query.scores(), query.mask(), dict(workload.requests)
    for name, (capacity, used) in nodes.items():
        row = query.snapshot.row_of[name]
        assert abs(scores[row] - _points(requests, capacity, used)) < 1e-8
        assert mask[row] == _fits(requests, capacity, used)
