"""What if: fork, change, decide again, and compare.

    cluster.whatif().drain("n1").add(Node(...)).use("pack").plan()

The chain describes the changes; nothing happens to the cluster. Displaced and pending work is placed
again on the fork, in order of importance, and the two plans are compared workload by workload.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bayplan.engine.diff import Moves, difference, state
from bayplan.engine.explain import Asked
from bayplan.engine.policy import Policy
from bayplan.errors import did_you_mean, wrong
from bayplan.model.decision import Plan
from bayplan.model.group import Group, Request
from bayplan.model.node import Node, Taint
from bayplan.model.workload import Workload

if TYPE_CHECKING:
    from bayplan.engine.cluster import Cluster

Step = Callable[["Cluster", list[Request]], None]
"""Changes the cluster, and the list of requests that have lost their place or are new."""


@dataclass(frozen=True, slots=True)
class Difference(Moves):
    """What a change would do: who gains a place, who loses one, who moves."""

    changes: tuple[str, ...]
    plan: Plan
    cluster: Cluster
    """The cluster as it would be; ask it anything."""

    def __str__(self) -> str:
        head = f"{len(self.gained)} gain a place, {len(self.lost)} lose theirs, {len(self.moved)} move, {self.unchanged} stay"
        return "\n".join([head, *(f"  {one}" for one in self.moves)])

    def as_json(self) -> dict[str, object]:
        return {"changes": list(self.changes), **self.sorts_as_json(), "unchanged": self.unchanged}


class WhatIf:
    """A list of changes, applied to a fork when asked for the outcome."""

    def __init__(self, cluster: Cluster):
        self._cluster = cluster
        self._steps: list[tuple[str, Step]] = []

    def _then(self, sentence: str, step: Callable[[Cluster], Sequence[Request] | None]) -> WhatIf:
        def apply(cluster: Cluster, homeless: list[Request]) -> None:
            homeless += step(cluster) or ()

        self._steps.append((sentence, apply))
        return self

    def add(self, *nodes: Node) -> WhatIf:
        def join(cluster: Cluster) -> None:
            for node in nodes:
                cluster.add(node)

        return self._then(f"add {', '.join(node.name for node in nodes)}", join)

    def remove(self, name: str) -> WhatIf:
        return self._then(f"remove {name}", lambda cluster: cluster.remove(name))

    def drain(self, name: str) -> WhatIf:
        return self._then(f"drain {name}", lambda cluster: cluster.drain(name))

    def relabel(self, name: str, labels: Mapping[str, str | None]) -> WhatIf:
        words = ", ".join(f"{key}={value}" if value is not None else f"{key}-" for key, value in labels.items())
        return self._then(f"relabel {name} {words}", lambda cluster: cluster.relabel(name, labels))

    def taint(self, name: str, taints: Sequence[Taint]) -> WhatIf:
        """Give the node these taints instead of those it has."""
        words = f"taint {name} {', '.join(map(str, taints))}" if taints else f"remove all taints from {name}"
        return self._then(words, lambda cluster: cluster.taint(name, taints))

    def untaint(self, name: str, key: str) -> WhatIf:
        """Take away the taints of one key."""

        def without(cluster: Cluster) -> None:
            taints = cluster.snapshot.node(name).taints
            kept = [one for one in taints if one.key != key]
            if len(kept) == len(taints):
                raise wrong(f"node {name!r} has no taint {key!r}", hint=did_you_mean(key, {one.key for one in taints}))
            cluster.taint(name, kept)

        return self._then(f"remove taint {key} from {name}", without)

    def cordon(self, name: str, cordoned: bool = True) -> WhatIf:
        return self._then(f"{'' if cordoned else 'un'}cordon {name}", lambda cluster: cluster.cordon(name, cordoned))

    def release(self, workload_id: str) -> WhatIf:
        def leave(cluster: Cluster, homeless: list[Request]) -> None:
            waiting = [one for one in homeless if isinstance(one, Workload) and one.id == workload_id]
            if not waiting:
                cluster.release(workload_id)
            for one in waiting:  # it was displaced by an earlier step
                homeless.remove(one)
                cluster.asked.pop(workload_id, None)

        self._steps.append((f"release {workload_id}", leave))
        return self

    def submit(self, *requests: Request) -> WhatIf:
        return self._then(f"submit {', '.join(one.name for one in requests)}", lambda cluster: requests)

    def use(self, policy: Policy | str) -> WhatIf:
        """Decide by another policy, and place everything anew under it."""
        name = policy if isinstance(policy, str) else policy.name
        self._steps.append((f"policy {name}", lambda cluster, homeless: _start_over(cluster, policy, homeless)))
        return self

    def plan(self) -> Difference:
        """Apply the changes to a fork, place what they displaced and what was pending, and compare."""
        cluster = self._cluster.fork()
        homeless: list[Request] = []
        for _, step in self._steps:
            step(cluster, homeless)
        plan = cluster.place(homeless)
        retried = cluster.retry()
        moves, unchanged = difference(state(self._cluster), state(cluster))
        changes = tuple(sentence for sentence, _ in self._steps)
        return Difference(moves, unchanged, changes, Plan((*plan, *retried)), cluster)


def _start_over(cluster: Cluster, policy: Policy | str, homeless: list[Request]) -> None:
    """Everything that runs or waits is to be placed anew: as it was asked for, a group as a whole."""
    waiting = list(cluster.pending)
    known = [one.workload for one in cluster.snapshot.placements.values()]
    singles = {one.id: one for one in (*known, *homeless, *waiting) if isinstance(one, Workload)}
    requests: dict[int, Request] = {}
    for one in singles.values():
        asked = cluster.asked.get(one.id)
        request = _whole(asked, singles) if asked else one
        # A member of a group stands for the whole group, once.
        requests.setdefault(id(asked.request) if asked and asked.group else id(one), request)
    anew = [*requests.values(), *(one for one in (*homeless, *waiting) if isinstance(one, Group))]
    for workload_id in list(cluster.snapshot.placements):
        cluster.snapshot.release(workload_id)
    for request in waiting:
        cluster.pending.forget(request)
    cluster.asked.clear()
    cluster.use(policy)
    homeless[:] = anew


def _whole(asked: Asked, present: Container[str]) -> Request:
    """What was asked for; of a group only the members that are still there."""
    group = asked.group
    if group is None or all(one.id in present for one in group.members):
        return asked.request
    left = tuple(one for one in group.members if one.id in present)
    return replace(group, name=asked.request.name, members=left, fallbacks=())
