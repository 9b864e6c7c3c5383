"""`bayplan place`: everything in the files, placed and shown."""

from __future__ import annotations

from typing import Annotated

import typer

from bayplan.cli import options

Log = Annotated[
    str | None,
    typer.Option("--log", metavar="FILE", help="Write every decision to this new file, for replay.", show_default=False),
]


def place(
    files: options.FilesBesideKube = None,
    kube: options.KubePaths = None,
    policy: options.Policy = None,
    lenient: options.Lenient = False,
    dialect: options.Dialect = options.Grammar.AUTO,
    everything: options.All = False,
    json: options.Json = False,
    log: Log = None,
    seed: options.Seed = 0,
    kube_version: options.KubeVersion = "1.37",
    scheduler: options.Scheduler = "default-scheduler",
) -> None:
    """Place all workloads and groups, and show where they go.

    The most important come first, then in the order of the files. What finds no node stays pending, with its reasons.

    With more than 30 workloads, replicas share a line; [cyan]--all[/] shows every one.

    [bold]Examples[/]

    [cyan]bayplan place cluster.yaml[/]  all in one file

    [cyan]bayplan place nodes/ work.yaml --policy pack[/]  a directory and a file, nodes filled up one by one

    [cyan]kubectl get nodes,pods -A -o json | bayplan place --kube -[/]  as kube-scheduler would

    [cyan]bayplan place nodes.yaml pods.yaml --policy volcano-scheduler.conf[/]  as Volcano's scheduler would

    [cyan]bayplan place cluster.yaml --json | jq '.decisions[] | select(.node == null)'[/]  what is pending

    [cyan]bayplan place cluster.yaml --log decisions.jsonl[/]  keep the decisions for [cyan]bayplan replay[/]

    Exit code 0: all placed; 1: some pending; 2: the input is wrong.
    """
    from bayplan.cli import plan_view, planning, screen

    volcano = options.Volcano(lenient, dialect)
    objects = options.Kube(tuple(kube or ()), kube_version, scheduler)
    named = options.given(files, objects)
    planned = planning.plan(named, policy, seed, log, volcano, objects)
    if json:
        screen.print_json("plan", plan_view.as_json(planned))
    else:
        words = options.again(named, policy, volcano, seed, objects)
        plan_view.show(planned, screen.console(), words, everything=everything)
    raise typer.Exit(1 if planned.plan.pending else 0)
