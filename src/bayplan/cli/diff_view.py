"""Two plans compared, on the screen: gained, lost, moved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from rich.console import Console
from rich.text import Text

from bayplan.cli import pending_view, plan_view, screen
from bayplan.engine.cluster import Cluster
from bayplan.engine.whatif import Move, Where, difference

ONE_BY_ONE = 30


@dataclass(frozen=True, slots=True)
class Compared:
    """The moves from one plan to another; `gone` and `new` are in one of the two only."""

    changes: tuple[str, ...]
    moves: tuple[Move, ...]
    gone: tuple[Move, ...]
    new: tuple[Move, ...]
    unchanged: int
    pending_before: int
    pending_after: int
    cluster: Cluster
    """As it would be."""

    @classmethod
    def of(cls, before: Cluster, after: Cluster, changes: tuple[str, ...] = ()) -> Compared:
        old, new = state(before), state(after)
        moves, unchanged = difference(old, new)
        both = tuple(one for one in moves if one.workload in old and one.workload in new)
        gone = tuple(one for one in moves if one.workload not in new)
        fresh = tuple(one for one in moves if one.workload not in old)
        # One that waited and is gone, or is new and waits, is nowhere on both sides: difference() calls that unchanged.
        unchanged -= sum((one in old) != (one in new) and old.get(one) == new.get(one) for one in {**old, **new})
        return cls(changes, both, gone, fresh, unchanged, len(before.pending.ids), len(after.pending.ids), after)

    def as_json(self) -> dict[str, object]:
        sorts = {"gained": gained(self.moves), "lost": lost(self.moves), "moved": moved(self.moves)}
        return {
            "changes": list(self.changes),
            **{name: [one.as_json() for one in moves] for name, moves in sorts.items()},
            "gone": [one.as_json() for one in self.gone],
            "new": [one.as_json() for one in self.new],
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
        out.print(Text.assemble(("What if: ", screen.TITLE), "; ".join(found.changes)))
        out.print()
    show_moves(found.moves, out, found.gone, found.new)
    out.print(tally(found.moves, found.unchanged, found.gone, found.new))
    waiting = f"Pending: {found.pending_before:,} before, {found.pending_after:,} after."
    out.print(Text(waiting, screen.WAITING if found.pending_after else screen.GOOD))
    if found.pending_after:
        out.print()
        pending_view.show_waiting(found.cluster, out, "STILL PENDING" if found.changes else "PENDING")


def tally(moves: Sequence[Move], unchanged: int, gone: Sequence[Move] = (), new: Sequence[Move] = ()) -> Text:
    plus, minus = len(gained(moves)), len(lost(moves))
    other = (f", {len(gone):,} gone" if gone else "") + (f", {len(new):,} new" if new else "")
    return Text.assemble(
        (f"{plus:,} gained a place", screen.GOOD if plus else ""), ", ",
        (f"{minus:,} lost theirs", screen.BAD if minus else ""), ", ",
        f"{len(moved(moves)):,} moved{other}, {unchanged:,} unchanged.",
    )  # fmt: skip


def show_moves(moves: Sequence[Move], out: Console, gone: Sequence[Move] = (), new: Sequence[Move] = ()) -> None:
    if not moves and not gone and not new:
        return
    table = screen.table("", "WORKLOAD", "BEFORE", "AFTER")
    together = len(moves) + len(gone) + len(new) > ONE_BY_ONE
    for word, some, style, nowhere in (
        ("gained", gained(moves), screen.GOOD, ("pending", "pending")),
        ("lost", lost(moves), screen.BAD, ("pending", "pending")),
        ("moved", moved(moves), screen.NAME, ("pending", "pending")),
        ("gone", gone, screen.QUIET, ("pending", "-")),
        ("new", new, screen.NAME, ("-", "pending")),
    ):
        for name, before, after in _rows(some, together=together):
            table.add_row(Text(word, style), name, Text(before or nowhere[0]), Text(after or nowhere[1], style))
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
