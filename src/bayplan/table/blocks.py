"""Maxima and minima of columns over blocks of 256 rows.

They answer "could any row of this block...?" for a whole block at once. Columns that move with
residents follow the change log, block by block; the others are summed up anew when nodes change.

A `Sieve` knows which rows pass all the lasting checks of a family of workloads (labels, taints,
cordon), and the maxima of columns over those rows only: much tighter bounds for picky workloads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from bayplan.table.column import BLOCK, Array, Bools, Column, Floats, Ints, Rows

if TYPE_CHECKING:
    from bayplan.table.snapshot import Snapshot


class Blocks:
    """Kept by the snapshot as a follower, so it is dropped when the table grows."""

    def __init__(self, snapshot: Snapshot):
        self.snapshot = snapshot
        self.count = snapshot.room // BLOCK
        self._known: dict[tuple[int, bool], tuple[Column, int, Array]] = {}
        self._sieves: dict[tuple[int, ...], Sieve] = {}

    def sieve(self, columns: Sequence[Column]) -> Sieve:
        """The sieve of these lasting checks; shared by all workloads that have just these."""
        key = tuple(map(id, columns))
        found = self._sieves.get(key)
        if found is None:
            if len(self._sieves) >= 256:
                self._sieves.clear()
            # The sieve holds the columns, so their ids cannot pass to others.
            found = self._sieves[key] = Sieve(self, columns)
        return found

    def maxima(self, column: Column, moving: bool = False) -> Array:
        return self._current(column, np.maximum.reduce, True, moving)

    def minima(self, column: Column) -> Array:
        return self._current(column, np.minimum.reduce, False, False)

    def _current(self, column: Column, reduce: Callable[..., Array], largest: bool, moving: bool) -> Array:
        now = self.snapshot.log.end if moving else self.snapshot.node_version
        # The entry holds the column, so its id cannot pass to another one.
        known = self._known.get((id(column), largest))
        if known is not None and known[1] == now:
            return known[2]
        stale = None if known is None or not moving else self.stale_blocks(known[1])
        if known is None or stale is None:
            values = reduce(column.data.reshape(-1, BLOCK), axis=1)
        else:
            values = known[2]
            for block in stale:
                values[block] = reduce(column.data[block * BLOCK : (block + 1) * BLOCK])
        if len(self._known) > 512:
            self._known.clear()
        self._known[id(column), largest] = (column, now, values)
        return values

    def stale_blocks(self, position: int) -> set[int] | None:
        """Blocks with rows changed since a position in the log; None when they are too many to name."""
        rows = self.snapshot.log.since(position)
        if rows is None or len(rows) > 64:
            return None
        return {row // BLOCK for row in rows}


class Sieve:
    """The rows that pass every lasting check, and maxima over them."""

    def __init__(self, blocks: Blocks, columns: Sequence[Column]):
        self.blocks, self._columns = blocks, columns
        self._node_version = -1
        self._known: dict[int, tuple[Column, int, Floats]] = {}
        self.mask: Bools = np.zeros(0, np.bool_)
        self.rows: Rows = np.zeros(0, np.int64)
        self.penalty: Floats = np.zeros(0)
        """Added to scores: 0 for rows that pass, -inf for others."""
        self.any: Bools = np.zeros(0, np.bool_)

    def catch_up(self) -> None:
        snapshot = self.blocks.snapshot
        if self._node_version == snapshot.node_version:
            return
        self.mask = snapshot.alive.data.copy()
        for column in self._columns:
            self.mask &= column.data
        self.rows = np.flatnonzero(self.mask)
        self.penalty = np.where(self.mask, 0.0, -np.inf)
        self.any = np.logical_or.reduce(self.mask.reshape(-1, BLOCK), axis=1)
        self._known.clear()
        self._node_version = snapshot.node_version

    def maxima(self, column: Column) -> Floats:
        """Maxima of a moving column over the rows that pass; -inf for blocks without any."""
        now = self.blocks.snapshot.log.end
        known = self._known.get(id(column))
        if known is not None and known[1] == now:
            return known[2]
        stale = None if known is None else self.blocks.stale_blocks(known[1])
        if known is None or stale is None:
            passing = np.where(self.mask, column.data, -np.inf)
            values: Floats = passing.reshape(-1, BLOCK).max(axis=1)
        else:
            values = known[2]
            for block in stale:
                rows = slice(block * BLOCK, (block + 1) * BLOCK)
                values[block] = column.data[rows].max(where=self.mask[rows], initial=-np.inf)
        self._known[id(column)] = (column, now, values)
        return values


def rows_of(blocks: Ints) -> Rows:
    """All rows of these blocks, in order."""
    return (np.sort(blocks)[:, None] * BLOCK + np.arange(BLOCK)).ravel()
