"""The best row of a very large table without looking at every row: upper bounds per block.

    bound(block) >= score(row)   for every row of the block

Blocks are opened in the order of their bounds, until no bound that is left could win. Ties go to the
lowest row, so a block with an equal bound matters only if it lies before the best row found.
"""

from __future__ import annotations

from math import inf

import numpy as np

from bayplan.engine.query import Query, on_grid
from bayplan.engine.ranking import Found
from bayplan.table.blocks import Blocks
from bayplan.table.column import BLOCK, Floats, Rows

FIRST_BLOCKS = 6
_SLACK = 1e-12
"""Bounds and scores are summed in another order: more than their rounding can differ."""


def bounded(query: Query) -> Found:
    snapshot = query.snapshot
    query.catch_up()
    blocks: Blocks = snapshot.follow("blocks", lambda: Blocks(snapshot))
    bound = _bounds(query, blocks)
    order = np.argsort(-bound, kind="stable")
    order = order[: int(np.count_nonzero(bound > -inf))]
    best: Found = None
    start, width = 0, FIRST_BLOCKS
    while start < len(order):
        opened = order[start : start + width]
        if best is not None:
            opened = opened[_could_win(bound[opened], opened, best)]
            if not len(opened) and bound[order[start]] < best[1]:
                break
        if len(opened):
            best = _better(best, _open(query, opened))
        start, width = start + width, width * 4
    return best


def _bounds(query: Query, blocks: Blocks) -> Floats:
    may = blocks.maxima(query.snapshot.alive)
    for check in query.local_checks:
        one = check.may(blocks)
        if one is not None:
            may = may & one
    bound = np.zeros(blocks.count)
    for term in query.local_terms:
        bound += term.bound(blocks)
    bound = on_grid(bound + _SLACK)
    for graded in query.coarse_terms:
        bound += query.coarse_table(graded).max()
    return np.where(may, bound, -inf)


def _could_win(bounds: Floats, opened: Rows, best: tuple[int, float]) -> np.ndarray:
    row, score = best
    return (bounds > score) | ((bounds == score) & (opened < row // BLOCK))


def _open(query: Query, opened: Rows) -> Found:
    rows = (np.sort(opened)[:, None] * BLOCK + np.arange(BLOCK)).ravel()
    mask = query.snapshot.alive.data[rows]
    for check in (*query.local_checks, *query.coarse_checks):
        mask &= check.at(rows)
    rows = rows[mask]
    if not len(rows):
        return None
    total = np.zeros(len(rows))
    for term in query.local_terms:
        total += term.at(rows)
    total = on_grid(total)
    for graded in query.coarse_terms:
        total += query.coarse_table(graded)[graded.tally.label.codes.data[rows]]
    best = int(total.argmax())
    return int(rows[best]), float(total[best])


def _better(one: Found, other: Found) -> Found:
    if one is None or other is None:
        return one or other
    return min(one, other, key=lambda found: (-found[1], found[0]))
