"""Decisions under normalised points: who fits, then points on a scale over those.

What does not depend on others (whether a row fits, and its plain score) is kept per kind and follows the change log,
as a ranking does; only the points are computed anew for every decision.
"""

from __future__ import annotations

from math import inf

import numpy as np

from bayplan.engine.query import Query
from bayplan.engine.ranking import Found
from bayplan.table.column import Floats, cells
from bayplan.table.normalised import Picked


def best_in_the_running(query: Query) -> Found:
    """Every row judged and scored."""
    query.catch_up()
    scores = query.local_scores()
    mask = query.snapshot.alive.data.copy()
    for check in query.local_checks:
        check.narrow(mask)
    np.copyto(scores, -inf, where=~mask)
    return _best(query, scores, len(query.snapshot.names), int(np.count_nonzero(mask)))


class Running:
    """The plain scores of one kind, -inf where a row does not fit. Made when the kind is asked for again."""

    def __init__(self, query: Query):
        self._query, self._snapshot = query, query.snapshot
        self._start()

    def _start(self) -> None:
        query = self._query
        self._stamps = query.stamps()
        self.read_to = self._snapshot.log.end
        mask = self._snapshot.alive.data.copy()
        for check in query.local_checks:
            check.narrow(mask)
        self._scores: Floats = np.where(mask, query.local_scores(), -inf)
        self._cell = cells(self._scores)
        self._fitting = int(np.count_nonzero(mask))

    def best(self) -> Found:
        query, log = self._query, self._snapshot.log
        query.catch_up()
        rows = log.since(self.read_to)
        if rows is None or (query.moody and self._stamps != query.stamps()):
            self._start()
        else:
            for row in rows:
                before, value = self._cell[row], query.value(row)
                self._cell[row] = value
                self._fitting += (value > -inf) - (before > -inf)
            self.read_to = log.end
        return _best(query, self._scores, len(self._snapshot.names), self._fitting)


def _best(query: Query, scores: Floats, size: int, fitting: int) -> Found:
    """The best row, given the plain scores of all rows (-inf where one does not fit), of which so many fit."""
    rows: Picked = slice(0, size)
    if query.coarse_checks:
        scores = scores.copy()
        for counted in query.coarse_checks:
            scores += counted.penalty()
        rows = np.flatnonzero(scores > -inf)
    elif fitting < size:
        rows = np.flatnonzero(scores > -inf)
    total: Floats = scores[rows] + 0.0
    if not len(total):
        return None
    for graded in query.coarse_terms:
        total += query.coarse_table(graded).take(graded.tally.label.codes.data[rows])
    for term in query.normalised:
        points = term.points(rows)
        total += points if term.weight == 1.0 else points * term.weight
    best = int(total.argmax())
    return best if isinstance(rows, slice) else int(rows[best]), total.item(best)
