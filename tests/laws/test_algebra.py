"""The label algebra: every pair of operators, the laws of a Boolean algebra, one form for one set."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayplan.model import labels as algebra
from bayplan.model.labels import ABSENT_ONLY, ANYTHING, EXISTS, NOTHING, ValueSet, gt, in_, lt, not_in
from bayplan.model.selector import EVERYTHING, NOWHERE, Selector
from tests import strategies
from tests.strategies import SAMPLES, Meaning

many = settings(deadline=None, max_examples=200)

OPERATORS = [
    strategies.listed("x"),
    strategies.listed("x", "y"),
    strategies.listed("3"),
    strategies.listed("", "03", "-1"),
    strategies.unlisted("x"),
    strategies.unlisted("x", "3"),
    strategies.unlisted(""),
    strategies.PRESENT,
    strategies.MISSING,
    strategies.above(3),
    strategies.above(-2),
    strategies.above(2**63 - 2),
    strategies.below(4),
    strategies.below(-1),
    strategies.below(-(2**63) + 1),
]
PAIRS = list(itertools.product(OPERATORS, repeat=2))


def members(values: ValueSet) -> list[object]:
    return [value for value in SAMPLES if value in values]


def meant(meaning: Meaning) -> list[object]:
    return [value for value in SAMPLES if meaning.holds(value)]


@pytest.mark.parametrize("one", OPERATORS, ids=str)
def test_an_operator_and_its_opposite_hold_what_they_should(one: Meaning) -> None:
    assert members(one.set) == meant(one)
    assert members(~one.set) == meant(strategies.negated(one))


@pytest.mark.parametrize("a, b", PAIRS, ids=lambda one: one.text)
def test_product_table(a: Meaning, b: Meaning) -> None:
    """All six operators against all six, with and, or and less."""
    for combine in (strategies.both, strategies.either, strategies.without):
        result = combine(a, b)
        assert members(result.set) == meant(result), result


# name, the set, equals
SAME_SETS = [
    ("no bound below", gt(-(2**70)), gt(-(2**63)) | (gt(-(2**63) - 1) & lt(-(2**63) + 1))),
    ("neighbouring ranges join", lt(4) | gt(3), gt(-(2**63) - 1)),
    ("nothing above the top", gt(2**63 - 1), NOTHING),
    ("nothing below the bottom", lt(-(2**63)), NOTHING),
    ("a gap of nothing", gt(3) & lt(4), NOTHING),
    ("exists is not absent", EXISTS, ~ABSENT_ONLY),
    ("exists or absent", EXISTS | ABSENT_ONLY, ANYTHING),
    ("not in nothing", not_in(), ANYTHING),
    ("in nothing", in_(), NOTHING),
    ("in, twice", in_("a", "a"), in_("a")),
    ("a number that is in the range already", gt(3) | in_("5"), gt(3)),
    ("a number taken out and put back", (gt(3) - in_("5")) | in_("5"), gt(3)),
    ("an exclusion that never applied", gt(3) - in_("x", "2"), gt(3)),
    ("exists and not in", EXISTS & not_in("a"), ~(in_("a") | ABSENT_ONLY)),
]


@pytest.mark.parametrize("left, right", [row[1:] for row in SAME_SETS], ids=[row[0] for row in SAME_SETS])
def test_sets_that_are_the_same_have_the_same_form(left: ValueSet, right: ValueSet) -> None:
    assert left == right
    assert hash(left) == hash(right)


# name, the set, is it empty
EMPTINESS = [
    ("in two disjoint lists", in_("a") & in_("b"), True),
    ("in and not in", in_("a") & not_in("a"), True),
    ("exists and absent", EXISTS & ABSENT_ONLY, True),
    ("in and absent", in_("a") & ABSENT_ONLY, True),
    ("above 3 and below 3", gt(3) & lt(3), True),
    ("above 3 and text", gt(3) & in_("a"), True),
    ("above 3 and a smaller number", gt(3) & in_("3"), True),
    ("not in and absent", not_in("a") & ABSENT_ONLY, False),
    ("only 4 between, and not spelt so", gt(3) & lt(5) & not_in("4"), False),  # "04" is left
    ("above 3 and a larger number", gt(3) & in_("04"), False),
    ("the empty value is a value", in_("") & EXISTS, False),
]


@pytest.mark.parametrize("values, empty", [row[1:] for row in EMPTINESS], ids=[row[0] for row in EMPTINESS])
def test_emptiness(values: ValueSet, empty: bool) -> None:
    assert values.is_empty is empty
    assert (values <= NOTHING) is empty


def test_a_number_has_no_last_spelling() -> None:
    """However many spellings of 4 are excluded, one with more zeros is left; so the form is unique."""
    spellings = [sign + "0" * zeros + "4" for sign in ("", "+") for zeros in range(100)]
    left = gt(3) & lt(5) & not_in(*spellings)
    assert not left.is_empty
    assert "0" * 100 + "4" in left
    assert in_(*spellings) != gt(3) & lt(5)


@many
@given(strategies.expressions())
def test_every_expression_holds_what_it_should(one: Meaning) -> None:
    assert members(one.set) == meant(one)


@many
@given(strategies.value_sets(), strategies.value_sets(), strategies.value_sets())
def test_boolean_algebra(a: ValueSet, b: ValueSet, c: ValueSet) -> None:
    """Laws hold between objects, not only between memberships: the form is canonical."""
    assert a & b == b & a
    assert a | b == b | a
    assert (a & b) & c == a & (b & c)
    assert (a | b) | c == a | (b | c)
    assert a & (b | c) == (a & b) | (a & c)
    assert a | (b & c) == (a | b) & (a | c)
    assert a & (a | b) == a
    assert a | (a & b) == a
    assert ~(a & b) == ~a | ~b
    assert a - b == a & ~b
    assert ~~a == a == a & a == a | a
    assert a & ~a == NOTHING == a & NOTHING
    assert a | ~a == ANYTHING == a | ANYTHING
    assert a | NOTHING == a == a & ANYTHING


@many
@given(strategies.value_sets(), strategies.value_sets())
def test_inclusion_is_an_order(a: ValueSet, b: ValueSet) -> None:
    assert a & b <= a <= a | b
    assert (a <= b) == (a & b == a) == (a | b == b)
    assert (a <= b and b <= a) == (a == b)


def telling(values: ValueSet) -> list[algebra.Value]:
    """Values enough to tell two sets apart: one of each kind, what is listed, the ends of each range,
    each in a spelling that no list mentions."""
    ends = [end + step for low, high in values.numbers for end in (low, high) for step in (-1, 0, 1)]
    return [*SAMPLES, "text in no list", *values.exceptions, *(f"{'-' if n < 0 else ''}{'0' * 9}{abs(n)}" for n in ends)]


@many
@given(strategies.value_sets(), strategies.value_sets())
def test_equal_membership_is_equal_object(a: ValueSet, b: ValueSet) -> None:
    same_members = all((value in a) == (value in b) for value in telling(a) + telling(b))
    assert same_members == (a == b)
    assert a != b or hash(a) == hash(b)


@many
@given(strategies.value_sets())
def test_finite_sets_say_their_values(a: ValueSet) -> None:
    if a.values is None:
        assert not a <= in_("x", "y", "3") | ABSENT_ONLY
    else:
        assert in_(*a.values) == a & EXISTS


@many
@given(strategies.value_sets(), strategies.value_sets())
def test_a_rendering_is_of_one_set_only(a: ValueSet, b: ValueSet) -> None:
    assert (str(a) == str(b)) == (a == b)


# --- selectors ---


@many
@given(strategies.node_selectors(), strategies.node_selectors(), strategies.node_labels())
def test_selectors_combine(a: Selector, b: Selector, labels: dict[str, str]) -> None:
    assert (a & b).matches(labels) == (a.matches(labels) and b.matches(labels))
    assert (a | b).matches(labels) == (a.matches(labels) or b.matches(labels))
    assert (a & EVERYTHING).matches(labels) == a.matches(labels)
    assert (a & NOWHERE).never
    assert (a | EVERYTHING).always
    assert not (a.never and a.matches(labels))
    assert not a.always or a.matches(labels)


@many
@given(st.dictionaries(st.sampled_from(("zone", "rack", "tier")), strategies.value_sets(), max_size=3))
def test_never_is_found_by_algebra(requirements: dict[str, ValueSet]) -> None:
    """A term can never hold exactly when one of its keys has no value left."""
    assert Selector.of(requirements).never == any(values.is_empty for values in requirements.values())
    assert Selector.of(requirements).always == all(values == ANYTHING for values in requirements.values())
