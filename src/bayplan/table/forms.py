"""The shapes every rule compiles to. Rules give forms; the engine alone knows how to run them fast.

A *check* (yes or no per row, table/checks.py) and a *term* (a number per row, table/terms.py) can be
asked in several ways:

    whole table      narrow(mask) / add(total)     in place, over all rows
    some rows        at(rows)
    one row          one(row)
    blocks of rows   bound(blocks)                 a term's upper bound per block, never too low

Row-local forms depend on their own row (and, for counts over fine topologies, on rows the change
log names). Coarse forms depend on the row's domain only (`coarse` is its label column), so a
ranking of rows can be kept and shifted by domain.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import NamedTuple, Protocol

from bayplan.model.decision import Reason
from bayplan.table.blocks import Blocks
from bayplan.table.column import Bools, Floats, Rows
from bayplan.table.index import LabelColumn
from bayplan.table.normalised import Normalised


class Check(Protocol):
    coarse: LabelColumn | None

    def stamp(self) -> Hashable: ...
    def narrow(self, mask: Bools) -> None: ...
    def at(self, rows: Rows) -> Bools: ...
    def one(self, row: int) -> bool: ...


class Term(Protocol):
    coarse: LabelColumn | None

    def stamp(self) -> Hashable: ...
    def add(self, total: Floats) -> None: ...
    def at(self, rows: Rows) -> Floats: ...
    def one(self, row: int) -> float: ...
    def bound(self, blocks: Blocks) -> Floats | float: ...


class Clause(NamedTuple):
    """One check of a filter, and the reasons it can give for a row it refuses.

    `hope` tells the two kinds of no apart: a row that passes it may be won when load changes (BUSY),
    others never (NEVER); True and False answer for all rows. `alike`: rows with the same value of
    this label get the same reasons, which lets reasons be counted without asking every row.
    `implied` clauses can refuse only rows that another clause refuses too; they are there for the
    explanation alone. `follower`, where given, is brought up to date before the check is read.
    """

    rule: str
    check: Check
    hope: Check | bool
    reasons: Callable[[int], tuple[Reason, ...]]
    alike: LabelColumn | None = None
    implied: bool = False
    follower: Follower | None = None


class Part(NamedTuple):
    """One term of a scorer; `topic` says in words (by str) what it is about. `follower`, where given,
    is brought up to date before the term is read. `detail` splits the term's number for a row up by topic."""

    rule: str
    topic: object
    term: Term | Normalised
    follower: Follower | None = None
    detail: Callable[[int], list[tuple[str, float]]] | None = None


class Follower(Protocol):
    def catch_up(self) -> None: ...


class RowLocal:
    """What the row-local forms share: no domain, nothing global they depend on."""

    __slots__ = ()
    coarse: LabelColumn | None = None

    def stamp(self) -> Hashable:
        return None
