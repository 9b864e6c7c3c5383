"""A request, compiled: every filter's clauses and every scorer's parts, sorted by how they change.

    local    depend on the row: a ranking of rows keeps their result and follows the change log
    coarse   depend on the row's domain: applied to whole domains at the moment of the decision

Scores live on a grid of 2^-30: the local sum is rounded to it, and so is every coarse table, so
adding them is exact. That makes all ways to evaluate give the same bits, and lets scores that differ
only by the noise of floating point be what they are: ties.
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from bayplan.engine.policy import Policy, filter_named
from bayplan.model.workload import Workload
from bayplan.table.column import Bools, Floats
from bayplan.table.forms import Check, Clause, Counted, Follower, Graded, Part, Term
from bayplan.table.journal import Kind
from bayplan.table.snapshot import Snapshot

_MAGNET = 1.5 * 2.0**22
"""Near this number doubles are 2^-30 apart, so adding and subtracting it rounds to that grid."""


def on_grid(score: Any) -> Any:
    """Round a number or an array to the grid (exact for scores below two million)."""
    return (score + _MAGNET) - _MAGNET


class Query:
    """What the engine runs. `extra` clauses and parts come from the group a workload belongs to."""

    __slots__ = (
        "_epoch", "_extra", "_policy", "_repellers", "_wishes", "clauses", "coarse_checks", "coarse_terms", "could_ever", "followers", "hits", "kind",
        "last_seen", "local_checks", "local_terms", "parts", "ranking", "snapshot",
    )  # fmt: skip

    def __init__(
        self, snapshot: Snapshot, policy: Policy, workload: Workload, extra: tuple[Clause, ...] = (), wishes: tuple[Part, ...] = ()
    ):
        self.snapshot = snapshot
        self._policy, self._extra, self._wishes = policy, extra, wishes
        self.kind: Kind = snapshot.kind(workload)
        clauses = [clause for name in policy.filters for clause in filter_named(name)(snapshot, workload)]
        parts = [part for scorer in policy.scorers for part in scorer.parts(snapshot, workload)]
        self.clauses: tuple[Clause, ...] = (*clauses, *extra)
        self.parts: tuple[Part, ...] = (*parts, *wishes)
        checks = [clause.check for clause in self.clauses if not clause.implied]
        terms = [part.term for part in self.parts]
        self.local_checks: list[Check] = [one for one in checks if one.coarse is None]
        self.coarse_checks: list[Counted] = [one for one in checks if isinstance(one, Counted) and one.coarse is not None]
        self.local_terms: list[Term] = [one for one in terms if one.coarse is None]
        self.coarse_terms: list[Graded] = [one for one in terms if isinstance(one, Graded) and one.coarse is not None]
        self.followers: list[Follower] = list({id(p.follower): p.follower for p in self.parts if p.follower}.values())
        self._epoch = snapshot.epoch
        self._repellers = len(snapshot.residents.classes[self.kind.class_id].repellers)
        self.ranking: Any = None
        self.last_seen = -1
        self.hits = 0
        self.could_ever: tuple[int, bool] = (-1, False)

    @property
    def current(self) -> bool:
        """Are the columns and counts it was compiled to still the ones to read?"""
        repellers = self.snapshot.residents.classes[self.kind.class_id].repellers
        return self._epoch == self.snapshot.epoch and self._repellers == len(repellers)

    def again(self, workload: Workload) -> Query:
        """Another workload under the same policy and group."""
        return Query(self.snapshot, self._policy, workload, self._extra, self._wishes)

    def catch_up(self) -> None:
        for follower in self.followers:
            follower.catch_up()

    def value(self, row: int) -> float:
        """The local score of one row, -inf when a local check refuses it."""
        if not self.snapshot.alive.cell[row]:
            return -inf
        for check in self.local_checks:
            if not check.one(row):
                return -inf
        total = 0.0
        for term in self.local_terms:
            total += term.one(row)
        return (total + _MAGNET) - _MAGNET

    def coarse_table(self, term: Graded) -> Floats:
        table: Floats = on_grid(term.table())
        return table

    def passes(self, row: int) -> bool:
        """Does every clause accept the row?"""
        return bool(self.snapshot.alive.cell[row]) and all(clause.check.one(row) for clause in self.clauses)

    def mask(self) -> Bools:
        """Every row, judged by every clause."""
        mask: Bools = self.snapshot.alive.data.copy()
        for check in (*self.local_checks, *self.coarse_checks):
            check.narrow(mask)
        return mask

    def scores(self) -> Floats:
        """Every row's score, feasible or not."""
        total = np.zeros(self.snapshot.room)
        for term in self.local_terms:
            term.add(total)
        total += _MAGNET
        total -= _MAGNET
        for graded in self.coarse_terms:
            total += self.coarse_table(graded)[graded.tally.label.codes.data]
        return total
