"""Hypothesis strategies over the space of tests/random_scenarios.py, and value sets with their meaning.

`Drawn` lets Hypothesis make every choice, so examples shrink towards the first of each pool.
`expressions()` gives a ValueSet together with a predicate written without the algebra.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from hypothesis import strategies as st

from bayplan.model import labels as algebra
from bayplan.model.group import Group
from bayplan.model.labels import ABSENT, Value, ValueSet
from bayplan.model.node import Node
from bayplan.model.selector import Selector
from bayplan.model.workload import Workload
from tests import random_scenarios as space

T = TypeVar("T")


class Drawn:
    """A Pick that asks Hypothesis."""

    def __init__(self, draw: st.DrawFn):
        self.draw = draw

    def of(self, pool: Sequence[T]) -> T:
        return self.draw(st.sampled_from(pool))

    def chance(self, percent: int) -> bool:
        return self.draw(st.integers(0, 99)) >= 100 - percent  # shrinks to False

    def number(self, low: int, high: int) -> int:
        return self.draw(st.integers(low, high))


def picked(make: Callable[..., T], *args: object, **options: object) -> st.SearchStrategy[T]:
    """Any function of the space as a strategy: `picked(space.workload, "w")`."""

    @st.composite
    def strategy(draw: st.DrawFn) -> T:
        return make(Drawn(draw), *args, **options)

    return strategy()


def clusters(low: int = 1, high: int = 8) -> st.SearchStrategy[list[Node]]:
    return picked(space.nodes, low, high)


def workloads(name: str = "w", **options: object) -> st.SearchStrategy[Workload]:
    return picked(space.workload, name, **options)


def groups(name: str = "g", most: int = 4) -> st.SearchStrategy[Group]:
    return picked(space.group, name, most)


def scenarios(**options: object) -> st.SearchStrategy[space.Scenario]:
    return picked(space.scenario, **options)


def node_selectors() -> st.SearchStrategy[Selector]:
    return picked(space.selector, space.NODE_LABELS, 3)


def node_labels() -> st.SearchStrategy[dict[str, str]]:
    return picked(space.labels_of, space.NODE_LABELS, 70)


# --- value sets ---

SAMPLES: tuple[Value, ...] = (
    ABSENT, "", "x", "y", "z z", "3", "+3", "03", "4", "2", "-1", "-01", "0", "-0", "3.0", "1_0", "٣", " 3",
    "9223372036854775807", "9223372036854775806", "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
    "0" * 70 + "3", "9" * 5000,
)  # fmt: skip
"""Each kind of value: no label, text, the same number spelt in several ways, the ends of 64 bits and beyond."""

LISTED = ("x", "y", "", "3", "+3", "03", "4", "-1", "9223372036854775807", "9223372036854775808")
BOUNDS = (3, 2, 4, 0, -1, 2**63 - 1, 2**63 - 2, -(2**63), -(2**63) + 1, 2**70, -(2**70))


@dataclass(frozen=True)
class Meaning:
    """A set, what it should hold, and how it was written."""

    set: ValueSet
    holds: Callable[[Value], bool]
    text: str

    def __repr__(self) -> str:
        return self.text


def as_integer(value: Value) -> int | None:
    """Independent of the algebra: the 64-bit integer a label value spells in ASCII digits."""
    if value is ABSENT or not isinstance(value, str):
        return None
    digits = value[1:] if value[:1] in ("+", "-") else value
    if not digits or any(char not in "0123456789" for char in digits):
        return None
    digits = digits.lstrip("0") or "0"
    number = 0 if len(digits) > 30 else int(digits) * (-1 if value[0] == "-" else 1)
    return number if len(digits) <= 30 and -(2**63) <= number < 2**63 else None


def listed(*values: str) -> Meaning:
    return Meaning(algebra.in_(*values), lambda value: value in values, f"In{values}")


def unlisted(*values: str) -> Meaning:
    return Meaning(algebra.not_in(*values), lambda value: value not in values, f"NotIn{values}")


def above(bound: int) -> Meaning:
    return Meaning(algebra.gt(bound), lambda value: (n := as_integer(value)) is not None and n > bound, f"Gt({bound})")


def below(bound: int) -> Meaning:
    return Meaning(algebra.lt(bound), lambda value: (n := as_integer(value)) is not None and n < bound, f"Lt({bound})")


PRESENT = Meaning(algebra.exists(), lambda value: value is not ABSENT, "Exists")
MISSING = Meaning(algebra.does_not_exist(), lambda value: value is ABSENT, "DoesNotExist")


def both(a: Meaning, b: Meaning) -> Meaning:
    return Meaning(a.set & b.set, lambda value: a.holds(value) and b.holds(value), f"({a.text} & {b.text})")


def either(a: Meaning, b: Meaning) -> Meaning:
    return Meaning(a.set | b.set, lambda value: a.holds(value) or b.holds(value), f"({a.text} | {b.text})")


def without(a: Meaning, b: Meaning) -> Meaning:
    return Meaning(a.set - b.set, lambda value: a.holds(value) and not b.holds(value), f"({a.text} - {b.text})")


def negated(a: Meaning) -> Meaning:
    return Meaning(~a.set, lambda value: not a.holds(value), f"~{a.text}")


def operators() -> st.SearchStrategy[Meaning]:
    """One of the six."""
    some = st.lists(st.sampled_from(LISTED), min_size=1, max_size=3)
    bounds = st.sampled_from(BOUNDS)
    return st.one_of(
        some.map(lambda values: listed(*values)),
        some.map(lambda values: unlisted(*values)),
        st.just(PRESENT),
        st.just(MISSING),
        bounds.map(above),
        bounds.map(below),
    )


def expressions() -> st.SearchStrategy[Meaning]:
    """Any expression over the operators."""
    return st.recursive(
        operators(),
        lambda inner: st.one_of(
            st.builds(both, inner, inner), st.builds(either, inner, inner), st.builds(without, inner, inner), inner.map(negated)
        ),
        max_leaves=8,
    )


def value_sets() -> st.SearchStrategy[ValueSet]:
    return expressions().map(lambda meaning: meaning.set)
