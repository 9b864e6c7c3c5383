"""What filter plugins say of nodes: a code and words, from bayplan's own reasons.

    NEVER   UnschedulableAndUnresolvable        BUSY   Unschedulable

They differ for required pod affinity, which kube-scheduler always calls unresolvable, because preemption cannot bring
a pod near another one; bayplan calls it busy where a pod that comes or moves would help.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bayplan import Cluster, Reason, Workload
from bayplan.dialects.kubernetes import messages
from bayplan.engine.policy import PRESETS
from bayplan.errors import ConfigError
from bayplan.model.decision import No
from bayplan.model.resources import UNIT, in_bytes
from tests.conformance.kube_pipeline_objects import cluster_of, incoming, name_of, names, pinned
from tests.conformance.registry import Case, Disagrees, Suite, judges, same

UNRESOLVABLE, UNSCHEDULABLE = "UnschedulableAndUnresolvable", "Unschedulable"
OTHER_WORDS = ("pod affinity terms conflict", "node(s) didn't match scheduler-enforced node affinity")
"""bayplan has one selector for what the pod wants and what the scheduler adds, and tells of the key that does not match."""


def by_plugin(case: Case, cluster: Cluster, pod: Workload) -> dict[str, dict[str, list[Reason]]]:
    """By plugin and node: everything that speaks against it."""
    explanation, of_name = cluster.why(pod), cluster.why(pinned(case))
    found: dict[str, dict[str, list[Reason]]] = {}
    for node in names(case):
        for one in explanation.node(node):
            found.setdefault(messages.plugin_of(one), {}).setdefault(node, []).append(one)
        for one in of_name.node(node):
            if one.rule == "selector":
                found.setdefault("NodeName", {}).setdefault(node, []).append(one)
    return found


# --- what a plugin would say ----------------------------------------------------------------------


def code(plugin: str, reasons: Sequence[Reason]) -> str:
    """Of short resources one that can never fit decides, of the constraints of a spread the first that does not hold."""
    if plugin == "InterPodAffinity":
        never = any(one.rule == "near" for one in reasons)
    elif plugin == "NodeResourcesFit":
        never = any(one.no is No.NEVER for one in reasons)
    else:
        never = reasons[0].no is No.NEVER
    return UNRESOLVABLE if never else UNSCHEDULABLE


def words_differ(plugin: str, expected: Sequence[str], reasons: Sequence[Reason]) -> bool:
    if plugin == "NodeName" or expected[0] in OTHER_WORDS:  # pinned to a node is a selector like any other
        return False
    return sorted(messages.first_refusal(reasons)) != sorted(expected)


# --- cases ----------------------------------------------------------------------------------------


@judges("plugin_filter")
def plugin_filter(case: Case, suite: Suite) -> None:
    plugin, expect = case["plugin"], case["expect"]
    try:
        pod = incoming(case)
    except ConfigError as error:
        refused(expect, error)
        return
    against = by_plugin(case, cluster_of(case, PRESETS["kubernetes"]), pod).get(plugin, {})
    compare(plugin, expect["nodes"], against)
    candidates = expect.get("preFilterNodeNames")
    if candidates is not None:
        same({one for one in names(case) if one not in against} - {*candidates}, set(), "nodes outside of the candidates")
    if "insufficient" in expect:
        same(list(insufficient(against)), expect["insufficient"], "insufficient")


def refused(expect: Mapping[str, Any], error: ConfigError) -> None:
    """A pod whose terms cannot be parsed is refused by the dialect; the plugin refuses it on every node."""
    if any(one["fits"] or one.get("code") != UNRESOLVABLE or "parsing pod" not in str(one["reasons"]) for one in expect["nodes"]):
        raise Disagrees(f"the pod is refused: {error}")


def compare(plugin: str, expected: Sequence[Mapping[str, Any]], against: Mapping[str, Sequence[Reason]]) -> None:
    for one in expected:
        node = name_of({"name": one["node"]})
        reasons = against.get(node, ())
        same(not reasons, one["fits"], f"{plugin} on {node} fits ({'; '.join(map(str, reasons))})")
        if reasons:
            # NotInPreFilterResult: PreFilter had left the node out, so that the plugin was not asked.
            if one.get("code") not in (None, "NotInPreFilterResult"):
                same(code(plugin, reasons), one["code"], f"{plugin} on {node}, code")
            if one.get("reasons") and words_differ(plugin, one["reasons"], reasons):
                raise Disagrees(f"{plugin} on {node}: {messages.first_refusal(reasons)}, expected {one['reasons']}")


def insufficient(against: Mapping[str, Sequence[Reason]]) -> Iterator[dict[str, Any]]:
    """The numbers behind a refusal, in Kubernetes' units."""
    for reasons in against.values():
        for one in reasons:
            facts = dict(one.facts)
            used = facts["capacity"] - facts["free"]
            numbers = {"requested": facts["requested"], "used": used, "capacity": facts["capacity"]}
            amounts = {name: in_its_units(one.topic, units) for name, units in numbers.items()}
            yield {"resource": one.topic, **amounts, "unresolvable": one.no is No.NEVER}


def in_its_units(resource: str, units: int) -> int:
    if in_bytes(resource):
        return units
    return units // (UNIT // 1000 if resource == "cpu" else UNIT)
