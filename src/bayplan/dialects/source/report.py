"""Every mistake of every file, collected, each with the place where it stands.

Spot     a value in a document: `spot / "requests" / "cpu"`
Report   takes mistakes at spots; raises them together, in the order they stand in the files
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from bayplan.dialects.source.text import Document
from bayplan.dialects.source.tree import Path, Step, path_text
from bayplan.errors import ConfigError, Problem, did_you_mean

LIMIT: Final = 1_000
"""Mistakes that are listed; the others are only counted."""
TEXT_LIMIT: Final = 400
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Spot:
    """A value in a document."""

    document: Document
    path: Path = ()

    def __truediv__(self, step: Step) -> Spot:
        return Spot(self.document, (*self.path, step))

    @property
    def source(self) -> str:
        """`file:line`"""
        return f"{self.document.file}:{self.document.place(self.path)[0]}"

    @property
    def value(self) -> Any:
        """What stands there; None when nothing does."""
        data = self.document.data
        for step in self.path:
            known = (
                step in data if isinstance(data, dict) else isinstance(data, list) and isinstance(step, int) and step < len(data)
            )
            if not known:
                return None
            data = data[step]
        return data

    def follow(self, text: str) -> Spot:
        """The spot that a dotted path such as `labels.a.b/c` means from here. Keys may contain dots themselves."""
        data, steps = self.value, self.path
        while text and isinstance(data, dict):
            fits = [key for key in data if text == key or (text.startswith(key) and text[len(key)] in ".[")]
            if not fits:
                return Spot(self.document, (*steps, text))
            key = max(fits, key=len)
            steps, data, text = (*steps, key), data[key], text[len(key) :].removeprefix(".")
        return Spot(self.document, steps)


class Report:
    """Collects mistakes."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.left_out = 0
        self.unread = 0
        self._files: dict[str, int] = {}
        self._hints: dict[str, str] = {}

    @property
    def full(self) -> bool:
        return len(self.problems) >= LIMIT

    def read(self, file: str) -> None:
        """Files are ranked in the order they are read."""
        self._files.setdefault(file, len(self._files))

    def take(self, problems: Iterable[Problem]) -> None:
        for problem in problems:
            if self.full:
                self.left_out += 1
            else:
                self.problems.append(problem)

    def add(self, spot: Spot, message: str, hint: str = "", *, on_key: bool = False) -> None:
        if self.full:
            self.left_out += 1
            return
        line, column = spot.document.place(spot.path, on_key=on_key)
        message, hint = _cut(message), _cut(hint)
        self.problems.append(Problem(message, path_text(spot.path), hint, spot.document.file, line, column))

    def build(self, spot: Spot, prefix: str, make: Callable[..., R], *args: Any, **kwargs: Any) -> R | None:
        """What `make` gives, or None when the model refuses. `prefix` is how the model calls the thing at `spot`."""
        try:
            return make(*args, **kwargs)
        except ConfigError as error:
            for problem in error.problems:
                inner = problem.path.removeprefix(prefix).removeprefix(".") if problem.path.startswith(prefix) else ""
                self.add(spot.follow(inner), problem.message, problem.hint)
        return None

    def near_miss(self, word: str, known: Mapping[str, object]) -> str:
        """ "did you mean", with a bound on the work: comparing a thousand words with a million takes hours."""
        if len(word) > 100 or len(known) > 2_000 or len(self._hints) > 50:
            return ""
        if word not in self._hints:
            self._hints[word] = did_you_mean(word, known)
        return self._hints[word]

    def finish(self) -> None:
        """Raise everything, if there is anything."""
        if not self.problems:
            return
        found = sorted(self.problems, key=lambda one: (self._files.get(one.file, -1), one.line or 0, one.column or 0))
        if self.left_out:
            found.append(Problem(f"and {self.left_out:,} more mistakes"))
        if self.unread:
            found.append(Problem(f"{self.unread:,} more entries were not looked at"))
        raise ConfigError(found)


def _cut(text: str) -> str:
    return text if len(text) <= TEXT_LIMIT else text[: TEXT_LIMIT - 3] + "..."
