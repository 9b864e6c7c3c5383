"""Files into objects, one after the other, and back to the line where something stands.

JSON is read object by object out of a window on the file, so that a dump of a large cluster never lies in memory as a
whole. YAML goes through the reader that knows every place. Only when something is wrong is an object of a JSON file read
again, by the same reader, to find the line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from bayplan.dialects.kubernetes import stream
from bayplan.dialects.kubernetes.stream import NotJson
from bayplan.dialects.source import text
from bayplan.dialects.source.text import Document
from bayplan.dialects.source.tree import Path
from bayplan.errors import Problem


@dataclass(frozen=True, slots=True)
class Place:
    """Where an object stands."""

    file: str
    document: int
    """Counted from 1."""
    path: Path = ()
    """Within the document: items of a List."""
    within: Path = ()
    """Within what stands between `start` and `end`."""
    written: Document | None = None
    """The document, where it is known."""
    text: stream.Text | None = None
    """The text it was read from, and where it begins there."""
    start: int = 0
    end: int = 0
    line: int = 0

    def find(self, path: Path) -> tuple[int | None, int | None]:
        """Line and column of something within the object."""
        if self.written is not None:
            return self.written.place((*self.path, *path))
        if self.text is None:
            return None, None
        found, _ = text.parse(self.text.between(self.start, self.end), self.file)
        if not found:
            return self.line + 1, None
        line, column = found[0].place((*self.within, *path))
        return line + self.line, column if line > 1 else None


@dataclass(frozen=True, slots=True)
class Item:
    """One object of a file; the kind of one in a List of its kind is filled in."""

    data: Any
    place: Place


def items(opened: stream.Text, name: str, problems: list[Problem]) -> Iterator[Item]:
    """The objects of a file; what is wrong with it as JSON or YAML goes to `problems`."""
    raw: str | bytes = b""
    before = 0
    if opened.looks_like_json():
        try:
            for item in _json_items(opened, name):
                before = item.place.document
                yield item
            return
        except NotJson as error:
            if error.begun and error.rest is None:
                problems.append(Problem(f"not JSON: {error}", file=name, line=error.line))
                return
            if error.begun:
                raw = "\n" * (error.line - 1) + opened.between(error.rest or 0, None)
    documents, found = text.parse(raw or opened.whole(text.FILE_LIMIT), name)
    problems += found
    for number, document in enumerate(documents, start=before + 1):
        yield from _unpacked(_plain(document.data), Place(name, number, written=document))


def _json_items(opened: stream.Text, name: str) -> Iterator[Item]:
    for one in stream.objects(opened):
        place = Place(name, one.document, one.path, text=opened, start=one.start, end=one.end, line=one.line)
        yield from _unpacked(one.data, place)


def _unpacked(data: Any, place: Place) -> Iterator[Item]:
    """An object, or those of a List."""
    if data is None:
        return
    kind = data.get("kind") if isinstance(data, Mapping) else None
    if isinstance(kind, str) and kind.endswith("List") and isinstance(data.get("items"), list):
        for at, one in enumerate(data["items"]):
            step = ("items", at)
            inner = replace(place, path=(*place.path, *step), within=(*place.within, *step))
            yield from _unpacked(stream.with_kind(one, kind, data.get("apiVersion")), inner)
        return
    yield Item(data, place)


def _plain(data: Any) -> Any:
    """Dicts and lists, as the JSON module makes them. No recursion: the reader has bounded the depth."""
    if isinstance(data, dict):
        return {key: _plain(value) for key, value in data.items()}
    return [_plain(value) for value in data] if isinstance(data, list) else data
