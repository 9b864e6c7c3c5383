"""Values as Volcano's older plugins take them from their arguments: of exactly this type, or the default stays.

binpack, nodeorder and predicates read their flat keys so; none of these ever ends the process.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

from bayplan.dialects.volcano.decode import INT_LIMIT, LEAST, Read

Arguments = Mapping[str, Any]
_TRUTHS = {
    **dict.fromkeys(("1", "t", "T", "TRUE", "true", "True"), True),
    **dict.fromkeys(("0", "f", "F", "FALSE", "false", "False"), False),
}
"""Texts that stand for truth values, from version 1.15 on."""


def get_int(arguments: Arguments, key: str, base: int) -> Read[int]:
    value = arguments.get(key, base)
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) >= INT_LIMIT:
        return Read(base, f"keeps {base}")
    return Read(value)


def get_float64(arguments: Arguments, key: str, base: float) -> Read[float]:
    value = arguments.get(key, base)
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value) or abs(value) >= INT_LIMIT:
        return Read(base, f"keeps {base:g}")
    return Read(float(value) if abs(value) >= LEAST else 0.0)


def get_bool(arguments: Arguments, key: str, base: bool) -> Read[bool]:
    value = arguments.get(key, base)
    if isinstance(value, str) and value in _TRUTHS:
        return Read(_TRUTHS[value], f"reads the text as {str(_TRUTHS[value]).lower()} from 1.15 on, and ignored it before")
    return Read(value) if isinstance(value, bool) else Read(base, f"keeps {str(base).lower()}")


def get_string(arguments: Arguments, key: str, base: str) -> Read[str]:
    value = arguments.get(key, base)
    return Read(value) if isinstance(value, str) else Read(base, f"keeps {base!r}")
