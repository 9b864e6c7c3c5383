"""YAML events into plain data that remembers where everything stands.

No recursion, and limits that hold while reading: depth, and the size *after* aliases are followed,
so that neither deep nesting nor an alias bomb costs more than the text that is there.

    Fields   a dict; `marks[key]` = (where the key stands, where its value stands)
    Items    a list; `marks[i]` = where item i stands
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

import yaml

from bayplan.dialects.source import scalars
from bayplan.errors import ConfigError, Problem

DEPTH_LIMIT: Final = 64
SIZE_LIMIT: Final = 2_000_000
"""In nodes, aliases followed; every 64 characters of text count as one node more."""


class Mark(Protocol):
    line: int
    column: int
    index: int


Step = str | int
Path = tuple[Step, ...]


class Fields(dict[str, Any]):
    __slots__ = ("marks",)
    marks: dict[str, tuple[Mark, Mark]]


class Items(list[Any]):
    __slots__ = ("marks",)
    marks: list[Mark]


_NO_KEY: Final = object()
_MERGE: Final = object()
_BAD_KEY: Final = object()
_OPEN: Final = object()
_MAP_TAGS: Final = (None, "!", "tag:yaml.org,2002:map")
_SEQ_TAGS: Final = (None, "!", "tag:yaml.org,2002:seq")


@dataclass(slots=True)
class _Open:
    """A mapping or list that is not yet closed."""

    value: Fields | Items
    mark: Mark
    anchor: str | None
    key: Any = _NO_KEY
    key_mark: Any = None
    merges: list[Fields] = field(default_factory=list)
    size: int = 1
    height: int = 1


class Tree:
    """Builds the documents of one file. Mistakes that leave the rest readable go to `problems`."""

    def __init__(self, file: str):
        self.file = file
        self.problems: list[Problem] = []
        self._stack: list[_Open] = []
        self._anchors: dict[str, tuple[Any, int, int]] = {}
        self._total = 0
        self._root: tuple[Any, Mark] | None = None

    def documents(self, events: Iterable[Any]) -> Iterator[tuple[Any, Mark]]:
        """Every document as (data, where it begins)."""
        for event in events:
            kind = type(event)
            if kind is yaml.ScalarEvent:
                self._scalar(event)
            elif kind is yaml.MappingStartEvent:
                self._open(Fields(), event, _MAP_TAGS)
            elif kind is yaml.SequenceStartEvent:
                self._open(Items(), event, _SEQ_TAGS)
            elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
                self._close()
            elif kind is yaml.AliasEvent:
                self._alias(event)
            elif kind is yaml.DocumentEndEvent and self._root is not None:
                yield self._root
                self._root, self._anchors = None, {}

    def _scalar(self, event: Any) -> None:
        value, top = event.value, self._stack[-1] if self._stack else None
        if event.tag is not None:
            value = self._tagged(event)
        elif event.implicit[0]:
            if value == "<<" and top is not None and top.key is _NO_KEY and type(top.value) is Fields:
                top.key = _MERGE
                return
            value = scalars.plain(value)
        if type(value) is str and not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value):
            self._complain("half of a surrogate pair is not a character", event.start_mark)
            value = value.encode("ascii", "replace").decode()
        size = 1 + len(event.value) // 64
        if event.anchor is not None:
            self._anchors[event.anchor] = (value, size, 0)
        self._spend(size, event.start_mark)
        self._add(value, event.start_mark, size, 0)

    def _tagged(self, event: Any) -> scalars.Scalar:
        try:
            return scalars.tagged(event.tag, event.value)
        except KeyError:
            self._complain(f"the tag {_tag(event.tag)} is not allowed", event.start_mark, "write plain data without tags")
        except ValueError:
            self._complain(f"{_short(event.value)} is not a {_tag(event.tag)}", event.start_mark)
        return str(event.value)

    def _open(self, value: Fields | Items, event: Any, tags: tuple[str | None, ...]) -> None:
        if event.tag not in tags:
            self._complain(f"the tag {_tag(event.tag)} is not allowed", event.start_mark, "write plain data without tags")
        if isinstance(value, Fields):
            value.marks = {}
        else:
            value.marks = []
        if len(self._stack) >= DEPTH_LIMIT:
            self._stop(f"nested more than {DEPTH_LIMIT} levels deep", event.start_mark)
        if event.anchor is not None:
            self._anchors[event.anchor] = (_OPEN, 0, 0)
        self._spend(1, event.start_mark)
        self._stack.append(_Open(value, event.start_mark, event.anchor))

    def _close(self) -> None:
        done = self._stack.pop()
        value = done.value
        if isinstance(value, Fields):
            for merged in done.merges:
                for key, inner in merged.items():
                    if key not in value:
                        value[key] = inner
                        value.marks[key] = merged.marks[key]
        if done.anchor is not None:
            self._anchors[done.anchor] = (value, done.size, done.height)
        self._add(value, done.mark, done.size, done.height)

    def _alias(self, event: Any) -> None:
        name, mark = event.anchor, event.start_mark
        if name not in self._anchors:
            self._complain(f"the alias *{name} has no anchor &{name} before it", mark)
            self._add(None, mark, 1, 0)
            return
        value, size, height = self._anchors[name]
        if value is _OPEN:
            self._stop(f"the alias *{name} stands inside its own anchor: it would contain itself for ever", mark)
        if len(self._stack) + height > DEPTH_LIMIT:
            self._stop(f"nested more than {DEPTH_LIMIT} levels deep once the alias *{name} is followed", mark)
        self._spend(size, mark)
        self._add(value, mark, size, height)

    def _add(self, value: Any, mark: Mark, size: int, height: int) -> None:
        """Give a finished value to whatever is open around it."""
        if not self._stack:
            self._root = (value, mark)
            return
        top = self._stack[-1]
        top.size += size
        if height >= top.height:
            top.height = height + 1
        into = top.value
        if isinstance(into, Items):
            into.append(value)
            into.marks.append(mark)
        elif top.key is _NO_KEY:
            top.key, top.key_mark = self._key(value, into, mark), mark
        else:
            if top.key is _MERGE:
                self._merge(top, value, mark)
            elif top.key is not _BAD_KEY:
                into[top.key] = value
                into.marks[top.key] = (top.key_mark, mark)
            top.key = _NO_KEY

    def _key(self, value: Any, into: Fields, mark: Mark) -> object:
        if type(value) is not str:
            what = "a list or mapping" if isinstance(value, dict | list) else f"{value!r}"
            simple = "" if isinstance(value, dict | list) else f"write it in quotes: '{value}'"
            self._complain(f"a key must be text, found {'nothing' if value is None else what}", mark, simple)
            return _BAD_KEY
        if value in into:
            first, second = into.marks[value][0].line + 1, mark.line + 1
            self._complain(f"the key {_short(value)} is given twice, in lines {first} and {second}", mark, key=value)
            return _BAD_KEY
        return value

    def _merge(self, top: _Open, value: Any, mark: Mark) -> None:
        found = value if isinstance(value, Items) else [value]
        if all(isinstance(one, Fields) for one in found):
            top.merges.extend(found)
        else:
            self._complain("'<<' takes a mapping, or a list of mappings, to merge in", mark)

    def _spend(self, size: int, mark: Mark) -> None:
        self._total += size
        if self._total > SIZE_LIMIT:
            self._stop(f"more than {SIZE_LIMIT:,} values once the aliases are followed", mark)

    def _path(self) -> str:
        steps = [len(one.value) if isinstance(one.value, Items) else one.key for one in self._stack]
        return path_text(tuple(step for step in steps if isinstance(step, str | int)))

    def _complain(self, message: str, mark: Mark, hint: str = "", key: str = "") -> None:
        path = self._path()
        path = f"{path}.{key}" if path and key else path or key
        self.problems.append(Problem(message, path, hint, self.file, mark.line + 1, mark.column + 1))
        if len(self.problems) >= 1000:
            self._stop("too many mistakes to go on", mark)

    def _stop(self, message: str, mark: Mark) -> None:
        raise ConfigError(Problem(message, self._path(), "", self.file, mark.line + 1, mark.column + 1))


def path_text(path: Path) -> str:
    """`("workloads", 2, "requests", "cpu")` as `workloads[2].requests.cpu`."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{_short_key(step)}" for step in path)
    return text.removeprefix(".")


def _short_key(key: str) -> str:
    return key if len(key) <= 80 else key[:77] + "..."


def _short(text: str) -> str:
    shown = repr(text[:80])
    return shown if len(text) <= 80 else shown + "..."


def _tag(tag: str) -> str:
    return _short_key(tag.replace("tag:yaml.org,2002:", "!!"))
