"""Two plans compared, on the screen: gained, lost, moved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from rich.console import Console
from rich.text import Text

from bayplan.cli import pending_view, plan_view, screen
from bayplan.cli.planning import Planned
from bayplan.engine.cluster import Cluster
from bayplan.engine.whatif import Difference, Move, Where, difference

ONE_BY_ONE = 30


@dataclass(frozen=True, slots=True)
class Compared:
    """The moves from one plan to another."""

    title: str
    changes: tuple[str, ...]
    moves: tuple[Move, ...]
    unchanged: int
    pending_before: int
    pending_after: int
    cluster: Cluster
    """As it would be."""

    @classmethod
    def change(cls, before: Planned, found: Difference) -> Compared:
        waiting = len(before.cluster.pending.ids), len(found.cluster.pending.ids)
        return cls("What if", found.changes, found.moves, found.unchanged, *waiting, found.cluster)

    @classmethod
    def plans(cls, before: Planned, after: Planned) -> Compared:
        moves, unchanged = difference(state(before.cluster), state(after.cluster))
        waiting = len(before.cluster.pending.ids), len(after.cluster.pending.ids)
        return cls("Two plans", (), moves, unchanged, *waiting, after.cluster)

    def as_json(self) -> dict[str, object]:
        sorts = {"gained": gained(self.moves), "lost": lost(self.moves), "moved": moved(self.moves)}
        return {
            "changes": list(self.changes),
            **{name: [one.as_json() for one in moves] for name, moves in sorts.items()},
            "unchanged": self.unchanged,
            "pending": {"before": self.pending_before, "after": self.pending_after},
        }


def state(cluster: Cluster) -> dict[str, Where]:
    """Where everything is; None: it waits."""
    found: dict[str, Where] = dict(cluster.assignments)
    found.update(dict.fromkeys(cluster.pending.ids))
    return found


def gained(moves: Sequence[Move]) -> list[Move]:
    return [one for one in moves if one.before is None]


def lost(moves: Sequence[Move]) -> list[Move]:
    return [one for one in moves if one.after is None]


def moved(moves: Sequence[Move]) -> list[Move]:
    return [one for one in moves if one.before is not None and one.after is not None]


def show(found: Compared, out: Console) -> None:
    if found.changes:
        out.print(Text.assemble((f"{found.title}: ", screen.TITLE), "; ".join(found.changes)))
        out.print()
    show_moves(found.moves, out)
    out.print(tally(found.moves, found.unchanged))
    waiting = f"Pending: {found.pending_before:,} before, {found.pending_after:,} after."
    out.print(Text(waiting, screen.WAITING if found.pending_after else screen.GOOD))
    if found.pending_after:
        out.print()
        pending_view.show_waiting(found.cluster, out, "STILL PENDING" if found.changes else "PENDING")


def tally(moves: Sequence[Move], unchanged: int) -> Text:
    plus, minus = len(gained(moves)), len(lost(moves))
    return Text.assemble(
        (f"{plus:,} gained a place", screen.GOOD if plus else ""), ", ",
        (f"{minus:,} lost theirs", screen.BAD if minus else ""), ", ",
        f"{len(moved(moves)):,} moved, {unchanged:,} unchanged.",
    )  # fmt: skip


def show_moves(moves: Sequence[Move], out: Console) -> None:
    if not moves:
        return
    table = screen.table("", "WORKLOAD", "BEFORE", "AFTER")
    sorts = (("gained", gained(moves), screen.GOOD), ("lost", lost(moves), screen.BAD), ("moved", moved(moves), screen.NAME))
    for word, some, style in sorts:
        for name, before, after in _rows(some, together=len(moves) > ONE_BY_ONE):
            table.add_row(Text(word, style), name, Text(before or "pending"), Text(after or "pending", style))
    out.print(table)
    out.print()


def _rows(moves: Sequence[Move], *, together: bool) -> Iterator[tuple[str, Where, Where]]:
    """One line each; with many, those of one kind that go the same way share a line."""
    if not together:
        yield from ((one.workload, one.before, one.after) for one in moves)
        return
    way = [(plan_view.stem(one.workload), one.before or "", one.after or "") for one in moves]
    in_order = sorted(range(len(moves)), key=lambda at: way[at])
    for (_, before, after), several in groupby(in_order, key=lambda at: way[at]):
        yield plan_view.span([moves[at].workload for at in several]), before, after
