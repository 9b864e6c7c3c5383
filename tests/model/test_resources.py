"""Quantities: what is written, what it is in smallest units, what is refused."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayplan.errors import ConfigError
from bayplan.model import resources
from bayplan.model.resources import LIMIT, Quantity, Resources

# resource, quantity, as a request (rounded up), as capacity (rounded down)
QUANTITIES: list[tuple[str, Quantity, int, int]] = [
    # cpu and everything else: 1/10,000
    ("cpu", 1, 10_000, 10_000),
    ("cpu", 0, 0, 0),
    ("cpu", -0.0, 0, 0),
    ("cpu", "500m", 5_000, 5_000),
    ("cpu", "1500m", 15_000, 15_000),
    ("cpu", 0.1, 1_000, 1_000),
    ("cpu", 0.1 + 0.2, 3_001, 3_000),  # 0.30000000000000004: asked for more, offered less
    ("cpu", 0.3, 3_000, 3_000),
    ("cpu", Decimal("0.3"), 3_000, 3_000),
    ("cpu", Fraction(1, 3), 3_334, 3_333),
    ("cpu", "0.00001", 1, 0),
    ("cpu", 1e-5, 1, 0),
    ("cpu", "100u", 1, 1),
    ("cpu", "1n", 1, 0),
    ("cpu", "1k", 10_000_000, 10_000_000),
    ("cpu", " 2 ", 20_000, 20_000),
    ("cpu", "+2", 20_000, 20_000),
    ("cpu", "2.", 20_000, 20_000),
    ("cpu", ".5", 5_000, 5_000),
    ("cpu", "1.5e3", 15_000_000, 15_000_000),
    ("cpu", "15E-1", 15_000, 15_000),
    ("cpu", "5e-324", 1, 0),
    ("gpu", 0.25, 2_500, 2_500),
    ("gpu", np.float64(0.25), 2_500, 2_500),
    ("nvidia.com/gpu", 1, 10_000, 10_000),
    # bytes
    ("memory", 1, 1, 1),
    ("memory", "64Gi", 64 * 2**30, 64 * 2**30),
    ("memory", "1Ki", 1024, 1024),
    ("memory", "1k", 1000, 1000),
    ("memory", "1M", 10**6, 10**6),
    ("memory", "1Mi", 2**20, 2**20),
    ("memory", "1G", 10**9, 10**9),
    ("memory", "1T", 10**12, 10**12),
    ("memory", "1Ti", 2**40, 2**40),
    ("memory", "1P", 10**15, 10**15),
    ("memory", "8Pi", LIMIT, LIMIT),
    ("memory", "0.001E", 10**15, 10**15),  # a lone E is exa, as in Kubernetes
    ("memory", "0.001Ei", 1152921504606847, 1152921504606846),
    ("memory", "1.5Gi", 3 * 2**29, 3 * 2**29),
    ("memory", "1500m", 2, 1),
    ("memory", 1.5, 2, 1),
    ("memory", 1e9, 10**9, 10**9),
    ("memory", LIMIT, LIMIT, LIMIT),
    ("storage", "1Gi", 2**30, 2**30),
    ("ephemeral-storage", "1Gi", 2**30, 2**30),
    ("object_store_memory", "1Gi", 2**30, 2**30),
    ("hugepages-2Mi", "4Mi", 4 * 2**20, 4 * 2**20),
]


@pytest.mark.parametrize("resource, quantity, asked, offered", QUANTITIES, ids=repr)
def test_quantities(resource: str, quantity: Quantity, asked: int, offered: int) -> None:
    assert resources.request(resource, quantity) == asked
    assert resources.capacity(resource, quantity) == offered


HINT = '(write a number, "500m", "64Gi" or "1.5e3")'

# resource, quantity, the message
BAD: list[tuple[str, object, str]] = [
    ("cpu", "", f"cpu: '' is not a quantity {HINT}"),
    ("cpu", "abc", f"cpu: 'abc' is not a quantity {HINT}"),
    ("cpu", "1 000", f"cpu: '1 000' is not a quantity {HINT}"),
    ("cpu", "1_000", f"cpu: '1_000' is not a quantity {HINT}"),
    ("cpu", "1,5", f"cpu: '1,5' is not a quantity {HINT}"),
    ("cpu", "1/3", f"cpu: '1/3' is not a quantity {HINT}"),
    ("cpu", "0x10", f"cpu: '0x10' is not a quantity {HINT}"),
    ("cpu", "٣", f"cpu: '٣' is not a quantity {HINT}"),
    ("cpu", ".", f"cpu: '.' is not a quantity {HINT}"),
    ("cpu", "1e", f"cpu: '1e' is not a quantity {HINT}"),
    ("cpu", "1e3m", f"cpu: '1e3m' is not a quantity {HINT}"),
    ("memory", "1K", f"memory: '1K' is not a quantity {HINT}"),  # Kubernetes writes k and Ki
    ("memory", "1ki", f"memory: '1ki' is not a quantity {HINT}"),
    ("memory", "1GB", f"memory: '1GB' is not a quantity {HINT}"),
    ("memory", "1gi", f"memory: '1gi' is not a quantity {HINT}"),
    ("cpu", True, f"cpu: True is not a quantity {HINT}"),
    ("cpu", False, f"cpu: False is not a quantity {HINT}"),
    ("cpu", None, f"cpu: None is not a quantity {HINT}"),
    ("cpu", [1], f"cpu: [1] is not a quantity {HINT}"),
    ("cpu", b"1", f"cpu: b'1' is not a quantity {HINT}"),
    ("cpu", float("nan"), f"cpu: nan is not a quantity {HINT}"),
    ("cpu", float("inf"), f"cpu: inf is not a quantity {HINT}"),
    ("cpu", Decimal("NaN"), f"cpu: Decimal('NaN') is not a quantity {HINT}"),
    ("cpu", "x" * 100, f"cpu: '{'x' * 56}... is not a quantity {HINT}"),
    ("cpu", -1, "cpu: -1 is negative"),
    ("cpu", "-500m", "cpu: '-500m' is negative"),
    ("cpu", -0.5, "cpu: -0.5 is negative"),
    ("memory", LIMIT + 1, "memory: 9007199254740993 is too large (at most 8Pi)"),
    ("memory", "1E", "memory: '1E' is too large (at most 8Pi)"),
    ("memory", "1e999", "memory: '1e999' is too large (at most 8Pi)"),
    ("cpu", "1T", "cpu: '1T' is too large (at most 900719925474.0992)"),
    ("cpu", 10**99, f"cpu: 1{'0' * 56}... is too large (at most 900719925474.0992)"),
    ("cpu", 10**5000, "cpu: a number of thousands of digits is too large (at most 900719925474.0992)"),
    ("", 1, "'' is not a resource name"),
    ("a b", 1, "a b: 'a b' is not a resource name"),
    ("-a", 1, "-a: '-a' is not a resource name"),
    ("r" * 317, 1, f"{'r' * 317}: '{'r' * 317}' is not a resource name"),
]


@pytest.mark.parametrize("resource, quantity, message", BAD, ids=[row[2][:40] for row in BAD])
def test_what_is_refused(resource: str, quantity: Quantity, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        resources.request(resource, quantity)
    assert str(caught.value) == message


# resource, smallest units, as a person writes it
RENDERED = [
    ("cpu", 0, "0"),
    ("cpu", 40_000, "4"),
    ("cpu", 5_000, "500m"),
    ("cpu", 15_000, "1500m"),
    ("cpu", 3_001, "0.3001"),
    ("cpu", -5_000, "-500m"),
    ("gpu", 2_500, "0.25"),
    ("gpu", -2_500, "-0.25"),
    ("gpu", 1, "0.0001"),
    ("gpu", LIMIT, "900719925474.0992"),
    ("gpu", LIMIT - 1, "900719925474.0991"),
    ("gpu", 2_500.0, "0.25"),  # columns are float64
    ("memory", 0, "0"),
    ("memory", 999, "999"),
    ("memory", 1000, "1k"),
    ("memory", 1024, "1Ki"),
    ("memory", 2**30, "1Gi"),
    ("memory", 3 * 2**29, "1.5Gi"),
    ("memory", 64 * 2**30, "64Gi"),
    ("memory", 1000 * 2**30, "1000Gi"),
    ("memory", 1000 * 2**10, "1000Ki"),
    ("memory", -(2**30), "-1Gi"),
    ("memory", 10**9, "1G"),
    ("memory", 10**12, "1T"),
    ("memory", 10**9 + 1, "953.7Mi"),  # not whole in any unit: to one decimal
    ("memory", 10**12 + 1, "931.3Gi"),
    ("memory", 1234567, "1234567"),
]


@pytest.mark.parametrize("resource, amount, text", RENDERED)
def test_rendering(resource: str, amount: float, text: str) -> None:
    assert resources.render(resource, amount) == text


@settings(deadline=None)
@given(st.sampled_from(("cpu", "gpu")), st.integers(0, LIMIT))
def test_what_is_rendered_parses_to_the_same(resource: str, amount: int) -> None:
    assert resources.request(resource, resources.render(resource, amount)) == amount
    assert resources.capacity(resource, resources.render(resource, amount)) == amount


@settings(deadline=None)
@given(st.integers(0, LIMIT))
def test_rendered_bytes_are_within_a_twentieth_of_the_unit_shown(amount: int) -> None:
    """Whole ones exactly; an odd number of bytes is for reading only."""
    again = resources.request("memory", resources.render("memory", amount))
    assert abs(again - amount) <= max(amount / 200, 1)


@settings(deadline=None)
@given(st.floats(0, 1e11, allow_nan=False))
def test_asked_is_never_less_and_offered_never_more(quantity: float) -> None:
    """Against the decimal the user sees, which is repr."""
    exact = Fraction(repr(quantity)) * resources.UNIT
    asked, offered = resources.request("cpu", quantity), resources.capacity("cpu", quantity)
    assert offered <= exact <= asked <= offered + 1


def test_resources_leave_zeros_out_and_report_every_mistake() -> None:
    assert resources.requests({"cpu": 0, "memory": "1Gi"}) == {"memory": 2**30}
    assert Resources({"b": 1, "a": 0}) == Resources({"b": 1})
    assert str(resources.requests({"memory": "1Gi", "cpu": "500m"})) == "cpu 500m, memory 1Gi"
    assert str(Resources()) == "nothing"
    with pytest.raises(ConfigError) as caught:
        resources.requests({"cpu": "x", "memory": -1, "gpu": 1})
    assert [problem.path for problem in caught.value.problems] == ["cpu", "memory"]


def test_parsed_resources_are_taken_as_they_are() -> None:
    once = resources.requests({"cpu": 1})
    assert resources.requests(once) is once
    assert resources.offers(once) is once
