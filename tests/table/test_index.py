"""The label index: codes per key, sets of values as masks, topologies fine and coarse."""

from __future__ import annotations

import numpy as np
import pytest

from bayplan.model import labels as algebra
from bayplan.model.labels import ABSENT, ValueSet
from bayplan.model.selector import NODE_NAME
from bayplan.table.index import LabelColumn, LabelIndex


def column(*values: str | None, key: str = "zone") -> LabelColumn:
    made = LabelColumn(key, 256)
    for row, value in enumerate(values):
        if value is not None:
            made.put(row, value)
    return made


VALUES = ("a", "b", None, "7", "07", "", "a")

# set, the rows of VALUES that match
MASKS: list[tuple[ValueSet, list[int]]] = [
    (algebra.in_("a"), [0, 6]),
    (algebra.in_("a", "7"), [0, 3, 6]),
    (algebra.in_("nowhere"), []),
    (algebra.in_(""), [5]),
    (algebra.not_in("a"), [1, 2, 3, 4, 5]),
    (algebra.exists(), [0, 1, 3, 4, 5, 6]),
    (algebra.does_not_exist(), [2]),
    (algebra.gt(6), [3, 4]),
    (algebra.lt(7), []),
    (algebra.in_("a") | algebra.does_not_exist(), [0, 2, 6]),
    (algebra.gt(6) - algebra.in_("07"), [3]),
    (~algebra.gt(6), [0, 1, 2, 5, 6]),
    (algebra.NOTHING, []),
    (algebra.ANYTHING, [0, 1, 2, 3, 4, 5, 6]),
]


@pytest.mark.parametrize("values, rows", MASKS, ids=[str(row[0]) for row in MASKS])
def test_masks(values: ValueSet, rows: list[int]) -> None:
    label = column(*VALUES)
    assert np.flatnonzero(label.mask(values)[: len(VALUES)]).tolist() == rows
    assert [row for row in range(len(VALUES)) if label.value(row) in values] == rows, "as asking row by row"


def test_values_come_and_go() -> None:
    label = column("a", "b", "a")
    assert (label.value(0), label.value(3), label.domains, label.shared_codes) == ("a", ABSENT, 2, 1)
    label.put(1, "c")
    assert (label.value(1), label.code("b"), label.domains) == ("c", 0, 2)
    label.put(0, None)
    label.put(2, None)
    assert (label.domains, label.shared_codes, label.code("a")) == (1, 0, 0)
    assert len(label.values) == 3, "the code of b was dealt again to c"


def test_the_rows_of_a_domain() -> None:
    label = column("a", "b", "a", None)
    assert label.rows(label.code("a")) == [0, 2]
    assert label.rows(label.code("b")) == [1]


@pytest.mark.parametrize("leaves", [[1], [2], [1, 0], [2, 1], [0, 2]], ids=str)
def test_the_row_noted_for_a_code_is_right_when_it_is_the_last(leaves: list[int]) -> None:
    """Whoever remains alone in a domain is its row, whoever came last."""
    label = column("a", "a", "a", "b")
    for row in leaves:
        label.put(row, f"own-{row}")
    left = [row for row in range(3) if row not in leaves]
    assert label.rows(label.code("a")) == left
    if len(left) == 1:
        assert label.shared_codes == 0
        assert label.rows_of_unique(np.array([label.code("a")])).tolist() == left


def test_a_copy_is_its_own() -> None:
    label = column("a", "b")
    twin = label.copy()
    twin.put(0, "c")
    label.put(1, None)
    assert (label.value(0), label.value(1), twin.value(0), twin.value(1)) == ("a", ABSENT, "c", "b")


# domains, nodes, fine before, fine then
FINE = [
    (3, 1000, False, False),
    (64, 64, False, False),
    (65, 1000, False, True),
    (65, 10_000, False, False),
    (40, 1000, True, True),
    (40, 1000, False, False),
    (32, 100, True, False),
]


@pytest.mark.parametrize("domains, nodes, before, after", FINE)
def test_a_topology_of_many_small_domains_is_fine(domains: int, nodes: int, before: bool, after: bool) -> None:
    """More than 64 domains of fewer than 16 nodes; half of that before it turns coarse again."""
    label = column(*(f"v{i}" for i in range(domains)))
    label.fine = before
    assert label.should_be_fine(nodes) is after


def test_node_names_are_always_fine() -> None:
    assert column("n1", key=NODE_NAME).should_be_fine(1)


def test_the_index_makes_columns_on_first_use() -> None:
    index = LabelIndex(256)
    assert not index.one(0, "zone", algebra.exists())
    index["zone"].put(0, "a")
    index[NODE_NAME].put(0, "n0")
    assert index.one(0, "zone", algebra.in_("a"))
    assert index.labels(0) == {"zone": "a"}
    assert list(index.known_keys()) == ["zone"]
