"""Model objects as native entries: the inverse of nodes.py and workloads.py. Defaults are left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from bayplan.dialects.native import selectors, strategies, taints
from bayplan.errors import Unsupported
from bayplan.model.group import Group
from bayplan.model.neighbours import ALL, NODE, Apart, Near, Spread
from bayplan.model.node import Node, NodeTemplate
from bayplan.model.resources import UNIT, in_bytes
from bayplan.model.workload import DEFAULT_NAMESPACE, Fallback, Workload

_SPREAD: Final = {
    "max_skew": 1, "min_domains": 1, "honour_taints": False, "honour_selector": True, "on_allowed": False, "may_lack": False,
}  # fmt: skip
"""Of a spread, what is usual."""
_SIZES: Final = tuple((suffix, 1024**i) for i, suffix in ((5, "Pi"), (4, "Ti"), (3, "Gi"), (2, "Mi"), (1, "Ki")))


def write_nodes(nodes: Iterable[Node]) -> list[dict[str, Any]]:
    return _runs([(one.name, _machine(one) | ({"cordoned": True} if one.cordoned else {})) for one in nodes], "count")


def write_template(template: NodeTemplate) -> dict[str, Any]:
    node = template.node
    if node.name != template.name or node.cordoned:
        raise Unsupported(f"template {template.name!r}: its node has another name or is cordoned")
    numbers = {"minimum": template.minimum, "maximum": template.maximum, "price": template.price}
    return {
        "name": template.name,
        **{key: value for key, value in numbers.items() if value or value == 0 == template.maximum},
        **_machine(node),
    }


def write_workloads(workloads: Iterable[Workload]) -> list[dict[str, Any]]:
    return _runs([(one.name, _workload(one)) for one in workloads], "replicas")


def write_group(group: Group) -> dict[str, Any]:
    found = {"name": group.name, "strategy": str(group.strategy), "by": _by(group.by), "members": write_workloads(group.members)}
    if any(one.name != group.name for one in group.fallbacks):
        raise Unsupported(f"group {group.name!r}: a fallback has another name")
    ways = [
        {"strategy": str(one.strategy), "by": _by(one.by)}
        | ({} if one.members == group.members else {"members": write_workloads(one.members)})
        for one in group.fallbacks
    ]
    return found | ({"fallbacks": ways} if ways else {})


def _runs(entries: list[tuple[str, dict[str, Any]]], word: str) -> list[dict[str, Any]]:
    """Neighbours that differ only by name and are called x-0, x-1, ... become one entry."""
    found: list[dict[str, Any]] = []
    i = 0
    while i < len(entries):
        name, entry = entries[i]
        stem, end = name.removesuffix("-0"), i + 1
        if stem and name.endswith("-0"):
            while end < len(entries) and entries[end] == (f"{stem}-{end - i}", entry):
                end += 1
        found.append({"name": name, **entry} if end == i + 1 else {"name": stem, word: end - i, **entry})
        i = end
    return found


def _machine(node: Node) -> dict[str, Any]:
    devices: dict[str, list[str]] = {}
    for one in node.devices:
        devices.setdefault(one.resource, []).append(one.id)
    written = {resource: len(ids) if ids == [str(i) for i in range(len(ids))] else ids for resource, ids in devices.items()}
    parts = {
        "capacity": _amounts({resource: units for resource, units in node.capacity.items() if resource not in devices}),
        "devices": written,
        "labels": dict(node.labels),
        "taints": [taints.write_taint(one) for one in node.taints],
        "images": dict(node.images),
    }
    return {key: value for key, value in parts.items() if value}


def _workload(workload: Workload) -> dict[str, Any]:
    about = {
        "owner": workload.owner, "queue": workload.queue, "labels": dict(workload.labels), "priority": workload.priority,
        "images": list(workload.images),
    }  # fmt: skip
    found: dict[str, Any] = {} if workload.namespace == DEFAULT_NAMESPACE else {"namespace": workload.namespace}
    found |= {key: value for key, value in about.items() if value}
    if workload.packing is not None:
        found["packing"] = strategies.write(workload.packing)
    given = _conditions(workload)
    if workload.selector.always:
        del given["selector"]
    found |= {key: value for key, value in given.items() if value or key == "selector"}
    if workload.fallbacks:
        found["fallbacks"] = [_conditions(one) for one in workload.fallbacks]
    return found


def _conditions(one: Workload | Fallback) -> dict[str, Any]:
    """Everything that is not None; a fallback's empty list is not the same as none."""
    found: dict[str, Any] = {}
    if one.requests is not None:
        found["requests"] = _amounts(one.requests)
    if one.selector is not None:
        found["selector"] = selectors.write(one.selector)
    if one.nodes is not None:
        found["nodes"] = sorted(one.nodes)
    if one.preferences is not None:
        found["prefer"] = [{"selector": selectors.write(each.selector), "weight": each.weight} for each in one.preferences]
    if one.tolerations is not None:
        found["tolerate"] = [taints.write_toleration(each) for each in one.tolerations]
    for name in ("near", "apart", "spread"):
        if getattr(one, name) is not None:
            found[name] = [_neighbours(each) for each in getattr(one, name)]
    return found


def _neighbours(one: Near | Apart | Spread) -> dict[str, Any]:
    found = _peers(one)
    if one.weight is not None:
        found["weight"] = float(one.weight)
    if isinstance(one, Near):
        terms = {"terms": [_near_term(each) for each in one.terms]} if one.terms else {}
        return found | ({"first_may_start": True} if one.first_may_start else {}) | terms
    if isinstance(one, Apart):
        return found | ({"at_most": one.at_most} if one.at_most != 1 else {})
    return found | {name: getattr(one, name) for name, usual in _SPREAD.items() if getattr(one, name) != usual}


def _peers(one: Near | Apart | Spread) -> dict[str, Any]:
    found: dict[str, Any] = {"peers": selectors.write(one.peers, of_nodes=False), "by": _place(one.by)}
    if one.namespaces == ALL:
        found["namespaces"] = [ALL]
    elif one.namespaces is not None:
        if ALL in one.namespaces:
            raise Unsupported(f"the set of namespaces {sorted(one.namespaces)}")
        found["namespaces"] = sorted(one.namespaces)
    return found


def _near_term(one: Near) -> dict[str, Any]:
    """A term has peers, a key and namespaces; what else a `Near` may have belongs to the whole."""
    if one != Near(one.peers, one.by[0], one.namespaces):
        raise Unsupported(f"a term of a near rule with a weight, several keys or terms of its own: {one}")
    return _peers(one)


def _place(by: str | tuple[str, ...]) -> str | list[str]:
    keys = [_by(key) for key in ((by,) if isinstance(by, str) else by)]
    return keys[0] if len(keys) == 1 else keys


def _by(key: str) -> str:
    if key == "node":
        raise Unsupported("the label key 'node' as a topology key: the native dialect means each node by it")
    return "node" if key == NODE else key


def _amounts(amounts: Mapping[str, int]) -> dict[str, Any]:
    """Exact quantities: 4, 500m, 0.0001, 64Gi, 1000."""
    return {resource: _amount(resource, units) for resource, units in amounts.items()}


def _amount(resource: str, units: int) -> int | float | str:
    if in_bytes(resource):
        return next((f"{units // size}{suffix}" for suffix, size in _SIZES if units and units % size == 0), units)
    whole, rest = divmod(units, UNIT)
    if not rest:
        return whole
    if resource == "cpu" and units % 10 == 0:
        return f"{units // 10}m"
    exact = f"{whole}.{rest:04d}".rstrip("0")
    return float(exact) if repr(float(exact)) == exact else exact
