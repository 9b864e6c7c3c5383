"""Nodes, pods and configurations of Volcano's cases as bayplan's own.

Amounts come in two forms: Kubernetes quantities (`requests`, `allocatable`), and Volcano's internal units (`resreq`):
thousandths of everything but memory, which is in bytes, and pods, which are counted.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from bayplan import (
    NODE,
    Apart,
    Cluster,
    Near,
    Node,
    Preference,
    Selector,
    Spread,
    Taint,
    Toleration,
    Workload,
    does_not_exist,
    exists,
    in_,
    not_in,
)
from bayplan.dialects import volcano
from bayplan.engine.spec import build
from bayplan.model import resources
from tests.conformance.registry import Skips

FITS = "resource-strategy-fit"
Amounts = Mapping[str, Any]


def internal(amounts: Amounts) -> dict[str, Fraction]:
    """Volcano's internal units as plain amounts."""
    return {name: Fraction(value) / (1 if name in ("memory", "pods") else 1000) for name, value in amounts.items()}


def configuration(plugins: list[dict[str, Any]], dialect: str = "volcano") -> volcano.Configuration:
    """Plugins, read leniently (as Volcano reads them) from the text of a configuration. JSON is YAML."""
    conf = {"actions": "enqueue, allocate, backfill", "tiers": [{"plugins": [_switches(one) for one in plugins]}]}
    return volcano.loads(json.dumps(conf), "case", dialect, "lenient")  # type: ignore[arg-type]


def _switches(plugin: dict[str, Any]) -> dict[str, Any]:
    """The cases name switches as Go does, `enabledNodeOrder`; the file has them as `enableNodeOrder`."""
    kept = ("enabledVictim", "enabledOverused", "enabledAllocatable")
    return {key.replace("enabled", "enable", 1) if key not in kept else key: value for key, value in plugin.items()}


def session(case: Mapping[str, Any], dialect: str) -> volcano.Configuration:
    """The configuration of a case with tiers, or with arguments only."""
    arguments = case.get("arguments") or {}
    if "tiers" not in case:
        return configuration([{"name": FITS, "arguments": arguments}], dialect)
    plugins = [dict(one) for tier in case["tiers"] for one in tier["plugins"]]
    for one in plugins:
        if one.get("arguments") == "<arguments>":
            one["arguments"] = arguments
    return configuration(plugins, dialect)


def cluster(nodes: Iterable[Node], configured: volcano.Configuration) -> Cluster:
    return Cluster(list(nodes), policy=build(configured.policy))


def node(written: Mapping[str, Any]) -> Node:
    taints = [Taint(one["key"], one.get("value", ""), one["effect"]) for one in written.get("taints", ())]
    cordoned = bool(written.get("unschedulable", False))
    return Node(written["name"], written["allocatable"], labels=written.get("labels", {}), taints=taints, cordoned=cordoned)


def settle(where: Cluster, at: str, used: Mapping[str, Any], name: str = "resident", like: Workload | None = None) -> None:
    """Something that uses these amounts of a node, as far as it has them: a node that is more than full is full."""
    wanted = Workload(name, used).requests
    capacity, free = where.snapshot.node(at).capacity, where.snapshot.row(at)
    there = {one: where.snapshot.free_of(one).cell[free] for one in capacity}
    from_there = {one: Fraction(min(units, int(there.get(one, 0)))) for one, units in wanted.items()}
    amounts = {one: units if resources.in_bytes(one) else units / resources.UNIT for one, units in from_there.items()}
    labels, namespace = ({}, "default") if like is None else (dict(like.labels), like.namespace)
    where.settle(Workload(name, amounts, labels=labels, namespace=namespace), at)


def pod(written: Mapping[str, Any], name: str | None = None) -> Workload:
    """A pod as a workload. Every pod also requests one of `pods`."""
    affinity = written.get("affinity", {})
    node_affinity, near, apart = (affinity.get(key, {}) for key in ("nodeAffinity", "podAffinity", "podAntiAffinity"))
    return Workload(
        name or written["name"],
        {**written.get("requests", {}), "pods": 1},
        labels=written.get("labels", {}),
        namespace=written.get("namespace", "default"),
        selector=Selector.of(written.get("nodeSelector", {})) & _required(node_affinity.get("required")),
        preferences=[Preference(_term(one), one["weight"] / 100) for one in node_affinity.get("preferred", ())],
        tolerations=[_toleration(one) for one in written.get("tolerations", ())],
        near=[Near(*_peers(one), weight=_weight(one)) for kind in ("required", "preferred") for one in near.get(kind, ())],
        apart=[Apart(*_peers(one), weight=_weight(one)) for kind in ("required", "preferred") for one in apart.get(kind, ())],
        spread=[_spread(one) for one in written.get("topologySpreadConstraints", ())],
        packing=volcano.strategies_of_pod(written.get("annotations", {}), "lenient"),
    )


def _weight(written: Mapping[str, Any]) -> float | None:
    return written["weight"] / 100 if "weight" in written else None


def _peers(written: Mapping[str, Any]) -> tuple[Selector, str]:
    key = written["topologyKey"]
    return _term(written), NODE if key == "kubernetes.io/hostname" else key


def _required(terms: Any) -> Selector:
    if terms is None:
        return Selector.of({})
    found = Selector(())
    for one in terms:
        found |= _term(one)
    return found


def _term(written: Mapping[str, Any]) -> Selector:
    found = Selector.of(written.get("matchLabels", {}))
    for one in written.get("matchExpressions", ()):
        values, operator = one.get("values", ()), one["operator"]
        made = {"In": in_, "NotIn": not_in}
        if operator in made:
            found &= Selector.of({one["key"]: made[operator](*values)})
        elif operator in ("Exists", "DoesNotExist"):
            found &= Selector.of({one["key"]: exists() if operator == "Exists" else does_not_exist()})
        else:
            raise Skips(f"the operator {operator} is not translated by this runner")
    return found


def _toleration(written: Mapping[str, Any]) -> Toleration:
    return Toleration(
        written.get("key", ""), written.get("value", ""), written.get("operator", "Equal"), written.get("effect") or None
    )


def _spread(written: Mapping[str, Any]) -> Spread:
    weight = 1.0 if written.get("whenUnsatisfiable") == "ScheduleAnyway" else None
    peers, by = _peers(written)
    return Spread(peers, by, max_skew=written.get("maxSkew", 1), weight=weight)
