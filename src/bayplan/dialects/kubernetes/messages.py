"""What kube-scheduler says where it finds no node, from the reasons it throws away.

    0/5 nodes are available: 2 Insufficient cpu, 3 node(s) had untolerated taint(s).

Of each node only the first plugin that refuses counts, in the order of kube-scheduler's default profile; every short
resource counts by itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

from bayplan.dialects.kubernetes.ports import PREFIX
from bayplan.model.decision import No, Reason

PLUGINS: Final = (
    "NodeName", "NodeUnschedulable", "TaintToleration", "NodeAffinity", "NodePorts", "NodeResourcesFit", "PodTopologySpread",
    "InterPodAffinity",
)  # fmt: skip
"""In the order in which they are asked."""

_OF_RULE: Final = {
    "unschedulable": "NodeUnschedulable", "cordon": "NodeUnschedulable", "taints": "TaintToleration", "selector": "NodeAffinity",
    "fit": "NodeResourcesFit", "devices": "NodeResourcesFit", "spread": "PodTopologySpread", "near": "InterPodAffinity",
    "apart": "InterPodAffinity",
}  # fmt: skip
_SAYS: Final = {
    "NodeUnschedulable": "node(s) were unschedulable",
    "TaintToleration": "node(s) had untolerated taint(s)",
    "NodeAffinity": "node(s) didn't match Pod's node affinity/selector",
    "NodePorts": "node(s) didn't have free ports for the requested pod ports",
}


def plugin_of(reason: Reason) -> str:
    """The plugin that refuses for this reason; the rule itself where Kubernetes has none."""
    if reason.rule == "apart" and PREFIX in reason.topic:
        return "NodePorts"
    return _OF_RULE.get(reason.rule, reason.rule)


def order(plugin: str) -> int:
    """When it is asked, among the others."""
    return PLUGINS.index(plugin) if plugin in PLUGINS else len(PLUGINS)


def message(reason: Reason) -> str:
    """The plugin's own words."""
    plugin = plugin_of(reason)
    if plugin == "NodeResourcesFit":
        return "Too many pods" if reason.topic == "pods" else f"Insufficient {reason.topic}"
    if plugin == "PodTopologySpread":
        missing = " (missing required label)" if reason.no is No.NEVER else ""
        return f"node(s) didn't match pod topology spread constraints{missing}"
    if plugin == "InterPodAffinity":
        return _affinity(reason)
    return _SAYS.get(plugin, reason.sentence)


def _affinity(reason: Reason) -> str:
    if reason.rule == "near":
        return "node(s) didn't match pod affinity rules"
    if reason.topic.startswith("resident "):
        return "node(s) didn't satisfy existing pods anti-affinity rules"
    return "node(s) didn't match pod anti-affinity rules"


def first_refusal(reasons: Iterable[Reason]) -> list[str]:
    """What kube-scheduler notes down of a node: the words of the first plugin that refuses it."""
    listed = list(reasons)
    plugins = [plugin_of(one) for one in listed]
    first = min(plugins, key=order)
    said = dict.fromkeys(message(one) for one, plugin in zip(listed, plugins, strict=True) if plugin == first)
    return list(said) if first == "NodeResourcesFit" else list(said)[:1]


def fit_error(nodes: Iterable[Iterable[Reason]]) -> str:
    """The message of a pod that fits on none of these nodes, given the reasons of each."""
    every = [list(one) for one in nodes]
    counts = Counter(words for reasons in every if reasons for words in first_refusal(reasons))
    if not every:
        return "no nodes available to schedule pods"
    listed = sorted(f"{count} {words}" for words, count in counts.items())
    return f"0/{len(every)} nodes are available: {', '.join(listed)}."
