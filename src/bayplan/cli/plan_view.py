"""A plan on the screen: who goes where, how full the nodes get, and who waits for what."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby, islice

from rich.console import Console
from rich.text import Text

from bayplan.cli import nodes_view, pending_view, replicas, screen
from bayplan.cli.planning import Planned
from bayplan.model.decision import Decision, Status

ONE_BY_ONE = 30
"""Up to so many workloads have a line each."""
NODES_NAMED = 4
MOST_ROWS = 500
"""A table of fifty thousand lines is read by nobody and takes longer to draw than to decide."""

STYLE = {Status.PLACED: screen.GOOD, Status.PENDING: screen.WAITING, Status.IMPOSSIBLE: screen.BAD}


def show(planned: Planned, out: Console, asked: Sequence[str], *, everything: bool = False) -> None:
    """`asked`: the files and options that the plan was asked for with."""
    plan = planned.plan
    if len(plan):
        table = screen.table("WORKLOAD", "NODE", "SCORE", "NOTE", right=("SCORE",))
        rows = iter(_one_by_one(plan) if everything or len(plan) <= ONE_BY_ONE else _together(plan))
        for row in islice(rows, None if everything else MOST_ROWS):
            table.add_row(*row)
        out.print(table)
        if left := sum(1 for _ in rows):
            out.print(Text(f"and {left:,} more lines; --all shows them", screen.QUIET))
        out.print()
    nodes_view.show(planned.cluster, out, everything=everything)
    pending_view.show(planned.cluster, out, everything=everything)
    out.print(summary(planned, out))
    if plan.pending:
        name = plan.pending[0].group or plan.pending[0].workload
        out.print(Text.assemble("Ask ", (f"bayplan why {shlex.join([name, *asked])}", screen.NAME), " for the whole story."))


def summary(planned: Planned, out: Console) -> Text:
    plan, cluster = planned.plan, planned.cluster
    used = len({one.node for one in plan.placed})
    pending = len(plan.pending)
    took = f", {planned.seconds * 1000:.0f} ms" if out.is_terminal else ""
    return Text.assemble(
        (f"{len(plan.placed):,} of {screen.count(len(plan), 'workload')} placed", screen.GOOD if not pending else ""),
        f" on {used:,} of {screen.count(len(cluster.snapshot.row_of), 'node')}",
        (f", {pending:,} pending" if pending else "", screen.WAITING),
        (f" (policy {cluster.policy.name}{took})", screen.QUIET),
    )


def _one_by_one(decisions: Sequence[Decision]) -> Iterator[tuple[Text | str, ...]]:
    for one in decisions:
        where = Text(one.node or str(one.status), STYLE[one.status])
        yield one.workload, where, "" if one.score is None else f"{one.score:.3f}", note(one)


def note(one: Decision) -> Text:
    """Group, fallback and devices, where there are any."""
    parts = [f"group {one.group}"] if one.group else []
    parts += [f"fallback {one.fallback}"] if one.fallback else []
    parts += [f"{resource} {', '.join(ids)}" for resource, ids in (one.devices or {}).items()]
    return Text("; ".join(parts), screen.QUIET)


def _together(decisions: Sequence[Decision]) -> Iterator[tuple[Text | str, ...]]:
    """Replicas on one line, with the number that each node got."""
    for _, several in groupby(decisions, key=lambda one: (replicas.stem(one.workload), one.group)):
        run = list(several)
        if len(run) == 1:
            yield from _one_by_one(run)
            continue
        nodes = Counter(one.node for one in run if one.node is not None)
        shown = [f"{node} x{times}" for node, times in nodes.most_common(NODES_NAMED)]
        where = Text(", ".join(shown), screen.GOOD)
        if len(nodes) > NODES_NAMED:
            where.append(f" and {screen.count(len(nodes) - NODES_NAMED, 'more node')}")
        if waiting := sum(one.node is None for one in run):
            where.append(f"{', ' if nodes else ''}{waiting:,} pending", screen.WAITING)
        fallen = sum(one.fallback > 0 for one in run)
        notes = [f"group {run[0].group}"] if run[0].group else []
        notes += [f"{fallen:,} by a fallback"] if fallen else []
        yield replicas.span([one.workload for one in run]), where, "", Text("; ".join(notes), screen.QUIET)


def as_json(planned: Planned) -> dict[str, object]:
    plan, cluster = planned.plan, planned.cluster
    statuses = Counter(one.status for one in plan)
    return {
        "policy": cluster.policy.name,
        "seed": cluster.snapshot.seed,
        "summary": {
            "workloads": len(plan),
            **{str(status): statuses[status] for status in Status},
            "residents": len(planned.manifest.residents),
            "nodes": len(cluster.snapshot.row_of),
        },
        "decisions": [one.as_json() for one in plan],
        "waiting": pending_view.as_json(planned),
        "nodes": nodes_view.as_json(cluster),
    }
