"""Maxima and minima over blocks of rows: never below, never above, never out of date."""

from __future__ import annotations

import random

import numpy as np

from bayplan import Cluster, Node, Selector, Workload
from bayplan.table.blocks import Blocks
from bayplan.table.column import BLOCK, Column, whole_blocks


def test_rooms_are_whole_blocks() -> None:
    assert [whole_blocks(rows) for rows in (0, 1, 256, 257, 1000)] == [256, 256, 256, 512, 1024]


def test_columns_grow_and_keep_cells_and_arrays_together() -> None:
    column = Column.of(256, np.float64, 7.0)
    column.cell[3] = 1.0
    column.grow(512)
    column.cell[300] = 2.0
    assert (column.data[3], column.data[300], column.data[511]) == (1.0, 2.0, 7.0)
    twin = column.copy()
    twin.cell[3] = 9.0
    assert column.data[3] == 1.0


def test_block_maxima_follow_every_change() -> None:
    """Place, release, resize, add and remove at random; recompute by hand."""
    cluster = Cluster([Node(f"n{i}", {"cpu": 4 + i % 3}, {"zone": f"z{i % 2}"}) for i in range(700)])
    snapshot, rng = cluster.snapshot, random.Random(4)
    blocks = Blocks(snapshot)
    free, capacity = snapshot.free_of("cpu"), snapshot.capacity_of("cpu")
    zone = snapshot.statics.selector(Selector.of({"zone": "z1"}))
    for step in range(300):
        match rng.choice(("place", "place", "release", "label", "remove", "add")):
            case "place":
                cluster.settle(
                    Workload(f"w{step}", {"cpu": 1}),
                    rng.choice([n for n, row in snapshot.row_of.items() if free.cell[row] >= 10_000]),
                )
            case "release" if snapshot.placements:
                cluster.release(rng.choice(list(snapshot.placements)))
            case "label":
                cluster.relabel(rng.choice(list(snapshot.row_of)), {"zone": rng.choice(("z1", "z2", None))})
            case "remove":
                cluster.remove(rng.choice(list(snapshot.row_of)))
            case "add":
                cluster.add(Node(f"new-{step}", {"cpu": rng.randint(1, 20)}, {"zone": "z1"}))
        if rng.random() < 0.4:
            by_hand = free.data.reshape(-1, BLOCK)
            assert blocks.maxima(free, moving=True).tolist() == by_hand.max(axis=1).tolist()
            assert blocks.maxima(capacity).tolist() == capacity.data.reshape(-1, BLOCK).max(axis=1).tolist()
            assert blocks.minima(capacity).tolist() == capacity.data.reshape(-1, BLOCK).min(axis=1).tolist()
            sieve = blocks.sieve([zone])
            sieve.catch_up()
            passing = snapshot.alive.data & zone.data
            assert sieve.rows.tolist() == np.flatnonzero(passing).tolist()
            expected = np.where(passing, free.data, -np.inf).reshape(-1, BLOCK).max(axis=1)
            assert sieve.maxima(free).tolist() == expected.tolist()
