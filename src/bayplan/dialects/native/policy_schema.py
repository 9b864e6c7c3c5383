"""The shape of the policy section: a preset, scorers and filters by name.

A name of ours has the parameters of that rule. Under any other name, `scorer: packing` or `filter: reserve` among the
parameters makes another rule of that kind; without it, the name is that of a rule from another package.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import ConfigDict, Field, Tag

from bayplan.dialects.native import plugin_schema as plugins
from bayplan.dialects.native.plugin_schema import PLUGINS
from bayplan.dialects.native.schema import Selector
from bayplan.dialects.native.scorer_schema import KIND, BalanceEntry, PackingEntry, PreferenceEntry, ScarcityEntry, ScorerEntry
from bayplan.dialects.native.shapes import Entry, Given, Quantity, Short, Some, SomeTexts, Weight, either, shape_of

SomeQuantities = Some[dict[str, Quantity]]
_ALIASED: Final = ("packing", "scarcity", "balance", *PLUGINS)
"""Scorers of which a policy may have several."""


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
_TaintToleration = Annotated[_Number | Annotated[plugins.TaintTolerationEntry, Tag("<mapping>")], either(_FORMS)]
_NodeAffinity = Annotated[_Number | Annotated[plugins.NodeAffinityEntry, Tag("<mapping>")], either(_FORMS)]
_PodTopologySpread = Annotated[_Number | Annotated[plugins.PodTopologySpreadEntry, Tag("<mapping>")], either(_FORMS)]
_InterPodAffinity = Annotated[_Number | Annotated[plugins.InterPodAffinityEntry, Tag("<mapping>")], either(_FORMS)]
_NodeResourcesFit = Annotated[_Number | Annotated[plugins.NodeResourcesFitEntry, Tag("<mapping>")], either(_FORMS)]
_NodeResourcesBalancedAllocation = Annotated[
    _Number | Annotated[plugins.NodeResourcesBalancedAllocationEntry, Tag("<mapping>")], either(_FORMS)
]
_ImageLocality = Annotated[_Number | Annotated[plugins.ImageLocalityEntry, Tag("<mapping>")], either(_FORMS)]
_OtherScorer = Annotated[
    _Number
    | Annotated[PackingEntry, Tag("<packing>")]
    | Annotated[ScarcityEntry, Tag("<scarcity>")]
    | Annotated[BalanceEntry, Tag("<balance>")]
    | Annotated[plugins.TaintTolerationEntry, Tag("<TaintToleration>")]
    | Annotated[plugins.NodeAffinityEntry, Tag("<NodeAffinity>")]
    | Annotated[plugins.PodTopologySpreadEntry, Tag("<PodTopologySpread>")]
    | Annotated[plugins.InterPodAffinityEntry, Tag("<InterPodAffinity>")]
    | Annotated[plugins.NodeResourcesFitEntry, Tag("<NodeResourcesFit>")]
    | Annotated[plugins.NodeResourcesBalancedAllocationEntry, Tag("<NodeResourcesBalancedAllocation>")]
    | Annotated[plugins.ImageLocalityEntry, Tag("<ImageLocality>")]
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
    TaintToleration: Given[_TaintToleration] = Field(
        None, description="kube-scheduler: few taints of effect PreferNoSchedule that are not tolerated."
    )
    NodeAffinity: Given[_NodeAffinity] = Field(None, description="kube-scheduler: preferred node affinity.")
    PodTopologySpread: Given[_PodTopologySpread] = Field(None, description="kube-scheduler: topology spread that may be broken.")
    InterPodAffinity: Given[_InterPodAffinity] = Field(
        None, description="kube-scheduler: preferred affinity and anti-affinity between pods."
    )
    NodeResourcesFit: Given[_NodeResourcesFit] = Field(None, description="kube-scheduler: how much of a node would be requested.")
    NodeResourcesBalancedAllocation: Given[_NodeResourcesBalancedAllocation] = Field(
        None, description="kube-scheduler: use the resources of a node evenly, as kube-scheduler does."
    )
    ImageLocality: Given[_ImageLocality] = Field(None, description="kube-scheduler: nodes that have the images already.")
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

    filter: Given[Literal["reserve"]] = Field(None, description=KIND)
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
    unschedulable: Given[bool] = Field(
        None, description="Nodes that are cordoned, unless that is tolerated as a taint (Kubernetes)."
    )
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
