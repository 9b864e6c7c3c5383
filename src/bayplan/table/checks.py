"""Checks: yes or no per row.

AtLeast     column >= amount                                       fits, devices
Holds       a boolean column                                       selectors, taints, cordon
Counted     low <= residents in the domain <= high                 near, apart, spread, groups
Unclaimed   no holder in the domain, or few enough of its peers    residents that keep others away
Meets       arithmetic over columns of the row                     reserves
Where       any function of the rows                               users' own rules
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from bayplan.table.column import Bools, Column, Floats, Ints, Rows
from bayplan.table.forms import RowLocal
from bayplan.table.tally import Tally

MANY = 2**62
"""More residents than any domain will have."""

FORBIDS = np.array([-np.inf, 0.0])
"""No and yes, as something to add to a score."""

Limits = Callable[[], tuple[int, int]]
Pick = Callable[[Column], Any]


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


class Meets(RowLocal):
    """`formula(pick)` says yes or no: written once for arrays and for numbers.

    `pick(column)` gives the column's values for the rows asked about, or one number for one row.
    """

    __slots__ = ("formula",)

    def __init__(self, formula: Callable[[Pick], Any]):
        self.formula = formula

    def narrow(self, mask: Bools) -> None:
        mask &= self.formula(lambda column: column.data)

    def at(self, rows: Rows) -> Bools:
        found: Bools = self.formula(lambda column: column.data[rows])
        return found

    def one(self, row: int) -> bool:
        return bool(self.formula(lambda column: column.cell[row]))


class Where(RowLocal):
    """`function(rows)` judges the given rows; it may read the table, but only those rows of it."""

    __slots__ = ("function",)

    def __init__(self, function: Callable[[Rows], Bools]):
        self.function = function

    def narrow(self, mask: Bools) -> None:
        rows = np.flatnonzero(mask)
        mask[rows] = self.function(rows)

    def at(self, rows: Rows) -> Bools:
        return self.function(rows)

    def one(self, row: int) -> bool:
        return bool(self.function(np.array((row,)))[0])


class Counted:
    """Accepts domains with `low` to `high` residents; `limits()` gives both, as they are now.

    `absent` is the answer for rows without the key. `moves` says that the limits can change although
    nobody comes or goes in the row's own domain; kept rankings then watch them.
    """

    __slots__ = ("absent", "coarse", "limits", "moves", "tally")

    def __init__(self, tally: Tally, limits: Limits, absent: bool, moves: bool = False):
        self.tally, self.limits, self.absent, self.moves = tally, limits, absent, moves
        self.coarse = None if tally.fine else tally.label

    def stamp(self) -> Hashable:
        return self.limits() if self.moves and self.tally.fine else None

    def accepts(self, counts: Any, codes: Any) -> Any:
        """The answer for counts (one, or an array of them) in the domains with these codes."""
        low, high = self.limits()
        if low <= 0:
            return counts <= high
        return counts >= low if high >= MANY else (counts >= low) & (counts <= high)

    def of_codes(self, codes: Ints, absent: Ints) -> Bools:
        """The answers for domains of a coarse topology; `absent` are the positions where the key is missing."""
        answers: Bools = self.accepts(self.tally.counts().take(codes), codes)
        if len(absent):
            answers[absent] = self.absent
        return answers

    def penalty(self) -> Floats:
        """To be added to scores, over all rows of a coarse topology: -inf where the domain will not do."""
        table = FORBIDS.take(self._table().view(np.int8))
        found: Floats = table.take(self.tally.label.codes.data)
        return found

    def _table(self) -> Bools:
        """The answer per code of a coarse topology."""
        counts = self.tally.counts()
        table: Bools = self.accepts(counts, np.arange(len(counts)))
        table[0] = self.absent
        return table

    def narrow(self, mask: Bools) -> None:
        label, sparse = self.tally.label, self.tally.sparse
        if sparse is None or label.shared_codes or not (self.absent and self._accepts_nobody()):
            mask &= self._full()
            return
        # The common case, anti-affinity by node: everything passes but a list of rows.
        codes = sparse.keys[: sparse.size]
        refused = codes[~self.accepts(sparse.counts[: sparse.size], codes)]
        mask[label.rows_of_unique(refused)] = False

    def _full(self) -> Bools:
        label, sparse = self.tally.label, self.tally.sparse
        if sparse is None:
            return self._table().take(label.codes.data)
        if not label.shared_codes:
            return self._full_unique()
        codes = sparse.keys[: sparse.size]
        table = np.full(len(label.values), self._accepts_nobody())
        table[codes] = self.accepts(sparse.counts[: sparse.size], codes)
        table[0] = self.absent
        return table.take(label.codes.data)

    def _full_unique(self) -> Bools:
        """A fine topology whose domains are single rows: start from nobody, then the few that have somebody."""
        label, sparse = self.tally.label, self.tally.sparse
        assert sparse is not None
        present = self._accepts_nobody()
        if present == self.absent:
            full = np.full(len(label.codes.data), present)
        else:
            full = (label.codes.data != 0) == present
        codes = sparse.keys[: sparse.size]
        full[label.rows_of_unique(codes)] = self.accepts(sparse.counts[: sparse.size], codes)
        return full

    def _accepts_nobody(self) -> bool:
        low, high = self.limits()
        return low <= 0 <= high

    def at(self, rows: Rows) -> Bools:
        codes = self.tally.label.codes.data[rows]
        answers: Bools = self.accepts(self.tally.of_codes(codes), codes)
        answers[codes == 0] = self.absent
        return answers

    def one(self, row: int) -> bool:
        code = self.tally.label.codes.cell[row]
        return bool(self.accepts(self.tally.of_code(code), code)) if code else self.absent


class Unclaimed(Counted):
    """Accepts a domain without holders, or with at most `room` residents that match the holders' peers."""

    __slots__ = ("matching", "room")

    def __init__(self, holders: Tally, matching: Tally, room: int):
        super().__init__(holders, lambda: (0, 0), True)
        self.matching, self.room = matching, room

    def accepts(self, counts: Any, codes: Any) -> Any:
        match = self.matching.of_code(codes) if isinstance(codes, int) else self.matching.of_codes(codes)
        return (counts == 0) | (match <= self.room)
