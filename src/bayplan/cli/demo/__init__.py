"""`bayplan demo`: a small cluster with CPUs and GPUs in three acts. Placed, explained, repaired."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.console import Console

FILE = "demo.yaml"
NEW_NODE = "name=gpu-3,cpu=32,memory=256Gi,gpu=4,label.zone=a,label.accelerator=a100,taint=gpu=true:NoSchedule"


def demo(
    save: Annotated[
        str | None,
        typer.Option("--save", metavar="FILE", help="Write the demo's YAML to a new file, to play with.", show_default=False),
    ] = None,
) -> None:
    """See bayplan plan a small cluster, explain what is pending, and find a way out.

    [bold]Examples[/]

    [cyan]bayplan demo[/]

    [cyan]bayplan demo --save demo.yaml[/]  then try the commands it shows
    """
    from importlib import resources

    from bayplan.cli import changes, diff_view, plan_view, planning, screen, why, why_view

    source = resources.files(__package__) / "cluster.yaml"
    if save is not None:
        with open(save, "x", encoding="utf-8") as file:
            file.write(source.read_text(encoding="utf-8"))
    name, out = save or FILE, screen.console()
    with resources.as_file(source) as path:
        planned = planning.plan([str(path)])

    _act(out, "1. Place", "Four CPU nodes in two zones, three GPU nodes, a shop and a training job.", f"bayplan place {name}")
    plan_view.show(planned, out, [name])

    _act(out, "2. Ask why", "The training job starts whole or not at all. What does it wait for?", f"bayplan why train {name}")
    why_view.show(why.explanations(planned, "train")[0], out)

    command = f"bayplan whatif {name} \\\n      --add {NEW_NODE}"
    _act(out, "3. Ask what if", "Would one more GPU node do? On a copy, nothing is touched:", command)
    change = changes.whatif(planned, [("add", NEW_NODE)])
    diff_view.show(diff_view.Compared.of(planned.cluster, change.cluster, change.changes), out)

    out.print()
    if save is None:
        out.print(f"Try it yourself: bayplan demo --save {FILE}", style=screen.QUIET)


def _act(out: Console, title: str, caption: str, command: str) -> None:
    from rich.text import Text

    from bayplan.cli import screen

    out.print()
    out.print(Text.assemble((f"{title}. ", "bold magenta"), caption))
    out.print(Text.assemble(("  $ ", screen.QUIET), (command, "bold " + screen.NAME)), soft_wrap=True)
    out.print()
