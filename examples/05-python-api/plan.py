"""The same questions from Python: place, why, what if, who would have to go, and a log to replay."""

from __future__ import annotations

import tempfile
from pathlib import Path

from bayplan import Apart, Cluster, Group, Node, Selector, Strategy, Workload
from bayplan.run.recorder import Recorder
from bayplan.run.replay import replay

NODES = [
    Node("a", {"cpu": 8, "memory": "32Gi"}, labels={"zone": "a"}),
    Node("b", {"cpu": 8, "memory": "32Gi"}, labels={"zone": "b"}),
]
WEB = Workload("web", {"cpu": 2}, labels={"app": "web"}, apart=(Apart(Selector.of({"app": "web"}), by="zone"),))
JOB = Group("job", tuple(Workload("worker", {"cpu": 6}).copies(3)), strategy=Strategy.STRICT_SPREAD)


def main() -> None:
    cluster = Cluster(NODES, policy="pack")
    plan = cluster.place(WEB.copies(2), JOB)
    print("placed ", plan.assignments)
    print("pending", [one.workload for one in plan.pending])

    print("\nwhy is the job pending?")
    print(cluster.why("worker-0"))

    print("\nwhat if there were a third node?")
    print(cluster.whatif().add(Node("c", {"cpu": 8, "memory": "32Gi"})).plan())

    print("\nwho would have to go for something important?")
    print(cluster.preempt(Workload("urgent", {"cpu": 7}, priority=100)))

    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "decisions.jsonl")
        with Recorder.start(log, NODES, policy="pack") as recorder:
            recorder.place(WEB.copies(2), JOB)
            recorder.release("web-0")
        print("\nreplayed to the same placements:", replay(log).same)


if __name__ == "__main__":
    main()
