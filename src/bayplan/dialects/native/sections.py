"""The sections of a document: one shape for every file. Sections of several documents add up; `policy` stands once."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import ConfigDict, Field, Tag

from bayplan.dialects.native.schema import (
    Bounded,
    Entry,
    Given,
    GroupEntry,
    NodeEntry,
    TemplateEntry,
    Texts,
    Weight,
    WorkloadEntry,
    either,
)

Point = Annotated[list[Annotated[float, Field(allow_inf_nan=False)]], Field(min_length=2, max_length=2)]


class StrategyEntry(Entry):
    """What the packing scorer does with one resource."""

    strategy: Literal["most", "least", "ratio"] = Field(
        description="most: fill nodes up; least: keep them even; ratio: by a shape."
    )
    weight: Annotated[float, Field(allow_inf_nan=False, gt=0)] = Field(1.0, description="How much this resource counts.")
    shape: Given[Bounded[list[Point]]] = Field(
        None, description="For ratio: points [percent used 0..100, score 0..10], percents rising."
    )


_Strategy = Annotated[
    Annotated[Literal["most", "least", "ratio"], Tag("<text>")] | Annotated[StrategyEntry, Tag("<mapping>")],
    either("most, least, or a mapping of strategy, weight, shape"),
]


class PackingEntry(Entry):
    """Fill nodes up, or keep them even."""

    weight: Weight = Field(1.0, description="How much this scorer counts; 0 switches it off.")
    over: Literal["configured", "requested"] = Field(
        "configured", description="Average over all the resources below, or over those the workload requests."
    )
    resources: Given[Annotated[Bounded[dict[str, _Strategy]], Field(min_length=1)]] = Field(
        None, description="What to do with each resource; absent: keep cpu and memory even."
    )


class BalanceEntry(Entry):
    """Use the resources of a node evenly."""

    weight: Weight = Field(1.0, description="How much this scorer counts; 0 switches it off.")
    resources: Given[Annotated[Texts, Field(min_length=1)]] = Field(None, description="Which resources; absent: cpu and memory.")


class PlainScorerEntry(Entry):
    """A scorer that only has a weight."""

    weight: Weight = Field(1.0, description="How much this scorer counts; 0 switches it off.")


class UserScorerEntry(Entry):
    """A scorer from another package: the parameters are its own."""

    model_config = ConfigDict(strict=True, extra="allow")
    weight: Weight = Field(1.0, description="How much this scorer counts; 0 switches it off.")


_Number = Annotated[Weight, Tag("<number>")]
_Plain = Annotated[_Number | Annotated[PlainScorerEntry, Tag("<mapping>")], either("a weight, or a mapping")]


class ScorersEntry(Entry):
    """Scorers by name: a weight, or a mapping of parameters. What is not listed stays as the preset has it."""

    model_config = ConfigDict(strict=True, extra="allow")
    packing: Given[Annotated[_Number | Annotated[PackingEntry, Tag("<mapping>")], either("a weight, or a mapping")]] = Field(
        None, description="Fill nodes up, or keep them even."
    )
    balance: Given[Annotated[_Number | Annotated[BalanceEntry, Tag("<mapping>")], either("a weight, or a mapping")]] = Field(
        None, description="Use the resources of a node evenly."
    )
    preference: Given[_Plain] = Field(None, description="Preferences of workloads, and taints of effect PreferNoSchedule.")
    neighbours: Given[_Plain] = Field(None, description="Wishes to be near or apart.")
    spread: Given[_Plain] = Field(None, description="Wishes to be spread.")
    __pydantic_extra__: dict[
        str, Annotated[_Number | Annotated[UserScorerEntry, Tag("<mapping>")], either("a weight, or a mapping")]
    ] = Field(init=False)


class PolicyEntry(Entry):
    """How nodes are chosen."""

    preset: Literal["pack", "spread", "balanced"] = Field(
        "balanced", description="Where to begin: pack fills nodes up, spread keeps them even, balanced uses each evenly."
    )
    name: str = Field("", description="A name of your own for the policy.")
    scorers: Given[ScorersEntry] = Field(None, description="Scorers that replace the preset's, or add to them, by name.")
    filters: Bounded[dict[str, bool]] = Field(
        {}, description="Filters to switch off (false), or to add from another package (true), by name."
    )


class DocumentEntry(Entry):
    """One document. Every section may be left out; sections of several documents and files add up."""

    model_config = ConfigDict(title="bayplan manifest")
    nodes: list[NodeEntry] | None = Field(None, description="The nodes there are.")
    templates: list[TemplateEntry] | None = Field(None, description="Nodes that could be bought.")
    workloads: list[WorkloadEntry] | None = Field(None, description="What asks for a place, or already has one.")
    groups: list[GroupEntry] | None = Field(None, description="Workloads that are placed whole or not at all.")
    policy: PolicyEntry | None = Field(None, description="How nodes are chosen. Once over all documents.")


SECTIONS: Final[dict[str, type[Entry]]] = {
    "nodes": NodeEntry,
    "templates": TemplateEntry,
    "workloads": WorkloadEntry,
    "groups": GroupEntry,
    "policy": PolicyEntry,
}
"""Entries are checked one by one, so that a million wrong ones cost no more than the first thousand."""
