"""The change log: which rows changed, in order. Whatever is derived from rows follows it.

A follower (a score column, block maxima, a cached ranking) remembers how far it has read and
catches up on the rows since, so that a change costs O(1) when it happens and only those who need
the row pay for it. The log forgets its oldest half when it is long; who was behind rebuilds.
"""

from __future__ import annotations

from collections.abc import Iterable

LIMIT = 1 << 18


class ChangeLog:
    """`end` is the position a follower has reached when it has read everything."""

    __slots__ = ("end", "rows")

    def __init__(self) -> None:
        self.rows: list[int] = []
        self.end = 0

    def touch(self, row: int) -> None:
        self.rows.append(row)
        self.end += 1
        if len(self.rows) > LIMIT:
            del self.rows[: len(self.rows) // 2]

    def touch_all(self, rows: Iterable[int]) -> None:
        before = len(self.rows)
        self.rows.extend(rows)
        self.end += len(self.rows) - before
        if len(self.rows) > LIMIT:
            del self.rows[: len(self.rows) // 2]

    def since(self, position: int) -> list[int] | None:
        """The rows changed since `position`, in order; None when that is no longer known."""
        behind = self.end - position
        if behind > len(self.rows):
            return None
        return self.rows[-1:] if behind == 1 else self.rows[len(self.rows) - behind :]
