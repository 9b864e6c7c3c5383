"""Scores of nodes, split up by rule and topic: the numbers behind a choice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bayplan.engine.query import Query


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


def parts_of(query: Query, row: int) -> list[tuple[str, str, float]]:
    """The parts of one row's score, in the order of the policy's rules."""
    found = []
    for part in query.parts:
        split = [(str(part.topic), part.term.one(row))] if part.detail is None else part.detail(row)
        found += [(part.rule, topic, number) for topic, number in split]
    return found


def scores_of(query: Query) -> Iterator[NodeScore]:
    """Every node: those that fit first, the best first, ties in tie order."""
    mask, scores = query.mask(), query.scores()
    rows = np.flatnonzero(query.snapshot.alive.data)
    order = np.lexsort((rows, -scores[rows], ~mask[rows]))
    for row in rows[order].tolist():
        yield NodeScore(str(query.snapshot.names[row]), bool(mask[row]), float(scores[row]), tuple(parts_of(query, row)))
