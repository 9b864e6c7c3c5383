"""Exact amounts: every resource is an integer number of its smallest unit.

    bytes        memory, storage, hugepages-* and object_store_memory
    1/10,000     everything else: cpu "500m" is 5,000, a quarter of a GPU is 2,500

Parsed exactly (no float decides fit). Requests are rounded up, capacities down. Amounts above
2^53 are refused: up to there float64 columns hold them exactly. A missing resource is 0.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Final

from bayplan.errors import ConfigError, Problem, wrong
from bayplan.model.frozen import FrozenMap

UNIT: Final = 10_000
"""Smallest parts of one cpu, one gpu, one of anything that is not bytes."""

LIMIT: Final = 2**53
Quantity = int | float | str | Decimal | Fraction

_BYTES = frozenset({"memory", "storage", "ephemeral-storage", "object_store_memory", "counted-memory"})
COUNTED: Final = frozenset({"counted-cpu", "counted-memory"})
"""What some scorers take a workload for, where that is not what it requests (Kubernetes counts a container that requests
nothing as a small one). It is added up per node and never limited."""
_SUFFIX: Final[dict[str, Fraction]] = {
    "": Fraction(1),
    **{s: Fraction(1, 1000**i) for i, s in enumerate("mun", start=1)},
    **{s: Fraction(1000**i) for i, s in enumerate("kMGTPE", start=1)},
    **{s + "i": Fraction(1024**i) for i, s in enumerate("KMGTPE", start=1)},
}
_QUANTITY = re.compile(
    r"([+-]?(?:[0-9]{1,40}(?:\.[0-9]{0,40})?|\.[0-9]{1,40}))(?:([eE][+-]?[0-9]{1,3})|([A-Za-z]{0,2}))", re.ASCII
)
_RESOURCE = re.compile(r"[A-Za-z0-9](?:[-A-Za-z0-9_./]{0,314}[A-Za-z0-9])?", re.ASCII)


def is_name(resource: object) -> bool:
    return isinstance(resource, str) and _RESOURCE.fullmatch(resource) is not None


def in_bytes(resource: str) -> bool:
    return resource in _BYTES or resource.startswith("hugepages-")


def request(resource: str, quantity: Quantity) -> int:
    """An amount that is asked for: rounded up."""
    return _amount(resource, quantity, up=True)


def capacity(resource: str, quantity: Quantity) -> int:
    """An amount that is offered: rounded down."""
    return _amount(resource, quantity, up=False)


def exact(resource: str, quantity: Quantity) -> Fraction:
    """The amount as it is written, in units or bytes."""
    if not is_name(resource):
        raise wrong(f"{resource!r} is not a resource name", str(resource))
    # A bool is an int to Python, and 1 == 1.0 == True to its caches; only text is memoised.
    found = _parse(quantity) if isinstance(quantity, str) else _exact(quantity)
    if found is None:
        hint = 'write a number, "500m", "64Gi" or "1.5e3"'
        raise wrong(f"{_short(quantity)} is not a quantity", resource, hint)
    if found < 0:
        raise wrong(f"{_short(quantity)} is negative", resource)
    return found


def _amount(resource: str, quantity: Quantity, *, up: bool) -> int:
    amount = exact(resource, quantity)
    scaled = amount if in_bytes(resource) else amount * UNIT
    units = -(-scaled.numerator // scaled.denominator) if up else scaled.numerator // scaled.denominator
    if units > LIMIT:
        raise wrong(f"{_short(quantity)} is too large", resource, f"at most {render(resource, LIMIT)}")
    return units


def _exact(quantity: object) -> Fraction | None:
    if isinstance(quantity, bool):
        return None
    if isinstance(quantity, int | Fraction):
        return Fraction(quantity)
    if isinstance(quantity, float | Decimal):
        # The decimal the user wrote, not the binary fraction nearest to it.
        # (float.__repr__, because NumPy's floats, which are floats too, show as "np.float64(0.5)".)
        return _parse(float.__repr__(quantity) if isinstance(quantity, float) else str(quantity))
    return None


@lru_cache(maxsize=1 << 14)
def _parse(text: str) -> Fraction | None:
    match = _QUANTITY.fullmatch(text.strip())
    if match is None:
        return None
    digits, exponent, suffix = match.groups()
    if exponent:
        return Fraction(digits) * Fraction(10) ** int(exponent[1:])
    factor = _SUFFIX.get(suffix or "")
    return None if factor is None else Fraction(digits) * factor


def _short(quantity: object) -> str:
    try:
        text = repr(quantity)
    except ValueError:  # Python refuses to write out integers of more than 4,300 digits
        return "a number of thousands of digits"
    return text if len(text) <= 60 else text[:57] + "..."


def render(resource: str, amount: float) -> str:
    """The amount as a person writes it: `500m`, `64Gi`, `0.25`."""
    units = round(amount)
    if in_bytes(resource):
        return _render_bytes(units)
    if units % UNIT == 0:
        return str(units // UNIT)
    if resource == "cpu" and units % 10 == 0:
        return f"{units // 10}m"
    whole, rest = divmod(abs(units), UNIT)
    return f"{'-' if units < 0 else ''}{whole}.{rest:04d}".rstrip("0")


def _render_bytes(units: int) -> str:
    exact = []
    for suffix in ("Pi", "Ti", "Gi", "Mi", "Ki", "P", "T", "G", "M", "k"):
        size = int(_SUFFIX[suffix])
        if abs(units) >= size and units * 10 % size == 0:
            exact.append(f"{units / size:.1f}".removesuffix(".0") + suffix)
    if exact:
        # 1000Ki stays what it is, but 1G is not written as 976562.5Ki.
        return min(exact, key=lambda text: len(text) - 2 * text.endswith("i"))
    for suffix in ("Gi", "Mi"):
        if abs(units) >= 10 * int(_SUFFIX[suffix]):
            return f"{units / int(_SUFFIX[suffix]):.1f}{suffix}"
    return str(units)


class Resources(FrozenMap[int]):
    """Amounts by resource name, in smallest units, zeros left out. `requests(...)` and `offers(...)` parse."""

    __slots__ = ()

    def __init__(self, amounts: Mapping[str, int] | None = None):
        super().__init__({name: units for name, units in (amounts or {}).items() if units})

    def __str__(self) -> str:
        return ", ".join(f"{name} {render(name, units)}" for name, units in self.items()) or "nothing"


def requests(quantities: Mapping[str, Quantity]) -> Resources:
    return _resources(quantities, up=True)


def offers(quantities: Mapping[str, Quantity]) -> Resources:
    return _resources(quantities, up=False)


def _resources(quantities: Mapping[str, Quantity], *, up: bool) -> Resources:
    if isinstance(quantities, Resources):
        return quantities
    amounts: dict[str, int] = {}
    problems: list[Problem] = []
    for name, quantity in quantities.items():
        try:
            amounts[name] = _amount(name, quantity, up=up)
        except ConfigError as error:
            problems.extend(error.problems)
    if problems:
        raise ConfigError(problems)
    return Resources(amounts)
