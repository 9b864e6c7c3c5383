"""Whole outputs, compared with what is kept in a file. To accept new ones: UPDATE_GOLDEN=1, and read the diff.

Commands run as users run them: in a process of their own, plain text, 100 columns.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

UPDATE = os.environ.get("UPDATE_GOLDEN") == "1"
HERE = Path(__file__).resolve().parent
PLAIN = {"NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "100", "LINES": "40", "PYTHONIOENCODING": "utf-8"}


def environment() -> dict[str, str]:
    """Plain text, and the same bayplan as in the tests."""
    path = os.pathsep.join(os.path.abspath(one) for one in sys.path)
    return {name: value for name, value in os.environ.items() if name != "FORCE_COLOR"} | PLAIN | {"PYTHONPATH": path}


def run(command: str, folder: Path, **kwargs: str) -> subprocess.CompletedProcess[str]:
    """`bayplan ...` and `python ...` with the Python that runs the tests."""
    first, *rest = shlex.split(command)
    start = [sys.executable, "-m", "bayplan.cli"] if first == "bayplan" else [sys.executable]
    return subprocess.run(
        [*start, *rest], cwd=folder, env={**environment(), **kwargs}, text=True, capture_output=True, stdin=subprocess.DEVNULL,
        encoding="utf-8", timeout=120, check=False,
    )  # fmt: skip


def plain(text: str) -> str:
    """Without blanks at the ends of lines: tables are padded, and nobody sees it."""
    return "\n".join(line.rstrip() for line in text.splitlines()).rstrip()


def check(name: str, text: str) -> None:
    """The text is what golden/<name> holds."""
    file = HERE / name
    if UPDATE:
        file.write_text(plain(text) + "\n", encoding="utf-8")
    assert file.exists(), f"no {file.name}; UPDATE_GOLDEN=1 writes it"
    assert plain(text) == file.read_text(encoding="utf-8").rstrip()
