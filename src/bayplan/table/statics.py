"""Columns derived from what nodes *are* (labels, taints), kept and patched row by row.

"Which nodes does this selector match" is asked again and again and changes only when a node does.
Each column knows the label keys it depends on and how to judge one row, so a relabelled node costs
one cell per dependent column. When the store is full it is emptied and `epoch` moves, which tells
compiled requests to fetch their columns anew.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING

from bayplan.model.labels import ValueSet
from bayplan.model.selector import Selector
from bayplan.table.column import Array, Column
from bayplan.table.index import LabelIndex

if TYPE_CHECKING:
    from bayplan.table.forms import Clause

BUDGET = 64 << 20
"""Bytes the columns may take together before they are dropped."""

CLAUSE_LIMIT = 4096


class Static(Column):
    """A derived column: `judge(row)` gives the value of one cell."""

    __slots__ = ("judge",)

    def __init__(self, data: Array, judge: Callable[[int], float]):
        super().__init__(data)
        self.judge = judge


class Statics:
    __slots__ = ("_by_key", "_clauses", "_columns", "_index", "_size", "epoch")

    def __init__(self, index: LabelIndex):
        self._index = index
        self._columns: dict[Hashable, Static] = {}
        self._clauses: dict[Hashable, list[Clause]] = {}
        self._by_key: dict[str, list[Static]] = {}
        self._size = 0
        self.epoch = 0

    def clear(self) -> None:
        self._columns.clear()
        self._by_key.clear()
        self._clauses.clear()
        self._size = 0
        self.epoch += 1

    def get(self, name: Hashable, keys: frozenset[str], build: Callable[[], Array], judge: Callable[[int], float]) -> Static:
        """The column called `name`, built on first use."""
        column = self._columns.get(name)
        if column is None:
            column = Static(build(), judge)
            if self._size + column.data.nbytes > BUDGET:
                self.clear()
            self._size += column.data.nbytes
            self._columns[name] = column
            for key in keys:
                self._by_key.setdefault(key, []).append(column)
        return column

    def clauses(self, name: Hashable, build: Callable[[], list[Clause]]) -> list[Clause]:
        """What a filter compiles to, where that hangs on these columns alone: kept as long as they are."""
        found = self._clauses.get(name)
        if found is None:
            if len(self._clauses) >= CLAUSE_LIMIT:
                self._clauses.clear()
            epoch = self.epoch
            found = build()
            if epoch == self.epoch:  # building may have emptied the store
                self._clauses[name] = found
        return found

    def patch(self, row: int, key: str) -> None:
        """The value of `key` changed on one row."""
        for column in self._by_key.get(key, ()):
            column.cell[row] = column.judge(row)

    def expression(self, key: str, values: ValueSet) -> Static:
        """Is the node's value of `key` in the set?"""
        index = self._index
        return self.get(
            (key, values), frozenset((key,)), lambda: index[key].mask(values), lambda row: index.one(row, key, values)
        )

    def selector(self, selector: Selector) -> Static:
        """Does the node match: an OR over terms of an AND over keys?"""
        if len(selector.terms) == 1 and len(selector.terms[0]) == 1:
            return self.expression(*selector.terms[0][0])
        return self.get(selector, selector.keys, lambda: self._match(selector), lambda row: self._matches(selector, row))

    def _match(self, selector: Selector) -> Array:
        matches = None
        for term in selector.terms:
            holds = None
            for key, values in term:
                one = self._index[key].mask(values)
                holds = one if holds is None else holds & one
            assert holds is not None, "a term without keys makes the selector match everything"
            matches = holds if matches is None else matches | holds
        assert matches is not None, "a selector that matches nothing is found by algebra"
        return matches

    def _matches(self, selector: Selector, row: int) -> bool:
        return any(all(self._index.one(row, key, values) for key, values in term) for term in selector.terms)
