"""`bayplan whatif`: change something on a copy, decide again, compare."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from bayplan.cli import options

if TYPE_CHECKING:
    from bayplan.cli.diff_view import Compared

CHANGES = ("add", "add-template", "remove", "drain", "cordon", "uncordon", "relabel", "taint", "release", "policy")
"""Options that are changes: they are made in the order they are given in."""
OTHERS = ("versus", "seed", "dialect", "kube", "kube-version", "scheduler")
"""Options that take a value and are no changes."""


class InOrder(TyperCommand):
    """Keeps the order of the changes on the command line; Typer groups them by option."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        ctx.meta["bayplan.order"] = order(args)
        return super().parse_args(ctx, args)


def order(args: list[str]) -> list[str]:
    """The names of the change options as they come: `["drain", "add", "drain"]`."""
    found = []
    rest = iter(args)
    for word in rest:
        if word == "--":
            break
        name, equals, _ = word.removeprefix("--").partition("=") if word.startswith("--") else (word, "", "")
        name = "policy" if word.startswith("-p") else name
        if not word.startswith("-") or name not in (*CHANGES, *OTHERS):
            continue
        if name in CHANGES:
            found.append(name)
        if not equals and (word.startswith("--") or word == "-p"):
            next(rest, None)  # its value, whatever it looks like
    return found


def _option(metavar: str, text: str, *names: str) -> Any:
    return typer.Option(*names, metavar=metavar, help=text, show_default=False)


Add = Annotated[list[str] | None, _option("SPEC|FILE", "Add nodes: name=n9,cpu=8,gpu=2,label.zone=a, or a file.", "--add")]
Template = Annotated[list[str] | None, _option("NAME[=COUNT]", "Add nodes like a template in FILES.", "--add-template")]
Remove = Annotated[list[str] | None, _option("NODE", "Take a node away.", "--remove")]
Drain = Annotated[list[str] | None, _option("NODE", "Cordon a node and move its work elsewhere.", "--drain")]
Cordon = Annotated[list[str] | None, _option("NODE", "Give a node no new work.", "--cordon")]
Uncordon = Annotated[list[str] | None, _option("NODE", "Give it new work again.", "--uncordon")]
Relabel = Annotated[list[str] | None, _option("NODE:KEY=VALUE,KEY-", "Set labels of a node, or take them away.", "--relabel")]
TaintIt = Annotated[list[str] | None, _option("NODE:KEY=VALUE:EFFECT", "Add a taint; NODE:KEY- takes it away.", "--taint")]
Release = Annotated[list[str] | None, _option("WORKLOAD", "Let a workload go.", "--release")]
Anew = Annotated[list[str] | None, _option("NAME|FILE", "Place everything anew by another policy.", "--policy", "-p")]
Versus = Annotated[list[str] | None, _option("FILE", "Compare with the plan of other files; no changes then.", "--versus")]


def whatif(
    ctx: typer.Context,
    files: options.FilesBesideKube = None,
    kube: options.KubePaths = None,
    add: Add = None,
    add_template: Template = None,
    remove: Remove = None,
    drain: Drain = None,
    cordon: Cordon = None,
    uncordon: Uncordon = None,
    relabel: Relabel = None,
    taint: TaintIt = None,
    release: Release = None,
    policy: Anew = None,
    versus: Versus = None,
    lenient: options.Lenient = False,
    dialect: options.Dialect = options.Grammar.AUTO,
    everything: options.All = False,
    json: options.Json = False,
    seed: options.Seed = 0,
    kube_version: options.KubeVersion = "1.37",
    scheduler: options.Scheduler = "default-scheduler",
) -> None:
    """Show what a change would do: who gains a place, who loses one, who moves.

    First everything in FILES is placed, as [cyan]bayplan place[/] would.

    Then the changes are made on a copy, in the order given, and what they displace or leave pending is placed again.

    [bold]Examples[/]

    [cyan]bayplan whatif cluster.yaml --drain n3[/]  can n3 be taken down?

    [cyan]bayplan whatif cluster.yaml --add name=big,count=2,cpu=64,memory=256Gi,gpu=8,label.zone=a[/]  buy two nodes

    [cyan]bayplan whatif cluster.yaml --relabel n1:zone=b,disk- --taint n1:gpu=true:NoSchedule[/]

    [cyan]bayplan whatif cluster.yaml --policy pack[/]  everything anew by another policy

    [cyan]bayplan whatif nodes.yaml pods.yaml volcano-scheduler.conf --policy changed.conf[/]  another scheduler configuration

    [cyan]bayplan whatif today.yaml --versus tomorrow.yaml[/]  two plans compared

    Exit code 0: all placed after the change; 1: some pending; 2: the input is wrong.
    """
    objects = options.Kube(tuple(kube or ()), kube_version, scheduler)
    found = _compared(options.given(files, objects), _in_order(ctx), versus, seed, options.Volcano(lenient, dialect), objects)
    raise typer.Exit(_show(found, as_json=json, everything=everything))


def _in_order(ctx: typer.Context) -> list[tuple[str, str]]:
    """The changes with their values, in the order they are given in."""
    queues = {name: iter(ctx.params[name.replace("-", "_")] or ()) for name in CHANGES}
    return [(name, next(queues[name])) for name in ctx.meta["bayplan.order"]]


def _compared(
    files: list[str], asked: list[tuple[str, str]], versus: list[str] | None, seed: int, volcano: options.Volcano,
    kube: options.Kube,
) -> Compared:  # fmt: skip
    from bayplan.cli import changes, diff_view, planning

    changes.check(asked, versus)
    before = planning.plan(files, None, seed, volcano=volcano, kube=kube)
    if versus:
        return diff_view.Compared.of(before.cluster, planning.plan(versus, None, seed, volcano=volcano).cluster)
    change = changes.whatif(before, asked, volcano)
    return diff_view.Compared.of(before.cluster, change.cluster, change.changes)


def _show(found: Compared, *, as_json: bool, everything: bool) -> int:
    """Show it; the exit code."""
    from bayplan.cli import diff_view, screen

    if as_json:
        screen.print_json("difference", found.as_json())
    else:
        diff_view.show(found, screen.console(), everything=everything)
    return 1 if found.pending_after else 0
