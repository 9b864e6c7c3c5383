"""kube-scheduler's profile as an oracle: filter, score, pick. Equal totals go by tie order."""

from __future__ import annotations

from bayplan.model.node import Node
from bayplan.model.workload import Workload
from tests.oracle import kube_filters, kube_scores
from tests.oracle.cluster import Cluster
from tests.oracle.kube_scores import Points, Profile


class KubeOracle:
    """`KubeOracle(nodes)`, nodes in tie order; `cluster` is what happens to them."""

    def __init__(self, nodes: list[Node], profile: Profile | None = None):
        self.cluster = Cluster(nodes)
        self.profile = profile or Profile()

    def refusing(self, pod: Workload) -> dict[str, set[str]]:
        """By node: the plugins that refuse it."""
        return {node.name: kube_filters.refusing(self.cluster, pod, node) for node in self.cluster.nodes}

    def feasible(self, pod: Workload) -> list[Node]:
        return kube_filters.feasible(self.cluster, pod)

    def scores(self, pod: Workload) -> dict[str, Points | None]:
        """By plugin, over the feasible nodes in tie order."""
        return kube_scores.scores(self.cluster, pod, self.feasible(pod), self.profile)

    def totals(self, pod: Workload) -> dict[str, int]:
        nodes = self.feasible(pod)
        found = kube_scores.scores(self.cluster, pod, nodes, self.profile)
        return dict(zip((node.name for node in nodes), kube_scores.totals(found, nodes), strict=True))

    def decide(self, pod: Workload) -> str | None:
        points = self.totals(pod)
        return max(points, key=lambda name: points[name]) if points else None
