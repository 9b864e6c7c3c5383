"""Selectors: an OR of ANDs over labels. `Selector(terms)` holds when any term holds.

    Term      {key: ValueSet}     holds when every key's value is in its set; {} always holds
    Selector  (Term, ...)         () never holds

A key whose set is ANYTHING says nothing and is dropped; a term with an empty set can never hold
and is dropped. So `selector.never` is found by algebra, before any node is looked at.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from bayplan.errors import wrong
from bayplan.model import labels as algebra
from bayplan.model.labels import ABSENT, ValueSet

NODE_NAME: Final = "@name"
"""Every node carries its own name under this key ('@' keeps it apart from real labels)."""

Term = tuple[tuple[str, ValueSet], ...]
"""Sorted by key."""


def term(requirements: Mapping[str, ValueSet]) -> Term:
    """The canonical form of an AND over keys."""
    return tuple(sorted((k, v) for k, v in requirements.items() if v != algebra.ANYTHING))


@dataclass(frozen=True, slots=True)
class Selector:
    """An OR of ANDs; `Selector.of({...})` builds one AND, `|` joins them."""

    terms: tuple[Term, ...]
    _hash: int = field(init=False, repr=False, compare=False, default=0)

    def __post_init__(self) -> None:
        possible = [t for t in self.terms if not any(values.is_empty for _, values in t)]
        unique = tuple(dict.fromkeys(possible))
        object.__setattr__(self, "terms", ((),) if () in unique else unique)
        object.__setattr__(self, "_hash", hash(self.terms))

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        # Strings hash differently in every process: the kept hash must not travel.
        return type(self), (self.terms,)

    @classmethod
    def of(cls, requirements: Mapping[str, ValueSet | str]) -> Selector:
        """All of these; a plain string means exactly that value."""
        sets = {k: v if isinstance(v, ValueSet) else algebra.in_(v) for k, v in requirements.items()}
        return cls((term(sets),))

    def matches(self, labels: Mapping[str, str]) -> bool:
        return any(term_holds(one, labels) for one in self.terms)

    @property
    def never(self) -> bool:
        """No set of labels whatever can satisfy it."""
        return not self.terms

    @property
    def always(self) -> bool:
        return self.terms == ((),)

    @property
    def keys(self) -> frozenset[str]:
        return frozenset(key for one in self.terms for key, _ in one)

    def __and__(self, other: Selector) -> Selector:
        return Selector(tuple(_both(a, b) for a in self.terms for b in other.terms))

    def __or__(self, other: Selector) -> Selector:
        return Selector(self.terms + other.terms)

    def __str__(self) -> str:
        if self.never:
            return "nothing"
        return " or ".join(_render(one) for one in self.terms)


Selecting = Selector | Mapping[str, "ValueSet | str"]
"""What may be given where a selector is wanted: `{"app": "web"}` means exactly that."""


def selector(given: object, path: str) -> Selector:
    """A selector, or a mapping read as one."""
    if isinstance(given, Selector):
        return given
    if isinstance(given, Mapping) and all(isinstance(k, str) and isinstance(v, str | ValueSet) for k, v in given.items()):
        return Selector.of(given)
    raise wrong(f"{given!r} is not a selector", path, 'a Selector, or a mapping like {"app": "web"}')


def term_holds(one: Term, labels: Mapping[str, str]) -> bool:
    return all(labels.get(key, ABSENT) in values for key, values in one)


def _both(left: Term, right: Term) -> Term:
    merged = dict(left)
    for key, values in right:
        merged[key] = merged[key] & values if key in merged else values
    return term(merged)


def _render(one: Term) -> str:
    return " and ".join(f"{'node name' if key == NODE_NAME else key} {values}" for key, values in one) or "anything"


EVERYTHING: Final = Selector(((),))
NOWHERE: Final = Selector(())
