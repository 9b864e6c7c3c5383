"""A log keeps the whole policy, and the queue and packing of every workload: it replays to the same, or under another."""

from __future__ import annotations

import json
from pathlib import Path

from bayplan import Group, Node, Workload
from bayplan.dialects import native
from bayplan.engine.spec import PolicySpec, build
from bayplan.model.strategy import ResourceStrategy as Use
from bayplan.run.recorder import Recorder
from bayplan.run.replay import replay

GPU = "nvidia.com/gpu"
NODES = [
    *(Node(f"gpu-{i}", {"cpu": 32, "memory": "128G"}, {"pool": "gpu"}, devices={GPU: 4}) for i in range(2)),
    *(Node(f"cpu-{i}", {"cpu": 32, "memory": "128G"}, {"pool": "cpu"}) for i in range(3)),
]
POLICY = """
policy:
  preset: ai-mixed
  name: "no"
  scorers:
    packing: {over: requested, resources: {nvidia.com/*: most, cpu: least}, per_queue: {"no": {cpu: most}, 1_000: {}}}
    licences: {scorer: scarcity, resources: {licence: 1}, total: 2}
  filters:
    reserve: {per_unit: {nvidia.com/gpu: {cpu: 4, memory: 8G}}}
    system: {filter: reserve, pools: [{nodes: [{pool: cpu}, {pool: {not_in: [gpu]}}], keep: {cpu: 2, memory: 10%}, for: [none]}]}
"""


def work() -> list[Workload | Group]:
    return [
        *Workload("train", {"cpu": 2, GPU: 1}).copies(3),
        *Workload("web", {"cpu": 2, "memory": "1G"}).copies(6),
        *Workload("batch", {"cpu": 3}, queue="no").copies(6),
        *Workload("own", {"cpu": 1}, packing=[Use("cpu", "most", 2.0), Use("mem*")]).copies(3),
        *Workload("careless", {"cpu": 1}, queue="1_000", packing=()).copies(2),
        Group("gang", tuple(Workload("m", {"cpu": 2}, queue="no", packing=[Use("cpu", "most", -1.0)]).copies(2))),
    ]


def spec() -> PolicySpec:
    found = native.loads(POLICY).policy
    assert found is not None
    return found


def test_it_replays_to_the_same(tmp_path: Path) -> None:
    path = tmp_path / "decisions.jsonl"
    with Recorder.start(path, NODES, spec()) as recorder:
        recorder.place(*work())
        recorder.use(spec())
        recorder.place(Workload("late", {"cpu": 20, "memory": "100G"}, queue="no"))
    again = replay(path)
    assert again.same
    assert again.cluster.assignments == recorder.cluster.assignments
    assert again.cluster.policy == recorder.cluster.policy == build(spec())
    assert dict(again.cluster.pending) == dict(recorder.cluster.pending)
    assert [again.cluster.snapshot.placements[one.id].workload for one in work() if isinstance(one, Workload)] == [
        one for one in work() if isinstance(one, Workload)
    ]


def test_queues_called_like_truths_and_numbers_stay_texts(tmp_path: Path) -> None:
    path = tmp_path / "decisions.jsonl"
    Recorder.start(path, NODES, spec()).close()
    head = json.loads(path.read_text().splitlines()[0])
    assert head["policy"]["name"] == "no"
    assert set(head["policy"]["scorers"]["packing"]["per_queue"]) == {"no", "1_000"}


def test_under_another_policy(tmp_path: Path) -> None:
    """Queues and packing of workloads are in the log, not in the policy: another policy may look at them, too."""
    path = tmp_path / "decisions.jsonl"
    with Recorder.start(path, NODES, "spread") as recorder:
        recorder.place(*work())
    assert not replay(path, "spread").moves
    other = replay(path, build(spec()))
    assert other.moves
    with Recorder.start(tmp_path / "other.jsonl", NODES, spec()) as direct:
        direct.place(*work())
    assert other.cluster.assignments == direct.cluster.assignments
