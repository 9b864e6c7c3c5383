"""kube-scheduler's own words, from bayplan's reasons."""

from __future__ import annotations

from bayplan import Apart, Cluster, Near, Node, Selector, Spread, Taint, Workload
from bayplan.dialects.kubernetes.messages import fit_error, plugin_of

WEB = Selector.of({"app": "web"})


def error(nodes: list[Node], workload: Workload, *residents: tuple[Workload, str]) -> str:
    cluster = Cluster(nodes, "kubernetes")
    for one, node in residents:
        cluster.settle(one, node)
    return fit_error(reasons for _, reasons in cluster.why(workload).nodes())


def test_every_short_resource_counts_by_itself_and_the_list_is_sorted_as_text() -> None:
    nodes = [Node(f"n{i}", {"cpu": 1, "memory": "1Gi", "pods": 1}) for i in range(10)] + [Node("big", {"cpu": 9, "pods": 1})]
    assert error(nodes, Workload("w", {"cpu": 2, "memory": "2Gi"})) == (
        "0/11 nodes are available: 10 Insufficient cpu, 11 Insufficient memory."
    )


def test_of_each_node_only_the_first_plugin_counts() -> None:
    nodes = [
        Node("tainted", {"cpu": 1}, taints=[Taint("a")]),
        Node("cordoned", {"cpu": 1}, taints=[Taint("a")], cordoned=True),
        Node("elsewhere", {"cpu": 1}, {"zone": "b"}),
    ]
    assert error(nodes, Workload("w", {"cpu": 2}, selector={"zone": "a"})) == (
        "0/3 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) had untolerated taint(s), "
        "1 node(s) were unschedulable."
    )


def test_neighbours() -> None:
    nodes = [Node("a", {"cpu": 4}, {"zone": "a"}), Node("b", {"cpu": 4})]
    web = Workload("web", {"cpu": 1}, {"app": "web"})
    assert error(nodes, Workload("w", {"cpu": 1}, near=[Near(WEB)])) == (
        "0/2 nodes are available: 2 node(s) didn't match pod affinity rules."
    )
    assert "node(s) didn't match pod anti-affinity rules" in error(
        nodes, Workload("w", {"cpu": 1}, apart=[Apart(WEB)], nodes=["a"]), (web, "a")
    )
    loner = Workload("loner", {"cpu": 1}, apart=[Apart(WEB)])
    assert "node(s) didn't satisfy existing pods anti-affinity rules" in error(nodes[:1], web, (loner, "a"))
    assert "1 node(s) didn't match pod topology spread constraints (missing required label)" in error(
        nodes, Workload("w", {"cpu": 1}, nodes=["b"], spread=[Spread(WEB, by="zone")])
    )


def test_no_nodes_at_all() -> None:
    assert error([], Workload("w")) == "no nodes available to schedule pods"


def test_rules_that_kubernetes_does_not_have_keep_their_name() -> None:
    cluster = Cluster([Node("n")], "balanced")
    [reason] = cluster.why(Workload("w", {"cpu": 1})).node("n")
    assert plugin_of(reason) == "NodeResourcesFit"
