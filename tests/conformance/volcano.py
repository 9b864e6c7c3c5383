"""Volcano's cases: scores, refusals, bindings, and how configurations are read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bayplan import Cluster, Group, Node, Workload
from bayplan.dialects import volcano
from bayplan.engine.spec import build
from tests.conformance.registry import READERS, Case, Disagrees, Skips, Suite, judges, same
from tests.conformance.volcano_objects import FITS, cluster, configuration, internal, node, pod, session, settle

TOLERANCE, RELATIVE = 1e-8, 1e-9
RULE = "proportional"
GRID = 2**-30
"""Scores are decided on this grid (docs/architecture.md); differences below it do not count."""


def suites(name: str, data: Any) -> list[Suite] | None:
    """The schema of the Volcano folder: `suites`, each with `id`, `kind`, `status` and `cases`."""
    if not isinstance(data, dict) or not isinstance(data.get("suites"), list):
        return None
    return [
        Suite(str(one["id"]), str(one.get("kind")), str(one.get("status", "")), tuple(one["cases"])) for one in data["suites"]
    ]


READERS.append(suites)


def dialect(suite: Suite) -> str:
    """Drafts are in the design document's grammar, documents in either; all else is what a release makes of it."""
    return {"draft_never_merged": "design", "doc_example": "auto"}.get(suite.status, "volcano")


def short(name: str) -> str:
    """`namespace/name`, as bayplan calls it: the namespace `default` goes without saying."""
    return name.removeprefix("default/")


# --- scores ---------------------------------------------------------------------------------------


def close(found: float, expected: float, what: str, tolerance: float = TOLERANCE) -> None:
    off = abs(found - expected)
    if off > tolerance or off > max(RELATIVE * abs(expected), TOLERANCE if expected == 0 else 0.0):
        raise Disagrees(f"{what}: {found!r}, expected {expected!r}")


def scores(where: Cluster, workload: Workload) -> dict[str, tuple[float, float]]:
    """For every node: the score that decides, and the sum of the parts that are shown."""
    return {one.node: (one.score, sum(part[2] for part in one.parts)) for one in where.why(workload).scores()}


def compare(where: Cluster, workload: Workload, expected: Mapping[str, Any], case: Case) -> None:
    found = scores(where, workload)
    for name, score in expected.items():
        deciding, shown = found[name]
        close(shown, float(score), f"{workload.id} on {name}", float(case.get("tolerance", TOLERANCE)))
        if abs(deciding - shown) > max(GRID, RELATIVE * abs(shown)):
            raise Disagrees(f"{workload.id} on {name}: decided by {deciding!r}, shown {shown!r}")


@judges("session_node_order")
def session_node_order(case: Case, suite: Suite) -> None:
    where = cluster(map(node, case["nodes"]), session(case, dialect(suite)))
    seat_bound(where, case)
    pods = {pod(one).id: one for one in case["pods"]}
    for name, expected in case["expected_scores"].items():
        compare(where, pod(pods[short(name)]), expected, case)
        model = case.get("model_float64", {}).get(name)
        if model:
            compare(where, pod(pods[short(name)]), model, case)


def seat_bound(where: Cluster, case: Case) -> None:
    for one in case["pods"]:
        if one.get("nodeName") and one.get("phase") not in ("Succeeded", "Failed"):
            bound = pod(one)
            settle(where, one["nodeName"], {**one.get("requests", {}), "pods": 1}, bound.name, like=bound)


def strategy_arguments(parsed: Mapping[str, Any]) -> dict[str, Any]:
    """A parsed configuration, written as arguments again."""
    return {"resourceStrategyFitWeight": parsed["weight"], "resources": parsed["resources"]}


@judges("score_unit")
def score_unit(case: Case, suite: Suite) -> None:
    plugin = {"name": FITS, "arguments": strategy_arguments(case["parsed_config"])}
    where = cluster([Node("n", internal(case["node"]["allocatable"]))], configuration([plugin]))
    settle(where, "n", internal(case["node"].get("used", {})))
    own = volcano.strategies_of_pod(case["task"].get("annotations") or {}, "lenient")
    workload = Workload("task", internal(case["task"]["resreq"]), packing=own)
    expected = case["expected_score"] if "expected_score" in case else case["expected"]
    compare(where, workload, {"n": expected}, case)
    if "model_float64" in case:
        compare(where, workload, {"n": case["model_float64"]}, case)


@judges("resource_score_unit")
def resource_score_unit(case: Case, suite: Suite) -> None:
    """One resource by itself. What is an error to Volcano's function makes the node score 0."""
    kind = case.get("type") or ("MostAllocated" if "most" in suite.id.lower() else "LeastAllocated")
    resources = {"cpu": {"type": kind, "weight": case["weight"]}, "memory": {"type": "MostAllocated", "weight": 1}}
    plugin = {"name": FITS, "arguments": {"resourceStrategyFitWeight": 1, "resources": resources}}
    where = cluster([Node("n", {"cpu": case["capacity"], "memory": 2})], configuration([plugin]))
    settle(where, "n", {"cpu": case["used"]})
    beside = 1 if case["expected_error"] else 0
    workload = Workload("task", {"cpu": case["requested"], "memory": beside})
    compare(where, workload, {"n": 0 if case["expected_error"] else 100 * case["expected_score"]}, case)


@judges("sra_score_unit")
def sra_score_unit(case: Case, suite: Suite) -> None:
    plugin = {"name": FITS, "arguments": {"resourceStrategyFitWeight": 0, **case["arguments"]}}
    where = cluster([Node("n", internal(case["node"]["allocatable"]))], configuration([plugin]))
    compare(where, Workload("task", internal(case["task"]["resreq"])), {"n": case["expected"]}, case)


@judges("session_open_smoke")
def session_open_smoke(case: Case, suite: Suite) -> None:
    configured = configuration([{"name": FITS, "arguments": strategy_arguments(case["parsed_config"])}])
    same(build(configured.policy).scorers, (), "scorers")
    same(RULE in configured.policy.filters, False, "a reserve")
    same(Cluster(policy=build(configured.policy)).assignments, {}, "assignments of an empty cluster")


# --- refusals -------------------------------------------------------------------------------------


@judges("predicate_proportional")
def predicate_proportional(case: Case, suite: Suite) -> None:
    configured = configuration([reserve_plugin(case["proportional"], suite.status == "upstream_test_old_location")])
    idle, wanted = amounts(case["node"], "idle"), amounts(case["task"], "requests")
    # A resource that is there but has nothing idle: one of it, in use.
    spent = {name: 1 for name, amount in idle.items() if Workload("w", {name: amount}).requests == {}}
    where = cluster([Node("n", {**idle, **spent})], configured)
    settle(where, "n", spent)
    reasons = [one for one in where.why(Workload("task", wanted)).node("n") if one.rule == RULE]
    expected = case["expected_fit"] if "expected_fit" in case else case["expected"]["fit"]
    same(not reasons, expected, f"fits ({'; '.join(map(str, reasons))})")


def amounts(written: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Quantities under `key`; numbers are in Volcano's internal units."""
    found = written[key] if key in written else written["resreq"]
    return dict(internal(found)) if all(not isinstance(one, str) for one in found.values()) else dict(found)


def reserve_plugin(ratios: Mapping[str, Any], old: bool) -> dict[str, Any]:
    flat = {f"{name}.{key}": one for name, both in ratios.items() for key, one in both.items()}
    listed = ", ".join(ratios)
    if old:
        keys = {f"predicate.resources.{key}": one for key, one in flat.items()}
        return {"name": "predicates", "arguments": {"predicate.ProportionalEnable": True, "predicate.resources": listed, **keys}}
    block = {"enable": True, "resources": listed, "resourceProportion": flat}
    return {"name": FITS, "arguments": {"proportional": block}}


@judges("doc_example")
def doc_example(case: Case, suite: Suite) -> None:
    if "expected_fit" in case:
        predicate_proportional(case, suite)
        return
    # The document's nodes list no pods, but every task requests one.
    nodes = [Node(name, {"pods": 110, **one}) for name, one in case["nodes"].items()]
    configured = session({"arguments": {"resourceStrategyFitWeight": 0, **case["arguments"]}}, dialect(suite))
    where = cluster(nodes, configured)
    for name, expected in case["expected_scores"].items():
        compare(where, Workload(name, {**case["tasks"][name], "pods": 1}), expected, case)


# --- bindings -------------------------------------------------------------------------------------


@judges("session_allocate")
def session_allocate(case: Case, suite: Suite) -> None:
    where = cluster(map(node, case["nodes"]), session(case, dialect(suite)))
    seat_bound(where, case)
    before = set(where.assignments)
    for group in case.get("podGroups") or [{}]:
        waiting = [pod(one) for one in case["pods"] if not one.get("nodeName") and one.get("podGroup") == group.get("name")]
        running = sum(bool(one.get("nodeName")) and one.get("podGroup") == group.get("name") for one in case["pods"])
        gang = (group.get("minMember") or 0) - running
        if gang > 1 and len(waiting) >= gang:
            where.place(Group(group["name"], tuple(waiting[:gang])))
            waiting = waiting[gang:]
        elif gang > len(waiting):
            continue  # a gang that cannot be complete is not begun
        where.place(waiting)
    found = {name: at for name, at in where.assignments.items() if name not in before}
    same(found, {short(name): at for name, at in case["expected_binds"].items()}, "bindings")
    same(len(found), case.get("expected_bind_count", len(found)), "number of bindings")


@judges("plugin_init")
def plugin_init(case: Case, suite: Suite) -> None:
    """Which scorers are on. Whether Volcano asks them per node or for all nodes at once does not matter here."""
    arguments = {f"{name}.weight": weight for name, weight in case["weights"].items()}
    on = set(configuration([{"name": "nodeorder", "arguments": arguments}]).policy.scorers)
    expected = {*case["expected_per_node_scorers"], *case["expected_batch_scorers"]}
    same(on, {NODE_ORDER[name] for name in expected}, "scorers")


NODE_ORDER = {
    "NodeResourcesFit_LeastAllocated": "leastrequested",
    "NodeResourcesFit_MostAllocated": "mostrequested",
    "NodeResourcesBalancedAllocation": "balancedresource",
    "NodeAffinity": "nodeaffinity",
    "TaintToleration": "tainttoleration",
    "InterPodAffinity": "podaffinity",
    "PodTopologySpread": "podtopologyspread",
    "ImageLocality": "imagelocality",
}


# --- getters of Go that have a meaning for what is read -------------------------------------------


@judges("arguments_getter")
def arguments_getter(case: Case, suite: Suite) -> None:
    from bayplan.dialects.volcano import getters

    name = suite.id.rpartition(".")[2]
    if "configurations" in case:
        raise Skips("bayplan reads no arguments of actions")
    if "expected_ok" in case:
        decoded(case)
        return
    getter = getattr(getters, name, None)
    if getter is None:
        raise Skips(f"bayplan reads nothing by {name}")
    same(getter(case["arguments"], case["key"], case["base"]).value, case["expected"], name)


def decoded(case: Case) -> None:
    """What is not decodable ends the process in every release, and is a mistake here in either mode."""
    from bayplan.dialects.volcano import decode

    if case["value"] == "<absent>":
        raise Skips("whether a key is there is asked before its value is decoded")
    decoders = {"int": decode.whole, "map[string]int": decode.mapping}
    if case["type"] not in decoders:
        raise Skips(f"bayplan reads no argument of type {case['type'].partition('{')[0]}")
    try:
        same(decoders[case["type"]](case["value"]).value, case["expected"], "value")
        decodable = True
    except decode.Mismatch:
        decodable = False
    same(decodable, case["expected_ok"], "decodable")
