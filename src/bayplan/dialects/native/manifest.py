"""What native files say, as model objects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from bayplan.engine.spec import PolicySpec
from bayplan.model.group import Request
from bayplan.model.node import Node, NodeTemplate
from bayplan.model.workload import Workload


@dataclass(frozen=True, slots=True)
class Manifest:
    """Nodes, what could be bought, what asks for a place, what already has one, and how to choose."""

    nodes: tuple[Node, ...] = ()
    templates: tuple[NodeTemplate, ...] = ()
    requests: tuple[Request, ...] = ()
    """In the order of the documents."""
    residents: tuple[tuple[Workload, str], ...] = ()
    """What already runs, with the name of its node."""
    policy: PolicySpec | None = None
    sources: Mapping[str, Mapping[str, str]] = field(default_factory=dict, compare=False, repr=False)
    """`sources["node"]["n1"]` is "cluster.yaml:3"; kinds: node, template, workload (by id), group."""
    overbooked: bool = False
    """What runs was observed, not planned: there may be more of it than fits."""

    def source(self, kind: str, name: str) -> str:
        """Where it is defined, as `file:line`, or ""."""
        return self.sources.get(kind, {}).get(name, "")
