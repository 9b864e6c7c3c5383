"""Points that depend on who else is in the running: a number per row, brought to a scale over all rows that fit.

No ranking of rows can be kept under such a term, so it exists only where the answers of a scheduler that works
this way are to be met exactly (Kubernetes).
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from bayplan.table.column import Floats, Rows

Picked = Rows | slice
"""Rows to index columns with: a slice where they are all that there are, which saves copying."""


class Normalised(ABC):
    """`weight * points`; `rows` pick all the rows that fit, in order."""

    __slots__ = ("weight",)

    def __init__(self, weight: float):
        self.weight = weight

    @abstractmethod
    def points(self, rows: Picked) -> Floats:
        """On the scale, one number for each of the rows; there may be none."""
