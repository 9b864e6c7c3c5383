"""`bayplan why`: the reasons behind one decision."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from bayplan.cli import options

if TYPE_CHECKING:
    from bayplan.cli.planning import Planned
    from bayplan.cli.why_view import Answer
    from bayplan.engine.explanation import Explanation
    from bayplan.engine.preempt import Preemption


def why(
    workload: Annotated[str, typer.Argument(help="A workload, a member of a group, or a group.", show_default=False)],
    files: options.FilesBesideKube = None,
    kube: options.KubePaths = None,
    node: Annotated[
        str | None, typer.Option("--node", "-n", metavar="NODE", help="Why this node, or why not?", show_default=False)
    ] = None,
    all_nodes: Annotated[bool, typer.Option("--all-nodes", help="The score or the reasons of every single node.")] = False,
    policy: options.Policy = None,
    lenient: options.Lenient = False,
    dialect: options.Dialect = options.Grammar.AUTO,
    json: options.Json = False,
    seed: options.Seed = 0,
    kube_version: options.KubeVersion = "1.37",
    scheduler: options.Scheduler = "default-scheduler",
) -> None:
    """Explain why a workload is where it is, or why it is nowhere.

    Placed: the score by rule, beside the runner-up's.

    Pending: how many nodes each reason keeps out, the nearest misses, the smallest change that would help, who would have to go.

    [bold]Examples[/]

    [cyan]bayplan why web-0 cluster.yaml[/]  why there?

    [cyan]bayplan why web-0 cluster.yaml --node n7[/]  why not on n7?

    [cyan]bayplan why train cluster.yaml[/]  what does the group train wait for?

    [cyan]bayplan why pod/web-0 --kube dump.json --all-nodes[/]  what each plugin of kube-scheduler says of each node

    [cyan]bayplan why train cluster.yaml --all-nodes --json[/]  every reason of every node, for programs

    Exit code 0: it is placed; 1: it is pending; 2: the input is wrong.
    """
    from bayplan.cli import planning, screen, why_view

    objects = options.Kube(tuple(kube or ()), kube_version, scheduler)
    planned = planning.plan(options.given(files, objects), policy, seed, None, options.Volcano(lenient, dialect), objects)
    answer = _answer(planned, workload, node, all_nodes)
    if json:
        screen.print_json("explanation", why_view.as_json(answer))
    else:
        why_view.show_answer(answer, screen.console())
    raise typer.Exit(0 if answer.found[0].chosen is not None else 1)


def _answer(planned: Planned, name: str, node: str | None, all_nodes: bool) -> Answer:
    from bayplan.cli import kube as kubes
    from bayplan.cli.why_view import Answer

    kube = planned.manifest.overbooked
    found = explanations(planned, kubes.name_of(name) if kube else name)
    for one in found if node is not None else ():
        one.node(node or "")  # a node that is none should be said before anything else
    return Answer(name, found, preemption(planned, found[0]), node, all_nodes, kube)


def explanations(planned: Planned, name: str) -> list[Explanation]:
    """One for a workload, one for a waiting group, one for each member of a placed group."""
    from bayplan.cli import replicas
    from bayplan.errors import did_you_mean, wrong

    cluster = planned.cluster
    if name in cluster.snapshot.placements or name in cluster.pending:
        return [cluster.why(name)]
    gang = [one for one in planned.plan if one.group == name]
    if gang:
        return [cluster.why(one.workload) for one in (gang if gang[0].placed else gang[:1])]
    known = [*cluster.snapshot.placements, *cluster.pending.ids, *(one.group for one in planned.plan if one.group)]
    # Comparing a word with a million others takes minutes.
    hint = replicas.family(name, known) or did_you_mean(name, known[:10_000])
    raise wrong(f"there is no workload or group {name!r}", hint=hint)


def preemption(planned: Planned, found: Explanation) -> Preemption | None:
    """Who would have to go, for a workload or a group that waits for room."""
    if found.chosen is not None or found.workload not in planned.cluster.pending:
        return None
    return planned.cluster.preempt(found.workload)
