"""How much of each node's resources is used, as columns that follow the change log.

`most` and `least` are linear in free and request, so everything but the request's share is kept in
one column, `base`:

    u_least = free/cap - request/cap        u_most = 1 - u_least
    score   = base - sum(rate_r * request_r)        rate_r = +-w_r / (sum(w) * cap_r)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from bayplan.model.resources import Resources
from bayplan.model.strategy import ResourceStrategy
from bayplan.table.column import Column, Floats
from bayplan.table.snapshot import Snapshot


class UsageColumns:
    """The columns of one list of strategies: weights as shares, rates, and the base that follows the log."""

    def __init__(self, snapshot: Snapshot, used: tuple[ResourceStrategy, ...], configured: tuple[ResourceStrategy, ...]):
        self._snapshot, self.used, self._configured = snapshot, used, configured
        self.topic = ", ".join(str(one) for one in used if one.kind != "ratio")
        linear = [one for one in used if one.kind != "ratio"]
        self.rates = {one.resource: Column.of(snapshot.room, np.float64) for one in linear}
        self.shares = {one.resource: Column.of(snapshot.room, np.float64) for one in used if one.kind == "ratio"}
        self.base = Column.of(snapshot.room, np.float64)
        self._constant = Column.of(snapshot.room, np.float64)
        self._position = -1
        self._node_version = -1
        self._sources: list[tuple[Column, Column]] = []

    def catch_up(self) -> None:
        log = self._snapshot.log
        if self._position == log.end:
            return
        if self._position == log.end - 1 and self._node_version == self._snapshot.node_version:
            self._rebase_one(log.rows[-1])
            self._position = log.end
            return
        rows = log.since(self._position) if self._position >= 0 else None
        if rows is None or len(rows) > self._snapshot.room // 8:
            self._weigh(slice(None))
            self._rebase(slice(None))
        else:
            if self._node_version != self._snapshot.node_version:
                self._weigh(np.array(sorted(set(rows))))
            if len(rows) > 16:
                self._rebase(np.array(sorted(set(rows))))
            else:
                for row in rows:
                    self._rebase_one(row)
        self._node_version = self._snapshot.node_version
        self._position = log.end

    def _weigh(self, rows: Any) -> None:
        """Rates and shares: they depend on what the nodes have, not on what is used."""
        snapshot = self._snapshot
        capacity = {one.resource: snapshot.capacity_of(one.resource).data[rows] for one in self.used}
        total: Floats = sum((one.weight * (capacity[one.resource] > 0) for one in self.used), np.zeros(1))
        constant = np.zeros(1)
        for one in self.used:
            there = capacity[one.resource] > 0
            share = np.where(there, one.weight / np.where(total > 0, total, 1.0), 0.0)
            if one.kind == "ratio":
                self.shares[one.resource].data[rows] = share
                continue
            sign = 1.0 if one.kind == "least" else -1.0
            self.rates[one.resource].data[rows] = sign * share / np.where(there, capacity[one.resource], 1.0)
            constant = constant + share * (one.kind == "most")
        self._constant.data[rows] = constant
        self._sources = [(rate, snapshot.free_of(name)) for name, rate in self.rates.items()]

    def _rebase(self, rows: Any) -> None:
        self.base.data[rows] = self.base_after(rows, {})

    def base_after(self, rows: Any, taken: dict[str, Floats]) -> Floats:
        """The base of rows from which so much more had been taken."""
        base: Floats = self._constant.data[rows].copy()
        for (name, rate), (_, free) in zip(self.rates.items(), self._sources, strict=True):
            left = free.data[rows] - taken[name] if name in taken else free.data[rows]
            base += rate.data[rows] * left
        return base

    def direction(self, requested: Iterable[str]) -> int:
        """What each placement does to the score of its row: -1 lowers, +1 raises, 0 neither or either."""
        kinds = {one.kind for one in self.used if one.resource in requested}
        return {frozenset(("least",)): -1, frozenset(("most",)): +1}.get(frozenset(kinds), 0)

    def _rebase_one(self, row: int) -> None:
        base = self._constant.cell[row]
        for rate, free in self._sources:
            base += rate.cell[row] * free.cell[row]
        self.base.cell[row] = base

    def detail(self, requests: Resources, weight: float, row: int) -> list[tuple[str, float]]:
        """What each resource adds to the score of a row; together they are `base` less the request's share."""
        found = []
        for one in self.used:
            if one.kind != "ratio":
                rate, free = self.rates[one.resource].cell[row], self._snapshot.free_of(one.resource).cell[row]
                part = rate * (free - requests.get(one.resource, 0))
                if one.kind == "most":  # 1 - u_least, and the rate is negative
                    part -= rate * self._snapshot.capacity_of(one.resource).cell[row]
                found.append((str(one), part * weight))
        return found


class Sizes:
    """What nodes have of some resources, as something to divide by. It changes only with nodes."""

    def __init__(self, snapshot: Snapshot, resources: Iterable[str]):
        self._snapshot = snapshot
        self.divisor = {name: Column.of(snapshot.room, np.float64, 1.0) for name in resources}
        self.there = {name: Column.of(snapshot.room, np.float64) for name in self.divisor}
        """1 where a node has any, 0 where it has none."""
        self.everywhere: set[str] = set()
        """The resources that every node has."""
        self._node_version = -1

    def catch_up(self) -> None:
        snapshot = self._snapshot
        if self._node_version == snapshot.node_version:
            return
        for name, divisor in self.divisor.items():
            capacity = snapshot.capacity_of(name).data
            self.there[name].data[:] = capacity > 0
            divisor.data[:] = np.maximum(capacity, 1.0)
        lacking = {name for name, there in self.there.items() if np.any(snapshot.alive.data > there.data)}
        self.everywhere = set(self.divisor) - lacking
        self._node_version = snapshot.node_version
