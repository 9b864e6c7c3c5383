"""Counts per domain: the same dense or sparse, for every sequence of changes."""

from __future__ import annotations

import random

import numpy as np
import pytest

from bayplan.table.index import LabelColumn
from bayplan.table.tally import SparseCounts, Tally


def zones(*values: str | None, fine: bool) -> LabelColumn:
    label = LabelColumn("zone", 256)
    for row, value in enumerate(values):
        label.put(row, value)
    label.fine = fine
    return label


@pytest.mark.parametrize("fine", [False, True], ids=["dense", "sparse"])
def test_counting(fine: bool) -> None:
    label = zones("a", "b", "a", None, fine=fine)
    tally = Tally(label)
    for row, change in ((0, 2), (2, 1), (1, 1), (3, 5), (1, -1)):
        tally.add(row, change)
    assert tally.fine is fine
    assert tally.contents() == {"a": 3}
    assert tally.total == 8, "those on nodes without the key count in the total"
    assert [tally.at(row) for row in range(4)] == [3, 0, 3, 0]
    assert tally.of_codes(np.array([label.code("a"), label.code("b")])).tolist() == [3, 0]


@pytest.mark.parametrize("fine", [False, True], ids=["dense", "sparse"])
def test_domains_that_appear_later(fine: bool) -> None:
    label = zones("a", fine=fine)
    tally = Tally(label)
    for row in range(1, 60):
        label.put(row, f"v{row}")
        tally.add(row, row)
    assert tally.at(40) == 40
    assert tally.contents() == {f"v{row}": row for row in range(1, 60)}
    label.put(60, "unseen")
    assert tally.at(60) == 0


@pytest.mark.parametrize("fine", [False, True], ids=["dense", "sparse"])
def test_a_copy_is_its_own(fine: bool) -> None:
    label = zones("a", "b", fine=fine)
    tally = Tally(label)
    tally.add(0, 1)
    twin = tally.copy(label.copy())
    twin.add(1, 4)
    tally.add(0, 1)
    assert (tally.contents(), twin.contents()) == ({"a": 2}, {"a": 1, "b": 4})


def test_sparse_counts_are_a_counter() -> None:
    counts, plain, rng = SparseCounts(), dict[int, int](), random.Random(3)
    for _ in range(2000):
        key = rng.randrange(40)
        change = rng.choice((1, 2, -1)) if plain.get(key) else 1
        if plain.get(key, 0) + change < 0:
            continue
        counts.add(key, change)
        plain[key] = plain.get(key, 0) + change
        plain = {k: n for k, n in plain.items() if n}
        assert counts.get(key) == plain.get(key, 0)
    pairs = zip(counts.keys[: counts.size].tolist(), counts.counts[: counts.size].tolist(), strict=True)
    assert dict(pairs) == plain
