"""A request, compiled: every filter's clauses and every scorer's parts, sorted by how they change.

    local    depend on the row: a ranking of rows keeps their result and follows the change log
    coarse   depend on the row's domain: applied to whole domains at the moment of the decision

Scores live on a grid of 2^-30: the local sum is rounded to it, and so is every coarse table, so
adding them is exact. That makes all ways to evaluate give the same bits, and lets scores that differ
only by the noise of floating point be what they are: ties.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from math import inf
from typing import Any

import numpy as np

from bayplan.engine.policy import Policy
from bayplan.model.selector import NODE_NAME
from bayplan.model.workload import Workload
from bayplan.table.blocks import Blocks, Sieve
from bayplan.table.checks import AtLeast, Counted, Holds
from bayplan.table.column import Bools, Floats, Rows
from bayplan.table.forms import Check, Clause, Follower, Part, Term
from bayplan.table.kinds import Kind
from bayplan.table.normalised import Normalised
from bayplan.table.snapshot import Snapshot
from bayplan.table.terms import Graded, Linear

_MAGNET = 1.5 * 2.0**22
"""Near this number doubles are 2^-30 apart, so adding and subtracting it rounds to that grid."""


def on_grid(score: Any) -> Any:
    """Round a number or an array to the grid (exact for scores below two million)."""
    return (score + _MAGNET) - _MAGNET


NO_EXTRAS: tuple[tuple[Clause, ...], tuple[Part, ...]] = ((), ())


class Compiled:
    """Clauses and parts, sorted."""

    __slots__ = (
        "clauses", "coarse_checks", "coarse_terms", "fits", "flags", "followers", "judges", "local_checks", "local_terms",
        "moody", "normalised", "parts",
    )  # fmt: skip

    def __init__(self) -> None:
        self.clauses: list[Clause] = []
        self.parts: list[Part] = []
        self.local_checks: list[Check] = []
        self.coarse_checks: list[Counted] = []
        self.local_terms: list[Term] = []
        self.coarse_terms: list[Graded] = []
        self.followers: list[Follower] = []
        self.fits: list[tuple[Any, float]] = []
        """The local checks once more, in the forms in which one row is judged in no time: of AtLeast the cells and amounts,"""
        self.flags: list[Any] = []
        """of Holds the cells,"""
        self.judges: list[Callable[[int], Any]] = []
        """of the others what they say of one row."""
        self.normalised: list[Normalised] = []
        self.moody: list[Counted | Graded] = []
        """Local forms whose answer can change although their row does not."""

    def take(self, clauses: Iterable[Clause], parts: Iterable[Part]) -> None:
        for clause in clauses:
            self.clauses.append(clause)
            check = clause.check
            if clause.follower is not None:
                self.followers.append(clause.follower)
            if clause.implied:
                continue
            if check.coarse is None:
                self.local_checks.append(check)
                self._one_row(check)
            else:
                assert isinstance(check, Counted)
                self.coarse_checks.append(check)
        for part in parts:
            self.parts.append(part)
            term, follower = part.term, part.follower
            if isinstance(term, Normalised):
                self.normalised.append(term)
            elif term.coarse is None:
                self.local_terms.append(term)
                if isinstance(term, Graded) and term.tally.label.key != NODE_NAME:
                    self.moody.append(term)
            else:
                assert isinstance(term, Graded)
                self.coarse_terms.append(term)
            if follower is not None and follower not in self.followers:
                self.followers.append(follower)

    def _one_row(self, check: Check) -> None:
        if type(check) is AtLeast:
            self.fits.append((check.column.cell, check.amount))
        elif type(check) is Holds:
            self.flags.append(check.column.cell)
        else:
            self.judges.append(check.one)
            if isinstance(check, Counted) and check.moves:
                self.moody.append(check)

    def extend(self, other: Compiled) -> None:
        self.clauses += other.clauses
        self.parts += other.parts
        self.local_checks += other.local_checks
        self.coarse_checks += other.coarse_checks
        self.local_terms += other.local_terms
        self.coarse_terms += other.coarse_terms
        self.followers += other.followers
        self.fits += other.fits
        self.flags += other.flags
        self.judges += other.judges
        self.normalised += other.normalised
        self.moody += other.moody


class Conditions(Compiled):
    """What does not depend on how much is requested: shared by workloads with equal conditions."""

    __slots__ = ("_epochs", "_label_class", "_noticed", "_snapshot", "luck", "sieve")

    def __init__(self, snapshot: Snapshot, policy: Policy, workload: Workload):
        super().__init__()
        rules = policy.rules
        kind = snapshot.kind(workload)
        for rule in rules.filters:
            self.take(rule(snapshot, workload), ())
        for scorer in rules.scorers:
            self.take((), scorer.parts(snapshot, workload))
        self.sieve: Sieve | None = None
        self.luck = 0
        """Below 0: the best of all rows was lately not one that passes (see pipeline.scan)."""
        self._snapshot = snapshot
        self._epochs = (snapshot.statics.epoch, snapshot.residents.epoch)
        self._label_class = snapshot.residents.classes[kind.class_id]
        self._noticed = self._label_class.noticed

    @property
    def current(self) -> bool:
        """Are the columns and counts it was compiled to still the ones to read?"""
        statics, residents = self._epochs
        snapshot = self._snapshot
        return (
            statics == snapshot.statics.epoch
            and residents == snapshot.residents.epoch
            and self._noticed == self._label_class.noticed
        )


class Query(Compiled):
    """What the engine runs: the shared conditions and what depends on the requests."""

    __slots__ = (
        "conditions",
        "could_ever",
        "extras",
        "hits",
        "kind",
        "last_seen",
        "own_columns",
        "policy",
        "ranking",
        "snapshot",
    )

    def __init__(self, snapshot: Snapshot, policy: Policy, workload: Workload, conditions: Conditions | None = None):
        super().__init__()
        self.snapshot, self.policy = snapshot, policy
        self.kind: Kind = snapshot.kind(workload)
        self.conditions = Conditions(snapshot, policy, workload) if conditions is None else conditions
        rules = policy.rules
        clauses: list[Clause] = []
        parts: list[Part] = []
        for rule in rules.sized_filters:
            clauses += rule(snapshot, workload)
        for scorer in rules.sized_scorers:
            parts += scorer.parts(snapshot, workload)
        self.take(clauses, parts)
        self.own_columns = any(type(check) is Holds for check in self.local_checks)
        self.extend(self.conditions)
        self.extras = NO_EXTRAS
        self.ranking: Any = None
        self.last_seen = -1
        self.hits = 0
        self.could_ever: tuple[int, bool] = (-1, False)

    @property
    def current(self) -> bool:
        return self.conditions.current

    def stamps(self) -> list[Hashable]:
        """What local results depend on beside their own row; when it moves, a ranking is void."""
        return [one.stamp() for one in self.moody]

    def with_extras(self, clauses: tuple[Clause, ...], parts: tuple[Part, ...]) -> Query:
        """Take in what does not come from the policy: the rule of a group."""
        self.extras = (clauses, parts)
        self.take(clauses, parts)
        return self

    def again(self, workload: Workload) -> Query:
        """Another workload under the same policy and group, compiled to the table as it is now."""
        return Query(self.snapshot, self.policy, workload).with_extras(*self.extras)

    def catch_up(self) -> None:
        for follower in self.followers:
            follower.catch_up()

    def value(self, row: int) -> float:
        """The local score of one row, -inf when a local check refuses it."""
        for cell, amount in self.fits:
            if cell[row] < amount:
                return -inf
        if not self.snapshot.alive.cell[row]:
            return -inf
        for flag in self.flags:
            if not flag[row]:
                return -inf
        for judge in self.judges:
            if not judge(row):
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

    def sieve(self) -> Sieve:
        """The rows that pass the lasting checks; shared by the family, unless rules that read requests have some."""
        family, snapshot = self.conditions, self.snapshot
        blocks: Blocks = snapshot.follow("blocks", lambda: Blocks(snapshot))
        if self.own_columns or self.extras != NO_EXTRAS:
            sieve = blocks.sieve([check.column for check in self.local_checks if type(check) is Holds])
        else:
            if family.sieve is None or family.sieve.blocks is not blocks:
                family.sieve = blocks.sieve([check.column for check in family.local_checks if type(check) is Holds])
            sieve = family.sieve
        sieve.catch_up()
        return sieve

    def best_of(self, rows: Rows, judged_by_domain: bool = False) -> tuple[int, float] | None:
        """The best of these rows, which pass the lasting checks. Ties go to the first."""
        if not judged_by_domain:
            for counted in self.coarse_checks:  # often picky, so first: what follows has fewer rows to look at
                rows = rows[counted.at(rows)]
        mask: Bools | None = None
        for check in self.local_checks:
            if type(check) is not Holds:
                passes = check.at(rows)
                mask = passes if mask is None else mask & passes
        if mask is not None:
            rows = rows[mask]
        if not len(rows):
            return None
        total = np.zeros(len(rows))
        for term in self.local_terms:
            total += term.at(rows)
        total += _MAGNET
        total -= _MAGNET
        for graded in self.coarse_terms:
            total += on_grid(graded.at(rows))
        best = int(total.argmax())
        return int(rows[best]), total.item(best)

    def scores(self) -> Floats:
        """Every row's score, feasible or not. (What is normalised over the feasible rows is given only to those.)"""
        total = self.plain_scores()
        if self.normalised:
            rows = np.flatnonzero(self.mask())
            for term in self.normalised:
                total[rows] += term.points(rows) * term.weight
        return total

    def plain_scores(self) -> Floats:
        """What depends on nobody else."""
        total = self.local_scores()
        for graded in self.coarse_terms:
            total += self.coarse_table(graded).take(graded.tally.label.codes.data)
        return total

    def local_scores(self) -> Floats:
        terms = self.local_terms
        if terms and isinstance(terms[0], Linear):
            total, terms = terms[0].full(), terms[1:]
        else:
            total = np.zeros(self.snapshot.room)
        for term in terms:
            term.add(total)
        total += _MAGNET
        total -= _MAGNET
        return total
