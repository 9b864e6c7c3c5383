"""The change log: which rows changed, in order. Whatever is derived from rows follows it.

A follower (a score column, block maxima, a cached ranking) remembers how far it has read and
catches up on the rows since, so that a change costs O(1) when it happens and only those who need
the row pay for it. The log forgets its oldest half when it is long; who was behind rebuilds.
"""

from __future__ import annotations

LIMIT = 1 << 18


class ChangeLog:
    __slots__ = ("_start", "rows")

    def __init__(self) -> None:
        self.rows: list[int] = []
        self._start = 0

    @property
    def end(self) -> int:
        """The position a follower has reached when it has read everything."""
        return self._start + len(self.rows)

    def since(self, position: int) -> list[int] | None:
        """The rows changed since `position`, in order; None when that is no longer known."""
        start = position - self._start
        return None if start < 0 else self.rows[start:]

    def trim(self) -> None:
        if len(self.rows) > LIMIT:
            drop = len(self.rows) // 2
            del self.rows[:drop]
            self._start += drop
