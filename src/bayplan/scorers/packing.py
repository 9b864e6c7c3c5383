"""Packing: fill nodes up or keep them even, resource by resource.

    score = sum(w_r * u_r) / sum(w_r)     over configured resources the node has
                                          (over="requested": that the workload requests, too)
    most    u = (used + request) / capacity          fill nodes up
    least   u = (free - request) / capacity          keep nodes even
    ratio   u = shape(100 * (used + request) / capacity) / 10, piecewise linear

`most` and `least` are linear in free and request, so everything but the request's share is kept in
one column, `base`, which follows the change log:

    u_least = free/cap - request/cap        u_most = 1 - u_least
    score   = base - sum(rate_r * request_r)        rate_r = +-w_r / (sum(w) * cap_r)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

import numpy as np

from bayplan.errors import wrong
from bayplan.model.resources import Resources
from bayplan.model.workload import Workload
from bayplan.table.column import Column, Floats
from bayplan.table.forms import Part
from bayplan.table.snapshot import Snapshot
from bayplan.table.terms import Formula, Linear, Pick, Root

Kind = Literal["most", "least", "ratio"]
Shape = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class ResourceStrategy:
    """What to do with one resource. `shape` is for `ratio`: points (percent used 0..100, score 0..10)."""

    resource: str
    kind: Kind = "least"
    weight: float = 1.0
    shape: Shape = ()

    def __post_init__(self) -> None:
        where = f"packing.resources.{self.resource}"
        if self.kind not in ("most", "least", "ratio"):
            raise wrong(f"{self.kind!r} is not a strategy", where, "one of most, least, ratio")
        if not 0 < self.weight < float("inf"):
            raise wrong(f"{self.weight!r} is not a weight", where, "a number above 0")
        xs = [x for x, _ in self.shape]
        if (self.kind == "ratio") != bool(self.shape):
            raise wrong("`shape` belongs to strategy ratio, and ratio needs one", where)
        if xs != sorted(set(xs)) or not all(0 <= x <= 100 and 0 <= y <= 10 for x, y in self.shape):
            raise wrong("a shape is points (percent 0..100, rising; score 0..10)", where)


@dataclass(frozen=True, slots=True)
class Packing:
    resources: tuple[ResourceStrategy, ...] = (ResourceStrategy("cpu"), ResourceStrategy("memory"))
    over: Literal["configured", "requested"] = "configured"
    weight: float = 1.0
    name: str = field(default="packing", init=False)

    def parts(self, snapshot: Snapshot, workload: Workload) -> list[Part]:
        requests = workload.requests
        columns = self._columns(snapshot, requests)
        if columns is None:
            return []
        used = columns.used
        rates = tuple((columns.rates[name], float(units)) for name, units in requests.items() if name in columns.rates)
        found = [Part("packing", columns.topic, Linear(columns.base, rates, self.weight), columns)] if columns.rates else []
        for one in used:
            if one.kind == "ratio":
                formula = partial(_shaped, snapshot, one, columns.shares[one.resource], float(requests.get(one.resource, 0)))
                found.append(Part("packing", f"ratio {one.resource}", Formula(formula, self.weight, 1.0), columns))
        return found

    def _columns(self, snapshot: Snapshot, requests: Resources) -> PackingColumns | None:
        """The columns of the strategies that apply; kept per policy, and per set of resources requested."""
        # The follower holds `resources`, so its id cannot pass to another policy's; hashing it would take longer than the rest.
        asked = None if self.over == "configured" else frozenset(requests)
        key = ("packing", id(self.resources), asked)
        found: PackingColumns | None = snapshot.followers.get(key)
        if found is None:
            used = tuple(one for one in self.resources if asked is None or one.resource in asked)
            if not used:
                return None
            found = snapshot.followers[key] = PackingColumns(snapshot, used, self.resources)
        return found


def _shaped(snapshot: Snapshot, one: ResourceStrategy, share: Column, request: float, pick: Pick, root: Root) -> Any:
    capacity = pick(snapshot.capacity_of(one.resource))
    used = capacity - pick(snapshot.free_of(one.resource)) + request
    percent = 100.0 * used / np.maximum(capacity, 1.0)
    xs, ys = zip(*one.shape, strict=True)
    return np.interp(percent, xs, ys) / 10.0 * pick(share)


class PackingColumns:
    """The columns of one list of strategies: weights as shares, rates, and the base that follows the log."""

    def __init__(self, snapshot: Snapshot, used: tuple[ResourceStrategy, ...], configured: tuple[ResourceStrategy, ...]):
        self._snapshot, self.used, self._configured = snapshot, used, configured
        self.topic = ", ".join(f"{one.kind} {one.resource}" for one in used if one.kind != "ratio")
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
