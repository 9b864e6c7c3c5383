"""A cluster whose every change is written down: the verbs of Cluster, each followed by one line of the log.

    with Recorder.start("decisions.jsonl", nodes, policy="pack") as recorder:
        recorder.place(Workload("web", {"cpu": 1}))
        recorder.cluster.why("web")              asking needs no recording

A change is made and then recorded; what the log cannot express (Unsupported) is refused before it is
made. `Recorder.resume` replays a log and continues it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import TracebackType

from bayplan.dialects.native import writing
from bayplan.engine import spec as policies
from bayplan.engine.cluster import Cluster
from bayplan.engine.policy import DEFAULT
from bayplan.engine.spec import PolicySpec
from bayplan.errors import ConfigError, Problem
from bayplan.model.decision import Plan
from bayplan.model.group import Group, Request
from bayplan.model.node import Node, NodeTemplate, Taint
from bayplan.model.workload import Workload
from bayplan.run import records
from bayplan.run.log import Log, Writer
from bayplan.run.replay import replay


class Recorder:
    """Change the cluster through this object only, or the log tells another story than the cluster."""

    def __init__(self, cluster: Cluster, writer: Writer, log: Log | None = None):
        self.cluster = cluster
        self.log = log
        """What the log held when it was resumed; None for a new one."""
        self._writer = writer

    @classmethod
    def start(
        cls,
        path: str | os.PathLike[str],
        nodes: Iterable[Node] = (),
        policy: PolicySpec | str = DEFAULT,
        templates: Sequence[NodeTemplate] = (),
        seed: int = 0,
        *,
        sync: bool = False,
    ) -> Recorder:
        """A new cluster with a new log."""
        spec, nodes = _spec(policy), list(nodes)
        cluster = Cluster(nodes, policies.build(spec), templates, seed)
        first = {"event": "nodes", "nodes": writing.write_nodes(nodes)}
        writer = Writer.create(path, records.header(spec, seed, templates), sync=sync)
        writer.write(first)
        return cls(cluster, writer)

    @classmethod
    def resume(cls, path: str | os.PathLike[str], *, sync: bool = False) -> Recorder:
        """The cluster as a log left it, and the log continued. Refused when today's engine would decide otherwise."""
        writer, log = Writer.append(path, sync=sync)
        try:
            again = replay(log)
            if again.changed:
                first = again.changed[0]
                hint = "start a new log with the present state"
                raise ConfigError(Problem(f"decided differently today: {first}", "", hint, log.path, first.line))
        except BaseException:
            writer.close()
            raise
        return cls(again.cluster, writer, log)

    # --- deciding ---

    def place(self, *requests: Request | Iterable[Request]) -> Plan:
        asked = [one for item in requests for one in ((item,) if isinstance(item, Workload | Group) else item)]
        written = records.write_requests(asked)
        plan = self.cluster.place(asked)
        self._writer.write({"event": "place", "requests": written, "decisions": records.write_decisions(plan)})
        return plan

    def settle(self, workload: Workload, node: str, *, overbooked: bool = False) -> None:
        written = records.write_workload(workload)
        self.cluster.settle(workload, node, overbooked=overbooked)
        more = {"overbooked": True} if overbooked else {}
        self._writer.write({"event": "settle", "workload": written, "node": node, **more})

    def retry(self) -> Plan:
        plan = self.cluster.retry()
        self._writer.write({"event": "retry", "decisions": records.write_decisions(plan)})
        return plan

    # --- changing ---

    def release(self, workload_id: str) -> None:
        self.cluster.release(workload_id)
        self._writer.write({"event": "release", "workload": workload_id})

    def use(self, policy: PolicySpec | str) -> None:
        spec = _spec(policy)
        self.cluster.use(policies.build(spec))
        self._writer.write({"event": "policy", "policy": records.write_policy(spec)})

    def add(self, node: Node) -> None:
        written = records.write_node(node)
        self.cluster.add(node)
        self._writer.write({"event": "node", "node": written})

    def relabel(self, name: str, labels: Mapping[str, str | None]) -> None:
        self._change(name, lambda: self.cluster.relabel(name, labels))

    def taint(self, name: str, taints: Sequence[Taint]) -> None:
        self._change(name, lambda: self.cluster.taint(name, taints))

    def cordon(self, name: str, cordoned: bool = True) -> None:
        self._change(name, lambda: self.cluster.cordon(name, cordoned))

    def _change(self, name: str, change: Callable[[], None]) -> None:
        change()
        self._writer.write({"event": "node-changed", "node": records.write_node(self.cluster.snapshot.node(name))})

    def remove(self, name: str) -> list[Workload]:
        return self._empty("node-removed", name, self.cluster.remove)

    def drain(self, name: str) -> list[Workload]:
        return self._empty("drain", name, self.cluster.drain)

    def _empty(self, event: str, name: str, act: Callable[[str], list[Workload]]) -> list[Workload]:
        displaced = act(name)
        self._writer.write({"event": event, "node": name, "displaced": [one.id for one in displaced]})
        return displaced

    def close(self) -> None:
        self._writer.close()

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def _spec(policy: PolicySpec | str) -> PolicySpec:
    return PolicySpec(preset=policy) if isinstance(policy, str) else policy
