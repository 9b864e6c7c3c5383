"""Cases about a cluster: which question they ask shows by what is in them.

fitStrategy   the whole pipeline on one cluster
plugin        one plugin: `expect` has verdicts (`nodes`), counts (`constraints`) or scores
"""

from __future__ import annotations

from tests.conformance.kubernetes_cases import CLUSTER
from tests.conformance.registry import KINDS, Case, Disagrees, Skips, Suite, judges

BY_EXPECTATION = {
    "nodes": "plugin_filter",
    "constraints": "spread_counts",
    "scores": "plugin_score",
    "preScore": "plugin_score",
}
GATES = (
    "TaintTolerationComparisonOperators",
    "PodLevelResources",
    "NodeInclusionPolicyInPodTopologySpread",
    "MatchLabelKeysInPodTopologySpread",
)
"""The feature gates that bayplan knows."""


@judges(CLUSTER)
def by_what_is_in_it(case: Case, suite: Suite) -> None:
    out_of_scope(case)
    if "fitStrategy" in case:
        KINDS["pipeline"](case, suite)
        return
    for key, kind in BY_EXPECTATION.items():
        if key in case["expect"]:
            KINDS[kind](case, suite)
            return
    raise Disagrees("nobody knows what this case asks")


def out_of_scope(case: Case) -> None:
    if case.get("defaultBehaviour") is False:
        raise Skips("it is about a feature gate that is switched off")
    for gate, on in case.get("features", {}).items():
        if on and gate not in GATES:
            raise Skips(f"bayplan does not know the feature gate {gate}")
    for pod in (case.get("pod", {}), *case.get("existingPods", ())):
        if pod.get("spec", {}).get("resourceClaims"):
            raise Skips("dynamic resource allocation is not planned")
