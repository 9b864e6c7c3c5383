"""Why rows are out: per row, counted per reason, and which rows nearly fit.

All three read the clauses that made the decision; nothing is judged a second time by other means.
A row that is short of devices is short of the resource as well: the devices speak for both.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

import numpy as np

from bayplan.engine.query import Query
from bayplan.model.decision import No, Reason
from bayplan.table.checks import AtLeast
from bayplan.table.column import Bools, Floats
from bayplan.table.forms import Clause

NEAREST = 5
Key = tuple[str, str]
"""Rule and topic."""
PATTERNS = 8
"""So many different sets of reasons are considered for the smallest change."""


@dataclass(frozen=True, slots=True)
class Count:
    """How many nodes one reason keeps out."""

    rule: str
    topic: str
    no: No
    nodes: int
    example: str

    def as_json(self) -> dict[str, object]:
        return {"rule": self.rule, "topic": self.topic, "no": self.no, "nodes": self.nodes, "example": self.example}


@dataclass(frozen=True, slots=True)
class Miss:
    """A node that nearly fits, and all that keeps it from it."""

    node: str
    reasons: tuple[Reason, ...]

    def as_json(self) -> dict[str, object]:
        return {"node": self.node, "reasons": [one.as_json() for one in self.reasons]}


def reasons_of(query: Query, row: int) -> tuple[Reason, ...]:
    """Everything that keeps a row out, one reason per rule and topic; NEVER speaks before BUSY."""
    found: dict[Key, Reason] = {}
    for clause in query.clauses:
        if not clause.check.one(row):
            for reason in clause.reasons(row):
                known = found.get((reason.rule, reason.topic))
                if known is None or (known.no is No.BUSY and reason.no is No.NEVER):
                    found[reason.rule, reason.topic] = reason
    return tuple(reason for key, reason in found.items() if _louder(key) not in found)


def _louder(key: Key) -> Key | None:
    """The reason beside which this one need not be said."""
    rule, topic = key
    return ("devices", topic) if rule == "fit" else None


def counts(query: Query) -> tuple[Count, ...]:
    """Nodes per reason. Rows that get the same reasons are asked once and multiplied."""
    refused: dict[Key, tuple[Bools, Bools]] = {}
    for clause in query.clauses:
        for reason, mask in _by_topic(clause, _failing(query, clause)):
            never = mask & _never(clause, mask)
            key = (reason.rule, reason.topic)
            if key in refused:
                mask, never = mask | refused[key][0], never | refused[key][1]
            refused[key] = (mask, never)
    found = []
    for key, (mask, never) in refused.items():
        louder = _louder(key)
        said = mask & ~refused[louder][0] if louder in refused else mask
        for no, which in ((No.NEVER, said & never), (No.BUSY, said & ~never)):
            rows = np.flatnonzero(which)
            if len(rows):
                example = next(r for r in reasons_of(query, int(rows[0])) if (r.rule, r.topic) == key)
                found.append(Count(*key, no, len(rows), f"{query.snapshot.names[rows[0]]} {example.sentence}"))
    return tuple(sorted(found, key=lambda count: (-count.nodes, count.rule, count.topic)))


def _failing(query: Query, clause: Clause) -> Bools:
    alive = query.snapshot.alive.data
    passes = alive.copy()
    clause.check.narrow(passes)
    return alive & ~passes


def _by_topic(clause: Clause, failing: Bools) -> Iterator[tuple[Reason, Bools]]:
    rows = np.flatnonzero(failing)
    if not len(rows):
        return
    if clause.alike is None:
        yield clause.reasons(int(rows[0]))[0], failing
        return
    codes = clause.alike.codes.data
    for code in np.unique(codes[rows]):
        same = failing & (codes == code)
        for reason in clause.reasons(int(np.flatnonzero(same)[0])):
            yield reason, same


def _never(clause: Clause, mask: Bools) -> Bools:
    if clause.hope is True or clause.hope is False:
        return np.full(len(mask), clause.hope is False)
    hopeful = mask.copy()
    clause.hope.narrow(hopeful)
    return ~hopeful


def _said(query: Query) -> Iterator[tuple[Clause, Bools]]:
    """The clauses that decide, with the rows for which they speak."""
    failing = [(clause, _failing(query, clause)) for clause in query.clauses if not clause.implied]
    keyed = {_key(clause, rows): rows for clause, rows in failing if clause.rule == "devices"}
    for clause, rows in failing:
        louder = _louder(_key(clause, rows)) if clause.rule == "fit" else None
        yield clause, rows & ~keyed[louder] if louder in keyed else rows


def _key(clause: Clause, failing: Bools) -> Key:
    rows = np.flatnonzero(failing)
    return (clause.rule, clause.reasons(int(rows[0]))[0].topic if len(rows) else "")


class Misses:
    """How far every row is from fitting, and which clauses it fails.

    Distance: fewest lasting reasons, then fewest reasons, then the smallest share of the request short.
    """

    def __init__(self, query: Query):
        self._query = query
        alive = query.snapshot.alive.data
        self._distance = np.where(alive, 0.0, inf)
        self._failed = np.zeros(query.snapshot.room, np.int64)
        """The clauses a row fails, as bits; the first 62 tell rows apart."""
        self._count = np.zeros(query.snapshot.room)
        for number, (clause, failing) in enumerate(_said(query)):
            self._failed |= failing * (1 << min(number, 62))
            self._count += failing
            self._distance += failing * 100.0
            self._distance += (failing & _never(clause, failing)) * 10_000.0
            if isinstance(clause.check, AtLeast) and clause.rule in ("fit", "devices"):
                short = (clause.check.amount - clause.check.column.data) / clause.check.amount
                self._distance += np.where(failing, short, 0.0)  # where it is not short, a column may be infinite

    def nearest(self) -> tuple[Miss, ...]:
        alive = int(np.count_nonzero(self._query.snapshot.alive.data))
        rows = _smallest(self._distance, min(NEAREST, alive))
        return tuple(Miss(str(self._query.snapshot.names[row]), reasons_of(self._query, row)) for row in rows)

    def one_of_each(self) -> Iterator[str]:
        """The nearest node of every distinct set of failed clauses, those with the fewest first."""
        order = self._count * 1e9 + self._distance
        for _ in range(PATTERNS):
            row = int(order.argmin())
            if order[row] == inf:
                return
            yield str(self._query.snapshot.names[row])
            order[self._failed == self._failed[row]] = inf


def _smallest(distance: Floats, count: int) -> list[int]:
    """The rows of the smallest distances, the lower row first of equal ones."""
    if not count:
        return []
    limit = np.partition(distance, count - 1)[count - 1]
    nearer = np.flatnonzero(distance < limit)
    just = np.flatnonzero(distance == limit)[: count - len(nearer)]
    return [int(row) for row in (*nearer[np.argsort(distance[nearer], kind="stable")], *just)]
