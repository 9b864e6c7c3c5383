"""The shape of the policy section: a preset, scorers and filters by name.

A name of ours has the parameters of that rule. Under any other name, `scorer: packing` or `filter: reserve` among the
parameters makes another rule of that kind; without it, the name is that of a rule from another package.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import ConfigDict, Field, Tag

from bayplan.dialects.native.schema import ByResource, Selector
from bayplan.dialects.native.shapes import Bounded, Entry, Given, Quantity, Short, Some, SomeTexts, Weight, either, shape_of

SomeQuantities = Some[dict[str, Quantity]]
_KIND: Final = "Only under a name of your own: the kind of rule it is."
_ALIASED: Final = ("packing", "scarcity", "balance")
"""Scorers of which a policy may have several."""


class ScorerEntry(Entry):
    """A scorer that only has a weight."""

    weight: Weight = Field(1.0, description="How much this scorer counts; 0 switches it off.")


class PackingEntry(ScorerEntry):
    """Fill nodes up, or keep them even."""

    scorer: Given[Literal["packing"]] = Field(None, description=_KIND)
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

    scorer: Given[Literal["scarcity"]] = Field(None, description=_KIND)
    resources: Given[_Scarce] = Field(None, description="Scarce resources, and how scarce they are: {nvidia.com/gpu: 1}.")
    total: Given[Weight] = Field(None, description="What the weights are divided by; absent: their sum.")


class BalanceEntry(ScorerEntry):
    """Use the resources of a node evenly."""

    scorer: Given[Literal["balance"]] = Field(None, description=_KIND)
    resources: Given[SomeTexts] = Field(None, description="Which resources; absent: cpu and memory.")


class PreferenceEntry(ScorerEntry):
    """What workloads would like of a node."""

    labels: Weight = Field(1.0, description="How much preferences for labels count; 0: not at all.")
    taints: Weight = Field(1.0, description="How much taints of effect PreferNoSchedule count; 0: not at all.")


class OtherScorerEntry(ScorerEntry):
    """A scorer from another package: the parameters are its own."""

    model_config = ConfigDict(strict=True, extra="allow")
    scorer: Given[str] = Field(
        None,
        description="The kind of scorer, where that is not its name.",
        json_schema_extra={"not": {"enum": list(_ALIASED)}},
    )


def _scorer_tag(value: Any) -> str | None:
    """By `scorer` where that is one of ours, so that its parameters are checked as those of any other."""
    kind = value.get("scorer") if isinstance(value, dict) else None
    return f"<{kind}>" if isinstance(kind, str) and kind in _ALIASED else shape_of(value)


_FORMS: Final = "a weight, or a mapping"
_Number = Annotated[Weight, Tag("<number>")]
_Preference = Annotated[_Number | Annotated[PreferenceEntry, Tag("<mapping>")], either(_FORMS)]
_Plain = Annotated[_Number | Annotated[ScorerEntry, Tag("<mapping>")], either(_FORMS)]
_Packing = Annotated[_Number | Annotated[PackingEntry, Tag("<mapping>")], either(_FORMS)]
_Scarcity = Annotated[_Number | Annotated[ScarcityEntry, Tag("<mapping>")], either(_FORMS)]
_Balance = Annotated[_Number | Annotated[BalanceEntry, Tag("<mapping>")], either(_FORMS)]
_OtherScorer = Annotated[
    _Number
    | Annotated[PackingEntry, Tag("<packing>")]
    | Annotated[ScarcityEntry, Tag("<scarcity>")]
    | Annotated[BalanceEntry, Tag("<balance>")]
    | Annotated[OtherScorerEntry, Tag("<mapping>")],
    either(_FORMS, _scorer_tag),
]


class ScorersEntry(Entry):
    """Scorers by name: a weight, or a mapping of parameters. What is not listed stays as the preset has it."""

    model_config = ConfigDict(strict=True, extra="allow")
    packing: Given[_Packing] = Field(None, description="Fill nodes up, or keep them even.")
    scarcity: Given[_Scarcity] = Field(None, description="Stay off nodes that hold scarce resources.")
    balance: Given[_Balance] = Field(None, description="Use the resources of a node evenly.")
    preference: Given[_Preference] = Field(None, description="Preferences of workloads, and taints of effect PreferNoSchedule.")
    neighbours: Given[_Plain] = Field(None, description="Wishes to be near or apart.")
    spread: Given[_Plain] = Field(None, description="Wishes to be spread.")
    __pydantic_extra__: dict[str, _OtherScorer] = Field(init=False)


class PoolEntry(Entry):
    """Nodes on which something is kept free."""

    nodes: Given[Selector] = Field(None, description="Which nodes, by their labels; absent: all.")
    keep: SomeQuantities = Field(
        description="What stays free on each of them: amounts, or percents of what it has: {cpu: 4, memory: 10%}."
    )
    for_: Given[SomeTexts] = Field(None, alias="for", description="Who requests one of these may use it; absent: nobody.")


class ReserveEntry(Entry):
    """Keep room for those who need what is scarce. It needs per_unit, pools, or both."""

    filter: Given[Literal["reserve"]] = Field(None, description=_KIND)
    per_unit: Given[Some[dict[str, SomeQuantities]]] = Field(
        None, description="What stays free for each idle unit of a resource: {nvidia.com/gpu: {cpu: 8, memory: 8G}}."
    )
    pools: Given[Some[list[PoolEntry]]] = Field(None, description="What stays free on certain nodes.")


class OtherReserveEntry(ReserveEntry):
    """Another reserve, under a name of its own."""

    needed: ClassVar[dict[str, str]] = {"filter": "write filter: reserve, or call it reserve"}
    filter: Literal["reserve"] = Field(description="reserve: the kind of filter it is.")


_Flag = Annotated[bool, Tag("<flag>")]
_Reserve = Annotated[_Flag | Annotated[ReserveEntry, Tag("<mapping>")], either("false, or a mapping of per_unit, pools")]
_OtherFilter = Annotated[
    _Flag | Annotated[OtherReserveEntry, Tag("<mapping>")], either("true or false, or a mapping with filter: reserve")
]


class FiltersEntry(Entry):
    """Filters by name: on or off, or a mapping of parameters. What is not listed stays as the preset has it."""

    model_config = ConfigDict(strict=True, extra="allow")
    cordon: Given[bool] = Field(None, description="Nodes that are cordoned.")
    selector: Given[bool] = Field(None, description="Labels and names of nodes.")
    taints: Given[bool] = Field(None, description="Taints that are not tolerated.")
    fit: Given[bool] = Field(None, description="Room for what is requested; cannot be switched off.")
    devices: Given[bool] = Field(None, description="Devices for what is requested; cannot be switched off.")
    near: Given[bool] = Field(None, description="Places without a matching resident.")
    apart: Given[bool] = Field(None, description="Places with too many matching residents.")
    spread: Given[bool] = Field(None, description="Places that would run too far ahead.")
    reserve: Given[_Reserve] = Field(None, description="Room that is kept for those who need what is scarce.")
    __pydantic_extra__: dict[str, _OtherFilter] = Field(init=False)


class PolicyEntry(Entry):
    """How nodes are chosen."""

    preset: Literal["pack", "spread", "balanced", "ai-mixed", "kubernetes", "plain"] = Field(
        "balanced",
        description="Where to begin: pack fills nodes up, spread keeps them even, balanced uses each evenly; ai-mixed packs GPUs "
        "and keeps other work off them; kubernetes scores as kube-scheduler does; plain takes the first node that fits.",
    )
    name: str = Field("", description="A name of your own for the policy.")
    scorers: Given[Annotated[ScorersEntry, Short]] = Field(
        None, description="Scorers that replace the preset's, or add to them, by name."
    )
    filters: Given[Annotated[FiltersEntry, Short]] = Field(
        None, description="Filters to switch off, to give parameters, or to add, by name."
    )
