"""The commands together, and one way to fail: a clear text on stderr and exit code 2, never a traceback.

0   all placed         1   some pending         2   bad input         130   interrupted
"""

from __future__ import annotations

import contextlib
import gc
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from bayplan.cli import demo, place, replay, schema, translate, validate, whatif, why
from bayplan.errors import BayplanError, ConfigError, Problem


class Commands(TyperGroup):
    """Runs a command; what it raises about the input is shown, all of it."""

    def get_help_option(self, ctx: Any) -> Any:
        option = super().get_help_option(ctx)
        if option is not None:
            option.default = False  # without a default Typer loads Pydantic to convert nothing into false
        return option

    def invoke(self, ctx: Any) -> Any:
        from bayplan.cli import failing

        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # whoever read our output has seen enough
            raise
        except BayplanError as error:
            failing.show(error, json=ctx.meta.get("bayplan.json", False))
        except OSError as error:
            problem = Problem(error.strerror or str(error), file=str(error.filename or ""))
            failing.show(ConfigError(problem), json=ctx.meta.get("bayplan.json", False))
        raise typer.Exit(2)


app = typer.Typer(
    name="bayplan",
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,  # its options would load Pydantic for every command's help
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Start with [bold cyan]bayplan demo[/]. Every command explains itself with examples: "
    "[bold cyan]bayplan place --help[/]. Exit codes: 0 all placed, 1 some pending, 2 bad input.",
)
app.command("place")(place.place)
app.command("why")(why.why)
app.command("whatif", cls=whatif.InOrder)(whatif.whatif)
app.command("validate")(validate.validate)
app.command("translate")(translate.translate)
app.command("schema")(schema.schema)
app.command("replay")(replay.replay)
app.command("demo")(demo.demo)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib import metadata

        try:
            number = metadata.version("bayplan")
        except metadata.PackageNotFoundError:  # run from its sources
            number = "(not installed)"
        typer.echo(f"bayplan {number}")
        raise typer.Exit


@app.callback()
def bayplan(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    """Decide where work runs, and say why.

    Describe nodes and workloads in YAML: bayplan places them, explains every decision, and answers what would happen if.
    """


GARBAGE = (100_000, 50, 1_000)
"""How rarely to look for garbage. Nearly all that a command makes lives to its end, and looking through it over and
over took a third of the time for 50,000 workloads. Rarely is not never: explanations do leave cycles behind."""


def run() -> None:
    gc.set_threshold(*GARBAGE)
    # A name with a character the terminal cannot show is shown escaped; it is no reason to stop.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        app(prog_name="bayplan")
    except BrokenPipeError:
        _quietly()
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)


def _quietly() -> None:
    """Python flushes stdout once more at its end, and would complain."""
    import os

    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
