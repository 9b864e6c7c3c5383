"""The label index: one column of small integer codes per label key.

Code 0 is "absent". A set of values is a look-up table over the codes in use, so any operator over
any number of nodes is one gather. The boolean columns made this way are kept (see statics.py) and
patched row by row when a node's labels change.

A key is also a *topology*: the nodes with one code are one domain. A topology is `fine` when its
domains are about as small as nodes; then counts over it are kept sparse.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from bayplan.model.labels import ABSENT, EVERY_NUMBER, Value, ValueSet
from bayplan.model.selector import NODE_NAME
from bayplan.table.column import Bools, Column, Ints, Rows


class LabelColumn:
    """The values of one key over all rows. Codes of values no longer in use are dealt again."""

    __slots__ = (
        "_code_of",
        "_some_row",
        "_unused",
        "_zeros",
        "codes",
        "fine",
        "key",
        "shared_codes",
        "sizes",
        "values",
        "version",
    )

    def __init__(self, key: str, room: int):
        self.key = key
        self.codes = Column.of(room, np.int32)
        self.values: list[str | None] = [None]
        self.sizes: list[int] = [0]
        """Rows per code."""
        self.fine = key == NODE_NAME
        self.shared_codes = 0
        """How many codes are on more than one row."""
        self.version = 0
        """Counts changes, for those who keep an ordering of rows by domain."""
        self._code_of: dict[str, int] = {}
        self._some_row: Rows = np.full(8, -1, np.int64)
        self._unused: list[int] = []
        self._zeros: Ints = np.zeros(0, np.int64)

    def copy(self) -> LabelColumn:
        twin = LabelColumn(self.key, 0)
        twin.codes = self.codes.copy()
        twin.values, twin.sizes = self.values.copy(), self.sizes.copy()
        twin.fine, twin.shared_codes, twin.version = self.fine, self.shared_codes, self.version
        twin._code_of, twin._some_row, twin._unused = self._code_of.copy(), self._some_row.copy(), self._unused.copy()
        return twin

    def value(self, row: int) -> Value:
        found = self.values[self.codes.cell[row]]
        return ABSENT if found is None else found

    def put(self, row: int, value: str | None) -> None:
        """Set or clear (None) the value of one row."""
        self.version += 1
        old = self.codes.cell[row]
        if old:
            self._leave(old)
        new = 0 if value is None else self._enter(value)
        self.codes.cell[row] = new
        if new:
            self._some_row[new] = row
        if old and self.sizes[old] == 1:
            # Alone now: the row noted may be one of those that left.
            self._some_row[old] = int(np.flatnonzero(self.codes.data == old)[0])

    def fill(self, rows: list[int], values: list[str]) -> None:
        """Set the values of many rows that had none."""
        self.version += 1
        codes = [self._code_of.get(value) or self._new(value) for value in values]
        self.codes.data[rows] = codes
        self._some_row[codes] = rows
        self.sizes = np.bincount(self.codes.data, minlength=len(self.values)).tolist()
        self.sizes[0] = 0
        self.shared_codes = sum(size > 1 for size in self.sizes)

    def _leave(self, code: int) -> None:
        self.sizes[code] -= 1
        if self.sizes[code] == 1:
            self.shared_codes -= 1
        elif self.sizes[code] == 0:
            del self._code_of[self.values[code]]  # type: ignore[arg-type]
            self._unused.append(code)

    def _enter(self, value: str) -> int:
        code = self._code_of.get(value) or self._new(value)
        self.sizes[code] += 1
        if self.sizes[code] == 2:
            self.shared_codes += 1
        return code

    def _new(self, value: str) -> int:
        if self._unused:
            code = self._unused.pop()
            self.values[code] = value
        else:
            code = len(self.values)
            self.values.append(value)
            self.sizes.append(0)
            if code >= len(self._some_row):
                self._some_row = np.concatenate([self._some_row, np.full_like(self._some_row, -1)])
        self._code_of[value] = code
        return code

    @property
    def domains(self) -> int:
        """How many values are in use."""
        return len(self._code_of)

    def code(self, value: str) -> int:
        """The code of a value in use, 0 when no node has it."""
        return self._code_of.get(value, 0)

    def rows(self, code: int) -> list[int]:
        """The rows of one domain."""
        row = int(self._some_row[code])
        if self.sizes[code] == 1 and self.codes.cell[row] == code:
            return [row]
        found: list[int] = np.flatnonzero(self.codes.data == code).tolist()
        return found

    def rows_of_unique(self, codes: Rows) -> Rows:
        """The rows of codes that are on one row each (only where `shared_codes` is 0)."""
        return self._some_row[codes]

    def zeros(self) -> Ints:
        """A table of zeros over all codes, for a moment's use; who writes to it wipes it."""
        if len(self._zeros) < len(self.values):
            self._zeros = np.zeros(2 * len(self.values), np.int64)
        return self._zeros

    def table(self, values: ValueSet) -> Bools:
        """For every code: is its value in the set? One gather through it judges all rows."""
        uniform = values.texts == (values.numbers == EVERY_NUMBER) and (values.texts or not values.numbers)
        if uniform:
            # All but the listed exceptions get the same answer: no need to ask for every value.
            table = np.full(len(self.values), values.texts)
            table[[code for v in values.exceptions if (code := self._code_of.get(v))]] = not values.texts
        else:
            table = np.fromiter((v is not None and v in values for v in self.values), np.bool_, len(self.values))
        table[0] = values.absent
        return table

    def mask(self, values: ValueSet) -> Bools:
        listed = values.values
        if listed is not None and not values.absent:
            codes = [code for v in listed if (code := self._code_of.get(v))]
            if not codes:
                return np.zeros(len(self.codes.data), np.bool_)
            if len(codes) == 1:
                return np.equal(self.codes.data, codes[0])
        return self.table(values).take(self.codes.data)

    def should_be_fine(self, nodes: int) -> bool:
        """Domains of fewer than 16 nodes on average are fine; hysteresis keeps it from flapping."""
        if self.key == NODE_NAME:
            return True
        many = 32 if self.fine else 64
        return self.domains > many and self.domains > nodes / (32 if self.fine else 16)


class LabelIndex:
    """All label columns, made on first use of a key."""

    __slots__ = ("_room", "columns")

    def __init__(self, room: int):
        self.columns: dict[str, LabelColumn] = {}
        self._room = room

    def copy(self) -> LabelIndex:
        twin = LabelIndex(self._room)
        twin.columns = {key: column.copy() for key, column in self.columns.items()}
        return twin

    def grow(self, room: int) -> None:
        self._room = room
        for column in self.columns.values():
            column.codes.grow(room)

    def __getitem__(self, key: str) -> LabelColumn:
        column = self.columns.get(key)
        if column is None:
            column = self.columns[key] = LabelColumn(key, self._room)
        return column

    def labels(self, row: int) -> dict[str, str]:
        """The labels of one row, its name left out."""
        found = ((key, column.values[column.codes.cell[row]]) for key, column in self.columns.items() if key != NODE_NAME)
        return {key: value for key, value in found if value is not None}

    def one(self, row: int, key: str, values: ValueSet) -> bool:
        column = self.columns.get(key)
        return (ABSENT if column is None else column.value(row)) in values

    def known_keys(self) -> Iterable[str]:
        return (key for key, column in self.columns.items() if key != NODE_NAME and column.domains)
