"""The oracle: filter, score, pick. The highest score wins, exactly equal ones go by tie order."""

from __future__ import annotations

from collections.abc import Mapping

from bayplan.model.group import Group
from bayplan.model.node import Node
from bayplan.model.workload import Workload
from tests.oracle import groups, scores
from tests.oracle.cluster import Cluster, Reserve, Resident, Shares
from tests.oracle.rules import Refusal, refusals


class Oracle:
    """`Oracle(nodes)`, nodes in tie order."""

    def __init__(self, nodes: list[Node], reserve: Reserve | None = None):
        self.cluster = Cluster(nodes, reserve)

    @property
    def residents(self) -> dict[str, Resident]:
        return self.cluster.residents

    def copy(self) -> Oracle:
        twin = Oracle([])
        twin.cluster = self.cluster.copy()
        return twin

    # --- one workload (its own conditions only; place_one also tries the fallbacks) ---

    def reasons(self, workload: Workload, name: str) -> list[Refusal]:
        """All that speaks against the node; empty exactly when it is feasible."""
        return list(refusals(self.cluster, workload, self.cluster.node(name)))

    def feasible(self, workload: Workload) -> list[str]:
        return [node.name for node in self.cluster.nodes if not self.reasons(workload, node.name)]

    def score(self, workload: Workload, name: str, policy: scores.Policy) -> float:
        return scores.score(self.cluster, workload, self.cluster.node(name), policy)

    def decide(self, workload: Workload, policy: scores.Policy) -> str | None:
        best: tuple[str, float] | None = None
        for name in self.feasible(workload):
            points = self.score(workload, name, policy)
            if best is None or points > best[1]:
                best = name, points
        return None if best is None else best[0]

    def acceptable(self, workload: Workload, policy: scores.Policy, tolerance: float = 1e-9) -> list[str]:
        """Every node that another order of float operations may rightly pick."""
        points = {name: self.score(workload, name, policy) for name in self.feasible(workload)}
        return [name for name, value in points.items() if value >= max(points.values()) - tolerance]

    def place_one(self, workload: Workload, policy: scores.Policy) -> tuple[str, int, float] | None:
        """Place the first alternative that fits somewhere: (node, fallback index, score)."""
        for index, variant in enumerate(workload.alternatives()):
            name = self.decide(variant, policy)
            if name is not None:
                points = self.score(variant, name, policy)
                self.place(variant, name)
                return name, index, points
        return None

    # --- groups ---

    def check_group(self, group: Group, assignment: Mapping[str, str], fallbacks: Mapping[str, int] | None = None) -> list[str]:
        """What is wrong with putting the members (of this one alternative) there, in order; state is not changed."""
        return groups.violations(self.cluster, group, assignment, fallbacks or {})

    def group_possible(self, group: Group) -> bool:
        """Exhaustive: can any alternative be placed as a whole? For small cases (4 nodes, 4 members)."""
        return any(groups.search(self.cluster, one, ()) is not None for one in group.alternatives())

    def place_group(self, group: Group, policy: scores.Policy) -> tuple[int, tuple[groups.Choice, ...]] | None:
        """(alternative, (node, fallback) per member), or None and nothing has changed."""
        for index, one in enumerate(group.alternatives()):
            found = groups.search(self.cluster, one, policy)
            if found is not None:
                for member, (name, variant) in zip(one.members, found, strict=True):
                    self.place(list(member.alternatives())[variant], name)
                return index, found
        return None

    # --- state ---

    def place(self, workload: Workload, name: str, devices: Shares | None = None) -> None:
        self.cluster.place(workload, name, devices)

    def release(self, workload_id: str) -> None:
        self.cluster.release(workload_id)

    def add(self, node: Node) -> None:
        self.cluster.add(node)

    def remove(self, name: str) -> list[str]:
        return self.cluster.remove(name)

    def replace(self, node: Node) -> None:
        self.cluster.replace(node)
