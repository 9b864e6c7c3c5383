"""A Node object as a node of the model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bayplan.dialects.kubernetes import images, requests, tolerations
from bayplan.dialects.kubernetes.names import object_name
from bayplan.dialects.kubernetes.reading import At, Remarks
from bayplan.model import syntax
from bayplan.model.node import Node


def node_of(node: Mapping[str, Any], name: str = "") -> Node:
    """The node; a ConfigError with every mistake where there are any. `name` is for one that has none."""
    remarks = Remarks()
    found = read_node(At(node, remarks), name)
    remarks.finish()
    assert found is not None
    return found


def read_node(node: At, name: str = "", *, server: bool = False) -> Node | None:
    """The node, or None and its mistakes in the remarks."""
    before = len(node.remarks.mistakes)
    name = object_name(node, name, server=server)
    labels = read_labels(node / "metadata" / "labels")
    offers, taints = requests.offers(node), tolerations.taints(node)
    cordoned = (node / "spec" / "unschedulable").flag()
    there = images.of_node(node)
    if len(node.remarks.mistakes) > before:
        return None
    return Node(name, offers, labels, taints, cordoned=cordoned, images=there)


def read_labels(at: At) -> Mapping[str, str]:
    labels = at.text_map()
    for problem in syntax.label_problems(labels, ""):
        (at / problem.path.removeprefix(".")).mistake(problem.message, problem.hint)
    return labels
