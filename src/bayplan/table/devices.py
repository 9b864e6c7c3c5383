"""Devices: which share of which GPU is free on which node.

Three columns, kept current row by row, turn every device question into "column >= amount":

    largest   the largest free share of a single device   (a request below one device)
    whole     devices that are wholly free, in units      (a request of n devices)
    pool      for requests above one device that are not whole: no node with devices can serve them

A node that offers the resource without devices is one divisible pool: all three are infinite and
the plain fit decides alone.
"""

from __future__ import annotations

import numpy as np

from bayplan.model.resources import UNIT
from bayplan.table.column import Column, Floats


class DeviceColumns:
    """The devices of one resource over all rows."""

    __slots__ = ("counts", "ids", "largest", "pool", "shares", "whole")

    def __init__(self, room: int):
        self.shares: Floats = np.zeros((room, 1))
        self.counts = Column.of(room, np.int64)
        self.ids: dict[int, tuple[str, ...]] = {}
        self.largest = Column.of(room, np.float64, np.inf)
        self.whole = Column.of(room, np.float64, np.inf)
        self.pool = Column.of(room, np.float64, np.inf)

    def copy(self) -> DeviceColumns:
        twin = DeviceColumns(0)
        twin.shares, twin.ids = self.shares.copy(), self.ids.copy()
        twin.counts, twin.largest = self.counts.copy(), self.largest.copy()
        twin.whole, twin.pool = self.whole.copy(), self.pool.copy()
        return twin

    def grow(self, room: int) -> None:
        larger = np.zeros((room, self.shares.shape[1]))
        larger[: len(self.shares)] = self.shares
        self.shares = larger
        for column in (self.counts, self.largest, self.whole, self.pool):
            column.grow(room)

    def put(self, row: int, ids: tuple[str, ...]) -> None:
        """The row has these devices, all free; none means it is a plain pool again."""
        missing = len(ids) - self.shares.shape[1]
        if missing > 0:
            self.shares = np.pad(self.shares, ((0, 0), (0, missing)))
        self.counts.cell[row] = len(ids)
        self.shares[row] = 0
        self.shares[row, : len(ids)] = UNIT
        self.ids.pop(row, None)
        if ids:
            self.ids[row] = ids
        self._refresh(row)

    def _refresh(self, row: int) -> None:
        count = self.counts.cell[row]
        if not count:
            self.largest.cell[row] = self.whole.cell[row] = self.pool.cell[row] = np.inf
            return
        shares = self.shares[row, :count]
        self.largest.cell[row] = float(shares.max())
        self.whole.cell[row] = float(np.count_nonzero(shares == UNIT) * UNIT)
        self.pool.cell[row] = -1.0

    def column(self, amount: float) -> Column:
        """The column a request of this amount must find itself covered by."""
        if amount <= UNIT:
            return self.largest
        return self.pool if amount % UNIT else self.whole

    def choose(self, row: int, amount: float) -> tuple[int, ...]:
        """The devices a request would take: a share of the fullest that still fits, or the first
        wholly free ones. Lower positions first, so the choice is the same everywhere."""
        count = self.counts.cell[row]
        shares = self.shares[row, :count].tolist()
        if amount < UNIT:
            fitting = [(share, at) for at, share in enumerate(shares) if share >= amount]
            return (min(fitting)[1],)
        free = [at for at, share in enumerate(shares) if share == UNIT]
        return tuple(free[: round(amount / UNIT)])

    def take(self, row: int, chosen: tuple[int, ...], amount: float) -> None:
        """Take the amount from the chosen devices; a negative amount gives it back."""
        if not chosen:
            return
        share = amount / len(chosen)
        for at in chosen:
            self.shares[row, at] -= share
        self._refresh(row)
