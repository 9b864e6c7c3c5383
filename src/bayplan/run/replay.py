"""Replay: the events of a log again, in order, on a fresh cluster.

Under the log's own policy every decision must come out as recorded; what does not is listed. Under
another policy the outcomes are compared: who has a place at the end, and where.

Once decisions differ, events meet another cluster than they did. Three rules keep the story straight:

    what an emptied node held here, but not in the log, is asked for again at once
    asking for what already runs or waits does nothing
    what the log displaced and never asked for again is gone at the end
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from bayplan.engine import spec as policies
from bayplan.engine.cluster import Cluster
from bayplan.engine.diff import Moves, Where, difference, state
from bayplan.engine.policy import Policy
from bayplan.errors import ConfigError, PlacementError, Problem, wrong
from bayplan.model.decision import Decision
from bayplan.model.group import Group, Request, members
from bayplan.model.workload import Workload
from bayplan.run import log as logs
from bayplan.run.log import Log, Record
from bayplan.run.records import Reader

FIRST_EVENT: Final = 2
"""The line after the header."""


@dataclass(frozen=True, slots=True)
class Changed:
    """A decision (or a step) that came out differently than recorded."""

    line: int
    workload: str
    recorded: str
    now: str

    def __str__(self) -> str:
        return f"{self.workload}: recorded {self.recorded}, now {self.now}"

    def as_json(self) -> dict[str, object]:
        return {"line": self.line, "workload": self.workload, "recorded": self.recorded, "now": self.now}


@dataclass(frozen=True, slots=True)
class Replay(Moves):
    """The cluster at the end, and how it differs from what was recorded: the moves lead from there to here."""

    cluster: Cluster
    policy: str
    events: int
    decisions: int
    torn: str
    changed: tuple[Changed, ...]
    """Under the log's own policy: empty, or this bayplan decides differently than the one that wrote the log."""

    @property
    def same(self) -> bool:
        return not self.changed and not self.moves

    def as_json(self) -> dict[str, object]:
        return {
            "policy": self.policy,
            "events": self.events,
            "decisions": self.decisions,
            "same": self.same,
            "torn": self.torn or None,
            "changed": [one.as_json() for one in self.changed],
            **self.sorts_as_json(),
            "unchanged": self.unchanged,
            "pending": len(self.cluster.pending.ids),
        }


def replay(source: str | os.PathLike[str] | Log, policy: Policy | str | None = None) -> Replay:
    """Do again what a log says, under its own policy or under another one throughout."""
    log = source if isinstance(source, Log) else logs.read(source)
    run = _Run(log, policy)
    for record in log.records:
        run.step_at(record)
    run.forget_gone()
    moves, unchanged = difference(run.recorded, state(run.cluster))
    name = run.cluster.policy.name
    return Replay(moves, unchanged, run.cluster, name, len(log.records), run.decisions, log.torn, tuple(run.changed))


class _Run:
    """One replay: the cluster, and beside it the state as the log has it."""

    def __init__(self, log: Log, policy: Policy | str | None):
        self.reader = Reader(log.path)
        spec, seed, templates = self.reader.header(log.header)
        self.fixed = policy is not None
        # The nodes it begins with are loaded together (ties are dealt then), and their record comes first.
        first = log.records[0] if log.records else None
        nodes = self.reader.nodes(first) if first is not None and self.reader.event(first) == "nodes" else ()
        self.cluster = Cluster(nodes, policies.build(spec) if policy is None else policy, templates, seed)
        self.recorded: dict[str, Where] = {}
        self.gone: set[str] = set()
        self.gangs: dict[str, list[str]] = {}
        """Of every group that waits in the log, the members."""
        self.asked: dict[str, Workload] = {}
        """Workloads as they were asked for, before any fallback."""
        self.changed: list[Changed] = []
        self.decisions = 0

    def step_at(self, record: Record) -> None:
        """A step; whatever the cluster refuses is a mistake on this line of the log."""
        try:
            self.step(record)
        except ConfigError as error:
            file, line = self.reader.file, record.line
            raise ConfigError(one if one.file else replace(one, file=file, line=line) for one in error.problems) from error
        except PlacementError as error:
            raise ConfigError(Problem(str(error), file=self.reader.file, line=record.line)) from error

    def step(self, record: Record) -> None:
        cluster, reader, data = self.cluster, self.reader, record.data
        match reader.event(record):
            case "nodes" if record.line > FIRST_EVENT:
                raise wrong("the nodes it begins with must come first")
            case "node":
                cluster.add(reader.node(record))
            case "node-changed":
                cluster.snapshot.replace(reader.node(record))
            case "node-removed":
                self._displace(reader.displaced(record), cluster.remove(data["node"]))
            case "drain":
                self._displace(reader.displaced(record), cluster.drain(data["node"]))
            case "settle":
                self._settle(record, reader.settled(record))
            case "place":
                self._place(record, reader.requests(record))
            case "retry":
                self._compare(record, reader.decisions(record), cluster.retry())
            case "release":
                self._release(data["workload"])
            case "policy" if not self.fixed:
                cluster.use(policies.build(reader.policy(record)))

    def _place(self, record: Record, requests: Sequence[Request]) -> None:
        fresh = []
        for request in requests:
            everyone = [one for way in request.alternatives() for one in members(way)]
            self.gone.difference_update(one.id for one in everyone)
            if isinstance(request, Group):
                self.asked.update((one.id, one) for one in everyone)
            else:
                self.asked[request.id] = request
            if not any(self._present(one.id) for one in everyone):
                fresh.append(request)
        self._compare(record, self.reader.decisions(record), self.cluster.place(fresh))

    def _settle(self, record: Record, workload: Workload) -> None:
        node = record.data["node"]
        self.asked[workload.id] = workload
        self.recorded[workload.id] = node
        try:
            self.cluster.settle(workload, node, overbooked=record.data.get("overbooked") is True)
        except PlacementError as error:  # others sit there by now
            if not self.fixed:
                self.changed.append(Changed(record.line, workload.id, f"on {node}", str(error)))

    def _release(self, name: str) -> None:
        if self._present(name):
            self.cluster.release(name)
        waiting = next((ids for ids in self.gangs.values() if name in ids), [])  # a waiting gang leaves as a whole
        for one in (name, *waiting):
            self.recorded.pop(one, None)

    def _displace(self, in_the_log: list[str], here: list[Workload]) -> None:
        for one in in_the_log:
            self.recorded.pop(one, None)
        self.gone.update(in_the_log)
        self.cluster.place([self.asked.get(one.id, one) for one in here if one.id not in self.gone])

    def _present(self, name: str) -> bool:
        return name in self.cluster.snapshot.placements or name in self.cluster.pending

    def _compare(self, record: Record, recorded: Sequence[Decision], now: Iterable[Decision]) -> None:
        self._note(recorded)
        self.decisions += len(recorded)
        if self.fixed:
            return
        before, after = ({one.workload: _outcome(one) for one in side} for side in (recorded, now))
        for name in dict.fromkeys((*before, *after)):
            was, is_now = before.get(name, "nothing"), after.get(name, "nothing")
            if was != is_now:
                self.changed.append(Changed(record.line, name, was, is_now))

    def _note(self, decisions: Sequence[Decision]) -> None:
        """Bring the state as the log has it up to date."""
        for gang in {one.group for one in decisions if one.group is not None}:
            for name in self.gangs.pop(gang, ()):  # it may have found a place with other members
                self.recorded.pop(name, None)
        for one in decisions:
            self.recorded[one.workload] = one.node
            if one.group is not None and one.node is None:
                self.gangs.setdefault(one.group, []).append(one.workload)

    def forget_gone(self) -> None:
        for name in self.gone:
            if self._present(name):
                self.cluster.release(name)


def _outcome(one: Decision) -> str:
    """What must come out the same: the score may gain a digit, the place may not change."""
    if one.node is None:
        return str(one.status)
    devices = "".join(f", {resource} {' '.join(ids)}" for resource, ids in (one.devices or {}).items())
    return f"on {one.node}{devices}" + (f", fallback {one.fallback}" if one.fallback else "")
