"""The smallest change that would make a workload fit: one edit per reason, on the nearest node.

    fit, devices    free so much, or where the node is too small, ask for less
    selector        set the label on the node
    taints          tolerate the taint
    cordon          uncordon the node
    near            first place a matching neighbour in the domain
    apart, spread   move a resident out of the domain

The edits that change the workload or the node itself are tried, and undone, before they are offered;
`proven` says that with them the node accepts the workload. Edits about other residents are advice; where
there is nothing better, one more node like an existing one is tried, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from bayplan.engine.query import Query
from bayplan.engine.reasons import reasons_of
from bayplan.model.decision import No, Reason
from bayplan.model.frozen import FrozenMap
from bayplan.model.labels import ValueSet
from bayplan.model.resources import UNIT, Resources, render
from bayplan.model.selector import NODE_NAME
from bayplan.model.syntax import value_fault
from bayplan.model.tolerations import Match, Toleration
from bayplan.model.workload import Workload
from bayplan.table.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Fix:
    """All the edits it takes on one node."""

    node: str
    edits: tuple[str, ...]
    proven: bool

    def __str__(self) -> str:
        edits = ", and ".join(self.edits)
        return edits if edits.startswith("add a node") else f"on {self.node}: {edits}"

    def as_json(self) -> dict[str, object]:
        return {"node": self.node, "edits": list(self.edits), "proven": self.proven}


def smallest_change(query: Query, nodes: Iterable[str]) -> Fix | None:
    """The first proven fix on nodes that come in the order of how many reasons they have against it; else, where
    one more node like one of them would do, that; else the best advice."""
    fixes: list[Fix] = []
    for name in nodes:
        fixes.append(_fix(query, name))
        if fixes[-1].proven:
            return fixes[-1]
    for one in fixes:
        if _twin_would_do(query, one.node):
            return Fix(one.node, (f"add a node like {one.node}",), True)
    return min(fixes, key=lambda one: len(one.edits), default=None)


def _twin_would_do(query: Query, name: str) -> bool:
    """Would the workload fit on another node of the same kind, with nobody on it?"""
    snapshot = query.snapshot
    start, twin = snapshot.version, f"{name}.twin"
    if twin in snapshot.row_of:
        return False
    snapshot.add(replace(snapshot.node(name), name=twin, cordoned=False))
    passes = query.again(query.kind.workload).passes(snapshot.row(twin))
    snapshot.undo_to(start)
    return passes


def _fix(query: Query, name: str) -> Fix:
    reasons = reasons_of(query, query.snapshot.row(name))
    edits = tuple(dict.fromkeys(_edit(reason) for reason in reasons))
    return Fix(name, edits, _prove(query, name, reasons))


def _edit(reason: Reason) -> str:
    facts = reason.facts
    match reason.rule:
        case "fit" | "devices":
            return _make_room(reason)
        case "selector" if "found" in facts:
            return f"label it {reason.topic}: {facts['wanted']}" if reason.topic != NODE_NAME else "allow it by name"
        case "selector":
            return f"change the node selector ({reason.sentence})"
        case "taints":
            return f"tolerate {facts['taint']}"
        case "cordon":
            return "uncordon it"
        case "near":
            return f"first place {facts['peers']} there"
        case "apart" | "spread" | "group":
            return f"make way ({reason.sentence})"
        case _:
            return f"see to it that {reason.sentence}"


def _make_room(reason: Reason) -> str:
    facts, resource = reason.facts, reason.topic
    asked = render(resource, _number(facts["requested"]))
    if reason.rule == "fit" and reason.no is No.BUSY:
        return f"free {render(resource, _number(facts['short']))} more {resource}"
    if reason.rule == "fit" and not facts["capacity"]:
        return f"give it {asked} {resource}"
    if reason.rule == "fit":
        free, capacity = (render(resource, _number(facts[name])) for name in ("free", "capacity"))
        return f"ask for at most {free} {resource} (of {capacity})"
    if reason.no is No.BUSY:
        return f"free {asked} {resource} on {'one device' if _number(facts['requested']) < UNIT else 'whole devices'}"
    return f"ask for at most {facts['devices']} {resource}, a share of one or whole"


def _number(fact: object) -> int:
    assert isinstance(fact, int)
    return fact


def _prove(query: Query, name: str, reasons: tuple[Reason, ...]) -> bool:
    """Make the edits, look, and undo them. Freeing an amount is the same as asking for that much less."""
    snapshot, workload = query.snapshot, query.kind.workload
    start = snapshot.version
    for reason in reasons:
        eased = _ease(snapshot, workload, name, reason)
        if eased is None:
            break
        workload = eased
    else:
        passes = query.again(workload).passes(snapshot.row(name))
        snapshot.undo_to(start)
        return passes
    snapshot.undo_to(start)
    return False


def _ease(snapshot: Snapshot, workload: Workload, name: str, reason: Reason) -> Workload | None:
    """The workload with the edit made (or the node, in place); None when it is advice only."""
    node, facts = snapshot.node(name), reason.facts
    match reason.rule:
        case "fit" if facts["capacity"]:
            less = min(_number(facts["free"]), workload.requests[reason.topic])
            return replace(workload, requests=Resources({**workload.requests, reason.topic: less}))
        case "devices" if reason.no is No.BUSY:
            return replace(workload, requests=Resources({**workload.requests, reason.topic: 0}))
        case "taints":
            marks = [Toleration(one.key, one.value, Match.EQUAL, one.effect) for one in node.taints if str(one) == facts["taint"]]
            return replace(workload, tolerations=(*workload.tolerations, *marks))
        case "cordon":
            snapshot.replace(replace(node, cordoned=False))
            return workload
        case "selector" if "found" in facts and reason.topic != NODE_NAME:
            wanted = dict(workload.node_selector.terms[0])[reason.topic]
            labels = _with_label(node.labels, reason.topic, wanted)
            if labels is None:
                return None
            snapshot.replace(replace(node, labels=FrozenMap(labels)))
            return workload
    return None


def _with_label(labels: Mapping[str, str], key: str, wanted: ValueSet) -> dict[str, str] | None:
    """The labels with one value changed to something in the set: absent if that will do."""
    others = {name: value for name, value in labels.items() if name != key}
    if wanted.absent:
        return others
    bounds = (str(bound) for interval in wanted.numbers for bound in reversed(interval))
    candidates = (*sorted(wanted.values or ()), "yes", *bounds)
    value = next((one for one in candidates if one in wanted and not value_fault(one)), None)
    return None if value is None else {**others, key: value}
