"""Every error bayplan raises, and the one shape in which wrong input is reported.

    BayplanError
    ├── ConfigError      the input is wrong; carries every Problem found, not only the first
    ├── PlacementError   what was asked for by name does not fit: this workload on this node, this node so small
    ├── Unsupported      understood, but not possible here
    └── BackendError     an engine refused or failed

"Does not fit" is never an error: it is data (see model/decision.py).
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, replace


class BayplanError(Exception):
    """The root of the tree."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake: where it stands, what is wrong, and what would be right."""

    message: str
    path: str = ""
    hint: str = ""
    file: str = ""
    line: int | None = None
    column: int | None = None

    def under(self, prefix: str) -> Problem:
        """The same problem, seen from an enclosing object."""
        joint = "" if not self.path or self.path.startswith("[") else "."
        return replace(self, path=f"{prefix}{joint}{self.path}")

    def __str__(self) -> str:
        place = self.file
        if self.line is not None:
            place += f":{self.line}" + ("" if self.column is None else f":{self.column}")
        head = ": ".join(part for part in (place, self.path, self.message) if part)
        return f"{head} ({self.hint})" if self.hint else head


class ConfigError(BayplanError):
    """The input is wrong. `problems` holds all mistakes, in the order they stand in the input."""

    def __init__(self, problems: Problem | Iterable[Problem]):
        self.problems = (problems,) if isinstance(problems, Problem) else tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class PlacementError(BayplanError):
    """What was asked for by name does not fit."""


class Unsupported(BayplanError):
    """Understood, but not possible here."""


class BackendError(BayplanError):
    """An engine (Ray, Kubernetes, Spark) refused or failed."""


def wrong(message: str, path: str = "", hint: str = "") -> ConfigError:
    """The common case: one mistake."""
    return ConfigError(Problem(message, path, hint))


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint for a misspelt name: the nearest known one, else the whole list when it is short."""
    names = sorted(known)
    near = difflib.get_close_matches(word, names, n=1, cutoff=0.6)
    if near:
        return f"did you mean {near[0]!r}?"
    return f"known: {', '.join(names)}" if 0 < len(names) <= 12 else ""
