"""Who waits, for what: one line for each kind of workload and each group that found no place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from rich.console import Console
from rich.text import Text

from bayplan.cli import replicas, screen
from bayplan.cli.planning import Planned
from bayplan.engine.cluster import Cluster
from bayplan.engine.explanation import Explanation
from bayplan.model.decision import Status
from bayplan.model.group import Request, members
from bayplan.model.workload import Workload

EXPLAINED = 50
"""Explaining takes milliseconds each on large clusters, so only so many are explained unasked."""
EXPLAINED_OF_ALL = 1_000
SHOWN = 10
TOP = 2


@dataclass(frozen=True, slots=True)
class Waiting:
    """Workloads of one kind, or the members of a group; and why, unless there are too many to tell."""

    ids: tuple[str, ...]
    group: str | None
    status: Status
    why: Explanation | None


def waiting(cluster: Cluster, explained: int = EXPLAINED) -> Iterator[Waiting]:
    kinds: dict[object, list[Request]] = {}
    for request in cluster.pending:
        kinds.setdefault(request.kind if isinstance(request, Workload) else request.name, []).append(request)
    for number, alike in enumerate(kinds.values()):
        ids = tuple(one.id for request in alike for one in members(request))
        why = cluster.why(ids[0]) if number < explained else None
        group = None if isinstance(alike[0], Workload) else alike[0].name
        yield Waiting(ids, group, Status.PENDING if why is None else why.status, why)


def show(cluster: Cluster, out: Console, title: str = "PENDING", *, everything: bool = False) -> None:
    every = list(waiting(cluster, EXPLAINED_OF_ALL if everything else EXPLAINED))
    if not every:
        return
    shown = every if everything else _some(every)
    table = screen.table(title, "WHY")
    for one in shown:
        table.add_row(Text(label(one), screen.BAD if one.status is Status.IMPOSSIBLE else screen.WAITING), reasons(one.why))
    out.print(table)
    if len(every) > len(shown):
        left = screen.count(len(every) - len(shown), "more kind of workload", "more kinds of workloads")
        out.print(Text(f"and {left}; --all shows them", screen.QUIET))
    out.print()


def _some(every: list[Waiting]) -> list[Waiting]:
    """Every group, and the first few kinds of single workloads, in order of arrival."""
    single = [one for one in every if one.group is None]
    hidden = {id(one) for one in single[SHOWN:]}
    return [one for one in every if id(one) not in hidden]


def label(one: Waiting) -> str:
    return f"{one.group} (group of {len(one.ids)})" if one.group else replicas.span(one.ids)


def reasons(why: Explanation | None) -> Text:
    """What keeps out the node that comes nearest, and how many others it keeps out, in one line."""
    if why is None:
        return Text("not looked into: there are too many; bayplan why tells", screen.QUIET)
    parts = [f"never: none of {screen.count(why.total, 'node')} will do"] if why.status is Status.IMPOSSIBLE else []
    for node, sentence, nodes in islice(_nearest(why), TOP):
        also = "" if nodes == 1 else f" (and {screen.count(nodes - 1, 'more node')})"
        parts.append(f"{node}{also} {sentence}")
    assuming = f"{why.workload}, assuming {screen.count(len(why.assumed), 'other')} seated: " if why.assumed else ""
    return Text(assuming + "; ".join(parts) if parts else why.note)


def _nearest(why: Explanation) -> Iterator[tuple[str, str, int]]:
    """What the nearest node says, in the order of the policy's filters, and how many nodes say so; else what most nodes say."""
    said = {(one.rule, one.topic, one.no): one for one in why.counts}
    for miss in why.nearest[:1]:
        for reason in miss.reasons:
            alike = said.pop((reason.rule, reason.topic, reason.no), None)
            if alike is not None:
                yield miss.node, reason.sentence, alike.nodes
    if not why.nearest:
        for count in why.counts:
            node, _, sentence = count.example.partition(" ")
            yield node, sentence, count.nodes


def as_json(planned: Planned) -> list[dict[str, object]]:
    return [
        {
            "workloads": list(one.ids),
            "group": one.group,
            "status": one.status,
            "reasons": None if one.why is None else [reason.as_json() for reason in one.why.counts],
        }
        for one in waiting(planned.cluster)
    ]
