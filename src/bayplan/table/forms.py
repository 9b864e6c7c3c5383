"""The shapes every rule compiles to. Rules give forms; the engine alone knows how to run them fast.

A *check* (yes or no per row) and a *term* (a number per row) can be asked in several ways:

    whole table      narrow(mask) / add(total)     in place, over all rows
    some rows        at(rows)
    one row          one(row)
    blocks of rows   bound(blocks)                 a term's upper bound per block, never too low

Row-local forms depend on their own row (and, for counts over fine topologies, on rows the change
log names). Coarse forms depend on the row's domain only (`coarse` is its label column), so a
ranking of rows can be kept and shifted by domain.

    AtLeast   column >= amount                        fits, devices
    Holds     a boolean column                        selectors, taints, cordon
    Counted   a yes or no by the domain's count       near, apart, spread
    Where     any function of the rows                users' own rules
    Weighs    a column, times a weight                preferences
    Linear    base - sum(rate * amount)               packing
    Formula   arithmetic over columns of the row      balance, utilisation shapes
    Curve     any function of the rows                users' own rules
    Graded    a number by the domain's count          soft near, apart and spread
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from math import inf, sqrt
from typing import Any, NamedTuple, Protocol

import numpy as np

from bayplan.model.decision import Reason
from bayplan.table.blocks import Blocks
from bayplan.table.column import Bools, Column, Floats, Ints, Rows
from bayplan.table.index import LabelColumn
from bayplan.table.tally import Tally


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
    explanation alone.
    """

    rule: str
    check: Check
    hope: Check | bool
    reasons: Callable[[int], tuple[Reason, ...]]
    alike: LabelColumn | None = None
    implied: bool = False


class Part(NamedTuple):
    """One term of a scorer; `topic` says in words (by str) what it is about. `follower`, where given,
    is brought up to date before the term is read."""

    rule: str
    topic: object
    term: Term
    follower: Follower | None = None


class Follower(Protocol):
    def catch_up(self) -> None: ...


class RowLocal:
    """What the row-local forms share: no domain, nothing global they depend on."""

    __slots__ = ()
    coarse: LabelColumn | None = None

    def stamp(self) -> Hashable:
        return None


class AtLeast(RowLocal):
    __slots__ = ("amount", "column")

    def __init__(self, column: Column, amount: float):
        self.column, self.amount = column, amount

    def narrow(self, mask: Bools) -> None:
        mask &= self.column.data >= self.amount

    def at(self, rows: Rows) -> Bools:
        return self.column.data[rows] >= self.amount

    def one(self, row: int) -> bool:
        return bool(self.column.cell[row] >= self.amount)


class Holds(RowLocal):
    __slots__ = ("column",)

    def __init__(self, column: Column):
        self.column = column

    def narrow(self, mask: Bools) -> None:
        mask &= self.column.data

    def at(self, rows: Rows) -> Bools:
        found: Bools = self.column.data[rows]
        return found

    def one(self, row: int) -> bool:
        return bool(self.column.cell[row])


class Where(RowLocal):
    """`function(rows)` judges the given rows; it may read the table, but only those rows of it."""

    __slots__ = ("function", "room")

    def __init__(self, function: Callable[[Rows], Bools], room: int):
        self.function, self.room = function, room

    def narrow(self, mask: Bools) -> None:
        rows = np.flatnonzero(mask)
        mask[rows] = self.function(rows)

    def at(self, rows: Rows) -> Bools:
        return self.function(rows)

    def one(self, row: int) -> bool:
        return bool(self.function(np.array((row,)))[0])


class Counted:
    """`judge(counts)` says for which numbers of residents a domain will do.

    It is called with one count or an array of them (and, where `beside` is given, the counts of that
    tally in the same domains) and must be elementwise. `absent` is the answer for rows without the key.
    """

    __slots__ = ("absent", "beside", "coarse", "judge", "mark", "tally")

    def __init__(
        self,
        tally: Tally,
        judge: Callable[..., Any],
        absent: bool,
        beside: Tally | None = None,
        mark: Callable[[], Hashable] | None = None,
    ):
        self.tally, self.judge, self.absent, self.beside = tally, judge, absent, beside
        self.coarse = None if tally.fine else tally.label
        self.mark = mark
        """The part of `judge` that is not about the row's own domain; when it moves, rankings are void."""

    def stamp(self) -> Hashable:
        return None if self.mark is None or not self.tally.fine else self.mark()

    def of_codes(self, codes: Ints, absent: Ints) -> Bools:
        """The answers for domains of a coarse topology; `absent` are the positions where the key is missing."""
        counts = self.tally.counts().take(codes)
        answers: Bools = self.judge(counts) if self.beside is None else self.judge(counts, self.beside.counts().take(codes))
        if len(absent):
            answers[absent] = self.absent
        return answers

    def table(self) -> Bools:
        """The answer per code of a coarse topology."""
        counts = self.tally.counts()
        table: Bools = self.judge(counts) if self.beside is None else self.judge(counts, self.beside.counts())
        table[0] = self.absent
        return table

    def narrow(self, mask: Bools) -> None:
        label, sparse = self.tally.label, self.tally.sparse
        if sparse is None or label.shared_codes or not (self.absent and self._unlisted()):
            mask &= self._full()
            return
        # The common case, anti-affinity by node: everything passes but a list of rows.
        codes = sparse.keys[: sparse.size]
        refused = codes[~self._judge(codes, sparse.counts[: sparse.size])]
        mask[label.rows_of_unique(refused)] = False

    def _full(self) -> Bools:
        label, sparse = self.tally.label, self.tally.sparse
        if sparse is None:
            return self.table().take(label.codes.data)
        codes = sparse.keys[: sparse.size]
        listed = self._judge(codes, sparse.counts[: sparse.size])
        if label.shared_codes:
            table = np.full(len(label.values), self._unlisted())
            table[codes] = listed
            table[0] = self.absent
            return table.take(label.codes.data)
        present = self._unlisted()
        full = np.full(len(label.codes.data), present) if present == self.absent else self._by_presence(present)
        full[label.rows_of_unique(codes)] = listed
        return full

    def _by_presence(self, present: bool) -> Bools:
        has_key = self.tally.label.codes.data != 0
        return has_key if present else ~has_key

    def _judge(self, codes: Ints, counts: Ints) -> Bools:
        return self.judge(counts) if self.beside is None else self.judge(counts, self.beside.of_codes(codes))

    def _unlisted(self) -> bool:
        """The answer for domains with nobody in them."""
        # A tally beside is only looked at where this one counts somebody.
        return bool(self.judge(0) if self.beside is None else self.judge(0, 0))

    def at(self, rows: Rows) -> Bools:
        codes = self.tally.label.codes.data[rows]
        answers = self._judge(codes, self.tally.of_codes(codes))
        answers[codes == 0] = self.absent
        return answers

    def one(self, row: int) -> bool:
        if not self.tally.label.codes.cell[row]:
            return self.absent
        count = self.tally.at(row)
        return bool(self.judge(count) if self.beside is None else self.judge(count, self.beside.at(row)))


class Weighs(RowLocal):
    __slots__ = ("column", "weight")

    def __init__(self, column: Column, weight: float):
        self.column, self.weight = column, weight

    def add(self, total: Floats) -> None:
        total += self.column.data * self.weight

    def at(self, rows: Rows) -> Floats:
        return self.column.data[rows] * self.weight

    def one(self, row: int) -> float:
        return float(self.column.cell[row]) * self.weight

    def bound(self, blocks: Blocks) -> Floats | float:
        maxima = blocks.maxima(self.column) if self.weight > 0 else blocks.minima(self.column)
        return maxima * self.weight


class Linear(RowLocal):
    """weight * (base - sum(rate_i * amount_i)): the columns follow the table, the amounts are the request's."""

    __slots__ = ("base", "rates", "weight")

    def __init__(self, base: Column, rates: tuple[tuple[Column, float], ...], weight: float):
        self.base, self.rates, self.weight = base, rates, weight

    def full(self) -> Floats:
        part: Floats = self.base.data.copy()
        for column, amount in self.rates:
            part -= column.data * amount
        if self.weight != 1.0:
            part *= self.weight
        return part

    def add(self, total: Floats) -> None:
        total += self.full()

    def at(self, rows: Rows) -> Floats:
        part = self.base.data[rows]
        for column, amount in self.rates:
            part -= column.data[rows] * amount
        part *= self.weight
        return part

    def one(self, row: int) -> float:
        part = float(self.base.cell[row])
        for column, amount in self.rates:
            part -= column.cell[row] * amount
        return part * self.weight

    def bound(self, blocks: Blocks) -> Floats | float:
        highest, lowest = (blocks.maxima, blocks.minima) if self.weight > 0 else (blocks.minima, blocks.maxima)
        part = highest(self.base).copy()
        for column, amount in self.rates:
            part -= lowest(column) * amount
        return part * self.weight


Pick = Callable[[Column], Any]
Root = Callable[[Any], Any]


class Formula(RowLocal):
    """weight * formula(pick, root): arithmetic over columns, written once for arrays and numbers.

    `pick(column)` gives the column's values for the rows asked about, or one number for one row;
    `root` is the square root that goes with it.
    """

    __slots__ = ("formula", "highest", "weight")

    def __init__(self, formula: Callable[[Pick, Root], Any], weight: float, highest: float):
        self.formula, self.weight, self.highest = formula, weight, highest

    def add(self, total: Floats) -> None:
        total += self.formula(lambda column: column.data, np.sqrt) * self.weight

    def at(self, rows: Rows) -> Floats:
        found: Floats = self.formula(lambda column: column.data[rows], np.sqrt) * self.weight
        return found

    def one(self, row: int) -> float:
        return float(self.formula(lambda column: column.cell[row], sqrt)) * self.weight

    def bound(self, blocks: Blocks) -> Floats | float:
        return self.highest * self.weight if self.weight >= 0 else inf


class Curve(RowLocal):
    """weight * function(rows); `highest` bounds the function from above."""

    __slots__ = ("function", "highest", "room", "weight")

    def __init__(self, function: Callable[[Rows], Floats], weight: float, highest: float, room: int):
        self.function, self.weight, self.highest, self.room = function, weight, highest, room

    def add(self, total: Floats) -> None:
        total += self.function(np.arange(self.room)) * self.weight

    def at(self, rows: Rows) -> Floats:
        return self.function(rows) * self.weight

    def one(self, row: int) -> float:
        return float(self.function(np.array((row,)))[0]) * self.weight

    def bound(self, blocks: Blocks) -> Floats | float:
        return self.highest * self.weight if self.weight >= 0 else inf


class Graded:
    """weight * grade(counts): a number by how many residents the row's domain has; 0 for nobody.

    `absent(...)` gives the number for rows without the key; it may look at the whole tally.
    """

    __slots__ = ("absent", "coarse", "grade", "highest", "tally", "weight")

    def __init__(
        self, tally: Tally, grade: Callable[[Any], Any], weight: float, absent: Callable[[], float], highest: float
    ):
        self.tally, self.grade, self.weight, self.absent, self.highest = tally, grade, weight, absent, highest
        self.coarse = None if tally.fine else tally.label

    def stamp(self) -> Hashable:
        return self.absent() if self.tally.fine else None

    def of_codes(self, codes: Ints, absent: Ints) -> Floats:
        """The numbers for domains of a coarse topology; `absent` are the positions where the key is missing."""
        numbers: Floats = self.grade(self.tally.counts().take(codes)) * self.weight
        if len(absent):
            numbers[absent] = self.absent() * self.weight
        return numbers

    def table(self) -> Floats:
        table: Floats = self.grade(self.tally.counts()) * self.weight
        table[0] = self.absent() * self.weight
        return table

    def add(self, total: Floats) -> None:
        label, sparse = self.tally.label, self.tally.sparse
        if sparse is None or label.shared_codes:
            total += self._full_table().take(label.codes.data)
            return
        missing = self.absent() * self.weight
        if missing:
            total[label.codes.data == 0] += missing
        codes = sparse.keys[: sparse.size]
        total[label.rows_of_unique(codes)] += self.grade(sparse.counts[: sparse.size]) * self.weight

    def _full_table(self) -> Floats:
        sparse = self.tally.sparse
        if sparse is None:
            return self.table()
        counts = np.zeros(len(self.tally.label.values), np.int64)
        counts[sparse.keys[: sparse.size]] = sparse.counts[: sparse.size]
        table: Floats = self.grade(counts) * self.weight
        table[0] = self.absent() * self.weight
        return table

    def at(self, rows: Rows) -> Floats:
        codes = self.tally.label.codes.data[rows]
        numbers: Floats = self.grade(self.tally.of_codes(codes)) * self.weight
        numbers[codes == 0] = self.absent() * self.weight
        return numbers

    def one(self, row: int) -> float:
        if not self.tally.label.codes.cell[row]:
            return self.absent() * self.weight
        return float(self.grade(self.tally.at(row))) * self.weight

    def bound(self, blocks: Blocks) -> Floats | float:
        return self.highest * self.weight if self.weight >= 0 else inf
