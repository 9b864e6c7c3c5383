"""JSON, object by object, through a window on the text.

A document is an object, or a List whose items come one by one. The window grows until the object in it is whole and
drops what was read. Positions are counted in characters from the beginning of the text.
"""

from __future__ import annotations

import codecs
import io
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, BinaryIO, Final

from bayplan.dialects.source.tree import Path
from bayplan.errors import ConfigError, Problem

CHUNK: Final = 4 * 2**20
OBJECT_LIMIT: Final = 64 * 2**20
"""Characters of one object; an item of a List is one of its own."""
_SPACE = re.compile(r"[ \t\r\n]*")
_STARTS = re.compile(rb"(?:\xef\xbb\xbf)?\s*[\[{]")


class NotJson(Exception):
    """The text is not JSON. `begun`: something of it was already handed out. `rest`: where another document begins."""

    def __init__(self, message: str, line: int, begun: bool, rest: int | None = None):
        super().__init__(message)
        self.line = line
        self.begun = begun
        self.rest = rest


class Text:
    """A text that can be opened again to look something up."""

    def __init__(self, open_again: Callable[[], BinaryIO]):
        self._open = open_again
        self._again: str | None = None

    def open(self) -> BinaryIO:
        return self._open()

    def looks_like_json(self) -> bool:
        with self._open() as file:
            return _STARTS.match(file.read(4096)) is not None

    def whole(self, limit: int) -> bytes:
        """The bytes, one more than `limit` at most."""
        with self._open() as file:
            return file.read(limit + 1)

    def between(self, start: int, end: int | None) -> str:
        """Characters of the text, for a message."""
        if self._again is None:
            with self._open() as file:
                self._again = file.read().decode("utf-8-sig")
        return self._again[start:end]


@dataclass(frozen=True, slots=True)
class Found:
    data: Any
    document: int
    path: Path
    start: int
    end: int
    line: int
    """Lines before it."""


class _Window:
    def __init__(self, file: BinaryIO):
        self.file = file
        self.decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self.text = ""
        self.at = 0
        self.dropped = 0
        self.lines = 0
        self.counted = 0
        self.ended = False
        self.begun = False
        self.scan = json.JSONDecoder(parse_constant=self._no_constant).raw_decode

    def _no_constant(self, word: str) -> Any:
        raise self.fault(f"{word} is not a number in JSON")

    def fault(self, message: str) -> NotJson:
        return NotJson(message, self.line() + 1, self.begun)

    def line(self) -> int:
        """Lines before the current position."""
        self.lines += self.text.count("\n", self.counted, self.at)
        self.counted = self.at
        return self.lines

    def more(self) -> bool:
        """Read on; False at the end."""
        if self.ended:
            return False
        self.line()
        self.dropped += self.at
        if len(self.text) - self.at > OBJECT_LIMIT:
            raise self.fault(f"an object of more than {OBJECT_LIMIT:,} characters")
        raw = self.file.read(CHUNK)
        self.ended = not raw
        try:
            added = self.decoder.decode(raw, final=self.ended)
        except UnicodeDecodeError as error:
            raise self.fault(f"not UTF-8 ({error.reason})") from None
        self.text, self.at, self.counted = self.text[self.at :] + added, 0, 0
        return True

    def peek(self) -> str:
        """The next character that is not space; "" at the end."""
        while True:
            self.at = _SPACE.match(self.text, self.at).end()  # type: ignore[union-attr]
            if self.at < len(self.text):
                return self.text[self.at]
            if not self.more():
                return ""

    def expect(self, symbols: str) -> str:
        found = self.peek()
        if not found or found not in symbols:
            raise self.fault(f"expected {' or '.join(symbols)}, found {found or 'the end'}")
        self.at += 1
        return found

    def value(self) -> Any:
        """The value that begins here. A number may go on beyond the window, so one at its very end is read again."""
        self.peek()
        while True:
            try:
                data, end = self.scan(self.text, self.at)
                if end < len(self.text) or not self.more():
                    self.at = end if end <= len(self.text) else self.at
                    return data
                continue
            except json.JSONDecodeError as error:
                if not self.more():
                    line = self.line() + self.text.count("\n", self.at, error.pos) + 1
                    raise NotJson(error.msg, line, self.begun) from None
            except (ValueError, RecursionError) as error:
                raise self.fault(str(error)) from None


def objects(text: Text) -> Iterator[Found]:
    """Every object of every document; items of a List one by one."""
    with text.open() as file:
        window = _Window(file)
        document = 0
        while window.peek():
            document += 1
            if window.peek() != "{":  # YAML goes on where JSON ends
                raise NotJson("expected an object", window.line() + 1, window.begun, window.dropped + window.at)
            yield from _object(window, document)


def _object(window: _Window, document: int) -> Iterator[Found]:
    """An object; where it has a list of `items`, these instead."""
    start, line = window.dropped + window.at, window.line()
    window.expect("{")
    fields: dict[str, Any] = {}
    waiting: list[Found] = []
    listed = False
    while window.peek() != "}":
        if fields or listed:
            window.expect(",")
        if window.peek() != '"':
            raise window.fault("expected a key in quotes")
        key = window.value()
        window.expect(":")
        if key == "items" and window.peek() == "[":
            listed = True
            for one in _items(window, document):
                if "kind" in fields or not isinstance(one.data, dict) or "kind" in one.data:
                    window.begun = True
                    yield _kinded(one, fields)
                else:
                    waiting.append(one)
        else:
            fields[key] = window.value()
    window.at += 1
    window.begun = True
    if not listed:
        yield Found(fields, document, (), start, window.dropped + window.at, line)
    for one in waiting:
        yield _kinded(one, fields)


def _kinded(one: Found, fields: dict[str, Any]) -> Found:
    data = with_kind(one.data, fields.get("kind"), fields.get("apiVersion"))
    return one if data is one.data else replace(one, data=data)


def with_kind(data: Any, list_kind: Any, version: Any) -> Any:
    """The API server leaves the kind of a PodList's items out: it is Pod."""
    if not isinstance(data, dict) or "kind" in data or not isinstance(list_kind, str) or list_kind == "List":
        return data
    return {"kind": list_kind.removesuffix("List"), "apiVersion": version, **data}


def _items(window: _Window, document: int) -> Iterator[Found]:
    window.expect("[")
    number = 0
    while window.peek() != "]":
        if number:
            window.expect(",")
        window.peek()
        line = window.line()
        start = window.dropped + window.at
        data = window.value()
        yield Found(data, document, ("items", number), start, window.dropped + window.at, line)
        number += 1
    window.at += 1


def from_file(path: str) -> Text:
    return Text(lambda: open(path, "rb"))


def from_bytes(raw: bytes) -> Text:
    return Text(lambda: io.BytesIO(raw))


def unreadable(name: str, error: Exception) -> ConfigError:
    why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return ConfigError(Problem(f"cannot be read: {why}", file=name))
