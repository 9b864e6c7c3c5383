"""A value of a manifest that knows its path, and the mistakes and notes found on the way.

    mistake   the object is wrong: the API server (or kube-scheduler) would refuse it
    note      the object is right, but something about it is not planned here; worth knowing

Asking for a value of the wrong type records a mistake and gives the default, so that reading goes on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from bayplan.dialects.kubernetes import quantity
from bayplan.dialects.source.tree import Path, Step, path_text
from bayplan.dialects.source.values import found
from bayplan.errors import ConfigError, Problem, did_you_mean

_WHOLE_LIMIT: Final = 2**63


@dataclass(frozen=True, slots=True)
class Remark:
    path: Path
    message: str
    hint: str = ""

    def problem(self) -> Problem:
        return Problem(self.message, path_text(self.path), self.hint)


@dataclass(slots=True)
class Remarks:
    mistakes: list[Remark] = field(default_factory=list)
    notes: list[Remark] = field(default_factory=list)

    def finish(self) -> None:
        """Raise the mistakes, if there are any."""
        if self.mistakes:
            raise ConfigError(one.problem() for one in dict.fromkeys(self.mistakes))


@dataclass(frozen=True, slots=True)
class At:
    """A value, where it stands, and who collects what is said about it."""

    value: Any
    remarks: Remarks
    path: Path = ()

    def __truediv__(self, step: Step) -> At:
        """What stands under a key or at an index; None where nothing does."""
        value = self.value
        inner: Any = None
        if type(value) is dict or isinstance(value, Mapping):  # the first is nearly always so, and quicker
            inner = value.get(step)
        elif type(value) is list and type(step) is int and step < len(value):
            inner = value[step]
        return At(inner, self.remarks, (*self.path, step))

    def __bool__(self) -> bool:
        """Something stands here. An empty mapping is something: `{}` and nothing are different selectors."""
        return self.value is not None

    def mistake(self, message: str, hint: str = "") -> None:
        self.remarks.mistakes.append(Remark(self.path, message, hint))

    def note(self, message: str, hint: str = "") -> None:
        self.remarks.notes.append(Remark(self.path, message, hint))

    # --- values -------------------------------------------------------------------------------

    def mapping(self) -> Mapping[str, Any]:
        if self.value is None:
            return {}
        if not isinstance(self.value, Mapping):
            self.mistake(f"expected a mapping, found {found(self.value)}")
            return {}
        return self.value

    def items(self) -> Iterator[At]:
        """The entries of a list."""
        if self.value is None:
            return
        if not isinstance(self.value, list):
            hint = "begin every entry with '- '" if isinstance(self.value, Mapping) else ""
            self.mistake(f"expected a list, found {found(self.value)}", hint)
            return
        for at in range(len(self.value)):
            yield self / at

    def text(self, default: str = "") -> str:
        if self.value is None:
            return default
        if not isinstance(self.value, str):
            self.mistake(f"expected text, found {found(self.value)}", _quoted(self.value))
            return default
        return self.value

    def word(self, known: Iterable[str], default: str) -> str:
        """One of some words."""
        value, words = self.text(default), list(known)
        if value in words:
            return value
        self.mistake(f"{found(value)} is not one of {', '.join(words)}", did_you_mean(value[:100], words))
        return default

    def whole(self, default: int, low: int = -_WHOLE_LIMIT, high: int = _WHOLE_LIMIT - 1) -> int:
        value = self.value
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int):
            hint = "write it without quotes" if isinstance(value, str) and value.lstrip("+-").isdecimal() else ""
            self.mistake(f"expected a whole number, found {found(value)}", hint)
            return default
        if not low <= value <= high:
            self.mistake(f"{str(value)[:40]} is out of range", f"{low} to {high}")
            return default
        return value

    def flag(self, default: bool = False) -> bool:
        if self.value is None:
            return default
        if not isinstance(self.value, bool):
            hint = "write it without quotes" if self.value in ("true", "false") else ""
            self.mistake(f"expected true or false, found {found(self.value)}", hint)
            return default
        return self.value

    def texts(self) -> tuple[str, ...]:
        """A list of texts."""
        return tuple(one.text() for one in self.items())

    def text_map(self) -> Mapping[str, str]:
        """A mapping of texts to texts, as labels are."""
        given = self.mapping()
        if all(type(key) is str and type(value) is str for key, value in given.items()):
            return given
        return {key: (self / key).text() for key in given if isinstance(key, str)}

    def nanos(self) -> int:
        """A quantity; 0 where there is none."""
        value = self.value
        if value is None:
            return 0
        written = repr(value) if type(value) in (int, float) else value
        read = quantity.parse(written.strip()) if isinstance(written, str) else None
        if read is None:
            self.mistake(f"{found(value)} is not a quantity", 'write a number, "500m", "64Gi" or "1e3"')
            return 0
        if read.nanos < 0:
            self.mistake(f"{found(value)} is negative")
            return 0
        return read.nanos

    def known(self, fields: Iterable[str], *, strictly: bool = True) -> None:
        """Say so where there is a field that is not among these."""
        names = fields if isinstance(fields, frozenset) else frozenset(fields)
        if not isinstance(self.value, Mapping) or self.value.keys() <= names:
            return
        for key in self.value:
            if key not in names:
                hint = did_you_mean(str(key)[:100], names)
                say = (self / key).mistake if strictly else (self / key).note
                say(f"unknown field {found(key)}" if strictly else f"unknown field {found(key)} is not looked at", hint)


def _quoted(value: object) -> str:
    simple = isinstance(value, bool | int | float)
    return f"write it in quotes: '{found(value).removeprefix('the number ')}'" if simple else ""
