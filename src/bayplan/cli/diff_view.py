"""Two plans compared, on the screen: gained, lost, moved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from rich.console import Console
from rich.text import Text

from bayplan.cli import pending_view, replicas, screen
from bayplan.engine.cluster import Cluster
from bayplan.engine.diff import Move, Moves, Where, difference, state

ONE_BY_ONE = 30


@dataclass(frozen=True, slots=True)
class Compared(Moves):
    """The moves from one plan to another; `gone` and `new` are in one of the two only."""

    changes: tuple[str, ...]
    gone: tuple[Move, ...]
    new: tuple[Move, ...]
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
        return cls(both, unchanged, changes, gone, fresh, len(before.pending.ids), len(after.pending.ids), after)

    def as_json(self) -> dict[str, object]:
        return {
            "changes": list(self.changes),
            **self.sorts_as_json(),
            "gone": [one.as_json() for one in self.gone],
            "new": [one.as_json() for one in self.new],
            "unchanged": self.unchanged,
            "pending": {"before": self.pending_before, "after": self.pending_after},
        }


def show(found: Compared, out: Console, *, everything: bool = False) -> None:
    if found.changes:
        out.print(Text.assemble(("What if: ", screen.TITLE), "; ".join(found.changes)))
        out.print()
    show_moves(found, out, found.gone, found.new, everything=everything)
    out.print(tally(found, found.gone, found.new))
    waiting = f"Pending: {found.pending_before:,} before, {found.pending_after:,} after."
    out.print(Text(waiting, screen.WAITING if found.pending_after else screen.GOOD))
    if found.pending_after:
        out.print()
        pending_view.show(found.cluster, out, "STILL PENDING" if found.changes else "PENDING", everything=everything)


def tally(found: Moves, gone: Sequence[Move] = (), new: Sequence[Move] = ()) -> Text:
    plus, minus = len(found.gained), len(found.lost)
    other = (f", {len(gone):,} gone" if gone else "") + (f", {len(new):,} new" if new else "")
    return Text.assemble(
        (f"{plus:,} gained a place", screen.GOOD if plus else ""), ", ",
        (f"{minus:,} lost theirs", screen.BAD if minus else ""), ", ",
        f"{len(found.moved):,} moved{other}, {found.unchanged:,} unchanged.",
    )  # fmt: skip


def show_moves(
    found: Moves, out: Console, gone: Sequence[Move] = (), new: Sequence[Move] = (), *, everything: bool = False
) -> None:
    if not found.moves and not gone and not new:
        return
    table = screen.table("", "WORKLOAD", "BEFORE", "AFTER")
    together = not everything and len(found.moves) + len(gone) + len(new) > ONE_BY_ONE
    for word, some, style, nowhere in (
        ("gained", found.gained, screen.GOOD, ("pending", "pending")),
        ("lost", found.lost, screen.BAD, ("pending", "pending")),
        ("moved", found.moved, screen.NAME, ("pending", "pending")),
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
    way = [(replicas.stem(one.workload), one.before or "", one.after or "") for one in moves]
    in_order = sorted(range(len(moves)), key=lambda at: way[at])
    for (_, before, after), several in groupby(in_order, key=lambda at: way[at]):
        yield replicas.span([moves[at].workload for at in several]), before, after
