"""Packing: fill nodes up or keep them even, resource by resource.

    score = sum(w_r * u_r) / sum(w_r)

    most    u = (used + request) / capacity          fill nodes up
    least   u = (free - request) / capacity          keep nodes even
    ratio   u = shape(100 * (used + request) / capacity) / 10, piecewise linear

    over       which resources r are taken: all that are configured, or those of them the workload requests
    lacking    a resource the node has none of: "skip" it and its weight; or "zero": u is 0, the weight stays in
               the sum, and a node that would be overbooked in any of them scores 0 altogether

Which strategies apply: the workload's own, else its queue's, else its namespace's, else those for all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal

import numpy as np

from bayplan.errors import wrong
from bayplan.model.frozen import FrozenMap
from bayplan.model.resources import Resources
from bayplan.model.strategy import ResourceStrategy, strategy_for
from bayplan.model.workload import Workload
from bayplan.scorers.usage import Sizes, UsageColumns
from bayplan.table.column import Column
from bayplan.table.forms import Part
from bayplan.table.snapshot import Snapshot
from bayplan.table.terms import Formula, Linear, Ops, Pick

Strategies = tuple[ResourceStrategy, ...]


@dataclass(frozen=True, slots=True)
class Packing:
    resources: Strategies = (ResourceStrategy("cpu"), ResourceStrategy("memory"))
    over: Literal["configured", "requested"] = "configured"
    weight: float = 1.0
    lacking: Literal["skip", "zero"] = "skip"
    per_namespace: Mapping[str, Strategies] = field(default_factory=FrozenMap)
    per_queue: Mapping[str, Strategies] = field(default_factory=FrozenMap)
    own: bool = True
    """Whether strategies of workloads themselves go before all these."""
    name: str = "packing"

    def __post_init__(self) -> None:
        object.__setattr__(self, "per_namespace", FrozenMap(self.per_namespace))
        object.__setattr__(self, "per_queue", FrozenMap(self.per_queue))
        for field_name, words in (("over", ("configured", "requested")), ("lacking", ("skip", "zero"))):
            if getattr(self, field_name) not in words:
                raise wrong(f"{getattr(self, field_name)!r} is not known", f"packing.{field_name}", f"one of {', '.join(words)}")
        for strategies in (self.resources, *self.per_namespace.values(), *self.per_queue.values()):
            names = [one.resource for one in strategies]
            for one in strategies:
                where = f"packing.resources.{one.resource}"
                if one.weight <= 0:
                    raise wrong(f"{one.weight!r} is not a weight", where, "a number above 0")
                if names.count(one.resource) > 1:
                    raise wrong(f"{one.resource!r} has two strategies", where)

    def parts(self, snapshot: Snapshot, workload: Workload) -> list[Part]:
        strategies = self._strategies(workload)
        if self.lacking == "zero":
            return self._exact(snapshot, workload.requests, strategies)
        columns = self._columns(snapshot, workload.requests, strategies)
        return [] if columns is None else self._by_columns(snapshot, workload.requests, columns)

    def _strategies(self, workload: Workload) -> Strategies:
        if self.own and workload.packing is not None:
            return workload.packing
        for choice, name in ((self.per_queue, workload.queue), (self.per_namespace, workload.namespace)):
            if name in choice:
                return choice[name]
        return self.resources

    def _taken(self, requests: Resources, strategies: Strategies) -> Strategies:
        """The strategies that count for these requests, each under the name of its resource, in one order."""
        named = {name: strategy_for(name, strategies) for name in requests}
        if self.over == "configured":
            named |= {one.resource: one for one in strategies if not one.resource.endswith("*")}
        taken = [replace(one, resource=name) for name, one in named.items() if one is not None]
        return tuple(sorted(taken, key=lambda one: (one.resource != "cpu", one.resource != "memory", one.resource)))

    # --- lacking="zero" ---------------------------------------------------------------------------

    def _exact(self, snapshot: Snapshot, requests: Resources, strategies: Strategies) -> list[Part]:
        taken = [(one, float(requests.get(one.resource, 0))) for one in self._taken(requests, strategies)]
        if not taken:
            return []
        highest = 1.0 if all(one.weight > 0 for one, _ in taken) else sum(abs(one.weight) for one, _ in taken)
        names = tuple(one.resource for one, _ in taken)
        sizes: Sizes = snapshot.follow(("sizes", names), lambda: Sizes(snapshot, names))
        formula = Formula(partial(_average, snapshot, sizes, taken), self.weight, highest)
        topic = ", ".join(str(one) for one, _ in taken)
        return [Part(self.name, topic, formula, sizes, partial(_detail, snapshot, taken, self.weight))]

    # --- lacking="skip" ---------------------------------------------------------------------------

    def _by_columns(self, snapshot: Snapshot, requests: Resources, columns: UsageColumns) -> list[Part]:
        found = []
        if columns.rates:
            rates = tuple((columns.rates[name], float(units)) for name, units in requests.items() if name in columns.rates)
            linear = Linear(columns.base, rates, self.weight)
            found.append(Part(self.name, columns.topic, linear, columns, detail=partial(columns.detail, requests, self.weight)))
        for one in columns.used:
            if one.kind == "ratio":
                formula = partial(_shaped, snapshot, one, columns.shares[one.resource], float(requests.get(one.resource, 0)))
                found.append(Part(self.name, str(one), Formula(formula, self.weight, 1.0), columns))
        return found

    def _columns(self, snapshot: Snapshot, requests: Resources, strategies: Strategies) -> UsageColumns | None:
        """The columns of the strategies that apply; kept per list of strategies, and per set of resources requested."""
        general = self.over == "configured" and not any(one.resource.endswith("*") for one in strategies)
        asked = None if general else frozenset(requests)
        # The follower holds `resources`, so its id cannot pass to another policy's; hashing it would take longer than the rest.
        key = ("packing", id(strategies) if strategies is self.resources else strategies, self.over, asked)
        found: UsageColumns | None = snapshot.followers.get(key)
        if found is None:
            used = self._taken(requests, strategies)
            if not used:
                return None
            found = snapshot.followers[key] = UsageColumns(snapshot, used, strategies)
        return found


Taken = Iterable[tuple[ResourceStrategy, float]]
"""Strategies and what the workload requests of their resources."""


def _average(snapshot: Snapshot, sizes: Sizes, taken: Taken, pick: Pick, ops: Ops) -> Any:
    """sum(w * u) / sum(w), in this order of operations; not divided where the weights come to nothing."""
    total, weights, overbooked = 0.0, 0.0, False
    for one, request in taken:
        free = pick(snapshot.free_of(one.resource))
        share = _weighed(one, free - request, pick(sizes.divisor[one.resource]))
        short = free < request
        if one.resource not in sizes.everywhere:
            share = share * pick(sizes.there[one.resource])
            short = short & (pick(snapshot.capacity_of(one.resource)) > 0)
        total = total + share
        overbooked = overbooked | short
        weights += one.weight
    if weights > 0:
        total = total / weights
    return total * (1.0 - overbooked)


def _weighed(one: ResourceStrategy, left: Any, capacity: Any) -> Any:
    """w * u, where so much of the capacity would be left. (Amounts are whole numbers, so used = capacity - left is exact.)"""
    if one.kind == "most":
        return (capacity - left) * one.weight / capacity
    if one.kind == "least":
        return left * one.weight / capacity
    xs, ys = zip(*one.shape, strict=True)
    return np.interp(100.0 * (capacity - left) / capacity, xs, ys) / 10.0 * one.weight


def _detail(snapshot: Snapshot, taken: Taken, weight: float, row: int) -> list[tuple[str, float]]:
    """What each resource adds to the score of a row."""
    weights = sum(one.weight for one, _ in taken)
    found, overbooked = [], False
    for one, request in taken:
        capacity, free = (column.cell[row] for column in (snapshot.capacity_of(one.resource), snapshot.free_of(one.resource)))
        share = float(_weighed(one, free - request, capacity)) if capacity else 0.0
        found.append((str(one), share / (weights if weights > 0 else 1.0) * weight))
        overbooked |= capacity > 0 and free < request
    return [(topic, 0.0 if overbooked else value) for topic, value in found]


def _shaped(snapshot: Snapshot, one: ResourceStrategy, share: Column, request: float, pick: Pick, ops: Ops) -> Any:
    capacity = pick(snapshot.capacity_of(one.resource))
    used = capacity - pick(snapshot.free_of(one.resource)) + request
    percent = 100.0 * used / np.maximum(capacity, 1.0)
    xs, ys = zip(*one.shape, strict=True)
    return np.interp(percent, xs, ys) / 10.0 * pick(share)
