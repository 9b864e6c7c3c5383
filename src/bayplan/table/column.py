"""One value per node: a NumPy array for scans and a memoryview on it for single cells.

A memoryview reads and writes one cell two to three times faster than ndarray indexing, and a
placement touches a handful of cells. Columns are passed around as objects, never as bare arrays,
because the array is replaced when the table grows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

BLOCK = 256
"""Rows are allocated in whole blocks, so a column can be seen as (blocks, BLOCK)."""

Array = NDArray[Any]
Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Rows = NDArray[np.int64]


def cells(data: Array) -> Any:
    """Quick access to single cells. (A memoryview; typed loosely, since its element type is the array's.)"""
    return memoryview(data)  # type: ignore[arg-type]


class Column:
    """`column.data[i]` in bulk, `column.cell[i]` one at a time."""

    __slots__ = ("cell", "data", "empty")

    def __init__(self, data: Array, empty: float = 0):
        self.data = data
        self.cell = cells(data)
        self.empty = empty

    @classmethod
    def of(cls, room: int, dtype: type, empty: float = 0) -> Column:
        return cls(np.full(room, empty, dtype), empty)

    def replace(self, data: Array) -> None:
        self.data = data
        self.cell = cells(data)

    def grow(self, room: int) -> None:
        larger = np.full(room, self.empty, self.data.dtype)
        larger[: len(self.data)] = self.data
        self.replace(larger)

    def copy(self) -> Column:
        return Column(self.data.copy(), self.empty)


def whole_blocks(rows: int) -> int:
    """Room for `rows` rows, rounded up to whole blocks."""
    return max(1, -(-rows // BLOCK)) * BLOCK
