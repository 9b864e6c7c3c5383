"""Remarks about objects as problems with file, document, path and line."""

from __future__ import annotations

from typing import Final

from bayplan.dialects.kubernetes.reading import Remark, Remarks
from bayplan.dialects.kubernetes.source import Place
from bayplan.dialects.source.tree import path_text
from bayplan.errors import ConfigError, Problem

LIMIT: Final = 1_000
"""Mistakes that are listed; the others are only counted."""
NOTES_LIMIT: Final = 10_000
TEXT_LIMIT: Final = 400


class Report:
    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.notes: list[Problem] = []
        self.left_out = 0
        self.notes_left_out = 0

    @property
    def full(self) -> bool:
        return len(self.problems) >= LIMIT

    def take(self, remarks: Remarks, place: Place, header: str) -> None:
        """Mistakes and notes about one object."""
        for one in dict.fromkeys(remarks.mistakes):
            self.mistake(place, header, one)
        for one in dict.fromkeys(remarks.notes):
            self.note(place, header, one)

    def mistake(self, place: Place, header: str, remark: Remark) -> None:
        if self.full:
            self.left_out += 1
            return
        self.problems.append(_problem(place, header, remark, *place.find(remark.path)))

    def note(self, place: Place, header: str, remark: Remark) -> None:
        """Notes can be many, so in JSON they have the line of the object, which costs nothing to know."""
        if len(self.notes) >= NOTES_LIMIT:
            self.notes_left_out += 1
            return
        line, column = place.find(remark.path) if place.written is not None else (place.line + 1, None)
        self.notes.append(_problem(place, header, remark, line, column))

    def finish(self) -> tuple[Problem, ...]:
        """The notes; where there are mistakes, these are raised."""
        if self.problems:
            found = sorted(self.problems, key=lambda one: (one.file, one.line or 0, one.column or 0))
            raise ConfigError([*found, *([Problem(f"and {self.left_out:,} more mistakes")] if self.left_out else [])])
        more = [Problem(f"and {self.notes_left_out:,} more notes")] if self.notes_left_out else []
        return (*self.notes, *more)


def _problem(place: Place, header: str, remark: Remark, line: int | None, column: int | None) -> Problem:
    within = f"{path_text(place.path)}, " if place.path else ""
    path = f"document {place.document}, {within}{header}"
    inner = path_text(remark.path)
    return Problem(_cut(remark.message), f"{path}: {inner}" if inner else path, _cut(remark.hint), place.file, line, column)


def _cut(text: str) -> str:
    return text if len(text) <= TEXT_LIMIT else text[: TEXT_LIMIT - 3] + "..."
