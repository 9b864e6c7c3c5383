"""Workloads: what asks for a place, and every condition it can set.

    Preference  a wish about nodes, weighted: it moves the score
    Fallback    another full set of conditions, tried in order when the one before finds nothing
    Group       several workloads placed together or not at all
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from operator import attrgetter

from bayplan.errors import ConfigError, Problem, wrong
from bayplan.model import labels as algebra
from bayplan.model import resources, syntax
from bayplan.model.frozen import FrozenMap
from bayplan.model.neighbours import NODE, Apart, Near, Spread
from bayplan.model.node import Effect, Taint
from bayplan.model.resources import Resources
from bayplan.model.selector import EVERYTHING, NODE_NAME, Selector

DEFAULT_NAMESPACE = "default"


@dataclass(frozen=True, slots=True)
class Preference:
    """Adds `weight` to the score of every node that `selector` matches."""

    selector: Selector
    weight: float = 1.0

    def __post_init__(self) -> None:
        if not math.isfinite(self.weight):
            raise wrong(f"{self.weight!r} is not a weight", "preference.weight")


class Match(StrEnum):
    """How a toleration compares its value with a taint's."""

    EQUAL = "Equal"
    EXISTS = "Exists"
    GT = "Gt"
    LT = "Lt"


@dataclass(frozen=True, slots=True)
class Toleration:
    """Accepts taints. An empty key accepts any key, no effect any effect."""

    key: str = ""
    value: str = ""
    operator: Match = Match.EQUAL
    effect: Effect | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "operator", Match(self.operator))
        object.__setattr__(self, "effect", None if self.effect is None else Effect(self.effect))
        if not self.key and self.operator is not Match.EXISTS:
            raise wrong("a toleration without a key must have operator Exists", "toleration.key")
        if self.operator in (Match.GT, Match.LT) and algebra.number(self.value) is None:
            raise wrong(f"{self.operator} compares integers, found {self.value!r}", "toleration.value")

    def tolerates(self, taint: Taint) -> bool:
        if self.effect not in (None, taint.effect) or (self.key and self.key != taint.key):
            return False
        if self.operator is Match.EXISTS:
            return True
        if self.operator is Match.EQUAL:
            return self.value == taint.value
        bound = algebra.number(self.value) or 0
        return taint.value in (algebra.gt(bound) if self.operator is Match.GT else algebra.lt(bound))


@dataclass(frozen=True, slots=True)
class Fallback:
    """Other conditions for the same workload. None means "as the workload has it"."""

    requests: Resources | None = None
    selector: Selector | None = None
    nodes: frozenset[str] | None = None
    preferences: tuple[Preference, ...] | None = None
    tolerations: tuple[Toleration, ...] | None = None
    near: tuple[Near, ...] | None = None
    apart: tuple[Apart, ...] | None = None
    spread: tuple[Spread, ...] | None = None

    def __post_init__(self) -> None:
        if self.requests is not None:
            object.__setattr__(self, "requests", resources.requests(self.requests))


class KindKey:
    """Fields of a workload as a cache key that hashes once."""

    __slots__ = ("_hash", "fields")

    def __init__(self, values: tuple[object, ...]):
        self.fields = values
        self._hash = hash(values)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, KindKey) and self._hash == other._hash and self.fields == other.fields)

    def __reduce__(self) -> tuple[type, tuple[tuple[object, ...]]]:
        return KindKey, (self.fields,)  # a hash of text is good for one process only


@dataclass(frozen=True, slots=True)
class Workload:
    """`Workload("web", {"cpu": "500m"}, labels={"app": "web"}, apart=(Apart(Selector.of({"app": "web"})),))`

    Two workloads that differ only by name are of one *kind* and are decided as one.
    """

    name: str
    requests: Resources = field(default_factory=Resources)
    labels: FrozenMap[str] = field(default_factory=FrozenMap)
    namespace: str = DEFAULT_NAMESPACE
    selector: Selector = EVERYTHING
    nodes: frozenset[str] = frozenset()
    preferences: tuple[Preference, ...] = ()
    tolerations: tuple[Toleration, ...] = ()
    near: tuple[Near, ...] = ()
    apart: tuple[Apart, ...] = ()
    spread: tuple[Spread, ...] = ()
    priority: int = 0
    fallbacks: tuple[Fallback, ...] = ()
    owner: str = ""
    id: str = field(init=False, repr=False, compare=False, default="")
    """The name, with the namespace in front unless it is the default one."""
    _conditions: KindKey | None = field(init=False, repr=False, compare=False, default=None)
    _kind: KindKey | None = field(init=False, repr=False, compare=False, default=None)

    def __post_init__(self) -> None:
        problems = [Problem(fault, name) for name in ("name", "namespace") if (fault := syntax.name_fault(getattr(self, name)))]
        problems += syntax.label_problems(self.labels)
        try:
            object.__setattr__(self, "requests", resources.requests(self.requests))
        except ConfigError as error:
            problems += [problem.under("requests") for problem in error.problems]
        if not -(2**31) <= self.priority < 2**31:
            problems.append(Problem(f"{self.priority} is out of range (32 bits)", "priority"))
        if problems:
            raise ConfigError(problem.under(f"workload {self.name!r}") for problem in problems)
        if not isinstance(self.labels, FrozenMap):
            object.__setattr__(self, "labels", FrozenMap(self.labels))
        object.__setattr__(self, "nodes", frozenset(self.nodes))
        object.__setattr__(self, "id", _id(self.namespace, self.name))

    @property
    def kind(self) -> KindKey:
        """Everything but the name: equal kinds get equal answers."""
        if self._kind is None:
            object.__setattr__(self, "_kind", KindKey((self.conditions, self.requests)))
        assert self._kind is not None
        return self._kind

    @property
    def conditions(self) -> KindKey:
        """Everything but name and requests: what workloads of one application share whatever their size."""
        if self._conditions is None:
            object.__setattr__(self, "_conditions", KindKey(_condition_fields(self)))
        assert self._conditions is not None
        return self._conditions

    def named(self, name: str) -> Workload:
        """Another workload of the same kind."""
        twin: Workload = object.__new__(Workload)
        for one in _KIND_FIELDS:
            object.__setattr__(twin, one, getattr(self, one))
        object.__setattr__(twin, "name", name)
        object.__setattr__(twin, "id", _id(self.namespace, name))
        object.__setattr__(twin, "_kind", self.kind)
        object.__setattr__(twin, "_conditions", self.conditions)
        return twin

    def copies(self, count: int) -> list[Workload]:
        """`count` workloads of this kind, named name-0, name-1, ..."""
        return [self.named(f"{self.name}-{i}") for i in range(count)]

    def alternatives(self) -> Iterator[Workload]:
        """The workload itself, then each fallback as a full workload, in order."""
        plain = replace(self, fallbacks=()) if self.fallbacks else self
        yield plain
        for fallback in self.fallbacks:
            changes = {f.name: getattr(fallback, f.name) for f in fields(fallback)}
            yield replace(plain, **{name: value for name, value in changes.items() if value is not None})

    @property
    def node_selector(self) -> Selector:
        """`selector`, narrowed to the pinned `nodes` where there are any."""
        if not self.nodes:
            return self.selector
        return self.selector & Selector.of({NODE_NAME: algebra.in_(*self.nodes)})


def _id(namespace: str, name: str) -> str:
    return name if namespace == DEFAULT_NAMESPACE else f"{namespace}/{name}"


_KIND_FIELDS = tuple(f.name for f in fields(Workload) if f.init and f.name != "name")
_condition_fields = attrgetter(*(name for name in _KIND_FIELDS if name != "requests"))


class Strategy(StrEnum):
    """How the members of a group lie over the domains of its topology key."""

    PACK = "PACK"
    SPREAD = "SPREAD"
    STRICT_PACK = "STRICT_PACK"
    STRICT_SPREAD = "STRICT_SPREAD"


@dataclass(frozen=True, slots=True)
class Group:
    """A gang: all members are placed, or none. `fallbacks` are whole other groups (Ray's other
    bundles), tried in order."""

    name: str
    members: tuple[Workload, ...]
    strategy: Strategy = Strategy.PACK
    by: str = NODE
    fallbacks: tuple[Group, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "members", tuple(self.members))
        object.__setattr__(self, "strategy", Strategy(self.strategy))
        where = f"group {self.name!r}"
        if fault := syntax.name_fault(self.name):
            raise wrong(fault, where)
        if self.by != NODE and (fault := syntax.key_fault(self.by)):
            raise wrong(fault, f"{where}.by")
        if not self.members:
            raise wrong("a group needs at least one member", f"{where}.members")
        ids = [member.id for member in self.members]
        if len(set(ids)) < len(ids):
            twice = next(one for one in ids if ids.count(one) > 1)
            raise wrong(f"two members are called {twice!r}", f"{where}.members")
        if any(fallback.fallbacks for fallback in self.fallbacks):
            raise wrong("a fallback may not have fallbacks of its own", f"{where}.fallbacks")

    def alternatives(self) -> Iterator[Group]:
        """The group itself, then each fallback in order."""
        yield self
        yield from self.fallbacks

    @property
    def priority(self) -> int:
        """A gang is as important as its least important member."""
        return min(member.priority for member in self.members)


Request = Workload | Group
"""What can be asked for at once."""


def members(request: Request) -> tuple[Workload, ...]:
    return request.members if isinstance(request, Group) else (request,)


def with_labels(workload: Workload, labels: Mapping[str, str]) -> Workload:
    """The workload with other labels."""
    return replace(workload, labels=FrozenMap(labels))
