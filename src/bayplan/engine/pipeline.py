"""Filter, score, pick, for one workload. Everything rests on this.

Three ways to the same answer, bit for bit (tests/laws/test_same_answer.py), and a fourth for scores that are
normalised over the rows that fit, which allow none of the others:

    scan      judge and score every row                         a new kind of request
    ranking   replay what changed since this kind was last asked     a kind asked again
    bounds    open only blocks of rows that could win           a new kind on a very large table
    running   who fits, then points on a scale over those       scores that depend on who else fits
"""

from __future__ import annotations

from itertools import islice
from math import inf
from typing import Any

import numpy as np

from bayplan.engine.bounds import bounded
from bayplan.engine.policy import Policy
from bayplan.engine.query import Conditions, Query
from bayplan.engine.ranking import Found, Ranking
from bayplan.engine.running import Running, best_in_the_running
from bayplan.model.kind import KindKey
from bayplan.model.workload import Workload
from bayplan.table.checks import Holds
from bayplan.table.column import Floats
from bayplan.table.forms import Clause, Part
from bayplan.table.kinds import Family, Kind
from bayplan.table.snapshot import Snapshot

LARGE = 16_384
"""Rows from which a full scan costs more than bounds over blocks."""

FEW = 8
"""When fewer than one row in so many is left, the rest is done for those rows only."""

RETRY_LUCK = 8
"""After the best of all rows was refused, so many scans do not try it first."""

SOON = 64
"""A kind that is asked again within this many changes earns a ranking."""

RANKING_BYTES = 128 << 20
QUERY_LIMIT = 4096


class Pipeline:
    """One snapshot, one policy, and what was compiled for them."""

    def __init__(self, snapshot: Snapshot, policy: Policy):
        self.snapshot = snapshot
        self.policy = policy
        self._queries: dict[Kind, Query] = {}
        self._conditions: dict[Family, Conditions] = {}
        self._rankings: dict[Kind, Query] = {}
        self._latest: tuple[KindKey | None, Query | None] = (None, None)
        """What was asked for last, and what it was compiled to."""

    def query(self, workload: Workload) -> Query:
        """The workload compiled; kept for all of its kind."""
        key, (before, latest) = workload.kind, self._latest
        if key is before and latest is not None and latest.current:  # the same again, as often
            return latest
        found = self._compiled(workload)
        self._latest = (key, found)
        return found

    def _compiled(self, workload: Workload) -> Query:
        kind = self.snapshot.kind(workload)
        found = self._queries.get(kind)
        if found is None or not found.current:
            if len(self._queries) >= QUERY_LIMIT:
                for old in forget_oldest(self._queries):
                    self._rankings.pop(old, None)
            found = self._queries[kind] = Query(self.snapshot, self.policy, workload, self._shared(kind, workload))
            self._rankings.pop(kind, None)
        return found

    def _shared(self, kind: Kind, workload: Workload) -> Conditions:
        """What is compiled once for all workloads that differ only by name and size."""
        found = self._conditions.get(kind.family)
        if found is None or not found.current:
            if len(self._conditions) >= QUERY_LIMIT:
                forget_oldest(self._conditions)
            found = self._conditions[kind.family] = Conditions(self.snapshot, self.policy, workload)
        return found

    def best(self, query: Query) -> Found:
        """The winning row and its score, or None when every node refuses."""
        end = self.snapshot.log.end
        gap, query.last_seen = end - query.last_seen if query.last_seen >= 0 else inf, end
        ranking: Ranking | Running | None = query.ranking
        if ranking is not None and end - ranking.read_to <= 256 + self.snapshot.room // 100:
            return ranking.best()
        query.hits = query.hits + 1 if gap <= SOON else 0
        if query.hits > (self.snapshot.room > LARGE):
            return self._rank(query).best()
        return self.search(query)

    def _rank(self, query: Query) -> Ranking | Running:
        query.catch_up()
        if len(self._rankings) * self.snapshot.room * 8 > RANKING_BYTES:
            oldest = self._rankings.pop(next(iter(self._rankings)))
            oldest.ranking = None
        self._rankings[query.kind] = query
        query.ranking = Running(query) if query.normalised else Ranking(query)
        return query.ranking  # type: ignore[no-any-return]

    def search(self, query: Query) -> Found:
        """Without a ranking: a scan, or bounds on a large table."""
        if query.normalised:
            return best_in_the_running(query)
        return bounded(query) if self.snapshot.room > LARGE else scan(query)

    def with_group(self, workload: Workload, clauses: tuple[Clause, ...], wishes: tuple[Part, ...]) -> Query:
        """A member of a group, compiled with what the group adds; not kept."""
        query = Query(self.snapshot, self.policy, workload, self._shared(self.snapshot.kind(workload), workload))
        return query.with_extras(clauses, wishes)


def forget_oldest(cache: dict[Any, Any]) -> list[Any]:
    """Drop the quarter that came first; its keys are returned."""
    oldest = list(islice(cache, len(cache) // 4))
    for key in oldest:
        del cache[key]
    return oldest


def scan(query: Query) -> Found:
    """The plain meaning of a decision: every row judged, every row scored, the best one taken.

    The rows that pass the lasting checks are known beforehand. Where the best of *those* (in domains that will
    do) passes the rest as well, nobody else needs to be judged; families for which that worked lately try it
    first. Where few rows are left, the rest is done for those only.
    """
    query.catch_up()
    sieve, family = query.sieve(), query.conditions
    if len(sieve.rows) * FEW < query.snapshot.room:
        return query.best_of(sieve.rows)
    scores: Floats | None = None
    if family.luck >= 0:
        scores = query.scores()
        scores += sieve.penalty
        for counted in query.coarse_checks:
            scores += counted.penalty()
        row = int(scores.argmax())
        if query.passes(row):
            return row, scores.item(row)
        family.luck = -RETRY_LUCK
    else:
        family.luck += 1
    mask = sieve.mask.copy()
    for counted in query.coarse_checks:
        counted.narrow(mask)
    if np.count_nonzero(mask) * FEW < len(mask):
        return query.best_of(np.flatnonzero(mask), judged_by_domain=True)
    for check in query.local_checks:
        if type(check) is not Holds:
            check.narrow(mask)
    scores = np.where(mask, query.scores() if scores is None else scores, -inf)
    row = int(scores.argmax())
    return (row, scores.item(row)) if mask[row] else None


def could_ever(query: Query) -> bool:
    """Is there a node that only load keeps away? If not, waiting is of no use."""
    if query.could_ever[0] != query.snapshot.node_version:
        hopeful = query.snapshot.alive.data.copy()
        for clause in query.clauses:
            if clause.hope is True:
                continue
            passes = hopeful.copy()
            clause.check.narrow(passes)
            if clause.hope is not False:
                maybe = hopeful.copy()
                clause.hope.narrow(maybe)
                passes |= maybe
            hopeful &= passes
        query.could_ever = (query.snapshot.node_version, bool(hopeful.any()))
    return query.could_ever[1]
