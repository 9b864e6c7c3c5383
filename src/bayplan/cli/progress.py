"""Signs of life on stderr: only on a terminal, never when the output is piped, and only when the work takes its time.

Progress   a bar, for work that can tell how far it is
Waiting    a line with a spinner, for work that cannot
"""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as Bar
    from rich.status import Status

PATIENCE: Final = 1.0
SHORT_PATIENCE: Final = 0.5


def _screen() -> Console | None:
    """Where signs of life may be shown: to a person, who looks at both streams. A pipe (`--json | jq`) has no eyes."""
    from bayplan.cli import screen

    out = screen.console(stderr=True)
    return out if out.is_terminal and sys.stdout.isatty() else None


class Progress:
    def __init__(self, what: str, total: int):
        self._what, self._total, self._done = what, total, 0
        self._begin = time.monotonic()
        self._bar: Bar | None = None

    def advance(self, steps: int) -> None:
        self._done += steps
        if self._bar is None and self._done < self._total and time.monotonic() - self._begin > PATIENCE:
            self._bar = self._start()
        if self._bar is not None:
            self._bar.update(self._bar.task_ids[0], completed=self._done)

    def _start(self) -> Bar:
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        out = _screen()
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        bar = Bar(*columns, console=out, transient=True, disable=out is None)
        bar.add_task(self._what, total=self._total)
        bar.start()
        return bar

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._bar is not None:
            self._bar.stop()


class Waiting:
    """A clock of its own starts the spinner: the work inside need not know about it."""

    def __init__(self, what: str):
        self._what, self._out = what, _screen()
        self._status: Status | None = None
        self._over = False
        self._lock = threading.Lock()
        self._timer = threading.Timer(SHORT_PATIENCE, self._start)
        self._timer.daemon = True

    def _start(self) -> None:
        with self._lock:  # the work may end at this very moment
            if not self._over and self._out is not None:
                self._status = self._out.status(self._what)
                self._status.start()

    def say(self, what: str) -> None:
        """What is being waited for now."""
        with self._lock:
            self._what = what
            if self._status is not None:
                self._status.update(what)

    def __enter__(self) -> Waiting:
        if self._out is not None:
            self._timer.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._timer.cancel()
        with self._lock:
            self._over = True
            if self._status is not None:
                self._status.stop()
