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
from bayplan.table.blocks import Blocks, Sieve, rows_of
from bayplan.table.checks import AtLeast
from bayplan.table.column import BLOCK, Bools, Floats, Rows
from bayplan.table.terms import Linear

FIRST_BLOCKS = 8
FEW = 4096
"""So few candidates are looked at one and all."""

_SLACK = 1e-13
"""Bounds and scores are summed in another order: more, in proportion, than their rounding can differ."""


def bounded(query: Query) -> Found:
    snapshot = query.snapshot
    query.catch_up()
    blocks: Blocks = snapshot.follow("blocks", lambda: Blocks(snapshot))
    sieve = query.sieve()
    if len(sieve.rows) <= FEW:
        return query.best_of(sieve.rows)
    bound = _bounds(query, blocks, sieve)
    order = np.argsort(-bound, kind="stable")
    best: Found = None
    start, width = 0, FIRST_BLOCKS
    while start < len(order) and bound[order[start]] > -inf:
        opened = order[start : start + width]
        opened = opened[bound[opened] > -inf] if best is None else opened[_could_win(bound[opened], opened, best)]
        if not len(opened):
            break
        rows = rows_of(opened)
        best = _better(best, query.best_of(rows[sieve.mask[rows]]))
        start, width = start + width, width * 3
    return best


def _bounds(query: Query, blocks: Blocks, sieve: Sieve) -> Floats:
    may = sieve.any
    for check in query.local_checks:
        if isinstance(check, AtLeast):
            may = may & (blocks.maxima(check.column, moving=True) >= check.amount)
    bound = np.zeros(blocks.count)
    for term in query.local_terms:
        if isinstance(term, Linear):
            # A scorer that is turned round has no bound worth having: all blocks are opened.
            bound += term.weight * (sieve.maxima(term.base) - _least(term, blocks)) if term.weight > 0 else inf
        else:
            bound += term.bound(blocks)
    bound = np.where(may, bound, 0.0)
    bound = on_grid(bound + _SLACK * (1.0 + np.abs(bound)))
    for graded in query.coarse_terms:
        bound += query.coarse_table(graded).max()
    return np.where(may, bound, -inf)


def _least(term: Linear, blocks: Blocks) -> Floats:
    """What the request takes at least from the score of a row of each block."""
    cost = np.zeros(blocks.count)
    for column, amount in term.rates:
        cost += blocks.minima(column) * amount
    return cost


def _could_win(bounds: Floats, opened: Rows, best: tuple[int, float]) -> Bools:
    row, score = best
    wins: Bools = (bounds > score) | ((bounds == score) & (opened < row // BLOCK))
    return wins


def _better(one: Found, other: Found) -> Found:
    if one is None or other is None:
        return one or other
    return min(one, other, key=lambda found: (-found[1], found[0]))
