"""The cluster a user holds: nodes, residents, pending work and a policy, with one verb for each question.

    cluster = Cluster([Node("n1", {"cpu": 4})], policy="pack")
    plan = cluster.place(Workload("web", {"cpu": 1}).copies(3))
    cluster.why("web-0")                    why there, or why not
    cluster.whatif().drain("n1").plan()     the same on a fork

`place` takes the most important first, then in the order given; what finds no node stays pending and
is tried again by `retry()` when something changed that could matter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import repeat
from typing import Any

from bayplan.engine import intake
from bayplan.engine.batch import place_equal
from bayplan.engine.explain import Asked
from bayplan.engine.explanation import Explanation
from bayplan.engine.gang import member_query, place_group
from bayplan.engine.pipeline import Pipeline, could_ever
from bayplan.engine.policy import DEFAULT, Policy, preset
from bayplan.engine.preempt import Preemption, plan_preemption
from bayplan.engine.queue import Pending
from bayplan.engine.whatif import WhatIf
from bayplan.engine.why import why
from bayplan.errors import did_you_mean, wrong
from bayplan.model.decision import Decision, Plan, Status
from bayplan.model.frozen import FrozenMap
from bayplan.model.group import Group, Request
from bayplan.model.node import Node, NodeTemplate, Taint
from bayplan.model.workload import Workload
from bayplan.table.journal import Placement
from bayplan.table.snapshot import Snapshot


class Cluster:
    """Nodes, what runs on them, what waits, and the policy that decides."""

    def __init__(
        self,
        nodes: Iterable[Node] = (),
        policy: Policy | str = DEFAULT,
        templates: Sequence[NodeTemplate] = (),
        seed: int = 0,
    ):
        self.snapshot = Snapshot(nodes, seed)
        self.templates = tuple(templates)
        self.pending = Pending()
        self.asked: dict[str, Asked] = {}
        """For residents that came by a fallback or with a group: what was asked for."""
        self._policies: list[tuple[int, Policy]] = []
        """Which policy decided from which version on."""
        self.use(policy)

    def use(self, policy: Policy | str) -> None:
        """Decide by another policy from now on."""
        chosen = preset(policy) if isinstance(policy, str) else policy
        self._policies.append((self.snapshot.mark(), chosen))
        self._decide_by(chosen)

    def _decide_by(self, policy: Policy) -> None:
        self.policy = policy
        self._pipeline = Pipeline(self.snapshot, policy)
        buyable = [replace(one.node, name=one.name) for one in self.templates if one.maximum != 0]
        self._market = Pipeline(Snapshot(buyable), policy)
        """One node of each kind that could be bought."""

    # --- deciding -----------------------------------------------------------------------------

    def place(self, *requests: Request | Iterable[Request]) -> Plan:
        """Decide for workloads and groups and put what fits on its nodes."""
        if len(requests) == 1 and type(requests[0]) is Workload:
            alone = requests[0]
            if alone.id in self.snapshot.placements or alone.id in self.pending:
                self._new_ids([alone])  # says what is wrong
            return Plan((self._workload(alone),))
        asked = intake.flatten(requests)
        ids = self._new_ids(asked)
        # Members that had to leave their node keep the rule of their group: each is decided by itself.
        together = not self.asked or self.asked.keys().isdisjoint(ids)
        if together and intake.all_alike(asked):
            return Plan.later(len(asked), self._equal(asked, ids))
        decided: list[list[Decision]] = [[] for _ in asked]
        for turns in intake.runs(asked, together):
            batch = [asked[at] for at in turns]
            if len(batch) == 1:
                decided[turns[0]] = self._one(batch[0])
            else:
                for at, decision in zip(turns, self._equal(batch, intake.ids_of(batch))(), strict=True):
                    decided[at].append(decision)
        return Plan(one for each in decided for one in each)

    def settle(self, workload: Workload, node: str, *, overbooked: bool = False) -> None:
        """Say that a workload already runs on a node; `overbooked` where others may have put more there than fits."""
        self._new_ids([workload])
        self.snapshot.place(workload, node, overbooked=overbooked)

    def retry(self) -> Plan:
        """Try pending work again, but only what the changes since could have helped."""
        found: list[Decision] = []
        placed_some = True
        while placed_some:
            # Whoever finds a place may be the neighbour that another one waits for.
            tried = [one for request in self.pending.worth_trying(self._pipeline) for one in self._again(request)]
            placed_some = any(one.placed for one in tried)
            found += [one for one in tried if one.placed]
        return Plan(found)

    def _again(self, request: Request) -> list[Decision]:
        number = self.pending.forget(request)
        decisions = self._one(request)
        if not decisions[0].placed:
            self.pending.keep_turn(request, number)
        return decisions

    def _new_ids(self, asked: Sequence[Request]) -> list[str]:
        """The ids of all workloads asked for, none of which may be known already."""
        ids = intake.ids_of(asked)
        seen = set(ids)
        if len(seen) < len(ids) or not self.snapshot.placements.keys().isdisjoint(seen) or not self.pending.isdisjoint(seen):
            twice = next(
                one for one, times in Counter(ids).items() if times > 1 or one in self.snapshot.placements or one in self.pending
            )
            raise wrong(f"there is already a workload {twice!r}", hint="names are unique within a namespace")
        return ids

    def _one(self, request: Request) -> list[Decision]:
        return self._group(request) if isinstance(request, Group) else [self._workload(request)]

    def _workload(self, workload: Workload) -> Decision:
        snapshot, pipeline = self.snapshot, self._pipeline
        version = snapshot.journal.version
        number = 0
        group = self._group_of(workload) if self.asked else None
        for alternative in workload.alternatives() if workload.fallbacks else (workload,):
            query = pipeline.query(alternative) if group is None else member_query(pipeline, group, alternative)
            best = pipeline.best(query) if group is None else pipeline.search(query)
            if best is not None:
                row, score = best
                seated = snapshot.place_kind(workload.id, query.kind, row)
                if number and group is None:
                    self.asked[workload.id] = Asked(workload, number, version)
                devices = self._devices(seated) if seated.devices else None
                name = None if group is None else group.name
                fields = (workload.id, Status.PLACED, snapshot.names[row], score, number, devices, version, name, workload)
                return tuple.__new__(Decision, fields)  # four times faster than Decision(...)
            number += 1  # noqa: SIM113 - enumerate costs more than it says here
        return self._refuse(workload, version)

    def _refuse(self, workload: Workload, version: int) -> Decision:
        self.pending.add(workload, self._pipeline)
        return Decision(workload.id, self._status(workload), version=version, request=workload)

    def _status(self, workload: Workload) -> Status:
        """Impossible only when no node, and no node that could be bought, will ever do."""
        hopeful = any(could_ever(self._pipeline.query(one)) for one in workload.alternatives()) or self._could_buy(workload)
        return Status.PENDING if hopeful else Status.IMPOSSIBLE

    def _could_buy(self, workload: Workload) -> bool:
        return any(could_ever(self._market.query(one)) for one in workload.alternatives())

    def _equal(self, batch: Sequence[Request], ids: list[str]) -> Callable[[], list[Decision]]:
        """Place a run of workloads of one kind; the decisions are made from columns when they are asked for."""
        first = batch[0]
        assert isinstance(first, Workload)
        snapshot, version = self.snapshot, self.snapshot.version
        rows, scores = place_equal(self._pipeline, self._pipeline.query(first), ids)
        count = len(rows)
        # Nodes may be renamed until somebody looks; where there are many rows, all names are copied sooner than looked up.
        few = count * 4 < len(snapshot.names)
        nodes = list(map(snapshot.names.__getitem__, rows)) if few else snapshot.names.copy()
        held: Iterable[Any] = repeat(None)
        if any(name in snapshot.devices for name in first.requests):
            held = [self._devices(snapshot.placements[one]) for one in ids[:count]]
        refused = [self._refuse(one, snapshot.version) for one in batch[count:] if isinstance(one, Workload)]

        def decisions() -> list[Decision]:
            versions = range(version, version + count)
            called = nodes if few else map(nodes.__getitem__, rows)
            exact = scores if isinstance(scores, Sequence) else scores.tolist()
            fields = zip(ids, repeat(Status.PLACED), called, exact, repeat(0), held, versions, repeat(None), batch)
            placed: list[Decision] = list(map(tuple.__new__, repeat(Decision), fields))
            return placed + refused

        return decisions

    def _group(self, group: Group) -> list[Decision]:
        version = self.snapshot.version
        outcome = place_group(self._pipeline, group)
        if outcome.stuck is not None:
            self.pending.add(group, self._pipeline)
            hopeful = any(all(self._status(member) is Status.PENDING for member in one.members) for one in group.alternatives())
            status = Status.PENDING if hopeful else Status.IMPOSSIBLE
            return [Decision(one.id, status, version=version, group=group.name, request=group) for one in group.members]
        for seat in outcome.seats:
            self.asked[seat.member.id] = Asked(group, outcome.alternative, version)
        return [
            Decision(
                seat.member.id, Status.PLACED, self.snapshot.names[seat.placement.row], seat.score,
                outcome.alternative or seat.fallback, self._devices(seat.placement), seat.placement.version, group.name, group,
            )
            for seat in outcome.seats
        ]  # fmt: skip

    def _devices(self, placement: Placement) -> Mapping[str, tuple[str, ...]] | None:
        if not placement.devices:
            return None
        ids = {resource: self.snapshot.devices[resource].ids[placement.row] for resource, _ in placement.devices}
        return {resource: tuple(ids[resource][at] for at in chosen) for resource, chosen in placement.devices}

    # --- changing -----------------------------------------------------------------------------

    def release(self, workload_id: str) -> None:
        """A workload is done: its node gets back what it held. A pending one is withdrawn, and with it the
        whole of its group: without one member there is no group to place."""
        if workload_id in self.pending:
            self.pending.forget(self.pending[workload_id])
            return
        self.snapshot.release(workload_id)
        self.asked.pop(workload_id, None)

    def add(self, node: Node) -> None:
        self.snapshot.add(node)

    def remove(self, name: str) -> list[Workload]:
        """Take a node away and return the workloads that ran on it, as they were asked for."""
        return [self._original(one) for one in self.snapshot.remove(name)]

    def _original(self, gone: Workload) -> Workload:
        """What was asked for, where a fallback of it had been placed. Members stay members of their group."""
        asked = self.asked.get(gone.id)
        if asked is None:
            return gone
        if asked.group is not None:
            return next(one for one in asked.group.members if one.id == gone.id)
        del self.asked[gone.id]
        return asked.request if isinstance(asked.request, Workload) else gone

    def _group_of(self, workload: Workload) -> Group | None:
        """The group a workload was placed with, whose rule it keeps when it has to move; not that of a namesake."""
        asked = self.asked.get(workload.id)
        group = None if asked is None else asked.group
        if group is not None and workload not in group.members:
            del self.asked[workload.id]
            return None
        return group

    def relabel(self, name: str, labels: Mapping[str, str | None]) -> None:
        """Set labels at run time; None takes one away."""
        node = self.snapshot.node(name)
        merged = {**node.labels, **labels}
        kept = FrozenMap({key: value for key, value in merged.items() if value is not None})
        self.snapshot.replace(replace(node, labels=kept))

    def taint(self, name: str, taints: Sequence[Taint]) -> None:
        self.snapshot.replace(replace(self.snapshot.node(name), taints=tuple(taints)))

    def cordon(self, name: str, cordoned: bool = True) -> None:
        self.snapshot.replace(replace(self.snapshot.node(name), cordoned=cordoned))

    def drain(self, name: str) -> list[Workload]:
        """Cordon a node and release what runs on it; the workloads are returned to be placed elsewhere."""
        self.cordon(name)
        guests = [one.workload for one in self.snapshot.guests_of(name)]
        for one in guests:
            self.snapshot.release(one.id)
        return [self._original(one) for one in guests]

    # --- asking -------------------------------------------------------------------------------

    def why(self, target: str | Decision | Request) -> Explanation:
        """Why is it there, or why is it nowhere? For a workload that was never asked for: what would happen now.

        What was decided before is explained by the state and the policy that decided it.
        """
        return why(self, target)

    def pipeline_at(self, version: int) -> Pipeline:
        """The policy that decided at a version, on the state as it is; explanations wind that back."""
        policy = next(policy for since, policy in reversed(self._policies) if since <= version)
        return self._pipeline if policy is self.policy else Pipeline(self.snapshot, policy)

    def preempt(self, target: str | Request) -> Preemption | None:
        """Who would have to go for this workload, or for the whole group it belongs to. Nothing is evicted."""
        request = self.pending.get(target) if isinstance(target, str) else target
        if request is None:
            raise wrong(f"no workload {target!r} is pending", hint=did_you_mean(str(target), self.pending.ids))
        return plan_preemption(self._pipeline, request)

    def whatif(self) -> WhatIf:
        """Ask what would change if nodes or the policy were others. The cluster itself stays as it is."""
        return WhatIf(self)

    def fork(self) -> Cluster:
        """A copy that can be changed freely."""
        twin = Cluster(policy=self.policy, templates=self.templates, seed=self.snapshot.seed)
        twin.snapshot = self.snapshot.fork()
        twin._policies = self._policies.copy()
        twin._decide_by(self.policy)
        twin.pending, twin.asked = self.pending.copy(), self.asked.copy()
        return twin

    @property
    def assignments(self) -> dict[str, str]:
        """Workload to node, for everything that runs."""
        names = self.snapshot.names
        return {one.id: str(names[one.row]) for one in self.snapshot.placements.values()}
