"""Constraints between workloads: stay near these, stay apart from those, spread evenly.

Each looks at the *residents* that match `peers` in `namespaces` (None: the workload's own; ALL:
every one), grouped by the value of a topology label on their nodes (`by`; NODE: each node is a
domain of its own). `weight=None` is a hard rule, a number is a wish of that weight.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from bayplan.errors import wrong
from bayplan.model import syntax
from bayplan.model.selector import NODE_NAME, Selecting, Selector, selector

NODE: Final = NODE_NAME
ALL: Final = "*"
HEAVIEST: Final = 10_000
"""The largest weight of a wish: beyond, sums of scores would lose exactness."""

Namespaces = frozenset[str] | Literal["*"] | None


@dataclass(frozen=True, slots=True)
class Near:
    """Run in a domain that holds a matching resident, for every key in `by`.

    One resident must match the whole selector (Kubernetes' joint terms: combine them with `&`);
    where each term may be met by another resident (Ray), give several `Near`s. `first_may_start`
    lets a workload that matches its own selector go anywhere while no resident matches at all.
    `terms` are the conditions that were combined, for scorers that look at them one by one.
    """

    peers: Selector
    by: tuple[str, ...]
    namespaces: Namespaces
    weight: float | None
    first_may_start: bool
    terms: tuple[Near, ...]

    def __init__(
        self,
        peers: Selecting,
        by: str | Iterable[str] = NODE,
        namespaces: Iterable[str] | None = None,
        weight: float | None = None,
        first_may_start: bool = False,
        terms: Iterable[Near] = (),
    ):
        keys = (by,) if isinstance(by, str) else tuple(by)
        _check(keys, weight, "near")
        set_field = object.__setattr__
        set_field(self, "peers", selector(peers, "near.peers"))
        set_field(self, "by", keys)
        set_field(self, "namespaces", _namespaces(namespaces, "near"))
        set_field(self, "weight", weight)
        set_field(self, "first_may_start", bool(first_may_start))
        set_field(self, "terms", tuple(terms))

    def __str__(self) -> str:
        return f"near {self.peers} by {_by(self.by)}"


@dataclass(frozen=True, slots=True)
class Apart:
    """At most `at_most` matching workloads per domain, the newcomer included. 1 is anti-affinity.

    It binds in both directions: a resident's hard `Apart` also keeps matching newcomers away.
    """

    peers: Selector
    by: str
    namespaces: Namespaces
    weight: float | None
    at_most: int

    def __init__(
        self,
        peers: Selecting,
        by: str = NODE,
        namespaces: Iterable[str] | None = None,
        weight: float | None = None,
        at_most: int = 1,
    ):
        _check((by,), weight, "apart")
        _whole(at_most, "apart.at_most")
        set_field = object.__setattr__
        set_field(self, "peers", selector(peers, "apart.peers"))
        set_field(self, "by", by)
        set_field(self, "namespaces", _namespaces(namespaces, "apart"))
        set_field(self, "weight", weight)
        set_field(self, "at_most", at_most)

    def __str__(self) -> str:
        limit = "" if self.at_most == 1 else f"at most {self.at_most} "
        return f"{limit}apart from {self.peers} by {_by((self.by,))}"


@dataclass(frozen=True, slots=True)
class Spread:
    """Keep the numbers of matching workloads per domain within `max_skew` of the emptiest domain.

    Domains count when they hold a node this workload's node selector allows (unless not `honour_selector`) and
    whose taints it tolerates (if `honour_taints`). With fewer than `min_domains` of them the emptiest counts as 0.
    `on_allowed` (Kubernetes): only residents of such nodes count, and such nodes must have the keys of all
    hard spreads of the workload. `may_lack`: a wish that does not put nodes without the key last.
    """

    peers: Selector
    by: str
    namespaces: Namespaces
    weight: float | None
    max_skew: int
    min_domains: int
    honour_taints: bool
    honour_selector: bool
    on_allowed: bool
    may_lack: bool

    def __init__(
        self,
        peers: Selecting,
        by: str = NODE,
        namespaces: Iterable[str] | None = None,
        weight: float | None = None,
        max_skew: int = 1,
        min_domains: int = 1,
        honour_taints: bool = False,
        honour_selector: bool = True,
        on_allowed: bool = False,
        may_lack: bool = False,
    ):
        _check((by,), weight, "spread")
        _whole(max_skew, "spread.max_skew")
        _whole(min_domains, "spread.min_domains")
        set_field = object.__setattr__
        set_field(self, "peers", selector(peers, "spread.peers"))
        set_field(self, "by", by)
        set_field(self, "namespaces", _namespaces(namespaces, "spread"))
        set_field(self, "weight", weight)
        set_field(self, "max_skew", max_skew)
        set_field(self, "min_domains", min_domains)
        set_field(self, "honour_taints", bool(honour_taints))
        set_field(self, "honour_selector", bool(honour_selector))
        set_field(self, "on_allowed", bool(on_allowed))
        set_field(self, "may_lack", bool(may_lack))

    def __str__(self) -> str:
        return f"spread {self.peers} over {_by((self.by,))} within {self.max_skew}"


def _by(keys: tuple[str, ...]) -> str:
    return ", ".join("node" if key == NODE else key for key in keys)


def _check(by: tuple[str, ...], weight: float | None, what: str) -> None:
    if not by:
        raise wrong("at least one topology key is needed", f"{what}.by")
    for key in by:
        if not isinstance(key, str):
            raise wrong(f"{key!r} is not a topology key", f"{what}.by", "the key of a node label")
        if key != NODE and (fault := syntax.key_fault(key)):
            raise wrong(fault, f"{what}.by")
    if weight is None:
        return
    if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 < weight <= HEAVIEST:
        hint = f"a number above 0, at most {HEAVIEST:,}; leave it out for a hard rule"
        raise wrong(f"{weight!r} is not a weight", f"{what}.weight", hint)
    if len(by) > 1:
        raise wrong("a wish can have one topology key only", f"{what}.by", "give one wish per key")


def _whole(number: int, path: str) -> None:
    if isinstance(number, bool) or not isinstance(number, int):
        raise wrong(f"{number!r} is not a whole number", path)
    if number < 1:
        raise wrong(f"{path.rpartition('.')[2]} must be 1 or more, found {number}", path)


def _namespaces(given: Iterable[str] | None, what: str) -> Namespaces:
    if given is None or given == ALL:
        return given
    if isinstance(given, str):
        raise wrong(f"{given!r} is not a set of namespaces", f"{what}.namespaces", f'write {{"{given}"}}, or "*" for all')
    found = frozenset(given)
    return ALL if ALL in found else found
