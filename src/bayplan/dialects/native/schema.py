"""The shape of a native document, as types. They check shape only and never convert: "3" is not 3.

The descriptions become the JSON Schema, and so the help an editor shows. What the values mean
(quantities, label syntax, names) is checked where the model is built.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field, Tag

from bayplan.dialects.native.shapes import (
    COUNT_LIMIT,
    MEMBER_LIMIT,
    Bounded,
    Count,
    Entry,
    Finite,
    Given,
    Labels,
    Quantities,
    SomeTexts,
    Texts,
    Weight,
    Wish,
    either,
)

EffectName = Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]
StrategyName = Literal["PACK", "SPREAD", "STRICT_PACK", "STRICT_SPREAD", "ANY"]


class Operators(Entry):
    """A set of label values. Several operators together: all must hold."""

    in_: Given[Texts] = Field(None, alias="in", description="The label is there and has one of these values.")
    not_in: Given[Texts] = Field(None, description="The label has none of these values; being absent is fine.")
    exists: Given[bool] = Field(None, description="true: the label is there; false: it is not.")
    gt: Given[int] = Field(None, description="The label is a whole number above this.", ge=-(2**64), le=2**64)
    lt: Given[int] = Field(None, description="The label is a whole number below this.", ge=-(2**64), le=2**64)


Values = Annotated[
    Annotated[str, Tag("<text>")] | Annotated[Texts, Tag("<list>")] | Annotated[Operators, Tag("<mapping>")],
    either("text, a list of texts, or a mapping of in, not_in, exists, gt, lt"),
]
Term = Bounded[dict[str, Values]]
Terms = Bounded[list[Term]]
Selector = Annotated[
    Annotated[Term, Tag("<mapping>")] | Annotated[Terms, Tag("<list>")],
    either("a mapping of label keys, or a list of such mappings"),
]


class TaintEntry(Entry):
    """A mark that keeps work away unless it tolerates the mark."""

    key: str = Field(description="The key of the taint.")
    value: str | None = Field(None, description="The value of the taint; empty when absent.")
    effect: EffectName | None = Field(None, description="What happens to work that does not tolerate it; NoSchedule when absent.")


class TolerationEntry(Entry):
    """Accepts taints."""

    key: str | None = Field(None, description="The key of the taints; absent: every key (with operator Exists).")
    operator: Literal["Equal", "Exists", "Gt", "Lt"] | None = Field(
        None, description="How the value is compared; when absent, Equal with a value and Exists without."
    )
    value: str | None = Field(None, description="The value to compare with; not with Exists.")
    effect: EffectName | None = Field(None, description="Only taints of this effect; absent: every effect.")


_Taint = Annotated[
    Annotated[str, Tag("<text>")] | Annotated[TaintEntry, Tag("<mapping>")],
    either('"key=value:Effect", or a mapping of key, value, effect'),
]
_Toleration = Annotated[
    Annotated[str, Tag("<text>")] | Annotated[TolerationEntry, Tag("<mapping>")],
    either('"key=value:Effect", or a mapping of key, operator, value, effect'),
]
_Devices = Annotated[
    Annotated[Annotated[int, Field(ge=0, le=1024)], Tag("<number>")]
    | Annotated[Annotated[list[str], Field(max_length=1024)], Tag("<list>")],
    either("a number of devices, or a list of their ids"),
]

_Namespaces = Annotated[
    Annotated[Literal["*"], Tag("<text>")] | Annotated[Texts, Tag("<list>")], either('a list of namespaces, or "*" for all')
]
_Keys = Annotated[
    Annotated[str, Tag("<text>")] | Annotated[SomeTexts, Tag("<list>")], either('"node", a label key, or a list of these')
]


class Machine(Entry):
    """What nodes and templates have in common."""

    capacity: Quantities = Field({}, description="What the node offers, by resource: {cpu: 32, memory: 128Gi}.")
    devices: Bounded[dict[str, _Devices]] = Field(
        {}, description="Indivisible pieces by resource, as a count or a list of ids: {gpu: 4}. They add to the capacity."
    )
    labels: Labels = Field({}, description="Labels of the node.")
    taints: Bounded[list[_Taint]] = Field([], description='Taints: "key=value:Effect" or {key, value, effect}.')
    images: Bounded[dict[str, Annotated[int, Field(ge=0, lt=2**63)]]] = Field(
        {}, description="Container images that are there already, and their sizes in bytes."
    )


class NodeEntry(Machine):
    """One node, or `count` equal ones."""

    name: str = Field(description="The name of the node; with count, the nodes are name-0, name-1, ...")
    count: Given[Count] = Field(None, description="How many such nodes there are; absent: exactly one, with exactly this name.")
    cordoned: bool = Field(False, description="true: the node takes no new work.")


class TemplateEntry(Machine):
    """A node that could be bought."""

    refused: ClassVar[dict[str, str]] = {
        "count": "say how many may be bought with minimum and maximum",
        "cordoned": "a template cannot be cordoned",
    }
    name: str = Field(description="The name of the template; bought nodes are named after it.")
    minimum: int = Field(0, description="Keep at least this many.", ge=0, le=COUNT_LIMIT)
    maximum: Given[int] = Field(None, description="Buy at most this many; absent: no limit.", ge=0, le=COUNT_LIMIT)
    price: Weight = Field(0.0, description="What one costs, in any unit; cheaper ones are bought first.")


class PreferenceEntry(Entry):
    """A wish about nodes."""

    selector: Selector = Field(description="The nodes that are wished for.")
    weight: Finite = Field(1.0, description="Added to the score of every node that matches.")


class Peers(Entry):
    """Some workloads."""

    peers: Selector = Field(description="The workloads it is about, by their labels.")
    namespaces: Given[_Namespaces] = Field(
        None, description='Where the peers are looked for; ["*"]: everywhere; []: nowhere; absent: in the own namespace.'
    )


class NearTermEntry(Peers):
    """One of several conditions that were joined."""

    by: str = Field("node", description='What counts as one place: "node", or the key of a node label such as zone.')


class Neighbours(Peers):
    """What near, apart and spread have in common."""

    weight: Given[Wish] = Field(None, description="Absent: a hard rule. A number: a wish of that weight.")


class NearEntry(Neighbours):
    """Run where a matching workload runs."""

    by: _Keys = Field(
        "node", description='What counts as one place: "node", or the key of a node label such as zone, or several.'
    )
    first_may_start: bool = Field(False, description="true: while no peer runs at all, one that matches itself may go anywhere.")
    terms: Given[Bounded[list[NearTermEntry]]] = Field(
        None, description="The conditions this one was joined from, for scorers that look at them one by one (Kubernetes)."
    )


class ApartEntry(Neighbours):
    """Keep the number of matching workloads in one place low."""

    by: str = Field("node", description='What counts as one place: "node", or the key of a node label such as zone.')
    at_most: int = Field(1, description="How many may share one place, this one included.", ge=1, le=2**31)


class SpreadEntry(Neighbours):
    """Spread matching workloads evenly."""

    by: str = Field("node", description='What counts as one place: "node", or the key of a node label such as zone.')
    max_skew: int = Field(1, description="How many more a place may hold than the emptiest one.", ge=1, le=2**31)
    min_domains: int = Field(1, description="With fewer places than this, the emptiest counts as 0.", ge=1, le=2**31)
    honour_taints: bool = Field(False, description="true: places whose taints are not tolerated do not count.")
    honour_selector: bool = Field(True, description="false: places that the own selector does not allow count, too.")
    on_allowed: bool = Field(
        False, description="true: only peers on nodes that count, and that have the keys of all hard spreads (Kubernetes)."
    )
    may_lack: bool = Field(False, description="true: a wish that does not put nodes without the key last (Kubernetes).")


Point = Annotated[list[Finite], Field(min_length=2, max_length=2)]
PackingKind = Literal["most", "least", "ratio"]


class OwnStrategyEntry(Entry):
    """What packing does with one resource, where the workload itself says so."""

    strategy: PackingKind = Field(description="most: fill nodes up; least: keep them even; ratio: by a shape.")
    weight: Finite = Field(1.0, description="How much this resource counts; below 0 turns the strategy round.")
    shape: Given[Bounded[list[Point]]] = Field(
        None, description="For ratio: points [percent used 0..100, score 0..10], percents rising."
    )


class StrategyEntry(OwnStrategyEntry):
    """What packing does with one resource."""

    weight: Wish = Field(1.0, description="How much this resource counts.")


_STRATEGY = either("most, least, or a mapping of strategy, weight, shape")
_Word = Annotated[PackingKind, Tag("<text>")]
ByResource = dict[str, Annotated[_Word | Annotated[StrategyEntry, Tag("<mapping>")], _STRATEGY]]
"""Strategies by resource; `nvidia.com/*` is all that begin so."""
OwnByResource = dict[str, Annotated[_Word | Annotated[OwnStrategyEntry, Tag("<mapping>")], _STRATEGY]]


class Conditions(Entry):
    """Everything a workload can ask for; a fallback can ask for it anew."""

    requests: Given[Quantities] = Field(None, description="What it needs, by resource: {cpu: 500m, memory: 1Gi, gpu: 0.5}.")
    selector: Given[Selector] = Field(
        None,
        description="Which nodes may run it, by their labels; @name is the name of the node. A list of mappings: any of them.",
    )
    nodes: Given[Texts] = Field(None, description="Only these nodes, by name. Empty: any.")
    prefer: Given[Bounded[list[PreferenceEntry]]] = Field(None, description="Wishes about nodes.")
    tolerate: Given[Bounded[list[_Toleration]]] = Field(
        None, description='Taints it accepts: "key", "key=value:Effect", "*" or {key, operator, value, effect}.'
    )
    near: Given[Bounded[list[NearEntry]]] = Field(None, description="Run where these workloads run.")
    apart: Given[Bounded[list[ApartEntry]]] = Field(None, description="Do not share a place with these workloads.")
    spread: Given[Bounded[list[SpreadEntry]]] = Field(None, description="Spread these workloads evenly.")


class FallbackEntry(Conditions):
    """Other conditions, tried in order when those before find no place. What is absent is as the workload has it."""


class MemberEntry(Conditions):
    """One workload of a group, or `replicas` equal ones."""

    refused: ClassVar[dict[str, str]] = {
        "fallbacks": "a group falls back as a whole: give the fallbacks to the group",
        "on": "a member of a group cannot run already",
    }
    name: str = Field(description="The name; with replicas, the workloads are name-0, name-1, ...")
    replicas: Given[Count] = Field(None, description="How many such workloads there are; absent: one, with exactly this name.")
    namespace: str = Field("default", description="The namespace it belongs to.")
    owner: str = Field("", description="The job it belongs to.")
    queue: str = Field("", description="The queue it comes from; a policy may pack each queue in its own way.")
    packing: Given[Bounded[OwnByResource]] = Field(
        None, description="What to do with each resource, where it wants it otherwise than the policy; {}: do not care."
    )
    labels: Labels = Field({}, description="Labels of the workload; others find it by them.")
    images: Texts = Field([], description="The images of its containers, for scorers that like to find them on the node.")
    priority: int = Field(0, description="Higher goes first, and may push out lower.", ge=-(2**31), lt=2**31)


class WorkloadEntry(MemberEntry):
    """One workload, or `replicas` equal ones."""

    refused: ClassVar[dict[str, str]] = {}
    fallbacks: Bounded[list[FallbackEntry]] = Field([], description="Other conditions, tried in order.")
    on: Given[str] = Field(None, description="The node it already runs on.")


Members = Annotated[list[MemberEntry], Field(max_length=MEMBER_LIMIT)]


class GroupFallbackEntry(Entry):
    """Another way to place the group. What is absent is as the group has it."""

    strategy: Given[StrategyName] = Field(None, description="How the members lie over the places.")
    by: Given[str] = Field(None, description='What counts as one place: "node", or the key of a node label.')
    members: Given[Members] = Field(None, description="The workloads of this alternative.")


class GroupEntry(Entry):
    """Workloads that are placed all together or not at all."""

    name: str = Field(description="The name of the group.")
    strategy: StrategyName = Field("PACK", description="PACK and SPREAD are wishes, STRICT_ ones are rules, ANY is neither.")
    by: str = Field("node", description='What counts as one place: "node", or the key of a node label such as zone.')
    members: Members = Field(description="The workloads of the group.")
    fallbacks: Bounded[list[GroupFallbackEntry]] = Field([], description="Other ways, tried in order.")
