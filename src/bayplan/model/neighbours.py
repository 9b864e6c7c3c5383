"""Constraints between workloads: stay near these, stay apart from those, spread evenly.

Each looks at the *residents* that match `peers` in `namespaces` (None: the workload's own; ALL:
every one), grouped by the value of a topology label on their nodes (`by`; NODE: each node is a
domain of its own). `weight=None` is a hard rule, a number is a wish of that weight.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal

from bayplan.errors import wrong
from bayplan.model import syntax
from bayplan.model.selector import NODE_NAME, Selector

NODE: Final = NODE_NAME
ALL: Final = "*"
Namespaces = frozenset[str] | Literal["*"] | None


@dataclass(frozen=True, slots=True)
class Near:
    """Run in a domain that holds a matching resident, for every key in `by`.

    One resident must match the whole selector (Kubernetes' joint terms: combine them with `&`);
    where each term may be met by another resident (Ray), give several `Near`s. `first_may_start`
    lets a workload that matches its own selector go anywhere while no resident matches at all.
    """

    peers: Selector
    by: tuple[str, ...] = (NODE,)
    namespaces: Namespaces = None
    weight: float | None = None
    first_may_start: bool = False

    def __post_init__(self) -> None:
        by = (self.by,) if isinstance(self.by, str) else tuple(self.by)
        object.__setattr__(self, "by", by)
        _check(by, self.weight, "near")

    def __str__(self) -> str:
        return f"near {self.peers} by {_by(self.by)}"


@dataclass(frozen=True, slots=True)
class Apart:
    """At most `at_most` matching workloads per domain, the newcomer included. 1 is anti-affinity.

    It binds in both directions: a resident's hard `Apart` also keeps matching newcomers away.
    """

    peers: Selector
    by: str = NODE
    namespaces: Namespaces = None
    weight: float | None = None
    at_most: int = 1

    def __post_init__(self) -> None:
        _check((self.by,), self.weight, "apart")
        if self.at_most < 1:
            raise wrong(f"at_most must be 1 or more, found {self.at_most}", "apart.at_most")

    def __str__(self) -> str:
        limit = "" if self.at_most == 1 else f"at most {self.at_most} "
        return f"{limit}apart from {self.peers} by {_by((self.by,))}"


@dataclass(frozen=True, slots=True)
class Spread:
    """Keep the numbers of matching workloads per domain within `max_skew` of the emptiest domain.

    Domains count when they hold a node this workload's node selector allows (`honour_taints`: and
    whose taints it tolerates). With fewer than `min_domains` of them the emptiest counts as 0.
    """

    peers: Selector
    by: str = NODE
    namespaces: Namespaces = None
    weight: float | None = None
    max_skew: int = 1
    min_domains: int = 1
    honour_taints: bool = False

    def __post_init__(self) -> None:
        _check((self.by,), self.weight, "spread")
        for name in ("max_skew", "min_domains"):
            if getattr(self, name) < 1:
                raise wrong(f"{name} must be 1 or more, found {getattr(self, name)}", f"spread.{name}")

    def __str__(self) -> str:
        return f"spread {self.peers} over {_by((self.by,))} within {self.max_skew}"


def _by(keys: tuple[str, ...]) -> str:
    return ", ".join("node" if key == NODE else key for key in keys)


def _check(by: tuple[str, ...], weight: float | None, what: str) -> None:
    if not by:
        raise wrong("at least one topology key is needed", f"{what}.by")
    for key in by:
        if key != NODE and (fault := syntax.key_fault(key)):
            raise wrong(fault, f"{what}.by")
    if weight is not None and not (math.isfinite(weight) and weight > 0):
        raise wrong(f"{weight!r} is not a weight", f"{what}.weight", "a number above 0; leave it out for a hard rule")
    if weight is not None and len(by) > 1:
        raise wrong("a wish can have one topology key only", f"{what}.by", "give one wish per key")
