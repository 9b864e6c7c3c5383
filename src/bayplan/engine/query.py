"""A request, compiled: every filter's clauses and every scorer's parts, sorted by how they change.

    local    depend on the row: a ranking of rows keeps their result and follows the change log
    coarse   depend on the row's domain: applied to whole domains at the moment of the decision

Scores live on a grid of 2^-30: the local sum is rounded to it, and so is every coarse table, so
adding them is exact. That makes all ways to evaluate give the same bits, and lets scores that differ
only by the noise of floating point be what they are: ties.
"""

from __future__ import annotations

from collections.abc import Hashable
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
        "_epochs", "_extra", "_label_class", "_policy", "_repellers", "_wishes", "clauses", "coarse_checks", "coarse_terms",
        "could_ever", "followers", "hits", "kind", "last_seen", "local_checks", "local_terms", "moody", "parts", "ranking", "snapshot",
    )  # fmt: skip

    def __init__(
        self, snapshot: Snapshot, policy: Policy, workload: Workload, extra: tuple[Clause, ...] = (), wishes: tuple[Part, ...] = ()
    ):
        self.snapshot = snapshot
        self._policy, self._extra, self._wishes = policy, extra, wishes
        self.kind: Kind = snapshot.kind(workload)
        self.clauses: list[Clause] = [*extra]
        for name in policy.filters:
            self.clauses += filter_named(name)(snapshot, workload)
        self.parts: list[Part] = [*wishes]
        for scorer in policy.scorers:
            self.parts += scorer.parts(snapshot, workload)
        self.local_checks: list[Check] = []
        self.coarse_checks: list[Counted] = []
        self.local_terms: list[Term] = []
        self.coarse_terms: list[Graded] = []
        self.followers: list[Follower] = []
        self._sort()
        self.moody = [one for one in (*self.local_checks, *self.local_terms) if isinstance(one, Counted | Graded)]
        self._epochs = (snapshot.statics.epoch, snapshot.residents.epoch)
        self._label_class = snapshot.residents.classes[self.kind.class_id]
        self._repellers = len(self._label_class.repellers)
        self.ranking: Any = None
        self.last_seen = -1
        self.hits = 0
        self.could_ever: tuple[int, bool] = (-1, False)

    def _sort(self) -> None:
        for clause in self.clauses:
            check = clause.check
            if clause.implied:
                continue
            if isinstance(check, Counted) and check.coarse is not None:
                self.coarse_checks.append(check)
            else:
                self.local_checks.append(check)
        for _, _, term, follower in self.parts:
            if isinstance(term, Graded) and term.coarse is not None:
                self.coarse_terms.append(term)
            else:
                self.local_terms.append(term)
            if follower is not None and follower not in self.followers:
                self.followers.append(follower)

    @property
    def current(self) -> bool:
        """Are the columns and counts it was compiled to still the ones to read?"""
        statics, residents = self._epochs
        snapshot = self.snapshot
        return (
            statics == snapshot.statics.epoch
            and residents == snapshot.residents.epoch
            and self._repellers == len(self._label_class.repellers)
        )

    def stamps(self) -> list[Hashable]:
        """What local results depend on beside their own row; when it moves, a ranking is void."""
        return [one.stamp() for one in self.moody]

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
