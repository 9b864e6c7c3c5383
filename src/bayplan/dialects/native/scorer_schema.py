"""The parameters of bayplan's own scorers."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field, Tag

from bayplan.dialects.native.schema import ByResource
from bayplan.dialects.native.shapes import Bounded, Entry, Given, Some, SomeTexts, Weight, either

KIND: Final = "Only under a name of your own: the kind of rule it is."


class ScorerEntry(Entry):
    """A scorer that only has a weight."""

    weight: Weight = Field(1.0, description="How much this scorer counts; 0 switches it off.")


class PackingEntry(ScorerEntry):
    """Fill nodes up, or keep them even."""

    scorer: Given[Literal["packing"]] = Field(None, description=KIND)
    over: Literal["configured", "requested"] = Field(
        "configured", description="Average over all the resources below, or over those the workload requests."
    )
    lacking: Literal["skip", "zero"] = Field(
        "skip", description="A resource that the node has none of: skip it and its weight, or count it as zero."
    )
    resources: Given[Some[ByResource]] = Field(
        None, description="What to do with each resource, or with all that begin so: nvidia.com/*. Absent: cpu and memory even."
    )
    per_queue: Given[Bounded[dict[str, Bounded[ByResource]]]] = Field(
        None, description="By queue: what to do with each resource, in place of the above; {}: nothing."
    )
    per_namespace: Given[Bounded[dict[str, Bounded[ByResource]]]] = Field(
        None, description="By namespace, for workloads whose queue is not listed: what to do with each resource."
    )


_Scarce = Annotated[
    Annotated[Some[dict[str, Weight]], Tag("<mapping>")] | Annotated[SomeTexts, Tag("<list>")],
    either("a mapping of resources to weights, or a list of resources"),
]


class ScarcityEntry(ScorerEntry):
    """Stay off nodes that hold scarce resources, unless they are asked for."""

    scorer: Given[Literal["scarcity"]] = Field(None, description=KIND)
    resources: Given[_Scarce] = Field(None, description="Scarce resources, and how scarce they are: {nvidia.com/gpu: 1}.")
    total: Given[Weight] = Field(None, description="What the weights are divided by; absent: their sum.")


class BalanceEntry(ScorerEntry):
    """Use the resources of a node evenly."""

    scorer: Given[Literal["balance"]] = Field(None, description=KIND)
    resources: Given[SomeTexts] = Field(None, description="Which resources; absent: cpu and memory.")


class PreferenceEntry(ScorerEntry):
    """What workloads would like of a node."""

    labels: Weight = Field(1.0, description="How much preferences for labels count; 0: not at all.")
    taints: Weight = Field(1.0, description="How much taints of effect PreferNoSchedule count; 0: not at all.")
