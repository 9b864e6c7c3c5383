"""Workloads: what asks for a place, and every condition it can set.

Preference  a wish about nodes, weighted: it moves the score
Fallback    another full set of conditions, tried in order when the one before finds nothing
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from operator import attrgetter
from typing import Any, Final

from bayplan.errors import ConfigError, Problem, wrong
from bayplan.model import labels as algebra
from bayplan.model import resources, syntax
from bayplan.model.frozen import FrozenMap
from bayplan.model.kind import KindKey
from bayplan.model.neighbours import HEAVIEST, Apart, Near, Spread
from bayplan.model.resources import Quantity, Resources
from bayplan.model.selector import EVERYTHING, NODE_NAME, Selecting, Selector
from bayplan.model.selector import selector as read_selector
from bayplan.model.strategy import ResourceStrategy
from bayplan.model.tolerations import Toleration

DEFAULT_NAMESPACE: Final = "default"
NOTHING: Final = Resources()
NO_LABELS: Final[FrozenMap[str]] = FrozenMap()


@dataclass(frozen=True, slots=True)
class Preference:
    """Adds `weight` to the score of every node that `selector` matches."""

    selector: Selector
    weight: float

    def __init__(self, selector: Selecting, weight: float = 1.0):
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not abs(weight) <= HEAVIEST:
            raise wrong(f"{weight!r} is not a weight", "preference.weight", f"a number, at most {HEAVIEST:,} either way")
        object.__setattr__(self, "selector", read_selector(selector, "preference.selector"))
        object.__setattr__(self, "weight", float(weight))


@dataclass(frozen=True, slots=True)
class Fallback:
    """Other conditions for the same workload. None means "as the workload has it"."""

    requests: Resources | None
    selector: Selector | None
    nodes: frozenset[str] | None
    preferences: tuple[Preference, ...] | None
    tolerations: tuple[Toleration, ...] | None
    near: tuple[Near, ...] | None
    apart: tuple[Apart, ...] | None
    spread: tuple[Spread, ...] | None

    def __init__(
        self,
        requests: Mapping[str, Quantity] | None = None,
        selector: Selecting | None = None,
        nodes: Iterable[str] | None = None,
        preferences: Iterable[Preference] | None = None,
        tolerations: Iterable[Toleration] | None = None,
        near: Iterable[Near] | None = None,
        apart: Iterable[Apart] | None = None,
        spread: Iterable[Spread] | None = None,
    ):
        given = {
            "requests": requests, "selector": selector, "nodes": nodes, "preferences": preferences,
            "tolerations": tolerations, "near": near, "apart": apart, "spread": spread,
        }  # fmt: skip
        problems: list[Problem] = []
        for name, value in given.items():
            object.__setattr__(self, name, None if value is None else _condition(name, value, problems))
        if problems:
            raise ConfigError(problem.under("fallback") for problem in problems)


_LISTS: Final[dict[str, type]] = {
    "preferences": Preference,
    "tolerations": Toleration,
    "near": Near,
    "apart": Apart,
    "spread": Spread,
    "fallbacks": Fallback,
    "packing": ResourceStrategy,
    "nodes": str,
    "images": str,
}
_TEXTS: Final = {"nodes": "node name", "images": "name of an image"}


def _condition(name: str, value: Any, problems: list[Problem]) -> object:
    """One field of a workload in its frozen form; what is wrong with it goes to `problems`."""
    try:
        if name == "requests":
            if not isinstance(value, Mapping):
                raise wrong(f"{value!r} is not a mapping of resources to amounts")
            return resources.requests(value)
        if name == "selector":
            return read_selector(value, "")
        if name == "packing" and value is None:
            return None
        if isinstance(value, str) or not isinstance(value, Iterable):
            raise wrong(f"{value!r} is not a list", hint="write [...] even for one")
        items = tuple(value)
        wanted = _LISTS[name]
        for item in items:
            if not isinstance(item, wanted):
                raise wrong(f"{item!r} is not a {_TEXTS.get(name) or wanted.__name__}")
        return frozenset(items) if name == "nodes" else items
    except ConfigError as error:
        problems += [problem.under(name) for problem in error.problems]
        return None


@dataclass(frozen=True, slots=True)
class Workload:
    """`Workload("web", {"cpu": "500m"}, labels={"app": "web"}, apart=[Apart({"app": "web"})])`

    Two workloads that differ only by name are of one *kind* and are decided as one.
    """

    name: str
    requests: Resources
    labels: FrozenMap[str]
    namespace: str
    selector: Selector
    nodes: frozenset[str]
    preferences: tuple[Preference, ...]
    tolerations: tuple[Toleration, ...]
    near: tuple[Near, ...]
    apart: tuple[Apart, ...]
    spread: tuple[Spread, ...]
    priority: int
    fallbacks: tuple[Fallback, ...]
    owner: str
    queue: str
    images: tuple[str, ...]
    """The images of its containers."""
    packing: tuple[ResourceStrategy, ...] | None
    """What to do with each resource, where this workload wants it otherwise than the policy says."""
    id: str = field(init=False, repr=False, compare=False)
    """The name, with the namespace in front unless it is the default one."""
    _conditions: KindKey | None = field(init=False, repr=False, compare=False)
    _kind: KindKey | None = field(init=False, repr=False, compare=False)

    def __init__(
        self,
        name: str,
        requests: Mapping[str, Quantity] = NOTHING,
        labels: Mapping[str, str] = NO_LABELS,
        namespace: str = DEFAULT_NAMESPACE,
        selector: Selecting = EVERYTHING,
        nodes: Iterable[str] = frozenset(),
        preferences: Iterable[Preference] = (),
        tolerations: Iterable[Toleration] = (),
        near: Iterable[Near] = (),
        apart: Iterable[Apart] = (),
        spread: Iterable[Spread] = (),
        priority: int = 0,
        fallbacks: Iterable[Fallback] = (),
        owner: str = "",
        queue: str = "",
        packing: Iterable[ResourceStrategy] | None = None,
        images: Iterable[str] = (),
    ):
        problems = _identity_problems(name, namespace, labels, priority, {"owner": owner, "queue": queue})
        given = {
            "requests": requests, "selector": selector, "nodes": nodes, "preferences": preferences, "tolerations": tolerations,
            "near": near, "apart": apart, "spread": spread, "fallbacks": fallbacks, "packing": packing,
            "images": images,
        }  # fmt: skip
        values = {field_name: _condition(field_name, value, problems) for field_name, value in given.items()}
        if problems:
            raise ConfigError(problem.under(f"workload {name!r}") for problem in problems)
        values |= {
            "name": name,
            "namespace": namespace,
            "priority": priority,
            "owner": owner,
            "id": _id(namespace, name),
            "queue": queue,
        }
        values |= {"labels": labels if isinstance(labels, FrozenMap) else FrozenMap(labels), "_conditions": None, "_kind": None}
        for field_name, value in values.items():
            object.__setattr__(self, field_name, value)

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
        if count < 0:
            raise wrong(f"there cannot be {count} copies", f"workload {self.name!r}")
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


def _identity_problems(
    name: object, namespace: object, labels: object, priority: object, texts: Mapping[str, object]
) -> list[Problem]:
    problems = []
    for where, text in (("name", name), ("namespace", namespace)):
        if not isinstance(text, str):
            problems.append(Problem(f"{text!r} is not text", where))
        elif fault := syntax.name_fault(text):
            problems.append(Problem(fault, where))
    if isinstance(labels, Mapping):
        problems += syntax.label_problems(labels)
    else:
        problems.append(Problem(f"{labels!r} is not a mapping of keys to values", "labels"))
    if isinstance(priority, bool) or not isinstance(priority, int):
        problems.append(Problem(f"{priority!r} is not a whole number", "priority"))
    elif not -(2**31) <= priority < 2**31:
        problems.append(Problem(f"{priority} is out of range (32 bits)", "priority"))
    problems += [Problem(f"{text!r} is not text", where) for where, text in texts.items() if not isinstance(text, str)]
    return problems


def _id(namespace: str, name: str) -> str:
    return name if namespace == DEFAULT_NAMESPACE else f"{namespace}/{name}"


_KIND_FIELDS = tuple(f.name for f in fields(Workload) if f.init and f.name != "name")
_condition_fields = attrgetter(*(name for name in _KIND_FIELDS if name != "requests"))
