"""Devices: which are taken, what is left, and what the three columns say of it."""

from __future__ import annotations

from math import inf

import pytest

from bayplan.model.resources import UNIT
from bayplan.table.devices import DeviceColumns

HALF, QUARTER = UNIT // 2, UNIT // 4


def devices(*shares: int) -> DeviceColumns:
    """Row 0 with devices of which so much is free."""
    made = DeviceColumns(256)
    made.put(0, tuple(f"g{i}" for i in range(len(shares))))
    for at, share in enumerate(shares):
        made.take(0, (at,), UNIT - share)
    return made


# free shares, amount, which are taken
CHOICES: list[tuple[tuple[int, ...], int, tuple[int, ...]]] = [
    ((UNIT, UNIT), HALF, (0,)),
    ((UNIT, HALF), HALF, (1,)),  # the fullest that still fits
    ((QUARTER, HALF, UNIT), HALF, (1,)),
    ((HALF, HALF), QUARTER, (0,)),  # lower positions first
    ((HALF, UNIT, UNIT), UNIT, (1,)),
    ((UNIT, HALF, UNIT, UNIT), 2 * UNIT, (0, 2)),
]


@pytest.mark.parametrize("shares, amount, chosen", CHOICES)
def test_which_devices_are_taken(shares: tuple[int, ...], amount: int, chosen: tuple[int, ...]) -> None:
    assert devices(*shares).choose(0, amount) == chosen


# free shares, largest, whole
COLUMNS = [
    ((UNIT, UNIT), UNIT, 2 * UNIT),
    ((UNIT, HALF), UNIT, UNIT),
    ((HALF, QUARTER), HALF, 0),
    ((0,), 0, 0),
]


@pytest.mark.parametrize("shares, largest, whole", COLUMNS)
def test_the_columns_follow_the_shares(shares: tuple[int, ...], largest: int, whole: int) -> None:
    made = devices(*shares)
    assert (made.largest.cell[0], made.whole.cell[0], made.pool.cell[0]) == (largest, whole, -1)
    assert (made.largest.cell[1], made.whole.cell[1], made.pool.cell[1]) == (inf, inf, inf), "a node without devices is a pool"


# amount, the column that must cover it
ASKED = [(1, "largest"), (QUARTER, "largest"), (UNIT, "largest"), (2 * UNIT, "whole"), (UNIT + HALF, "pool")]


@pytest.mark.parametrize("amount, name", ASKED)
def test_the_column_for_an_amount(amount: int, name: str) -> None:
    made = devices(UNIT, UNIT)
    assert made.column(amount) is getattr(made, name)


def test_taking_and_giving_back_is_exact() -> None:
    made = devices(UNIT, UNIT, UNIT)
    third = UNIT // 3
    for _ in range(3):
        made.take(0, (0,), third)
    made.take(0, (1, 2), 2 * UNIT)
    assert made.shares[0, :3].tolist() == [UNIT - 3 * third, 0, 0]
    made.take(0, (1, 2), -2 * UNIT)
    for _ in range(3):
        made.take(0, (0,), -third)
    assert made.shares[0, :3].tolist() == [UNIT, UNIT, UNIT]


def test_rows_with_more_devices_make_room() -> None:
    made = devices(HALF)
    made.put(7, tuple("abcdefgh"))
    assert made.shares[0].tolist() == [HALF, 0, 0, 0, 0, 0, 0, 0]
    assert made.whole.cell[7] == 8 * UNIT
    made.put(7, ())
    assert (made.counts.cell[7], made.whole.cell[7], 7 in made.ids) == (0, inf, False)


def test_a_copy_is_its_own() -> None:
    made = devices(UNIT)
    twin = made.copy()
    twin.take(0, (0,), HALF)
    assert (made.largest.cell[0], twin.largest.cell[0]) == (UNIT, HALF)
