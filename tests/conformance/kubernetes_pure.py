"""Kubernetes' cases that need no cluster: quantities, labels, requests, tolerations, node selectors, arguments, sampling."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bayplan.dialects import kubernetes
from bayplan.dialects.kubernetes import labels, node_affinity, quantity, requests, selector_text, tolerations
from bayplan.dialects.kubernetes.context import POD_LEVEL, Context
from bayplan.dialects.kubernetes.labels import Requirement
from bayplan.dialects.kubernetes.reading import At, Remarks
from bayplan.errors import ConfigError
from bayplan.model.node import Taint
from bayplan.model.selector import NODE_NAME, Selector
from tests.conformance.kubernetes_cases import ARGUMENTS
from tests.conformance.registry import Case, Disagrees, Skips, Suite, judges, same

GATE = "TaintTolerationComparisonOperators"


@judges("quantity")
def judge_quantity(case: Case, suite: Suite) -> None:
    found = quantity.parse(case["input"])
    told: dict[str, Any] = {"valid": found is not None}
    if found is not None:
        told |= {"value": found.value, "milliValue": found.milli_value, "canonical": found.canonical}
    for field, expected in case["expect"].items():
        same(told.get(field), expected, field)


# --- labels ---------------------------------------------------------------------------------------

SYNTAX = {
    "label_key": labels.is_key,
    "label_value": labels.is_value,
    "prefixed_label_key": labels.is_prefixed_key,
    "dns1123_label": labels.is_dns_label,
    "dns1123_subdomain": labels.is_dns_subdomain,
}


@judges(*SYNTAX)
def judge_syntax(case: Case, suite: Suite) -> None:
    same(SYNTAX[case["kind"]](case["value"]), case["expect"]["valid"], "valid")


@judges("selector_parse")
def judge_selector_parse(case: Case, suite: Suite) -> None:
    try:
        found = selector_text.parse(case["selector"])
    except ConfigError:
        same(False, case["expect"]["valid"], "valid")
        return
    same(True, case["expect"]["valid"], "valid")
    if "string" in case["expect"]:
        same(labels.render(found), case["expect"]["string"], "string")
    if "requirements" in case["expect"]:
        told = [{"key": one.key, "operator": one.operator, "values": list(one.values)} for one in found]
        same(told, case["expect"]["requirements"], "requirements")


@judges("selector_match")
def judge_selector_match(case: Case, suite: Suite) -> None:
    found = labels.selector(selector_text.parse(case["selector"]))
    same(found.matches(case["labels"]), case["expect"]["match"], "match")


@judges("set_match")
def judge_set_match(case: Case, suite: Suite) -> None:
    found = labels.of_label_selector({"matchLabels": case["matchLabels"]})
    same(found.matches(case["labels"]), case["expect"]["match"], "match")


@judges("set_validate")
def judge_set(case: Case, suite: Suite) -> None:
    faults = [fault for one in labels.requirements_of({"matchLabels": case["matchLabels"]}) for fault in one.faults()]
    same(not faults, case["expect"]["valid"], "valid")


def requirement(written: Mapping[str, Any]) -> Requirement:
    return Requirement(written["key"], written["operator"], tuple(written["values"]))


@judges("requirement_new")
def judge_requirement(case: Case, suite: Suite) -> None:
    faults = requirement(case).faults()
    same(not faults, case["expect"]["valid"], "valid")
    same([field for field, _ in faults], [one["field"] for one in case["expect"]["errors"]], "errors")


@judges("requirements_match")
def judge_requirements(case: Case, suite: Suite) -> None:
    found = labels.selector(map(requirement, case["requirements"]))
    same(found.matches(case["labels"]), case["expect"]["match"], "match")


@judges("label_selector")
def judge_label_selector(case: Case, suite: Suite) -> None:
    written, expected = case["labelSelector"], case["expect"]
    conditions = [] if written is None else labels.requirements_of(written)
    valid = not any(one.faults() for one in conditions)
    same(valid, expected["valid"], "valid")
    if valid:
        found = labels.of_label_selector(written)
        same(labels.render(conditions), expected["string"], "string")
        same(found.never, expected["matchesNothing"], "matches nothing")
        same(found.always, expected["matchesEverything"], "matches everything")


# --- pods -----------------------------------------------------------------------------------------


@judges("pod_requests")
def judge_pod_requests(case: Case, suite: Suite) -> None:
    options, spec = case["options"], dict(case["spec"])
    if set(options) - {"ExcludeOverhead", "UseStatusResources", "SkipPodLevelResources"}:
        raise Skips(f"the options {sorted(options)}")
    if options.get("ExcludeOverhead"):
        spec.pop("overhead", None)
    status = case.get("status") if options.get("UseStatusResources") else None
    # The version before pod-level resources came to be is the one that skips them.
    before = (POD_LEVEL[0], POD_LEVEL[1] - 1)
    context = Context(version=before) if options.get("SkipPodLevelResources") else Context()
    remarks = Remarks()
    found = requests.of_pod(At({"spec": spec, "status": status}, remarks), context)
    remarks.finish()
    expected = {name: quantity.parse(text) for name, text in case["expect"]["requests"].items()}
    same(found, {name: one.nanos for name, one in expected.items() if one is not None}, "requests in nanos")


def tolerates(toleration: Mapping[str, Any], taint: Mapping[str, Any], gate: bool) -> bool:
    value = taint.get("value", "")
    if gate and tolerations.is_canonical(value) and not labels.is_value(value):
        raise Skips("an alpha gate: a negative number is not a value that the model lets a taint have")
    remarks = Remarks()
    made = tolerations.toleration(At(toleration, remarks), Context(compared_tolerations=gate))
    remarks.finish()
    return made is not None and made.tolerates(Taint(taint["key"], taint.get("value", ""), taint["effect"]))


@judges("toleration")
def judge_toleration(case: Case, suite: Suite) -> None:
    found = tolerates(case["toleration"], case["taint"], case["features"][GATE])
    same(found, case["expect"]["tolerates"], "tolerates")


@judges("tolerations")
def judge_tolerations(case: Case, suite: Suite) -> None:
    considered = [case["taints"][at] for at in case["consideredTaintIndexes"]]
    gate = case["features"][GATE]
    found = all(any(tolerates(one, taint, gate) for one in case["tolerations"]) for taint in considered)
    same(found, case["expect"]["allTolerated"], "all tolerated")


@judges("toleration_numeric")
def judge_numbers(case: Case, suite: Suite) -> None:
    """A comparison by itself: what is no comparison is false, and a value that no taint can have is never met."""
    if case["operator"] not in ("Gt", "Lt"):
        same(False, case["expect"]["result"], "result")
        return
    written = {"key": "k", "operator": case["operator"], "value": case["tolerationValue"], "effect": "NoSchedule"}
    taint = {"key": "k", "value": case["taintValue"], "effect": "NoSchedule"}
    try:
        found = tolerates(written, taint, gate=True)
    except ConfigError:
        found = False
    if found and not tolerations.is_canonical(case["taintValue"]):
        raise Skips("an alpha gate: the model compares taint values with leading zeros, too")
    same(found, case["expect"]["result"], "result")


# --- node selectors -------------------------------------------------------------------------------


def node_labels(node: Mapping[str, Any] | None) -> dict[str, str]:
    metadata = (node or {}).get("metadata", {})
    return {**metadata.get("labels", {}), **({NODE_NAME: metadata["name"]} if "name" in metadata else {})}


def matches(found: Selector, case: Case) -> bool:
    return case["node"] is not None and found.matches(node_labels(case["node"]))


@judges("node_selector")
def judge_node_selector(case: Case, suite: Suite) -> None:
    remarks = Remarks()
    terms = case["nodeSelector"].get("nodeSelectorTerms")
    found = node_affinity.required(At({"nodeSelectorTerms": terms or [{}]}, remarks), lazily=False)
    if case["expect"]["error"] is not None:
        complains_of(case["expect"]["error"], [one.problem().path for one in remarks.mistakes])
        return
    remarks.finish()
    same(matches(found, case), case["expect"]["match"], "match")


@judges("node_selector_lazy")
def judge_lazy_node_selector(case: Case, suite: Suite) -> None:
    remarks = Remarks()
    found = node_affinity.required(At(case["nodeSelector"] or {}, remarks), lazily=True)
    remarks.finish()
    same(matches(found, case), case["expect"]["match"], "match")


@judges("preferred_terms")
def judge_preferred_terms(case: Case, suite: Suite) -> None:
    remarks = Remarks()
    found = node_affinity.preferred(At(case["terms"], remarks), Context())
    if case["expect"]["error"] is not None:
        complains_of(case["expect"]["error"], [one.problem().path for one in remarks.mistakes])
        return
    remarks.finish()
    total = sum(round(one.weight * 100) for one in found if one.selector.matches(node_labels(case["node"])))
    same(total, case["expect"]["rawScore"], "raw score")


def complains_of(error: str, paths: list[str]) -> None:
    """Every mistake is found where upstream finds it."""
    if not paths:
        raise Disagrees("nothing is wrong with it")
    for path in paths:
        if path.replace("preference.", "").rstrip(".") not in error:
            raise Disagrees(f"a mistake at {path}, expected {error}")


# --- configuration --------------------------------------------------------------------------------


@judges(ARGUMENTS)
def judge_arguments(case: Case, suite: Suite) -> None:
    """Arguments that kube-scheduler does not start with; the path is the same."""
    if case["plugin"] != "NodeResourcesFit":
        raise Disagrees(f"nobody knows the arguments of {case['plugin']}")
    given = dict(case["args"])
    strategy: dict[str, Any] = {"type": given["type"], "resources": given["resources"]}
    if "shape" in given:
        strategy["requestedToCapacityRatio"] = {"shape": given["shape"]}
    paths = [one.path for one in kubernetes.fit_args_problems({"scoringStrategy": strategy})]
    same(paths, [case["expect"]["argsError"].partition(":")[0]], "mistakes")


@judges("num_feasible_nodes")
def judge_sampling(case: Case, suite: Suite) -> None:
    found = kubernetes.nodes_to_find(case["numAllNodes"], case["globalPercentage"], case["profilePercentage"])
    same(found, case["expect"]["numNodes"], "nodes")
