"""Strategies: what to do with one resource of a node, fill it up or keep it even.

A name that ends in `*` speaks for all resources that begin so: `nvidia.com/*`. The exact name goes first,
then the longest beginning.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import isfinite
from typing import Literal

from bayplan.errors import wrong
from bayplan.model import resources

Kind = Literal["most", "least", "ratio"]
Shape = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class ResourceStrategy:
    """What to do with one resource. `shape` is for `ratio`: points (percent used 0..100, score 0..10).

    A negative weight turns the strategy round; policies allow none, see scorers/packing.py.
    """

    resource: str
    kind: Kind = "least"
    weight: float = 1.0
    shape: Shape = ()

    def __post_init__(self) -> None:
        where = f"packing.resources.{self.resource}"
        if fault := pattern_fault(self.resource):
            raise wrong(fault, where, "a resource name, or the beginning of one and a * at the end")
        if self.kind not in ("most", "least", "ratio"):
            raise wrong(f"{self.kind!r} is not a strategy", where, "one of most, least, ratio")
        if (
            isinstance(self.weight, bool)
            or not isinstance(self.weight, int | float)
            or not isfinite(self.weight)
            or not self.weight
        ):
            raise wrong(f"{self.weight!r} is not a weight", where, "a number above 0")
        xs = [x for x, _ in self.shape]
        if (self.kind == "ratio") != bool(self.shape):
            raise wrong("`shape` belongs to strategy ratio, and ratio needs one", where)
        if xs != sorted(set(xs)) or not all(0 <= x <= 100 and 0 <= y <= 10 for x, y in self.shape):
            raise wrong("a shape is points (percent 0..100, rising; score 0..10)", where)

    def __str__(self) -> str:
        return f"{self.kind} {self.resource}"


def pattern_fault(pattern: str) -> str | None:
    """What is wrong with a resource name or pattern, or None."""
    beginning = pattern.removesuffix("*") if isinstance(pattern, str) else ""
    if not beginning:
        return f"{pattern!r} matches everything or nothing"
    if "*" in beginning:
        return f"{pattern!r} has a * that is not its end"
    return None if resources.is_name(beginning.rstrip("/.-_")) else f"{pattern!r} is not a resource name"


def strategy_for(resource: str, strategies: Iterable[ResourceStrategy]) -> ResourceStrategy | None:
    """The strategy that speaks for a resource: that of its very name, or of the longest beginning."""
    fitting = [one for one in strategies if covers(one.resource, resource)]
    return max(fitting, key=lambda one: (one.resource == resource, len(one.resource)), default=None)


def covers(pattern: str, resource: str) -> bool:
    return resource.startswith(pattern[:-1]) if pattern.endswith("*") else resource == pattern
