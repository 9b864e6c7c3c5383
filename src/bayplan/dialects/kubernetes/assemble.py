"""All objects are known: pods become residents and requests, templates become pods, gangs are gathered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bayplan.dialects.kubernetes import configuration, controllers, groups
from bayplan.dialects.kubernetes.arguments import Arguments
from bayplan.dialects.kubernetes.collect import Collected, title
from bayplan.dialects.kubernetes.configuration import DEFAULT_SCHEDULER
from bayplan.dialects.kubernetes.context import Context, Version
from bayplan.dialects.kubernetes.controllers import Controller
from bayplan.dialects.kubernetes.names import namespace, object_name, owner
from bayplan.dialects.kubernetes.owners import SYSTEM
from bayplan.dialects.kubernetes.pod_reader import PodReader
from bayplan.dialects.kubernetes.pods import read_pod
from bayplan.dialects.kubernetes.reading import At, Remark, Remarks
from bayplan.dialects.kubernetes.report import Report
from bayplan.dialects.kubernetes.shapes import Seen, Shape
from bayplan.dialects.kubernetes.source import Item
from bayplan.engine.spec import PolicySpec
from bayplan.errors import Problem
from bayplan.model.group import Request
from bayplan.model.node import Node
from bayplan.model.strategy import ResourceStrategy
from bayplan.model.workload import DEFAULT_NAMESPACE, Workload

Waiting = tuple[Workload, "groups.Name | None"]


@dataclass(frozen=True, slots=True)
class Assembled:
    nodes: tuple[Node, ...]
    residents: tuple[tuple[Workload, str], ...]
    requests: tuple[Request, ...]
    policy: PolicySpec | None


def assemble(
    collected: Collected,
    report: Report,
    version: Version,
    scheduler: str | None,
    strategies: Callable[[Mapping[str, str]], tuple[ResourceStrategy, ...] | None] | None,
) -> Assembled:
    policy, arguments = _configuration(collected, report, version, scheduler)
    made = _Assembly(collected, report, scheduler)
    made.controllers()  # their selectors are part of the context
    made.context = Context(
        namespaces=collected.namespaces,
        priority_classes=collected.priority_classes,
        default_priority=collected.default_priority,
        added_affinity=arguments.added_affinity,
        ignored_resources=arguments.ignored_resources,
        ignored_groups=arguments.ignored_groups,
        spread_defaults=arguments.spread_defaults,
        system_spread=arguments.spread_defaults is SYSTEM,
        host_ports=arguments.host_ports,
        deduce=collected.owners.deduce,
        strategies=strategies,
        version=version,
        server=True,
    )
    for shape in collected.shapes:
        made.shape(shape)
    made.templates()
    return Assembled(tuple(collected.nodes.values()), tuple(made.residents), tuple(made.requests()), policy)


def _configuration(
    collected: Collected, report: Report, version: Version, scheduler: str | None
) -> tuple[PolicySpec | None, Arguments]:
    if not collected.configurations:
        return configuration.plain_policy(version), Arguments()
    found: list[configuration.Configuration] = []
    for item in collected.configurations:
        remarks = Remarks()
        at = At(item.data, remarks)
        if found:
            at.mistake("there is a KubeSchedulerConfiguration already")
        found.append(configuration.read_configuration(at, scheduler, version))
        report.take(remarks, item.place, title(item.data))
    return found[0].policy, found[0].arguments


class _Assembly:
    def __init__(self, collected: Collected, report: Report, scheduler: str | None):
        self.collected = collected
        self.report = report
        self.scheduler = scheduler
        self.context = Context()
        self.residents: list[tuple[Workload, str]] = []
        self.waiting: list[tuple[tuple[str, int], Waiting]] = []
        """With the time of creation."""
        self.made: list[Waiting] = []
        self.running: Counter[groups.Name] = Counter()
        self.elsewhere: Counter[str] = Counter()
        self.owned: set[tuple[str, str]] = set(collected.owned)
        self.known: list[tuple[Controller, Item]] = []

    # --- pods ---------------------------------------------------------------------------------

    def shape(self, shape: Shape) -> None:
        reader = PodReader(shape, self.context)
        held = self._held(At(shape.data, Remarks()))
        space = namespace(At(shape.data, Remarks()))
        for kin in shape.kins.values():
            workload, remarks = reader.read(kin)
            self._say(remarks, kin.pods, space)
            if workload is not None:
                group = groups.group_of(shape.with_labels(kin.labels)) if self.collected.minimums else None
                self._pods(workload, kin.pods, group, held)

    def _pods(self, workload: Workload, pods: list[Seen], group: groups.Name | None, held: Remark | None) -> None:
        """Pods of one kind; `workload` is the first of them."""
        self.owned.add((workload.namespace, workload.owner))
        for number, pod in enumerate(pods):
            named = workload.named(pod.name) if number else workload
            if pod.node:
                self._resident(named, pod, group)
            elif held is not None:
                self.report.note(pod.place, _header(workload.namespace, pod), held)
            else:
                self.waiting.append(((pod.created or "~", pod.number), (named, group)))

    def _say(self, remarks: Remarks, pods: list[Seen], space: str) -> None:
        """Mistakes once, notes for every pod."""
        first = pods[0]
        for one in dict.fromkeys(remarks.mistakes):
            more = f" (and {len(pods) - 1:,} more pods like it)" if len(pods) > 1 else ""
            self.report.mistake(first.place, _header(space, first), Remark(one.path, one.message + more, one.hint))
        for one in dict.fromkeys(remarks.notes):
            for pod in pods:
                self.report.note(pod.place, _header(space, pod), one)

    def _held(self, pod: At) -> Remark | None:
        """Why a waiting pod is not asked for."""
        gates = [str((one / "name").value) for one in (pod / "spec" / "schedulingGates").items()]
        if gates:
            return Remark(("spec", "schedulingGates"), f"the pod is left out: it waits at the gate {', '.join(gates)[:200]}")
        if pod / "metadata" / "deletionTimestamp":
            return Remark(("metadata", "deletionTimestamp"), "the pod is left out: it is being deleted")
        return self._foreign(pod / "spec")

    def _foreign(self, spec: At) -> Remark | None:
        name = (spec / "schedulerName").text() or DEFAULT_SCHEDULER
        if self.scheduler in (None, name):
            return None
        return Remark(("spec", "schedulerName"), f"the pod is left out: it waits for the scheduler {name[:80]!r}")

    def _resident(self, workload: Workload, pod: Seen, group: groups.Name | None) -> None:
        if pod.node not in self.collected.nodes:
            self.elsewhere[pod.node] += 1
            return
        self.residents.append((workload, pod.node))
        if group is not None:
            self.running[group] += 1

    # --- controllers --------------------------------------------------------------------------

    def controllers(self) -> None:
        """Who they are and whom they select; and who already has pods, or ReplicaSets that have them."""
        for kind, item in self.collected.controllers:
            remarks = Remarks()
            at = At(item.data, remarks)
            one = Controller(kind, namespace(at, server=True), object_name(at, server=True))
            if self.collected.unique(at, kind, one.namespace, one.name):
                if kind != "Job":  # a job finds its pods by a label of its own
                    controllers.check_selector(at, kind, self.collected.owners.controller(one.namespace, kind, one.name, at))
                self.known.append((one, item))
                if above := owner(at):
                    self.owned.add((one.namespace, above))
            self.report.take(remarks, item.place, title(item.data))

    def templates(self) -> None:
        """The pods that controllers would make, where the files do not have them."""
        for one, item in self.known:
            if (one.namespace, one.owner) in self.owned:
                continue
            remarks = Remarks()
            at = At(item.data, remarks)
            number = controllers.count(at, one.kind)
            pod = controllers.template(at, one)
            workload = read_pod(pod, self.context, f"{one.name}-0")
            if workload is not None and not remarks.mistakes:
                self._from_template(one, number, workload, pod)
            self.report.take(remarks, item.place, title(item.data))

    def _from_template(self, one: Controller, number: int, workload: Workload, pod: At) -> None:
        held = self._held(pod)
        if held is not None:
            pod.note(held.message)
        elif one.kind == "DaemonSet":
            nodes = self.collected.nodes.values()
            self.made += [(each, None) for each in controllers.per_node(workload, one.name, nodes)]
        else:
            group = groups.group_of(pod.value)
            self.made += [(each, group) for each in controllers.copies(workload, one.name, number)]

    # --- the result ---------------------------------------------------------------------------

    def requests(self) -> list[Request]:
        self.waiting.sort(key=lambda one: one[0])  # by creation, then as they stand; those without a time come last
        pods = [waiting for _, waiting in self.waiting] + self.made
        self._unique_ids(pods)
        found, short = groups.gather(pods, self.running, self.collected.minimums)
        for (space, name), members in short.items():
            wanted = self.collected.minimums[space, name] - self.running[space, name]
            message = f"{len(members)} pods of the group {space}/{name} are left out: {wanted} are needed to start"
            self.report.notes.append(Problem(message))
        self._summary()
        return found

    def _unique_ids(self, pods: list[Waiting]) -> None:
        seen = {workload.id for workload, _ in self.residents}
        for workload, _ in pods:
            if workload.id in seen:
                self.report.problems.append(Problem(f"two pods would be called {workload.id!r}"))
            seen.add(workload.id)

    def _summary(self) -> None:
        if self.elsewhere:
            names = ", ".join(sorted(self.elsewhere)[:5])
            message = f"{self.elsewhere.total():,} pods do not count: their nodes are not among the files ({names})"
            self.report.notes.append(Problem(message))
        for kind, times in sorted(self.collected.unplanned.items()):
            self.report.notes.append(Problem(f"{times:,} objects of kind {kind} are not looked at"))


def _header(space: str, pod: Seen) -> str:
    return f"Pod {pod.name}" if space == DEFAULT_NAMESPACE else f"Pod {space}/{pod.name}"
