"""The screen: one console, a few styles, bars, and JSON.

Colour only on a terminal and never with NO_COLOR; 100 columns when the output goes elsewhere. No markup
is read from texts, because names and messages may contain brackets.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any, Final

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

GOOD: Final = "green"
WAITING: Final = "yellow"
BAD: Final = "red"
NAME: Final = "cyan"
QUIET: Final = "dim"
TITLE: Final = "bold"
PIPED_WIDTH: Final = 100


def console(*, stderr: bool = False) -> Console:
    stream = sys.stderr if stderr else sys.stdout
    sized = stream.isatty() or os.environ.get("COLUMNS", "").isdigit()
    return Console(stderr=stderr, width=None if sized else PIPED_WIDTH, markup=False, highlight=False, emoji=False)


def table(*headings: str, right: tuple[str, ...] = ()) -> Table:
    """Columns with headings and no lines: it reads the same in every terminal and file."""
    found = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style=TITLE)
    for heading in headings:
        found.add_column(heading, justify="right" if heading in right else "left", overflow="fold")
    return found


def indented(content: Any) -> Any:
    from rich.padding import Padding

    return Padding(content, (0, 0, 0, 2), expand=False)


def bar(share: float, screen: Console, width: int = 8) -> Text:
    """How full: a bar and percent. Green, yellow from three quarters, red when full."""
    share = min(max(share, 0.0), 1.0)
    full, empty = ("█", "░") if screen.encoding.startswith("utf") else ("#", ".")
    # Something is never drawn as nothing, and not quite full never as full.
    cells = min(max(round(share * width), share > 0), width - (share < 1))
    style = BAD if share >= 1 else WAITING if share >= 0.75 else GOOD
    return Text.assemble((full * cells, style), (empty * (width - cells), QUIET), f" {_percent(share):>4}")


def _percent(share: float) -> str:
    return "99%" if 0.99 <= share < 1 else "1%" if 0 < share < 0.01 else f"{share:.0%}"


def count(number: int, noun: str, several: str = "") -> str:
    """`1 node`, `2,000 nodes`"""
    return f"{number:,} {noun if number == 1 else several or noun + 's'}"


def print_json(kind: str, data: dict[str, object]) -> None:
    """Every JSON output is one object that says what it is, and the version of its form."""
    typer.echo(json.dumps({"kind": kind, "version": 1, **data}, indent=2))
