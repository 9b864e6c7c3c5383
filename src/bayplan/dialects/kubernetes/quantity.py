"""Quantities as apimachinery reads, rounds and writes them.

    quantity = [+-] digits [. digits] suffix      suffix: n u m k M G T P E, Ki Mi Gi Ti Pi Ei, e3, E-2, or none

The smallest amount is 10^-9; what is smaller is rounded up to it, so a quantity *is* a whole number of nanos. Every
rounding goes away from zero. A quantity that was written almost canonically keeps its spelling ("100.035k", "1.", "1E6").
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

NANOS: Final = 10**9
"""In one unit."""
MILLI: Final = 10**6
"""In one thousandth."""
INT64: Final = 2**63 - 1

_DECIMAL: Final = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY: Final = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL_OF: Final = {exponent: suffix for suffix, exponent in _DECIMAL.items()}
_BINARY_OF: Final = {exponent: suffix for suffix, exponent in _BINARY.items()}
_FORM = re.compile(r"([+-]?)0*([0-9]*)(\.?)([0-9]*)([A-Za-z]*)([+-]?[0-9]*)", re.ASCII)
_LONGEST: Final = 200
_FARTHEST: Final = 100
"""Exponents beyond are as good as this one: nobody means them, and their powers fill the memory."""
_FAST_DIGITS: Final = 18
"""Up to here Go keeps the number as an integer and, where it may, the spelling."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """An exact amount, and how it wants to be written."""

    nanos: int
    format: str
    """si, exponent or binary"""
    written: str = ""
    """The spelling, where it is kept."""

    @property
    def value(self) -> int:
        """In units, rounded away from zero; 0 where Go's 64 bits overflow."""
        return _whole(self.nanos, NANOS)

    @property
    def milli_value(self) -> int:
        """In thousandths, rounded away from zero."""
        return _whole(self.nanos, MILLI)

    @property
    def canonical(self) -> str:
        """The shortest spelling without a fraction: "1.5Gi" is "1536Mi"."""
        if self.written:
            return self.written
        return canonical(self.nanos, self.format)


def _whole(nanos: int, size: int) -> int:
    units = -(-abs(nanos) // size)
    return 0 if units > INT64 else units if nanos >= 0 else -units


def canonical(nanos: int, form: str = "si") -> str:
    if nanos == 0:
        return "0"
    binary = form == "binary" and nanos % NANOS == 0 and abs(nanos) >= 1024 * NANOS
    if binary:
        units, exponent = nanos // NANOS, 0
        while units % 1024 == 0 and exponent < 60:
            units, exponent = units // 1024, exponent + 10
        return f"{units}{_BINARY_OF.get(exponent, '')}"
    units, exponent = nanos, -9
    while units % 1000 == 0 and (form == "exponent" or exponent < 18):
        units, exponent = units // 1000, exponent + 3
    if form == "exponent":
        return f"{units}e{exponent}" if exponent else str(units)
    return f"{units}{_DECIMAL_OF[exponent]}"


@lru_cache(maxsize=1 << 14)
def parse(text: str) -> Quantity | None:
    """What a text means, or None where it is no quantity."""
    match = _FORM.fullmatch(text) if len(text) <= _LONGEST else None
    if match is None or not re.search("[0-9]", text[: match.start(5)], re.ASCII):
        return None
    sign, whole, _, fraction, letters, digits = match.groups()
    suffix = _suffix(letters, digits)
    if suffix is None:
        return None
    form, base, exponent = suffix
    amount = _amount(int((whole + fraction) or "0"), len(fraction), base, exponent)
    if form == "binary":
        amount = min(amount, INT64 * NANOS)
        form = "si" if 0 < amount < NANOS else form
    kept = text if text == "0" or _keeps_spelling(whole or "0", fraction, form, exponent) else ""
    return Quantity(-amount if sign == "-" else amount, form, kept)


def _suffix(letters: str, digits: str) -> tuple[str, int, int] | None:
    """Format, base and exponent."""
    if digits:
        if letters not in ("e", "E") or digits in ("+", "-"):
            return None
        return "exponent", 10, max(-_FARTHEST, min(_FARTHEST, int(digits)))
    if letters in _DECIMAL:
        return "si", 10, _DECIMAL[letters]
    return ("binary", 2, _BINARY[letters]) if letters in _BINARY else None


def _amount(digits: int, places: int, base: int, exponent: int) -> int:
    """digits / 10^places * base^exponent in nanos, rounded up."""
    above, below = digits * NANOS, 10**places
    if exponent >= 0:
        above *= base**exponent
    else:
        below *= base**-exponent
    return int(-(-above // below))


def _keeps_spelling(whole: str, fraction: str, form: str, exponent: int) -> bool:
    """Go's quick test for being canonical; it looks at digits, not at signs, dots or the case of the exponent."""
    digits = whole + fraction
    if form == "binary":
        room = 15 - len(whole) - int(exponent * 3 / 10) - 1
        return not fraction and room >= 0 and int(whole) & 7 != 0
    scale = exponent - len(fraction)
    quick = len(digits) <= _FAST_DIGITS and scale >= -9
    return quick and scale % 3 == 0 and not digits.endswith("000") and digits[0] != "0"
