"""Workloads: kinds, copies, alternatives, tolerations, neighbours, groups, and what is refused."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace

import pytest

from bayplan.errors import ConfigError
from bayplan.model.group import Group, Strategy, members
from bayplan.model.labels import in_
from bayplan.model.neighbours import NODE, Apart, Near, Spread
from bayplan.model.node import Effect, Taint
from bayplan.model.selector import EVERYTHING, NODE_NAME, Selector
from bayplan.model.tolerations import Match, Toleration
from bayplan.model.workload import Fallback, Preference, Workload

WEB = Selector.of({"app": "web"})
ZONE_A, ZONE_B = Selector.of({"zone": "a"}), Selector.of({"zone": "b"})


# --- kinds ---

# what differs from Workload("w", {"cpu": 1}), is it the same kind
KINDS: list[tuple[dict[str, object], bool]] = [
    ({"name": "other"}, True),
    ({"requests": {"cpu": "1000m"}}, True),
    ({"requests": {"cpu": 2}}, False),
    ({"labels": {"app": "web"}}, False),
    ({"namespace": "prod"}, False),
    ({"selector": ZONE_A}, False),
    ({"nodes": frozenset({"n1"})}, False),
    ({"preferences": (Preference(ZONE_A),)}, False),
    ({"tolerations": (Toleration(operator=Match.EXISTS),)}, False),
    ({"near": (Near(WEB),)}, False),
    ({"apart": (Apart(WEB),)}, False),
    ({"spread": (Spread(WEB),)}, False),
    ({"priority": 1}, False),
    ({"fallbacks": (Fallback(selector=ZONE_A),)}, False),
    ({"owner": "job"}, False),
]


@pytest.mark.parametrize("changes, same", KINDS, ids=[str(*row[0]) for row in KINDS])
def test_a_kind_is_everything_but_the_name(changes: dict[str, object], same: bool) -> None:
    plain = Workload("w", {"cpu": 1})  # type: ignore[arg-type]
    other = Workload(**{"name": "w", "requests": {"cpu": 1}, **changes})  # type: ignore[arg-type]
    assert (plain.kind == other.kind) is same
    assert not same or hash(plain.kind) == hash(other.kind)


def test_a_twin_equals_what_the_constructor_makes_and_shares_the_kind() -> None:
    web = Workload("web", {"cpu": 1}, {"app": "web"}, apart=(Apart(WEB),), priority=3)  # type: ignore[arg-type]
    twin = web.named("api")
    assert twin == Workload("api", {"cpu": 1}, {"app": "web"}, apart=(Apart(WEB),), priority=3)  # type: ignore[arg-type]
    assert twin.kind is web.kind
    assert hash(twin) != hash(web)
    assert replace(twin, priority=4).kind != web.kind  # a changed twin does not keep the old kind
    assert pickle.loads(pickle.dumps(twin)) == twin


def test_copies() -> None:
    copies = Workload("web", {"cpu": 1}, namespace="prod").copies(3)  # type: ignore[arg-type]
    assert [one.id for one in copies] == ["prod/web-0", "prod/web-1", "prod/web-2"]
    assert len({id(one.kind) for one in copies}) == 1
    assert Workload("web").copies(0) == []


def test_ids() -> None:
    assert Workload("w").id == "w"
    assert Workload("w", namespace="default").id == "w"
    assert Workload("w", namespace="prod").id == "prod/w"


# --- where it may run ---

# pinned nodes, the node selector
PINS: list[tuple[frozenset[str], Selector]] = [
    (frozenset(), ZONE_A),
    (frozenset({"n1"}), Selector.of({"zone": "a", NODE_NAME: "n1"})),
    (frozenset({"n1", "n2"}), Selector.of({"zone": "a", NODE_NAME: in_("n1", "n2")})),
]


@pytest.mark.parametrize("nodes, expected", PINS, ids=lambda one: str(one))
def test_pinned_nodes_narrow_the_selector(nodes: frozenset[str], expected: Selector) -> None:
    assert Workload("w", selector=ZONE_A, nodes=nodes).node_selector == expected


def test_two_pins_that_exclude_each_other_never_match() -> None:
    pinned = Workload("w", selector=Selector.of({NODE_NAME: "n1"}), nodes=frozenset({"n2"}))
    assert pinned.node_selector.never


def test_alternatives_are_whole_workloads_in_order() -> None:
    own = Workload(
        "w",
        {"gpu": 1},  # type: ignore[arg-type]
        selector=ZONE_A,
        near=(Near(WEB),),
        fallbacks=(Fallback(selector=ZONE_B), Fallback({"cpu": 8}, near=()), Fallback()),  # type: ignore[arg-type]
    )
    assert list(own.alternatives()) == [
        Workload("w", {"gpu": 1}, selector=ZONE_A, near=(Near(WEB),)),  # type: ignore[arg-type]
        Workload("w", {"gpu": 1}, selector=ZONE_B, near=(Near(WEB),)),  # type: ignore[arg-type]
        Workload("w", {"cpu": 8}, selector=ZONE_A),  # type: ignore[arg-type]
        Workload("w", {"gpu": 1}, selector=ZONE_A, near=(Near(WEB),)),  # type: ignore[arg-type]
    ]


def test_without_fallbacks_the_only_alternative_is_the_workload_itself() -> None:
    plain = Workload("w", {"cpu": 1})  # type: ignore[arg-type]
    assert next(plain.alternatives()) is plain
    assert len(list(plain.alternatives())) == 1


# --- tolerations ---

ANY = Match.EXISTS
# toleration, taint, is it tolerated
TOLERATIONS: list[tuple[Toleration, Taint, bool]] = [
    (Toleration("k", "v"), Taint("k", "v"), True),
    (Toleration("k", "v"), Taint("k", "w"), False),
    (Toleration("k", "v"), Taint("other", "v"), False),
    (Toleration("k"), Taint("k"), True),
    (Toleration("k"), Taint("k", "v"), False),
    (Toleration("k", operator=ANY), Taint("k", "v"), True),
    (Toleration("k", operator=ANY), Taint("k"), True),
    (Toleration("k", operator=ANY), Taint("other"), False),
    (Toleration(operator=ANY), Taint("k", "v"), True),
    (Toleration(operator=ANY), Taint("k", "v", Effect.NO_EXECUTE), True),
    (Toleration(operator=ANY, effect=Effect.NO_SCHEDULE), Taint("k", "v"), True),
    (Toleration(operator=ANY, effect=Effect.NO_SCHEDULE), Taint("k", "v", Effect.NO_EXECUTE), False),
    (Toleration("k", "v", effect=Effect.PREFER_NO_SCHEDULE), Taint("k", "v", Effect.PREFER_NO_SCHEDULE), True),
    (Toleration("k", "v", effect=Effect.PREFER_NO_SCHEDULE), Taint("k", "v"), False),
    (Toleration("k", "3", Match.GT), Taint("k", "4"), True),  # the taint's value is above 3
    (Toleration("k", "3", Match.GT), Taint("k", "3"), False),
    (Toleration("k", "3", Match.GT), Taint("k", "x"), False),
    (Toleration("k", "3", Match.GT), Taint("k"), False),
    (Toleration("k", "3", Match.LT), Taint("k", "2"), True),
    (Toleration("k", "3", Match.LT), Taint("k", "03"), False),
    (Toleration("k", "-1", Match.GT), Taint("k", "0"), True),
    (Toleration("k", "0", Match.LT), Taint("k", "0"), False),
    (Toleration("k", "3", Match.GT), Taint("other", "4"), False),
]


@pytest.mark.parametrize("toleration, taint, tolerated", TOLERATIONS)
def test_tolerations(toleration: Toleration, taint: Taint, tolerated: bool) -> None:
    assert toleration.tolerates(taint) is tolerated


# --- neighbours ---

RENDERED: list[tuple[Near | Apart | Spread, str]] = [
    (Near(WEB), "near app in (web) by node"),
    (Near(WEB, "zone"), "near app in (web) by zone"),  # type: ignore[arg-type]
    (Near(WEB, ("zone", NODE)), "near app in (web) by zone, node"),
    (Apart(WEB), "apart from app in (web) by node"),
    (Apart(EVERYTHING, "rack", at_most=3), "at most 3 apart from anything by rack"),
    (Spread(WEB, "zone", max_skew=2), "spread app in (web) over zone within 2"),
]


@pytest.mark.parametrize("one, text", RENDERED, ids=[row[1] for row in RENDERED])
def test_rendering(one: object, text: str) -> None:
    assert str(one) == text


# --- what is refused ---

A, B = Workload("a", priority=5), Workload("b", priority=2)
NAN = float("nan")
ABOVE = "(a number above 0, at most 10,000; leave it out for a hard rule)"

BAD: list[tuple[Callable[[], object], list[str]]] = [
    (lambda: Workload(""), ["workload ''.name: a name may not be empty"]),
    (
        lambda: Workload("a/b"),
        ["workload 'a/b'.name: the name 'a/b' contains white space, '/' or unprintable characters"],
    ),
    (lambda: Workload("w", namespace=""), ["workload 'w'.namespace: a name may not be empty"]),
    (lambda: Workload("w", {"cpu": -1}), ["workload 'w'.requests.cpu: -1 is negative"]),  # type: ignore[arg-type]
    (lambda: Workload("w", priority=2**31), ["workload 'w'.priority: 2147483648 is out of range (32 bits)"]),
    (
        lambda: Workload("w", {"cpu": True, "gpu": -1}, {"a": 1}, priority=-(2**31) - 1),  # type: ignore[arg-type]
        [
            "workload 'w'.labels.a: a label value must be text, found 1 (write it in quotes: '1')",
            'workload \'w\'.requests.cpu: True is not a quantity (write a number, "500m", "64Gi" or "1.5e3")',
            "workload 'w'.requests.gpu: -1 is negative",
            "workload 'w'.priority: -2147483649 is out of range (32 bits)",
        ],
    ),
    (lambda: Toleration("", "v"), ["toleration.key: a toleration without a key must have operator Exists"]),
    (lambda: Toleration("k", "x", Match.GT), ["toleration.value: Gt compares integers, found 'x'"]),
    (lambda: Toleration("k", "", Match.LT), ["toleration.value: Lt compares integers, found ''"]),
    (lambda: Preference(WEB, NAN), ["preference.weight: nan is not a weight (a number, at most 10,000 either way)"]),
    (lambda: Near(WEB, ()), ["near.by: at least one topology key is needed"]),
    (lambda: Near(WEB, ("a b",)), ["near.by: the name 'a b' contains ' '; allowed are letters, digits, '-', '_' and '.'"]),
    (lambda: Near(WEB, weight=float("inf")), [f"near.weight: inf is not a weight {ABOVE}"]),
    (lambda: Near(WEB, ("zone", "rack"), weight=1.0), ["near.by: a wish can have one topology key only (give one wish per key)"]),
    (lambda: Apart(WEB, weight=0), [f"apart.weight: 0 is not a weight {ABOVE}"]),
    (lambda: Apart(WEB, weight=-1.0), [f"apart.weight: -1.0 is not a weight {ABOVE}"]),
    (lambda: Apart(WEB, ""), ["apart.by: a label key may not be empty"]),
    (lambda: Apart(WEB, at_most=0), ["apart.at_most: at_most must be 1 or more, found 0"]),
    (lambda: Spread(WEB, max_skew=0), ["spread.max_skew: max_skew must be 1 or more, found 0"]),
    (lambda: Spread(WEB, min_domains=0), ["spread.min_domains: min_domains must be 1 or more, found 0"]),
    (lambda: Spread(WEB, weight=NAN), [f"spread.weight: nan is not a weight {ABOVE}"]),
    (lambda: Group("g", ()), ["group 'g'.members: a group needs at least one member"]),
    (lambda: Group("g", (A, A)), ["group 'g'.members: two members are called 'a'"]),
    (lambda: Group("", (A,)), ["group '': a name may not be empty"]),
    (lambda: Group("g", (A,), by="-"), ["group 'g'.by: the name '-' must begin and end with a letter or digit"]),
    (
        lambda: Group("g", (A,), fallbacks=(Group("h", (A,), fallbacks=(Group("i", (A,)),)),)),
        ["group 'g'.fallbacks: a fallback may not have fallbacks of its own"],
    ),
]


@pytest.mark.parametrize("build, lines", BAD, ids=[row[1][0][:50] for row in BAD])
def test_what_is_refused(build: Callable[[], object], lines: list[str]) -> None:
    with pytest.raises(ConfigError) as caught:
        build()
    assert sorted(str(caught.value).splitlines()) == sorted(lines)


# --- groups ---


def test_groups() -> None:
    other = Group("g2", (B,))
    gang = Group("g", [A, B], "STRICT_PACK", "zone", (other,))  # type: ignore[arg-type]
    assert gang.members == (A, B)
    assert gang.strategy is Strategy.STRICT_PACK
    assert list(gang.alternatives()) == [gang, other]
    assert gang.priority == 2  # the least important member's
    assert members(gang) == (A, B)
    assert members(A) == (A,)
    assert Group("g", (A, replace(A, namespace="prod"))).members[1].id == "prod/a"  # one name, two namespaces
