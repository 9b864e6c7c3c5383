"""Values of a file, as a person would name them."""

from __future__ import annotations

from collections.abc import Mapping


def found(value: object) -> str:
    """What stands there: `nothing`, `true`, `the number 3`, `'text'`, `a list`, `a mapping`."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return f"the number {value}"
    if isinstance(value, str):
        return repr(value) if len(value) <= 60 else repr(value[:57]) + "..."
    return "a mapping" if isinstance(value, Mapping) else "a list"
