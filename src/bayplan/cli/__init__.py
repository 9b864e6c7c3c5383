"""The command line: parse, call, render. Nothing is decided here.

    app        the commands, and what happens when one fails
    options    what several commands take
    planning   files into a placed cluster
    screen     colours, widths, bars, JSON
    <command>  one file each; <what>_view draws it

Nothing here imports NumPy, Pydantic or the engine before a command runs: help must come at once.
"""

from __future__ import annotations


def main() -> None:
    """The entry point of the `bayplan` command."""
    from bayplan.cli.app import run

    run()
