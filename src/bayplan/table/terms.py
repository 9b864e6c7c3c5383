"""Terms: a number per row.

Constant  the same for all                       scales of other schedulers
Weighs    a column, times a weight               preferences
Linear    base - sum(rate * amount)              packing
Formula   arithmetic over columns of the row     balance, utilisation shapes
Curve     any function of the rows               users' own rules
Graded    a number by the domain's count         soft near, apart and spread
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from math import inf
from typing import Any, NamedTuple

import numpy as np

from bayplan.table.blocks import Blocks
from bayplan.table.column import Column, Floats, Ints, Rows
from bayplan.table.forms import RowLocal
from bayplan.table.tally import Tally


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


class Constant(RowLocal):
    """The same number for every row."""

    __slots__ = ("number",)

    def __init__(self, number: float):
        self.number = number

    def add(self, total: Floats) -> None:
        total += self.number

    def at(self, rows: Rows) -> Floats:
        return np.full(len(rows), self.number)

    def one(self, row: int) -> float:
        return self.number

    def bound(self, blocks: Blocks) -> Floats | float:
        return self.number


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


class Ops(NamedTuple):
    """Functions that arithmetic cannot do without, for arrays or for numbers."""

    sqrt: Callable[[Any], Any]
    floor: Callable[[Any], Any]
    trunc: Callable[[Any], Any]
    least: Callable[[Any, Any], Any]
    """The smaller of two."""
    most: Callable[[Any, Any], Any]
    lookup: Callable[[Floats, Any], Any]
    """The entries of a table at whole numbers."""


ARRAYS = Ops(
    np.sqrt, np.floor, np.trunc, np.minimum, np.maximum, lambda table, at: table.take(at.astype(np.intp)),
)  # fmt: skip
NUMBERS = Ops(math.sqrt, math.floor, math.trunc, min, max, lambda table, at: table.item(int(at)))


class Formula(RowLocal):
    """weight * formula(pick, ops): arithmetic over columns, written once for arrays and numbers.

    `pick(column)` gives the column's values for the rows asked about, or one number for one row;
    `ops` has the functions that go with it.
    """

    __slots__ = ("formula", "highest", "weight")

    def __init__(self, formula: Callable[[Pick, Ops], Any], weight: float, highest: float):
        self.formula, self.weight, self.highest = formula, weight, highest

    def add(self, total: Floats) -> None:
        total += self.formula(lambda column: column.data, ARRAYS) * self.weight

    def at(self, rows: Rows) -> Floats:
        found: Floats = self.formula(lambda column: column.data[rows], ARRAYS) * self.weight
        return found

    def one(self, row: int) -> float:
        return float(self.formula(lambda column: column.cell[row], NUMBERS)) * self.weight

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

    def __init__(self, tally: Tally, grade: Callable[[Any], Any], weight: float, absent: Callable[[], float], highest: float):
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

    def add(self, total: Floats) -> None:
        label, sparse = self.tally.label, self.tally.sparse
        if sparse is None or label.shared_codes:
            total += self.table().take(label.codes.data)
            return
        missing = self.absent() * self.weight
        if missing:
            total[label.codes.data == 0] += missing
        codes = sparse.keys[: sparse.size]
        total[label.rows_of_unique(codes)] += self.grade(sparse.counts[: sparse.size]) * self.weight

    def table(self) -> Floats:
        table: Floats = self.grade(self.tally.of_codes(np.arange(len(self.tally.label.values)))) * self.weight
        table[0] = self.absent() * self.weight
        return table

    def at(self, rows: Rows) -> Floats:
        codes = self.tally.label.codes.data[rows]
        numbers: Floats = self.grade(self.tally.of_codes(codes)) * self.weight
        numbers[codes == 0] = self.absent() * self.weight
        return numbers

    def one(self, row: int) -> float:
        code = self.tally.label.codes.cell[row]
        return float(self.grade(self.tally.of_code(code)) if code else self.absent()) * self.weight

    def bound(self, blocks: Blocks) -> Floats | float:
        return self.highest * self.weight if self.weight >= 0 else inf
