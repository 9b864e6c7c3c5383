"""What could be bought: which template, and how many nodes of it, would make room for a pending request.

For every template: add one node of it to a fork, then a second, and so on, until the request fits whole, within what
may be bought. The answer takes the fewest nodes; of those the cheapest; then the first template.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from bayplan.engine.gang import Attempt
from bayplan.engine.pipeline import Pipeline
from bayplan.engine.policy import Policy
from bayplan.model.group import Group, Request, members
from bayplan.model.node import NodeTemplate
from bayplan.table.snapshot import Snapshot

MOST = 16
"""Of one template so many nodes are tried at most: each is a search for the whole group."""


@dataclass(frozen=True, slots=True)
class Purchase:
    """Nodes of one template with which the request would fit. It was tried, on a fork."""

    template: str
    count: int

    def __str__(self) -> str:
        return f"add {'one node' if self.count == 1 else f'{self.count} nodes'} of template {self.template}"

    def as_json(self) -> dict[str, object]:
        return {"template": self.template, "count": self.count}


def purchase(snapshot: Snapshot, policy: Policy, request: Request, templates: Iterable[NodeTemplate]) -> Purchase | None:
    """The smallest purchase that would do, or None."""
    scene: Pipeline | None = None
    best: tuple[int, float, str] | None = None
    for template in templates:
        scene = scene or Pipeline(snapshot.fork(), policy)
        count = _needed(scene, request, template, MOST if best is None else best[0])
        offer = None if count is None else (count, count * template.price, template.name)
        if offer is not None and (best is None or offer[:2] < best[:2]):
            best = offer
    return None if best is None else Purchase(best[2], best[0])


def _needed(scene: Pipeline, request: Request, template: NodeTemplate, most: int) -> int | None:
    """How many nodes of the template it takes; nobody needs more than one for each member."""
    limit = min(most, len(members(request)), MOST if template.maximum is None else template.maximum)
    start = scene.snapshot.version
    needed = None
    for count in range(1, limit + 1):
        scene.snapshot.add(replace(template.node, name=_new_name(scene.snapshot, template.name)))
        if any(_fits(scene, one) for one in request.alternatives()):
            needed = count
            break
    scene.snapshot.undo_to(start)
    return needed


def _fits(scene: Pipeline, request: Request) -> bool:
    if not isinstance(request, Group):
        return scene.search(scene.query(request)) is not None
    start = scene.snapshot.version
    seated = Attempt(scene, request).run() is not None
    scene.snapshot.undo_to(start)
    return seated


def _new_name(snapshot: Snapshot, prefix: str) -> str:
    number = 0
    while f"{prefix}-{number}" in snapshot.row_of:
        number += 1
    return f"{prefix}-{number}"
