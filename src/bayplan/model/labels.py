"""Sets of label values, as an algebra: ABSENT is a value like any other.

The universe is *every string, and ABSENT*. A `ValueSet` is any subset of it that the operators
In, NotIn, Exists, DoesNotExist, Gt and Lt can build with `&`, `|` and `~`.

Form. A string is a *number* when it reads as a 64-bit integer ("7", "+07", "-3"). A set says by
rule whether it holds ABSENT, the texts that are not numbers, and the numbers (as disjoint
intervals), and lists the strings that are exceptions to its rule:

    value in set   ⇔   rule(value) XOR value in exceptions

The form is unique, so equality of objects is equality of sets. Laws (tests/laws/test_algebra.py):
a Boolean algebra, with `value in (a & b) == (value in a and value in b)` and so on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

Interval = tuple[int, int]
"""Both ends belong to it."""

LOWEST: Final = -(2**63)
HIGHEST: Final = 2**63 - 1
EVERY_NUMBER: Final = ((LOWEST, HIGHEST),)
_NUMBER = re.compile(r"([+-]?)0*([0-9]{1,19})", re.ASCII)
"""Any number of leading zeros: a number has no last spelling, so no list of strings can equal a range."""


class Absent(Enum):
    """The type of ABSENT, the value of a label that is not there."""

    ABSENT = "absent"

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = Absent.ABSENT
Value = str | Absent


def number(text: str) -> int | None:
    """The integer a label value stands for, or None when it is only text."""
    match = _NUMBER.fullmatch(text)
    if match is None:
        return None
    value = int(match[1] + match[2])
    return value if LOWEST <= value <= HIGHEST else None


@dataclass(frozen=True, slots=True)
class ValueSet:
    """A set of label values. Build it with the six operators below, combine with `& | ~`."""

    absent: bool
    texts: bool
    numbers: tuple[Interval, ...] = ()
    exceptions: frozenset[str] = frozenset()
    _hash: int = field(init=False, repr=False, compare=False, default=0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash((self.absent, self.texts, self.numbers, self.exceptions)))

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        # Strings hash differently in every process: the kept hash must not travel.
        return type(self), (self.absent, self.texts, self.numbers, self.exceptions)

    def __contains__(self, value: Value) -> bool:
        if isinstance(value, Absent):
            return self.absent
        return self._rule(value) != (value in self.exceptions)

    def _rule(self, value: str) -> bool:
        as_number = number(value)
        if as_number is None:
            return self.texts
        return any(low <= as_number <= high for low, high in self.numbers)

    def __and__(self, other: ValueSet) -> ValueSet:
        numbers = _overlap(self.numbers, other.numbers)
        rule = ValueSet(self.absent and other.absent, self.texts and other.texts, numbers)
        listed = self.exceptions | other.exceptions
        odd = frozenset(v for v in listed if (v in self and v in other) != rule._rule(v))
        return ValueSet(rule.absent, rule.texts, numbers, odd)

    def __invert__(self) -> ValueSet:
        return ValueSet(not self.absent, not self.texts, _gaps(self.numbers), self.exceptions)

    def __or__(self, other: ValueSet) -> ValueSet:
        return ~(~self & ~other)

    def __sub__(self, other: ValueSet) -> ValueSet:
        return self & ~other

    def __le__(self, other: ValueSet) -> bool:
        return (self - other).is_empty

    @property
    def is_empty(self) -> bool:
        return self == NOTHING

    @property
    def values(self) -> frozenset[str] | None:
        """The strings of a finite set, None when there are infinitely many."""
        return None if self.texts or self.numbers else self.exceptions

    def __str__(self) -> str:
        return render(self)


def in_(*values: str) -> ValueSet:
    """The label is there and has one of these values."""
    return ValueSet(absent=False, texts=False, exceptions=frozenset(values))


def not_in(*values: str) -> ValueSet:
    """The label has none of these values; being absent is fine."""
    return ~in_(*values)


def exists() -> ValueSet:
    """The label is there, with any value."""
    return EXISTS


def does_not_exist() -> ValueSet:
    """The label is not there."""
    return ABSENT_ONLY


def gt(bound: int) -> ValueSet:
    """The label is there and is an integer above `bound`."""
    return ValueSet(absent=False, texts=False, numbers=_span(bound + 1, HIGHEST))


def lt(bound: int) -> ValueSet:
    """The label is there and is an integer below `bound`."""
    return ValueSet(absent=False, texts=False, numbers=_span(LOWEST, bound - 1))


def _span(low: int, high: int) -> tuple[Interval, ...]:
    low, high = max(low, LOWEST), min(high, HIGHEST)
    return ((low, high),) if low <= high else ()


def _overlap(left: tuple[Interval, ...], right: tuple[Interval, ...]) -> tuple[Interval, ...]:
    pairs = ((max(a, c), min(b, d)) for a, b in left for c, d in right)
    return tuple(sorted((low, high) for low, high in pairs if low <= high))


def _gaps(intervals: tuple[Interval, ...]) -> tuple[Interval, ...]:
    gaps, start = [], LOWEST
    for low, high in intervals:
        if start < low:
            gaps.append((start, low - 1))
        start = high + 1
    if start <= HIGHEST:
        gaps.append((start, HIGHEST))
    return tuple(gaps)


NOTHING: Final = ValueSet(absent=False, texts=False)
ANYTHING: Final = ~NOTHING
EXISTS: Final = ValueSet(absent=False, texts=True, numbers=EVERY_NUMBER)
ABSENT_ONLY: Final = ~EXISTS


def render(values: ValueSet) -> str:
    """The set in words: `in (a, b)`, `not in (c)`, `exists`, `absent`, `> 3`, and unions of these."""
    if values in _NAMED:
        return _NAMED[values]
    if values.values is not None:
        listed = f"in {_list(values.exceptions)}" if values.exceptions else ""
        return " or ".join(part for part in (listed, "absent" if values.absent else "") if part)
    if (~values).values is not None:
        listed = f"not in {_list(values.exceptions)}" if values.exceptions else ""
        return " and ".join(part for part in ("" if values.absent else "exists", listed) if part)
    return _render_numbers(values)


def _list(values: Iterable[str]) -> str:
    """`(a, b)`; the empty value is shown as `""`, or it could not be seen."""
    shown = [value or '""' for value in sorted(values)]
    return f"({', '.join(shown)})"


def _render_numbers(values: ValueSet) -> str:
    parts = ["not a number"] if values.texts else []
    parts += [_render_interval(low, high) for low, high in values.numbers]
    added = [v for v in values.exceptions if v in values]
    removed = [v for v in values.exceptions if v not in values]
    if added:
        parts.append(f"in {_list(added)}")
    if values.absent:
        parts.append("absent")
    body = " or ".join(parts)
    if not removed:
        return body
    return f"{f'({body})' if len(parts) > 1 else body} and not in {_list(removed)}"


def _render_interval(low: int, high: int) -> str:
    if low == LOWEST and high == HIGHEST:
        return "a number"
    if low == LOWEST:
        return f"< {high + 1}"
    if high == HIGHEST:
        return f"> {low - 1}"
    return f"= {low}" if low == high else f"{low} to {high}"


_NAMED: Final = {NOTHING: "nothing", ANYTHING: "anything", EXISTS: "exists", ABSENT_ONLY: "absent"}
