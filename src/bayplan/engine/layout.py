"""Rows in an order in which every block of at most 256 lies within one domain.

A ranking keeps the best row per block; what a domain adds or forbids then holds for whole blocks.
"""

from __future__ import annotations

import numpy as np

from bayplan.engine.query import Query
from bayplan.table.column import BLOCK, Array, Ints, Rows
from bayplan.table.index import LabelColumn
from bayplan.table.snapshot import Snapshot


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
        self.groups = _groups(np.stack([self.codes[label.key] for label in labels])) if labels else []
        """The blocks of each combination of domains, as (first, behind the last)."""


def _cut(new_domain: np.ndarray) -> Ints:
    """Starts of blocks: at every domain, and every 256 rows within one."""
    room = len(new_domain)
    domains = np.flatnonzero(new_domain)
    start_of = np.zeros(room, np.int64)
    start_of[domains] = domains
    start_of = np.maximum.accumulate(start_of)
    return np.flatnonzero((np.arange(room) - start_of) % BLOCK == 0)


def _groups(codes: Array) -> list[tuple[int, int]]:
    """Runs of equal columns."""
    starts = np.flatnonzero(np.append(True, np.any(codes[:, 1:] != codes[:, :-1], axis=0))).tolist()
    return list(zip(starts, [*starts[1:], codes.shape[1]], strict=True))


def layout(snapshot: Snapshot, query: Query) -> Layout:
    labels = {one.tally.label.key: one.tally.label for one in query.coarse_checks}
    labels |= {one.tally.label.key: one.tally.label for one in query.coarse_terms}
    columns = tuple(labels.values())
    key = ("layout", tuple(labels))
    found: Layout = snapshot.follow(key, lambda: Layout(snapshot, columns))
    if found.versions != tuple(label.version for label in columns):
        found = snapshot.followers[key] = Layout(snapshot, columns)
    return found
