"""Many equal workloads at once, with exactly the placements that one by one would give.

Three shapes of the problem have a direct answer; everything else goes one by one on a ranking.

    one each   a row that takes one refuses the next (anti-affinity): the best K rows, in order
    rising     a placement does not lower its row's score (bin packing): fill the best row, then the next
    falling    a placement lowers its row's score (spreading): every row offers a falling series of
               scores; take the K highest of all series

Falling series: a linear estimate finds a threshold just low enough; the candidates above it are
scored exactly as single decisions would score them, and sorted by (score, row).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bayplan.engine.pipeline import Pipeline
from bayplan.engine.query import Query, on_grid
from bayplan.scorers.usage import UsageColumns
from bayplan.table.checks import AtLeast, Counted, Holds, Unclaimed
from bayplan.table.column import Bools, Floats, Ints, Rows
from bayplan.table.forms import Part
from bayplan.table.normalised import Normalised
from bayplan.table.terms import Graded, Linear, Weighs

_DOUBT = 4e-9
"""The estimate and the exact score of a copy differ by less than half of this (the grid is 1e-9)."""

Chosen = tuple[Rows, Floats]
"""Rows and their scores, in the order of deciding."""

SMALL = 8
"""Fewer than this are not worth the set-up."""


def place_equal(pipeline: Pipeline, query: Query, ids: Sequence[str]) -> tuple[list[int], Sequence[float] | Floats]:
    """Place as many of the equal workloads as fit; rows and scores, in the order of `ids`."""
    query.catch_up()
    found = _direct(query, len(ids)) if len(ids) >= SMALL else None
    if found is not None:
        chosen, exact = found
        rows = chosen.tolist()
        pipeline.snapshot.place_many(ids[: len(rows)], query.kind, rows, chosen)
        return rows, exact
    rows, scores = [], []
    for one in ids:
        if not query.current:
            query = pipeline.query(query.kind.workload)
        best = pipeline.best(query)
        if best is None:
            break
        pipeline.snapshot.place_kind(one, query.kind, best[0])
        rows.append(best[0])
        scores.append(best[1])
    return rows, scores


def _direct(query: Query, count: int) -> Chosen | None:
    snapshot, kind = query.snapshot, query.kind
    if query.normalised or any(name in kind.requests for name in snapshot.devices):
        return None
    label_class = snapshot.residents.classes[kind.class_id]
    own = {id(watch.tally) for watch in label_class.watches} | {id(snapshot.residents.holders[h].tally) for h in kind.holder_ids}
    counting = [one for one in (*query.local_checks, *query.coarse_checks) if isinstance(one, Counted)]
    touched = [one for one in counting if id(one.tally) in own or isinstance(one, Unclaimed)]
    graded = [one for one in (*query.local_terms, *query.coarse_terms) if isinstance(one, Graded)]
    if any(id(one.tally) in own for one in graded):
        return None
    if touched:
        return _one_each(query, count) if all(_refuses_second(one, snapshot.alive.data) for one in touched) else None
    return _series(query, count)


def _refuses_second(check: Counted, alive: Bools) -> bool:
    """Does every row that lets one in then close its door?"""
    label = check.tally.label
    if check.moves or isinstance(check, Unclaimed) or not check.tally.fine or label.shared_codes or check.limits()[1] > 0:
        return False
    return not check.absent or not np.any(alive & (label.codes.data == 0))


def _one_each(query: Query, count: int) -> Chosen:
    rows = np.flatnonzero(query.mask())
    scores = query.scores()[rows]
    order = np.argsort(-scores, kind="stable")[:count]
    return rows[order], scores[order]


def _series(query: Query, count: int) -> Chosen | None:
    simple = all(isinstance(one, AtLeast | Holds | Counted) for one in query.local_checks) and all(
        isinstance(one, Linear | Weighs | Graded) for one in query.local_terms
    )
    packings = [(part.term, _usage(part)) for part in query.parts if isinstance(part.term, Linear)]
    if not simple or len(packings) > 1:
        return None
    rows = np.flatnonzero(query.mask())
    if not len(rows):
        return rows, np.zeros(0)
    copies = _room(query, rows, count)
    scores = query.scores()[rows]
    if not packings or not set(query.kind.requests) & set(packings[0][1].rates):
        return _fill(rows, scores, copies, count, query)
    [(packing, usage)] = packings
    direction = usage.direction(query.kind.requests) * (1 if packing.weight > 0 else -1)
    if direction > 0:
        return _fill(rows, scores, copies, count, query)
    return _merge(rows, scores, copies, count, query) if direction < 0 else None


def _usage(part: Part) -> UsageColumns:
    assert isinstance(part.follower, UsageColumns), "packing follows what is used"
    return part.follower


def _room(query: Query, rows: Rows, count: int) -> Ints:
    """How many copies each row has room for."""
    room = np.full(len(rows), count, np.int64)
    for at, amount in query.kind.limited:
        free = query.snapshot.free[at].data[rows].astype(np.int64)
        np.minimum(room, free // int(amount), out=room)
    return room


def _fill(rows: Rows, scores: Floats, copies: Ints, count: int, query: Query) -> Chosen:
    order = np.argsort(-scores, kind="stable")
    ends = np.cumsum(copies[order])
    order = order[: int(np.searchsorted(ends, count)) + 1]
    repeats = copies[order]
    repeats[-1] -= max(0, int(repeats.sum()) - count)
    chosen = np.repeat(rows[order], repeats)
    return chosen, _score_after(chosen, _copy_numbers(repeats), query)


def _merge(rows: Rows, scores: Floats, copies: Ints, count: int, query: Query) -> Chosen:
    if int(copies.sum()) <= count:
        take = copies
    else:
        step = _step(rows, query)
        take = _above(_threshold(scores, step, copies, count) - _DOUBT, scores, step, copies, spare=1)
    chosen, numbers = np.repeat(rows, take), _copy_numbers(take)
    exact = _score_after(chosen, numbers, query)
    order = np.argsort(-exact, kind="stable")[:count]
    return chosen[order], exact[order]


def _step(rows: Rows, query: Query) -> Floats:
    """What each copy takes from its row's score, before rounding to the grid."""
    step = np.zeros(len(rows))
    for term in query.local_terms:
        if isinstance(term, Linear):
            for column, amount in term.rates:
                step += column.data[rows] * amount * term.weight
    return step


def _threshold(scores: Floats, step: Floats, copies: Ints, count: int) -> float:
    """A score that at least `count` of the series' members reach, and not many more."""
    high = float(scores.max())
    low = float((scores - step * copies).min()) - 1.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        reach = int(_above(middle, scores, step, copies).sum())
        if count <= reach <= count + count // 8:
            return middle
        low, high = (middle, high) if reach >= count else (low, middle)
    return low


def _above(threshold: float, scores: Floats, step: Floats, copies: Ints, spare: int = 0) -> Ints:
    """Copies per row whose score reaches the threshold, and `spare` more; `step` is what each costs."""
    with np.errstate(divide="ignore", invalid="ignore"):
        estimate = np.where(step > 0, (scores - threshold) / step, np.where(scores >= threshold, np.inf, -1.0))
    reaching: Ints = np.clip(np.floor(estimate) + 1 + spare, 0, copies).astype(np.int64)
    return reaching


def _copy_numbers(repeats: Ints) -> Ints:
    """0, 1, 2, ... for each row's copies."""
    starts = np.repeat(np.cumsum(repeats) - repeats, repeats)
    return np.arange(int(repeats.sum())) - starts


def _score_after(rows: Rows, numbers: Ints, query: Query) -> Floats:
    """The scores single decisions would see on these rows after so many copies: the same operations
    in the same order as Query.scores, on what would then be free."""
    taken = {name: units * numbers.astype(np.float64) for name, units in query.kind.requests.items()}
    total: Floats = np.zeros(len(rows))
    for part in query.parts:
        term = part.term
        if isinstance(term, Normalised) or term.coarse is not None:
            continue
        if isinstance(term, Linear):
            score = _usage(part).base_after(rows, taken)
            for column, amount in term.rates:
                score -= column.data[rows] * amount
            score *= term.weight
            total += score
        else:
            total += term.at(rows)
    total = on_grid(total)
    for graded in query.coarse_terms:
        total += query.coarse_table(graded)[graded.tally.label.codes.data[rows]]
    return total
