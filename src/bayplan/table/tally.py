"""Counts of residents per domain of a topology key.

Coarse topologies (zones, racks) count in an array with one cell per code. Fine ones (nodes) count
sparsely: a dense array per application and node would be 0.8 GB for 500 applications on 100,000
nodes. Code 0, "this node lacks the key", is never counted.
"""

from __future__ import annotations

import numpy as np

from bayplan.table.column import Ints, cells
from bayplan.table.index import LabelColumn


class SparseCounts:
    """A counter whose keys and counts also stand in arrays; removal swaps the last one in."""

    __slots__ = ("_at", "_count", "_key", "counts", "keys", "size")

    def __init__(self) -> None:
        self._at: dict[int, int] = {}
        self.size = 0
        self._store(np.zeros(4, np.int64), np.zeros(4, np.int64))

    def _store(self, keys: Ints, counts: Ints) -> None:
        self.keys, self.counts = keys, counts
        self._key, self._count = cells(keys), cells(counts)

    def get(self, key: int) -> int:
        at = self._at.get(key)
        return 0 if at is None else self._count[at]

    def add(self, key: int, change: int) -> None:
        at = self._at.get(key)
        if at is None:
            self._append(key, change)
            return
        left = self._count[at] + change
        if left:
            self._count[at] = left
        else:
            self._drop(key, at)

    def _append(self, key: int, count: int) -> None:
        at = self.size
        if at == len(self.keys):
            self._store(
                np.concatenate([self.keys, np.zeros_like(self.keys)]), np.concatenate([self.counts, np.zeros_like(self.counts)])
            )
        self._key[at], self._count[at] = key, count
        self._at[key] = at
        self.size += 1

    def _drop(self, key: int, at: int) -> None:
        self.size -= 1
        last = self._key[self.size]
        self._key[at], self._count[at] = last, self._count[self.size]
        self._at[last] = at
        del self._at[key]

    def copy(self) -> SparseCounts:
        twin = SparseCounts()
        twin._at, twin.size = self._at.copy(), self.size
        twin._store(self.keys.copy(), self.counts.copy())
        return twin


class Tally:
    """Residents per domain. `total` also counts those on nodes that lack the key, of whom there are `lacking`;
    `losses` is how often somebody left."""

    __slots__ = ("cell", "dense", "label", "lacking", "losses", "sparse", "total")

    def __init__(self, label: LabelColumn):
        self.label = label
        self.total = self.lacking = self.losses = 0
        self.sparse = SparseCounts() if label.fine else None
        self._store(np.zeros(0 if label.fine else max(8, len(label.values)), np.int64))

    def _store(self, dense: Ints) -> None:
        self.dense = dense
        self.cell = cells(dense)

    @property
    def fine(self) -> bool:
        return self.sparse is not None

    def add(self, row: int, change: int) -> None:
        self.total += change
        if change < 0:
            self.losses += 1
        code = self.label.codes.cell[row]
        if not code:
            self.lacking += change
            return
        if self.sparse is not None:
            self.sparse.add(code, change)
        else:
            if code >= len(self.cell):
                self._reach(code)
            self.cell[code] += change

    def at(self, row: int) -> int:
        """Residents in the domain of one row; 0 when the row lacks the key."""
        return self.of_code(self.label.codes.cell[row])

    def of_code(self, code: int) -> int:
        if self.sparse is not None:
            return self.sparse.get(code)
        return self.cell[code] if code < len(self.cell) else 0

    def counts(self) -> Ints:
        """Per code of a coarse topology; exactly as long as there are codes."""
        size = len(self.label.values)
        if len(self.dense) < size:
            self._reach(size - 1)
        return self.dense[:size]

    def of_codes(self, codes: Ints) -> Ints:
        """The counts of these domains."""
        sparse = self.sparse
        if sparse is None:
            return self.counts().take(codes)
        # Spread the few counts over a table that is zero otherwise, read it, and wipe it again.
        table, keys = self.label.zeros(), sparse.keys[: sparse.size]
        table[keys] = sparse.counts[: sparse.size]
        found = table.take(codes)
        table[keys] = 0
        return found

    def _reach(self, code: int) -> None:
        longer = np.zeros(max(code + 1, 2 * len(self.dense)), np.int64)
        longer[: len(self.dense)] = self.dense
        self._store(longer)

    def contents(self) -> dict[str, int]:
        """Domain value to count, zeros left out: for checks and explanations."""
        if self.sparse is not None:
            pairs = zip(
                self.sparse.keys[: self.sparse.size].tolist(), self.sparse.counts[: self.sparse.size].tolist(), strict=True
            )
        else:
            codes = np.flatnonzero(self.dense)
            pairs = zip(codes.tolist(), self.dense[codes].tolist(), strict=True)
        return {str(self.label.values[code]): count for code, count in pairs}

    def copy(self, label: LabelColumn) -> Tally:
        twin = Tally(label)
        twin.total, twin.lacking = self.total, self.lacking
        twin._store(self.dense.copy())
        twin.sparse = None if self.sparse is None else self.sparse.copy()
        return twin
