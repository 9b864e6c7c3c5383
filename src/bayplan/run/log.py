"""The file of a decision log: one JSON object per line, only ever added to.

    {"log": "bayplan", "version": 1, ...}      the header, always the first line
    {"event": "place", ...}                    then one line per event (records.py says which)

A line is written in one go and flushed, so a crash can tear only the last one. Reading tolerates a torn
last line and says so; opening the log to continue cuts it off. Anything else that is not right is a
mistake with its file and line. `sync=True` also waits for the disk, event by event.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, BinaryIO, Final

from bayplan.errors import ConfigError, Problem

try:
    import fcntl
except ImportError:  # no locks on this system: then two writers at once are the user's care
    fcntl = None  # type: ignore[assignment]

NAME: Final = "bayplan"
VERSION: Final = 1
MISTAKES: Final = 10
"""Bad lines that are listed; the others are counted."""

_HEADER_START: Final = b'{"log":"bayplan",'
"""What a header that was torn while it was written begins with."""

Data = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Record:
    """One event, and the line it stands on."""

    line: int
    data: Data


@dataclass(frozen=True, slots=True)
class Log:
    """What a file holds. `torn` says what was wrong with the last line, or is ""."""

    path: str
    header: Data
    records: tuple[Record, ...]
    torn: str = ""
    whole: int = 0
    """How many bytes of the file are whole lines."""


def read(path: str | os.PathLike[str]) -> Log:
    """The header and all whole records. A bad line that is not the last, or a bad header, is a ConfigError."""
    name = os.fspath(path)
    try:
        with open(name, "rb") as file:
            content = file.read()
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the name
        raise _unusable(name, "read", error) from error
    lines = content.split(b"\n")
    last = lines.pop()  # what follows the last newline: nothing, or a line that was not finished
    header = _header(lines[0] if lines else last, name, torn=not lines)
    problems: list[Problem] = []
    records = [Record(at, data) for at, line in enumerate(lines[1:], start=2) if (data := _parse(line, at, name, problems))]
    torn, whole = "", len(content) - len(last)
    if last and not lines:
        whole = len(content)  # a header that only lacks its newline
    elif last:
        # Part of an object is never an object: a last line that can be read only lacks its newline.
        rest = _parse(last, len(lines) + 1, name, [])
        if rest is not None:
            records.append(Record(len(lines) + 1, rest))
            whole = len(content)
        else:
            torn = f"line {len(lines) + 1} is torn ({len(last)} bytes without an end) and was left out"
    if problems:
        more = len(problems) - MISTAKES
        rest_of_them = [Problem(f"and {more:,} more lines that are not records", file=name)] if more > 0 else []
        raise ConfigError([*problems[:MISTAKES], *rest_of_them])
    return Log(name, header, tuple(records), torn, whole)


def _parse(line: bytes, at: int, file: str, problems: list[Problem]) -> Data | None:
    try:
        found = json.loads(line.decode())  # json would guess at other encodings
    except (ValueError, RecursionError) as error:
        problems.append(
            Problem(f"not a record: {_fault(error)}", file=file, line=at, hint="a log is only ever added to, never edited")
        )
        return None
    if not isinstance(found, dict) or not found:
        problems.append(Problem("not a record: a JSON object was expected", file=file, line=at))
        return None
    return found


def _fault(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return error.msg
    return "nested too deep" if isinstance(error, RecursionError) else "not UTF-8"


def _header(line: bytes, file: str, *, torn: bool) -> Data:
    """The first line. Where it is no header the file is something else, and its other lines are not looked at."""
    found = _parse(line, 1, file, []) or {}
    if found.get("log") != NAME:
        message, hint = "this is not a decision log: the first line is not its header", "bayplan place --log FILE writes one"
        if torn and not line:
            message = "this is not a decision log: it is empty"
        elif torn and (_HEADER_START.startswith(line) or line.startswith(_HEADER_START)):
            message, hint = "the log has no whole line", "nothing was recorded; delete the file"
        raise ConfigError(Problem(message, hint=hint, file=file, line=1))
    if found.get("version") != VERSION:
        hint = f"this bayplan reads version {VERSION}"
        raise ConfigError(Problem(f"the log has version {found.get('version')!r}", "version", hint, file, 1))
    return found


def _unusable(path: str, what: str, error: Exception) -> ConfigError:
    why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return ConfigError(Problem(f"cannot be {what}: {why}", file=path))


class Writer:
    """Adds records to a log. Use it in a `with` statement, or close it."""

    def __init__(self, path: str, file: BinaryIO, sync: bool):
        self.path, self._file, self._sync = path, file, sync
        self._broken = ""

    @classmethod
    def create(cls, path: str | os.PathLike[str], header: Mapping[str, Any], *, sync: bool = False) -> Writer:
        """A new log. It is never written over one that exists."""
        writer = cls._open(path, "xb", sync)
        writer.write({"log": NAME, "version": VERSION, **header})
        return writer

    @classmethod
    def append(cls, path: str | os.PathLike[str], *, sync: bool = False) -> tuple[Writer, Log]:
        """Continue a log: its header is checked and a torn last line cut off (`Log.torn` says so)."""
        writer = cls._open(path, "r+b", sync)
        try:
            found = read(path)
            writer._file.truncate(found.whole)
            writer._file.seek(found.whole - 1)
            if writer._file.read(1) != b"\n":
                writer._file.write(b"\n")
        except BaseException:
            writer.close()
            raise
        return writer, found

    @classmethod
    def _open(cls, path: str | os.PathLike[str], mode: str, sync: bool) -> Writer:
        name = os.fspath(path)
        try:
            file: BinaryIO = open(name, mode, buffering=0)  # type: ignore[assignment]  # noqa: SIM115
        except FileExistsError as error:
            raise ConfigError(Problem("there is a file already", file=name, hint="give the log a new name")) from error
        except (OSError, ValueError) as error:
            raise _unusable(name, "written", error) from error
        try:
            if fcntl is not None:
                fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            file.close()
            raise ConfigError(Problem("another process is writing this log", file=name)) from error
        return cls(name, file, sync)

    def write(self, record: Mapping[str, Any]) -> None:
        """Add one line. If it cannot be written whole, what was written of it is taken back and the log is closed to more."""
        if self._broken:
            raise ConfigError(Problem(f"nothing more can be recorded: {self._broken}", file=self.path))
        line = json.dumps(record, separators=(",", ":"), allow_nan=False).encode() + b"\n"
        start = self._file.tell()
        try:
            done = 0
            while done < len(line):  # an unbuffered write may write a part only
                done += self._file.write(line[done:])
            if self._sync:
                os.fsync(self._file.fileno())
        except OSError as error:
            self._broken = error.strerror or str(error)
            self._take_back(start)
            raise _unusable(self.path, "written", error) from error

    def _take_back(self, start: int) -> None:
        with contextlib.suppress(OSError):  # then the last line is torn, which every reader tolerates
            self._file.truncate(start)

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()
