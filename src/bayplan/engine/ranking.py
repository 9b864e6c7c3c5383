"""A kept ranking of all rows for one kind of request, brought up to date by the change log.

Rows lie in blocks of at most 256 that never cross a domain the kind depends on. Per block the best
local score and its row are kept. A decision replays the rows that changed since the last one (one,
when equal requests follow each other), shifts block maxima by what their domains say now, and takes
the best: a few microseconds, nearly independent of the number of nodes.
"""

from __future__ import annotations

from math import inf

import numpy as np

from bayplan.engine.query import Query, on_grid
from bayplan.table.column import BLOCK, Floats, Ints, Rows
from bayplan.table.index import LabelColumn
from bayplan.table.snapshot import Snapshot

_FORBIDS = np.array([-inf, 0.0])
"""Added to a score: forbidden, allowed."""

Found = tuple[int, float] | None
"""The winning row and its score."""


class Layout:
    """Rows ordered so that each block lies within one domain of every label in `labels`."""

    def __init__(self, snapshot: Snapshot, labels: tuple[LabelColumn, ...]):
        self.versions = tuple(label.version for label in labels)
        room = snapshot.room
        self.order: Rows = np.arange(room)
        if labels:
            self.order = np.lexsort((self.order, *(label.codes.data for label in labels)))
        new_domain = np.zeros(room, np.bool_)
        for label in labels:
            codes = label.codes.data[self.order]
            new_domain[1:] |= codes[1:] != codes[:-1]
        self.starts = _cut(new_domain)
        self.ends = np.append(self.starts[1:], room)
        self.position: Ints = np.empty(room, np.int64)
        self.position[self.order] = np.arange(room)
        self.block: Ints = np.repeat(np.arange(len(self.starts)), self.ends - self.starts)
        self.codes: dict[str, Ints] = {label.key: label.codes.data[self.order[self.starts]].astype(np.int64) for label in labels}
        """The code of every block, by key."""
        self.absent: dict[str, Ints] = {key: np.flatnonzero(codes == 0) for key, codes in self.codes.items()}


def _cut(new_domain: np.ndarray) -> Ints:
    """Starts of blocks: at every domain, and every 256 rows within one."""
    room = len(new_domain)
    domains = np.flatnonzero(new_domain)
    start_of = np.zeros(room, np.int64)
    start_of[domains] = domains
    start_of = np.maximum.accumulate(start_of)
    return np.flatnonzero((np.arange(room) - start_of) % BLOCK == 0)


def layout(snapshot: Snapshot, query: Query) -> Layout:
    labels = {one.tally.label.key: one.tally.label for one in (*query.coarse_checks, *query.coarse_terms)}
    columns = tuple(labels.values())
    key = ("layout", tuple(labels))
    found: Layout = snapshot.follow(key, lambda: Layout(snapshot, columns))
    if found.versions != tuple(label.version for label in columns):
        found = snapshot.followers[key] = Layout(snapshot, columns)
    return found


class Ranking:
    def __init__(self, query: Query):
        self._query = query
        self._snapshot = query.snapshot
        self._layout = layout(self._snapshot, query)
        self._order, self._position = memoryview(self._layout.order), memoryview(self._layout.position)
        self._block = memoryview(self._layout.block)
        self._stamps = query.stamps()
        self._node_version = self._snapshot.node_version
        self._read_to = self._snapshot.log.end
        self._coarse = bool(query.coarse_checks or query.coarse_terms)
        self._rank_all()

    def _rank_all(self) -> None:
        query, place = self._query, self._layout
        mask = self._snapshot.alive.data.copy()
        for check in query.local_checks:
            check.narrow(mask)
        self._score: Floats = np.where(mask, query.local_scores(), -inf)[place.order]
        self._cell = memoryview(self._score)
        self._tops: Floats = np.maximum.reduceat(self._score, place.starts)
        first = [start + int(self._score[start:end].argmax()) for start, end in zip(place.starts, place.ends, strict=True)]
        self._firsts: Rows = place.order[first]
        self._top, self._first = memoryview(self._tops), memoryview(self._firsts)
        self._starts, self._ends = place.starts.tolist(), place.ends.tolist()

    @property
    def behind(self) -> int:
        return self._snapshot.log.end - self._read_to

    def best(self) -> Found:
        self._catch_up()
        if not self._coarse:
            block = int(self._tops.argmax())
            score = self._top[block]
            return None if score == -inf else (self._first[block], score)
        totals = self._tops + self._shift()
        block = int(totals.argmax())
        score = float(totals[block])
        if score == -inf:
            return None
        tied = totals == score
        alone = np.count_nonzero(tied) == 1
        return self._first[block] if alone else int(self._firsts[tied].min()), score

    def _shift(self) -> Floats:
        """What their domains add to the blocks now, -inf where they forbid it."""
        place = self._layout
        shift: Floats | None = None
        for check in self._query.coarse_checks:
            key = check.tally.label.key
            allowed = check.of_codes(place.codes[key], place.absent[key])
            part = _FORBIDS.take(allowed.view(np.int8))
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
        rows = log.since(self._read_to)
        if rows is None or self._void():
            self.__init__(query)  # type: ignore[misc]
            return
        for row in rows:
            self._replay(row)
        self._read_to = log.end

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
