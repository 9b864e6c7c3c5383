"""Entries of `nodes` and `templates` into the model."""

from __future__ import annotations

from dataclasses import fields

from bayplan.dialects.native import schema, taints
from bayplan.dialects.native.names import Names
from bayplan.dialects.source.report import Report, Spot
from bayplan.model import resources, syntax
from bayplan.model.node import Device, Node, NodeTemplate


def nodes(entry: schema.NodeEntry, spot: Spot, names: Names, report: Report) -> list[Node]:
    """The node, or the `count` nodes, of one entry."""
    first = _node(entry, spot, report, cordoned=entry.cordoned)
    expanded = names.expand(entry.name, entry.count, spot)
    names.claim("node", expanded, spot)
    if first is None or not expanded:
        return []
    if fault := syntax.name_fault(expanded[-1]):
        report.add(spot / "name", fault)
    return [_named(first, name) for name in expanded]


def template(entry: schema.TemplateEntry, spot: Spot, names: Names, report: Report) -> NodeTemplate | None:
    node = _node(entry, spot, report, cordoned=False)
    names.claim("template", (entry.name,), spot)
    blank = node or Node("blank")  # the other mistakes of the entry are still wanted
    prefix = f"template {entry.name!r}"
    return report.build(spot, prefix, NodeTemplate, entry.name, blank, entry.minimum, entry.maximum, entry.price)


def _node(entry: schema.NodeEntry | schema.TemplateEntry, spot: Spot, report: Report, *, cordoned: bool) -> Node | None:
    marks = [taints.taint(one, spot / "taints" / i, report) for i, one in enumerate(entry.taints)]
    pieces = _devices(entry.devices, spot / "devices", report)
    given = [mark for mark in marks if mark is not None]
    about = (entry.name, entry.capacity, entry.labels, given, pieces, cordoned, entry.images)
    return report.build(spot, f"node {entry.name!r}", Node, *about)


def _devices(written: dict[str, int | list[str]], spot: Spot, report: Report) -> list[Device]:
    pieces: list[Device] = []
    for resource, devices in written.items():
        if report.build(spot, "", resources.capacity, resource, 1) is None:  # not a resource name
            continue
        ids = [str(i) for i in range(devices)] if isinstance(devices, int) else devices
        pieces += [Device(resource, one) for one in ids]
    return pieces


def _named(node: Node, name: str) -> Node:
    """Another node that differs only by its name. Checking everything again, a million times, would take minutes."""
    twin: Node = object.__new__(Node)
    for one in fields(Node):
        object.__setattr__(twin, one.name, getattr(node, one.name))
    object.__setattr__(twin, "name", name)
    return twin
