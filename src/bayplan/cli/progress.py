"""A progress bar on stderr: only on a terminal, and only when the work takes longer than a second."""

from __future__ import annotations

import time
from types import TracebackType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

PATIENCE: Final = 1.0


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

        from bayplan.cli import screen

        out = screen.console(stderr=True)
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        bar = Bar(*columns, console=out, transient=True, disable=not out.is_terminal)
        bar.add_task(self._what, total=self._total)
        bar.start()
        return bar

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._bar is not None:
            self._bar.stop()
