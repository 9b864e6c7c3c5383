"""The parameters of kube-scheduler's score plugins, which are scorers by the names of the plugins.

Their arithmetic is in whole numbers, and so are their parameters.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field

from bayplan.dialects.native.scorer_schema import KIND, ScorerEntry
from bayplan.dialects.native.shapes import Given, Some, SomeTexts

Version = Literal["1.30", "1.31", "1.32", "1.33", "1.34", "1.35", "1.36", "1.37"]
_Point = Annotated[list[Annotated[int, Field(ge=0, le=100)]], Field(min_length=2, max_length=2)]


class TaintTolerationEntry(ScorerEntry):
    """Few taints of effect PreferNoSchedule that are not tolerated."""

    scorer: Given[Literal["TaintToleration"]] = Field(None, description=KIND)
    weight: float = Field(3.0, description="How much this scorer counts; 0 switches it off.", ge=0, allow_inf_nan=False)


class TwiceEntry(ScorerEntry):
    """What pods wish counts twice unless it is said otherwise."""

    weight: float = Field(2.0, description="How much this scorer counts; 0 switches it off.", ge=0, allow_inf_nan=False)


class NodeAffinityEntry(TwiceEntry):
    """Preferred node affinity."""

    scorer: Given[Literal["NodeAffinity"]] = Field(None, description=KIND)


class PodTopologySpreadEntry(TwiceEntry):
    """Topology spread that may be broken."""

    scorer: Given[Literal["PodTopologySpread"]] = Field(None, description=KIND)


class InterPodAffinityEntry(TwiceEntry):
    """Preferred affinity and anti-affinity between pods."""

    scorer: Given[Literal["InterPodAffinity"]] = Field(None, description=KIND)
    hard_weight: int = Field(1, description="What a required term of a pod that runs counts.", ge=0, le=100)
    ignore_preferred_of_existing: bool = Field(
        False, description="true: what running pods prefer does not count where the newcomer prefers nothing."
    )


class NodeResourcesFitEntry(ScorerEntry):
    """How much of a node would be requested."""

    scorer: Given[Literal["NodeResourcesFit"]] = Field(None, description=KIND)
    strategy: Literal["LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"] = Field(
        "LeastAllocated", description="Keep nodes even, fill them up, or by a shape."
    )
    resources: Given[Some[dict[str, Annotated[int, Field(ge=1, le=2**31)]]]] = Field(
        None, description="Resources and their weights; absent: cpu and memory, 1 each."
    )
    shape: Given[Some[list[_Point]]] = Field(
        None, description="For RequestedToCapacityRatio: points [percent used 0..100, score 0..10], percents rising."
    )


class NodeResourcesBalancedAllocationEntry(ScorerEntry):
    """Use the resources of a node evenly."""

    scorer: Given[Literal["NodeResourcesBalancedAllocation"]] = Field(None, description=KIND)
    resources: Given[SomeTexts] = Field(None, description="Which resources; absent: cpu and memory.")
    version: Version = Field("1.37", description="Of Kubernetes; from 1.36 on it is what a pod changes that counts.")


class ImageLocalityEntry(ScorerEntry):
    """Nodes that have the images already."""

    scorer: Given[Literal["ImageLocality"]] = Field(None, description=KIND)


PLUGINS: Final[dict[str, type[ScorerEntry]]] = {
    "TaintToleration": TaintTolerationEntry,
    "NodeAffinity": NodeAffinityEntry,
    "PodTopologySpread": PodTopologySpreadEntry,
    "InterPodAffinity": InterPodAffinityEntry,
    "NodeResourcesFit": NodeResourcesFitEntry,
    "NodeResourcesBalancedAllocation": NodeResourcesBalancedAllocationEntry,
    "ImageLocality": ImageLocalityEntry,
}
