"""The notation of strategies, both ways.

cpu: least
nvidia.com/*: {strategy: most, weight: 2}
memory: {strategy: ratio, shape: [[0, 0], [80, 10], [100, 0]]}
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from bayplan.dialects.native import schema
from bayplan.dialects.source.report import Report, Spot
from bayplan.engine.spec import strategy
from bayplan.errors import Unsupported
from bayplan.model.strategy import ResourceStrategy


def read(written: Mapping[str, str | schema.OwnStrategyEntry], spot: Spot, report: Report) -> tuple[ResourceStrategy, ...]:
    """The strategies at `spot`; mistakes go to the report, each to its own line."""
    found = []
    for resource, how in written.items():
        given = how if isinstance(how, str) else how.model_dump(exclude_none=True)
        found.append(report.build(spot / resource, f"packing.resources.{resource}", strategy, resource, given))
    return tuple(one for one in found if one is not None)


def write(strategies: Iterable[ResourceStrategy]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for one in strategies:
        if one.resource in found:
            raise Unsupported(f"two strategies for {one.resource!r}")
        found[one.resource] = _write(one)
    return found


def _write(one: ResourceStrategy) -> str | dict[str, Any]:
    """A strategy of weight 1 and without a shape is one word."""
    weight = {} if one.weight == 1 else {"weight": one.weight}
    shape = {"shape": [[x, y] for x, y in one.shape]} if one.shape else {}
    return {"strategy": one.kind, **weight, **shape} if weight or shape else one.kind
