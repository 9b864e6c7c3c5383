"""`bayplan replay`: the decisions of a log again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from bayplan.cli import options

if TYPE_CHECKING:
    from rich.console import Console

    from bayplan.run.replay import Replay


def replay(
    log: Annotated[str, typer.Argument(metavar="LOG", help="A log written by [bold]bayplan place --log[/].", show_default=False)],
    policy: Annotated[
        str | None,
        typer.Option("--policy", "-p", metavar="NAME|FILE", help="Decide by another policy, and compare.", show_default=False),
    ] = None,
    lenient: options.Lenient = False,
    dialect: options.Dialect = options.Grammar.AUTO,
    json: options.Json = False,
) -> None:
    """Do again what a decision log says, and compare.

    Under its own policy every decision must come out as recorded.

    Under another one you see who would have gained a place, lost one or moved.

    [bold]Examples[/]

    [cyan]bayplan replay decisions.jsonl[/]  the same placements?

    [cyan]bayplan replay decisions.jsonl --policy pack[/]  and under another policy?

    Exit code 0: the same (with --policy: all placed); 1: something differs (with --policy: some pending); 2: the log is wrong.
    """
    from bayplan.cli import policies, screen
    from bayplan.engine.spec import build
    from bayplan.run import replay as replays

    other = build(policies.read(policy, options.Volcano(lenient, dialect))) if policy is not None else None
    found = replays.replay(log, other)
    if json:
        screen.print_json("replay", found.as_json())
    else:
        _show(found, policy is not None, screen.console())
    if policy is not None:
        raise typer.Exit(1 if found.cluster.pending.ids else 0)
    raise typer.Exit(0 if found.same else 1)


def _show(found: Replay, other: bool, out: Console) -> None:
    from bayplan.cli import diff_view, screen

    if found.torn:
        out.print(f"Note: {found.torn}.", style=screen.WAITING)
    counted = f"{screen.count(found.events, 'event')}, {screen.count(found.decisions, 'decision')}"
    out.print(f"Replayed {counted} under policy {found.policy}.")
    if not other and found.same:
        out.print("All came out as recorded.", style=screen.GOOD)
        return
    if found.changed:
        out.print(f"{screen.count(len(found.changed), 'decision')} came out differently:", style=screen.BAD)
        table = screen.table("LINE", "WORKLOAD", "RECORDED", "NOW", right=("LINE",))
        for one in found.changed[: diff_view.ONE_BY_ONE]:
            table.add_row(str(one.line), one.workload, one.recorded, one.now)
        out.print(table)
        if len(found.changed) > diff_view.ONE_BY_ONE:
            out.print(f"and {len(found.changed) - diff_view.ONE_BY_ONE:,} more")
    out.print()
    diff_view.show_moves(found, out)
    out.print(diff_view.tally(found))
