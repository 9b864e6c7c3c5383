"""How a command fails: every mistake on a line of its own, on stderr; with --json also as data on stdout."""

from __future__ import annotations

from bayplan.cli import screen
from bayplan.errors import BayplanError, ConfigError, Problem


def problems(error: BayplanError) -> tuple[Problem, ...]:
    return error.problems if isinstance(error, ConfigError) else (Problem(str(error)),)


def as_json(problem: Problem) -> dict[str, object]:
    return {
        "message": problem.message,
        "path": problem.path or None,
        "hint": problem.hint or None,
        "file": problem.file or None,
        "line": problem.line,
        "column": problem.column,
    }


def show(error: BayplanError, *, json: bool) -> None:
    found = problems(error)
    if json:
        screen.print_json("problems", {"problems": [as_json(one) for one in found]})
    write(found)


def write(found: tuple[Problem, ...]) -> None:
    from rich.text import Text

    out = screen.console(stderr=True)
    for one in found:
        place = one.file + ("" if one.line is None else f":{one.line}" + ("" if one.column is None else f":{one.column}"))
        parts: list[tuple[str, str]] = [("error: ", "bold red")]
        parts += [(f"{place}: ", screen.NAME)] if place else []
        parts += [(f"{one.path}: ", screen.TITLE)] if one.path else []
        parts += [(one.message, "")]
        parts += [(f" ({one.hint})", screen.QUIET)] if one.hint else []
        out.print(Text.assemble(*parts), soft_wrap=True)
    if len(found) > 1:
        out.print(f"{len(found):,} mistakes.", style=screen.TITLE)
