"""Values as Volcano's decoder takes them into typed fields: mapstructure, without its weak conversions.

    whole number   numbers; a fraction is cut off
    number         numbers
    truth          true and false only
    text           text only
    nothing        leaves 0, false or "", without a word
    else           the scheduler's process ends

A `Read` says what came of a value and, where Volcano bends it, how.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any, Generic, TypeVar

Value = TypeVar("Value", covariant=True)

INT_LIMIT = 2**63
LEAST = 1e-20
"""Numbers nearer to 0 are 0: nobody reserves less of a core or of 10^9 bytes."""


@dataclass(frozen=True, slots=True)
class Read(Generic[Value]):
    value: Value
    bent: str = ""
    """What Volcano silently makes of it; "" where the value is taken as it is."""


class Mismatch(Exception):
    """A value of the wrong type. `fatal`: Volcano's process ends on it; otherwise it is bayplan that cannot use it."""

    def __init__(self, expected: str, fatal: bool = True):
        super().__init__(expected)
        self.expected, self.fatal = expected, fatal


def whole(value: Any) -> Read[int]:
    if value is None:
        return Read(0, "reads nothing as 0")
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Mismatch("a whole number")
    if not isfinite(value) or abs(value) >= INT_LIMIT:
        raise Mismatch("a whole number of 64 bits", fatal=False)
    return Read(int(value), f"cuts it down to {int(value)}" if isinstance(value, float) else "")


def number(value: Any) -> Read[float]:
    if value is None:
        return Read(0.0, "reads nothing as 0")
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Mismatch("a number")
    if not isfinite(value) or abs(value) >= INT_LIMIT:
        raise Mismatch("a number below 2^63", fatal=False)
    return Read(float(value) if abs(value) >= LEAST else 0.0)


def truth(value: Any) -> Read[bool]:
    if value is None:
        return Read(False, "reads nothing as false")
    if not isinstance(value, bool):
        raise Mismatch("true or false")
    return Read(value)


def text(value: Any) -> Read[str]:
    if value is None:
        return Read("", "reads nothing as an empty text")
    if not isinstance(value, str):
        raise Mismatch("text")
    return Read(value)


def mapping(value: Any) -> Read[Mapping[str, Any]]:
    if not isinstance(value, Mapping):
        raise Mismatch("a mapping")
    return Read(value)


def names(listed: str) -> list[str]:
    """`a, b` as Volcano splits it: blanks go, empty names too; a name may come twice."""
    return [name for name in (one.strip() for one in listed.split(",")) if name]
