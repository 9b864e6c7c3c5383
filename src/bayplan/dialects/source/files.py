"""Files into bytes. What cannot be read is a mistake like any other."""

from __future__ import annotations

import sys

from bayplan.dialects.source.text import FILE_LIMIT
from bayplan.errors import ConfigError, Problem


def contents(name: str) -> tuple[bytes, str]:
    """What a file holds (a byte more than is allowed, if it is larger), and what messages call it; "-" is standard input."""
    try:
        if name == "-":
            return sys.stdin.buffer.read(FILE_LIMIT + 1), "<stdin>"
        with open(name, "rb") as stream:
            return stream.read(FILE_LIMIT + 1), name
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the name
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ConfigError(Problem(f"cannot be read: {why}", file=name)) from error
