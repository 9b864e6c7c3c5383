"""Scores of nodes, split up by rule and topic: the numbers behind a choice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bayplan.engine.query import Query
from bayplan.table.forms import Part
from bayplan.table.normalised import Normalised


@dataclass(frozen=True, slots=True)
class NodeScore:
    """What a node scores for a workload, whether or not it fits there. The parts add up to the score."""

    node: str
    fits: bool
    score: float
    parts: tuple[tuple[str, str, float], ...]
    """(rule, topic, number)"""

    def of(self, rule: str) -> float:
        """What one rule gives."""
        return sum(number for name, _, number in self.parts if name == rule)

    def as_json(self) -> dict[str, object]:
        parts = [{"rule": rule, "topic": topic, "score": number} for rule, topic, number in self.parts]
        return {"node": self.node, "fits": self.fits, "score": self.score, "parts": parts}


class Parts:
    """The parts of rows' scores, in the order of the policy's rules."""

    def __init__(self, query: Query):
        self._query = query
        self._rows = np.flatnonzero(query.mask()) if query.normalised else np.zeros(0, np.int64)
        self._points = {id(term): term.points(self._rows) * term.weight for term in query.normalised}

    def of(self, row: int) -> list[tuple[str, str, float]]:
        found = []
        for part in self._query.parts:
            found += [(part.rule, topic, number) for topic, number in self._split(part, row)]
        return found

    def _split(self, part: Part, row: int) -> list[tuple[str, float]]:
        if part.detail is not None:
            return part.detail(row)
        if not isinstance(part.term, Normalised):
            return [(str(part.topic), part.term.one(row))]
        at = int(np.searchsorted(self._rows, row))
        running = at < len(self._rows) and self._rows[at] == row
        return [(str(part.topic), float(self._points[id(part.term)][at]) if running else 0.0)]


def scores_of(query: Query) -> Iterator[NodeScore]:
    """Every node: those that fit first, the best first, ties in tie order."""
    mask, scores, parts = query.mask(), query.scores(), Parts(query)
    rows = np.flatnonzero(query.snapshot.alive.data)
    order = np.lexsort((rows, -scores[rows], ~mask[rows]))
    for row in rows[order].tolist():
        yield NodeScore(str(query.snapshot.names[row]), bool(mask[row]), float(scores[row]), tuple(parts.of(row)))
