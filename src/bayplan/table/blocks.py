"""Maxima and minima of columns over blocks of 256 rows, following the change log.

They answer "could any row of this block...?" for a whole block at once. A block is recomputed when
one of its rows changed, so the bounds stay tight, not only valid.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from bayplan.table.column import BLOCK, Array, Column

if TYPE_CHECKING:
    from bayplan.table.snapshot import Snapshot


class _Summary:
    """One number per block of a column, and how far in the log it is true."""

    __slots__ = ("column", "position", "values")

    def __init__(self, column: Column, position: int, values: Array):
        self.column, self.position, self.values = column, position, values


class Blocks:
    """Kept by the snapshot as a follower, so it is dropped when the table grows."""

    def __init__(self, snapshot: Snapshot):
        self._snapshot = snapshot
        self.count = snapshot.room // BLOCK
        self._maxima: dict[int, _Summary] = {}
        self._minima: dict[int, _Summary] = {}

    def maxima(self, column: Column) -> Array:
        return self._current(self._maxima, column, np.maximum.reduce)

    def minima(self, column: Column) -> Array:
        return self._current(self._minima, column, np.minimum.reduce)

    def _current(self, known: dict[int, _Summary], column: Column, reduce: Callable[..., Array]) -> Array:
        log = self._snapshot.log
        summary = known.get(id(column))
        changed = None if summary is None else log.since(summary.position)
        if summary is None or changed is None or len(changed) > 4 * self.count:
            if len(known) > 256:
                known.clear()
            values = reduce(column.data.reshape(-1, BLOCK), axis=1)
            # The summary holds the column, so its id cannot pass to another one.
            known[id(column)] = _Summary(column, log.end, values)
            return values
        if changed:
            blocks = np.array(sorted({row // BLOCK for row in changed}))
            summary.values[blocks] = reduce(column.data.reshape(-1, BLOCK)[blocks], axis=1)
            summary.position = log.end
        return summary.values
