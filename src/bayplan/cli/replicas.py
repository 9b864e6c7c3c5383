"""Names that differ in their number only: `web-0`, `web-1`, ... are the replicas of `web`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_NUMBERED = re.compile(r"(.+)-([0-9]+)")


def stem(name: str) -> str:
    """`web` of web-17"""
    found = _NUMBERED.fullmatch(name)
    return found[1] if found else name


def span(names: Sequence[str]) -> str:
    """`web-0..web-99`, or `web-* (7)` when numbers are missing."""
    if len(names) == 1:
        return names[0]
    numbers = [int(found[2]) for name in names if (found := _NUMBERED.fullmatch(name))]
    if len(numbers) == len(names) and numbers == list(range(numbers[0], numbers[0] + len(names))):
        return f"{names[0]}..{names[-1]}"
    return f"{stem(names[0])}-* ({len(names):,})"


def family(name: str, known: Iterable[str]) -> str:
    """A hint for who asks for `web` and means one of its replicas; "" when it has none."""
    found = sorted((one for one in known if one.startswith(f"{name}-") and stem(one) == name), key=_number)
    if len(found) < 2:
        return f"did you mean {found[0]!r}?" if found else ""
    return f"{name} has {len(found):,} replicas, {found[0]} to {found[-1]}: ask for one of them"


def _number(name: str) -> int:
    return int(name.rpartition("-")[2])
