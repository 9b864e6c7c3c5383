"""Label sets and selectors, by example; their laws are in tests/laws/test_algebra.py."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys

import pytest

from bayplan.model.labels import ABSENT, ABSENT_ONLY, ANYTHING, EXISTS, NOTHING, Value, ValueSet, gt, in_, lt, not_in, number
from bayplan.model.selector import EVERYTHING, NODE_NAME, NOWHERE, Selector

# the text, the 64-bit integer it spells
NUMBERS = [
    ("3", 3),
    ("+3", 3),
    ("-3", -3),
    ("007", 7),
    ("-0", 0),
    ("9223372036854775807", 2**63 - 1),
    ("-9223372036854775808", -(2**63)),
    ("0" * 5000 + "3", 3),
    ("9223372036854775808", None),
    ("-9223372036854775809", None),
    ("9" * 5000, None),
    ("", None),
    ("+", None),
    ("--3", None),
    ("3.0", None),
    ("1e3", None),
    ("1_000", None),
    ("0x10", None),
    (" 3", None),
    ("3\n", None),
    ("٣", None),
]


@pytest.mark.parametrize("text, expected", NUMBERS, ids=lambda one: str(one)[:24])
def test_numbers(text: str, expected: int | None) -> None:
    assert number(text) == expected


# operator, values it holds, values it does not
OPERATORS: list[tuple[ValueSet, list[Value], list[Value]]] = [
    (in_("a", "b"), ["a", "b"], ["c", "", ABSENT, "A"]),
    (in_(""), [""], ["a", ABSENT]),
    (in_("3"), ["3"], ["03", "+3", ABSENT]),
    (not_in("a", "b"), ["c", "", ABSENT, "A"], ["a", "b"]),
    (EXISTS, ["a", "", "3"], [ABSENT]),
    (ABSENT_ONLY, [ABSENT], ["a", "", "3"]),
    (gt(3), ["4", "04", "+4", "9223372036854775807"], ["3", "03", "-4", "x", "", "4.5", ABSENT, "9223372036854775808"]),
    (lt(3), ["2", "02", "-4", "-9223372036854775808"], ["3", "+3", "x", "", "2.5", ABSENT]),
    (ANYTHING, ["a", "", "3", ABSENT], []),
    (NOTHING, [], ["a", "", "3", ABSENT]),
]


@pytest.mark.parametrize("values, inside, outside", OPERATORS, ids=str)
def test_operators(values: ValueSet, inside: list[Value], outside: list[Value]) -> None:
    assert [value for value in inside if value not in values] == []
    assert [value for value in outside if value in values] == []


RENDERED = [
    (NOTHING, "nothing"),
    (ANYTHING, "anything"),
    (EXISTS, "exists"),
    (ABSENT_ONLY, "absent"),
    (in_("b", "a"), "in (a, b)"),
    (in_(""), 'in ("")'),
    (in_("", "a"), 'in ("", a)'),
    (in_("a") | ABSENT_ONLY, "in (a) or absent"),
    (not_in("b", "a"), "not in (a, b)"),
    (not_in(""), 'not in ("")'),
    (EXISTS & not_in("a"), "exists and not in (a)"),
    (gt(3), "> 3"),
    (lt(3), "< 3"),
    (gt(3) & lt(9), "4 to 8"),
    (gt(3) & lt(5), "= 4"),
    (lt(3) | gt(5), "< 3 or > 5"),
    (gt(3) | ABSENT_ONLY, "> 3 or absent"),
    (gt(3) | in_("x"), "> 3 or in (x)"),
    (gt(3) & not_in("7"), "> 3 and not in (7)"),
    ((gt(3) | in_("x")) & not_in("7"), "(> 3 or in (x)) and not in (7)"),
    (gt(-(2**63) - 1), "a number"),
    (EXISTS & ~gt(-(2**63) - 1), "not a number"),
    (~gt(3), "not a number or < 4 or absent"),
]


@pytest.mark.parametrize("values, text", RENDERED, ids=[row[1] for row in RENDERED])
def test_rendering(values: ValueSet, text: str) -> None:
    assert str(values) == text


def test_finite_sets_give_their_values() -> None:
    assert in_("a", "b").values == frozenset({"a", "b"})
    assert ABSENT_ONLY.values == frozenset()
    assert EXISTS.values is None
    assert (gt(3) & lt(5)).values is None  # "4", "04", "004", ...


# selector, labels it matches, labels it does not
SELECTORS: list[tuple[Selector, list[dict[str, str]], list[dict[str, str]]]] = [
    (EVERYTHING, [{}, {"a": "b"}], []),
    (NOWHERE, [], [{}, {"a": "b"}]),
    (Selector.of({"zone": "a"}), [{"zone": "a"}, {"zone": "a", "x": "y"}], [{}, {"zone": "b"}]),
    (Selector.of({"zone": not_in("a")}), [{}, {"zone": "b"}], [{"zone": "a"}]),
    (Selector.of({"zone": "a", "tier": gt(2)}), [{"zone": "a", "tier": "3"}], [{"zone": "a"}, {"zone": "b", "tier": "3"}]),
    (Selector.of({"zone": "a"}) | Selector.of({"tier": "1"}), [{"zone": "a"}, {"tier": "1"}], [{}, {"zone": "b"}]),
]


@pytest.mark.parametrize("selector, matching, other", SELECTORS, ids=str)
def test_selectors(selector: Selector, matching: list[dict[str, str]], other: list[dict[str, str]]) -> None:
    assert [labels for labels in matching if not selector.matches(labels)] == []
    assert [labels for labels in other if selector.matches(labels)] == []


RENDERED_SELECTORS = [
    (EVERYTHING, "anything"),
    (NOWHERE, "nothing"),
    (Selector.of({"zone": "a"}), "zone in (a)"),
    (Selector.of({"zone": "a", "gpu": EXISTS}), "gpu exists and zone in (a)"),
    (Selector.of({"zone": "a"}) | Selector.of({"rack": ABSENT_ONLY}), "zone in (a) or rack absent"),
    (Selector.of({NODE_NAME: in_("n1", "n2")}), "node name in (n1, n2)"),
]


@pytest.mark.parametrize("selector, text", RENDERED_SELECTORS, ids=[row[1] for row in RENDERED_SELECTORS])
def test_rendering_of_selectors(selector: Selector, text: str) -> None:
    assert str(selector) == text


# name, selector, can it ever match
NEVER = [
    ("a key with two values", Selector.of({"zone": "a"}) & Selector.of({"zone": "b"}), True),
    ("a key that is and is not there", Selector.of({"zone": "a"}) & Selector.of({"zone": ABSENT_ONLY}), True),
    ("one way of two is left", (Selector.of({"zone": "a"}) | Selector.of({"rack": "r"})) & Selector.of({"zone": "b"}), False),
    ("different keys", Selector.of({"zone": "a"}) & Selector.of({"rack": "a"}), False),
    ("an empty set", Selector.of({"zone": NOTHING}), True),
    ("no requirement", Selector.of({}), False),
]


@pytest.mark.parametrize("selector, never", [row[1:] for row in NEVER], ids=[row[0] for row in NEVER])
def test_a_selector_that_never_matches_is_known_as_such(selector: Selector, never: bool) -> None:
    assert selector.never is never


def test_selectors_are_in_canonical_form() -> None:
    assert Selector.of({"b": "1", "a": "2"}) == Selector.of({"a": "2", "b": "1"})
    assert Selector.of({"a": ANYTHING}) == EVERYTHING
    assert Selector.of({"a": "1"}) | Selector.of({"a": "1"}) == Selector.of({"a": "1"})
    assert Selector.of({"a": "1"}) | EVERYTHING == EVERYTHING
    assert Selector.of({"a": "1"}) | NOWHERE == Selector.of({"a": "1"})
    assert (Selector.of({"a": "1"}) | Selector.of({"b": "1"})).keys == {"a", "b"}


def test_hashes_are_right_in_another_process() -> None:
    """Strings hash differently in every process, so a kept hash must not travel with a pickle."""
    code = """if True:
        import pickle, sys
        from bayplan.model.labels import in_
        from bayplan.model.selector import Selector
        sys.stdout.buffer.write(pickle.dumps(Selector.of({"zone": in_("a", "b")})))
    """
    path = os.pathsep.join(part for part in sys.path if part)
    env = {**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": "12345"}
    sent = pickle.loads(subprocess.run([sys.executable, "-c", code], env=env, check=True, capture_output=True).stdout)
    here = Selector.of({"zone": in_("a", "b")})
    assert sent == here
    assert hash(sent) == hash(here)
    assert hash(sent.terms[0][0][1]) == hash(in_("a", "b"))
