"""Bytes into documents: decoding, YAML syntax, and where every value stands.

JSON is YAML, so JSON files go the same way. Everything is bounded: the size of the file, the depth,
and the size once aliases are followed (tree.py). Whatever is wrong becomes a `Problem`.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from typing import Any, Final

import yaml

from bayplan.dialects.source.tree import Fields, Items, Mark, Path, Tree
from bayplan.errors import ConfigError, Problem

FILE_LIMIT: Final = 64 * 2**20
DIRECTIVE_LIMIT: Final = 100
"""Lines that begin with '%'. The parser compares each with all before it."""

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NOT_YAML = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_BOMS: Final = (  # UTF-32's begins like UTF-16's, so it is tried first
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_WORD = re.compile(r"[^\s,\[\]{}#]+")


@dataclass(frozen=True, slots=True, eq=False)
class Document:
    """One document of a file: plain data (Fields, Items, scalars) and its places."""

    file: str
    text: str
    data: Any
    start: Mark

    def place(self, path: Path, *, on_key: bool = False) -> tuple[int, int]:
        """Line and column, from 1. Of a scalar: where it stands; of a list or mapping: where its key stands."""
        mark = self._mark(path, on_key)
        return mark.line + 1, mark.column + 1

    def written(self, path: Path) -> str:
        """An unquoted scalar as it stands in the file: `1.10`, though it means 1.1. "" when it cannot be told."""
        found = _WORD.match(self.text, self._mark(path, on_key=False).index)
        return found[0] if found and found[0][0] not in "*&!'\"" else ""

    def _mark(self, path: Path, on_key: bool) -> Mark:
        data, mark = self.data, self.start
        for depth, step in enumerate(path, start=1):
            if isinstance(data, Fields) and step in data:
                key_mark, value_mark = data.marks[str(step)]
                data = data[str(step)]
                last = depth == len(path)
                mark = key_mark if isinstance(data, dict | list) or (last and on_key) else value_mark
            elif isinstance(data, Items) and isinstance(step, int) and step < len(data):
                mark, data = data.marks[step], data[step]
            else:
                break
        return mark


def parse(raw: bytes | str, file: str) -> tuple[list[Document], list[Problem]]:
    """The documents of one file, and what is wrong with it as YAML. Documents before a fault are kept."""
    tree = Tree(file)
    documents: list[Document] = []
    try:
        text = _decode(raw, file)
        if text.count("\n%") > DIRECTIVE_LIMIT:
            raise ConfigError(Problem(f"more than {DIRECTIVE_LIMIT} lines begin with '%'", file=file))
        for data, start in tree.documents(yaml.parse(text, Loader=_LOADER)):
            documents.append(Document(file, text, data, start))
    except ConfigError as error:
        return documents, [*tree.problems, *error.problems]
    except yaml.MarkedYAMLError as error:
        return documents, [*tree.problems, _syntax(error, text, file)]
    except yaml.YAMLError as error:
        return documents, [*tree.problems, Problem(f"not YAML: {error}", file=file)]
    return documents, tree.problems


def _decode(raw: bytes | str, file: str) -> str:
    """The text of a file, or a ConfigError that says which byte or character is wrong."""
    if len(raw) > FILE_LIMIT:
        raise ConfigError(Problem(f"larger than {FILE_LIMIT // 2**20} MiB", file=file, hint="split it into several files"))
    text = raw if isinstance(raw, str) else _characters(raw, file)
    text = text.removeprefix("\ufeff")
    if odd := _NOT_YAML.search(text):
        place = _line_and_column(text, odd.start())
        raise ConfigError(Problem(f"the character {odd[0]!r} is not allowed in YAML", "", "", file, *place))
    return text


def _characters(raw: bytes, file: str) -> str:
    encoding = next((name for bom, name in _BOMS if raw.startswith(bom)), "utf-8")
    if encoding in ("utf-8", "utf-8-sig") and (zero := raw.find(b"\0")) >= 0:
        if raw[:64].count(b"\0") >= len(raw[:64]) // 3:
            message, hint = "this looks like UTF-16 without a byte order mark", "save it as UTF-8"
        else:
            message, hint = f"a zero byte at offset {zero}: this is not a text file", ""
        raise ConfigError(Problem(message, hint=hint, file=file, line=raw.count(b"\n", 0, zero) + 1))
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as error:
        found = f"0x{raw[error.start]:02x}" if error.start < len(raw) else "the end"
        message = f"not {error.encoding.upper()}: {found} at byte offset {error.start} ({error.reason})"
        line = raw.count(b"\n", 0, error.start) + 1
        raise ConfigError(Problem(message, hint="save it as UTF-8", file=file, line=line)) from None


def _line_and_column(text: str, index: int) -> tuple[int, int]:
    return text.count("\n", 0, index) + 1, index - text.rfind("\n", 0, index)


def _syntax(error: yaml.MarkedYAMLError, text: str, file: str) -> Problem:
    """A fault of syntax, in the parser's words; the commonest ones in ours."""
    mark = error.problem_mark or error.context_mark
    line, column = (None, None) if mark is None else (mark.line + 1, mark.column + 1)
    problem, context = error.problem or "not YAML", error.context or ""
    if "quoted scalar" in context and "end of stream" in problem and error.context_mark is not None:
        start = error.context_mark
        return Problem("not YAML: the quotes that open here are never closed", "", "", file, start.line + 1, start.column + 1)
    hint = ""
    if mark is not None and "\t" in text[max(0, mark.index - 1) : mark.index + 1]:
        hint = "indent with spaces; YAML does not allow tabs there"
    elif "mapping values are not allowed" in problem:
        hint = "a text with ': ' in it needs quotes; or the indentation is wrong"
    elif "cannot start any token" in problem:
        hint = "a text that begins with @, `, % or another special character needs quotes"
    return Problem(f"not YAML: {problem}{f' ({context})' if context else ''}", "", hint, file, line, column)
