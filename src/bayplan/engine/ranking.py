"""A kept ranking of all rows for one kind of request, brought up to date by the change log.

Rows lie in blocks of at most 256 that never cross a domain the kind depends on. Per block the best
local score and its row are kept. A decision replays the rows that changed since the last one (one,
when equal requests follow each other), shifts block maxima by what their domains say now, and takes
the best: a few microseconds, nearly independent of the number of nodes.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf

import numpy as np

from bayplan.engine.layout import layout
from bayplan.engine.query import Query, on_grid
from bayplan.table.checks import FORBIDS, Unclaimed
from bayplan.table.column import Floats, Rows, cells
from bayplan.table.terms import Graded

FEW_DOMAINS = 16
FEW_BLOCKS = 6
"""Up to so many, plain Python beats array calls."""

NOWHERE = (-inf, 0)
"""As a score and a negated row: the greatest such pair is the best row, the lowest one of equals."""

Found = tuple[int, float] | None
"""The winning row and its score."""


class Ranking:
    """One kind's ranking. It is made when the kind is asked for again, and then kept up to date."""

    def __init__(self, query: Query):
        self._query = query
        self._snapshot = query.snapshot
        self._start()

    def _start(self) -> None:
        query = self._query
        self._layout = layout(self._snapshot, query)
        self._order, self._position = cells(self._layout.order), cells(self._layout.position)
        self._block = cells(self._layout.block)
        self._stamps = query.stamps()
        self._node_version = self._snapshot.node_version
        self.read_to = self._snapshot.log.end
        self._coarse = bool(query.coarse_checks or query.coarse_terms)
        self._rank_all()

    def _rank_all(self) -> None:
        query, place = self._query, self._layout
        mask = self._snapshot.alive.data.copy()
        for check in query.local_checks:
            check.narrow(mask)
        self._score: Floats = np.where(mask, query.local_scores(), -inf)[place.order]
        self._cell = cells(self._score)
        self._tops: Floats = np.maximum.reduceat(self._score, place.starts)
        first = [start + int(self._score[start:end].argmax()) for start, end in zip(place.starts, place.ends, strict=True)]
        self._firsts: Rows = place.order[first]
        self._top, self._first = cells(self._tops), cells(self._firsts)
        self._starts, self._ends = place.starts.tolist(), place.ends.tolist()
        simple = not any(isinstance(check, Unclaimed) for check in query.coarse_checks)
        self._few = self._coarse and simple and len(place.groups) <= FEW_DOMAINS
        if self._few:
            firsts = [start for start, _ in place.groups]
            codes_of = {key: codes[firsts].tolist() for key, codes in place.codes.items()}
            self._few_checks = [(check, codes_of[check.tally.label.key]) for check in query.coarse_checks]
            self._few_terms = [(term, codes_of[term.tally.label.key]) for term in query.coarse_terms]
            self._one_check = len(self._few_checks) == 1 and not self._few_terms and all(self._few_checks[0][1])
            for check in query.coarse_checks:
                check.tally.counts()  # makes room for every code; new codes make a new layout
            self._groups = range(len(place.groups))
            self._group_of = [group for group, (start, end) in enumerate(place.groups) for _ in range(start, end)]
            self._group_best: list[tuple[float, int]] = [NOWHERE] * len(place.groups)
            for group in range(len(place.groups)):
                self._regroup(group)

    def best(self) -> Found:
        self._catch_up()
        if not self._coarse:
            block = int(self._tops.argmax())
            score = self._top[block]
            return None if score == -inf else (self._first[block], score)
        if self._few:
            return self._best_of_few()
        totals = self._tops + self._shift()
        block = int(totals.argmax())
        score = totals.item(block)
        if score == -inf:
            return None
        tied = totals == score
        alone = np.count_nonzero(tied) == 1
        return self._first[block] if alone else int(self._firsts[tied].min()), score

    def _best_of_few(self) -> Found:
        """As above, but domain by domain: for a handful of domains plain Python beats array calls."""
        if self._one_check:
            check, codes = self._few_checks[0]
            count, (low, high) = check.tally.cell, check.limits()
            fitting = [best for best, code in zip(self._group_best, codes, strict=True) if low <= count[code] <= high]
            score, last = max(fitting, default=NOWHERE)
            return None if score == -inf else (-last, score)
        groups: Iterable[int] = self._groups
        for check, codes in self._few_checks:
            count, absent = check.tally.cell, check.absent
            low, high = check.limits()
            groups = [one for one in groups if ((low <= count[code] <= high) if (code := codes[one]) else absent)]
        bests: Iterable[tuple[float, int]] = map(self._group_best.__getitem__, groups)
        for term, codes in self._few_terms:
            extras = self._of_domains(term, codes)
            bests = [(score + extras[one], last) for one, (score, last) in zip(groups, bests, strict=True)]
        score, last = max(bests, default=NOWHERE)
        return None if score == -inf else (-last, score)

    def _of_domains(self, term: Graded, codes: list[int]) -> list[float]:
        """What a term adds to each group of blocks."""
        of_code, grade, absent = term.tally.of_code, term.grade, term.absent
        return [on_grid(float(grade(of_code(code)) if code else absent()) * term.weight) for code in codes]

    def _regroup(self, group: int) -> None:
        """Find the best of a group's blocks anew; the first of equal ones has the lowest row."""
        start, end = self._layout.groups[group]
        if end - start > FEW_BLOCKS:
            block = start + int(self._tops[start:end].argmax())
        else:
            block, top = start, self._top
            for other in range(start + 1, end):
                if top[other] > top[block]:
                    block = other
        self._group_best[group] = (self._top[block], -self._first[block])

    def _shift(self) -> Floats:
        """What their domains add to the blocks now, -inf where they forbid it."""
        place = self._layout
        shift: Floats | None = None
        for check in self._query.coarse_checks:
            key = check.tally.label.key
            allowed = check.of_codes(place.codes[key], place.absent[key])
            part = FORBIDS.take(allowed.view(np.int8))
            shift = part if shift is None else shift + part
        for term in self._query.coarse_terms:
            key = term.tally.label.key
            part = on_grid(term.of_codes(place.codes[key], place.absent[key]))
            shift = part if shift is None else shift + part
        assert shift is not None, "only asked for where there are coarse forms"
        return shift

    def _catch_up(self) -> None:
        query = self._query
        for follower in query.followers:
            follower.catch_up()
        log = self._snapshot.log
        if self.read_to == log.end - 1 and self._node_version == self._snapshot.node_version and not query.moody:
            self._replay(log.rows[-1])  # nearly always: equal requests follow each other
            self.read_to = log.end
            return
        rows = log.since(self.read_to)
        if rows is None or self._void():
            self._start()
            return
        for row in rows:
            self._replay(row)
        self.read_to = log.end

    def _void(self) -> bool:
        """Did something move that is not in the log of rows?"""
        if self._query.moody and self._stamps != self._query.stamps():
            return True
        if self._node_version != self._snapshot.node_version:
            self._node_version = self._snapshot.node_version
            return self._layout is not layout(self._snapshot, self._query)
        return False

    def _replay(self, row: int) -> None:
        value = self._query.value(row)
        at = self._position[row]
        old = self._cell[at]
        if value == old:
            return
        self._cell[at] = value
        block = self._block[at]
        top = self._top[block]
        if value > top or (value == top and row < self._first[block]):
            self._top[block], self._first[block] = value, row
        elif row == self._first[block]:
            start = self._starts[block]
            best = start + int(self._score[start : self._ends[block]].argmax())
            self._top[block], self._first[block] = self._cell[best], self._order[best]
        else:
            return
        if self._few:
            self._regroup(self._group_of[block])
