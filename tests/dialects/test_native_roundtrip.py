"""Law: loads(dumps(manifest)) says the same as the manifest. And what cannot be written is refused, not left out."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayplan.dialects import native
from bayplan.dialects.native import Manifest, selectors
from bayplan.engine.spec import PolicySpec
from bayplan.errors import Unsupported
from bayplan.model import labels as algebra
from bayplan.model.group import Group, Strategy
from bayplan.model.labels import ABSENT, ValueSet
from bayplan.model.neighbours import ALL, NODE, Apart, Near, Spread
from bayplan.model.node import Device, Effect, Node, NodeTemplate, Taint
from bayplan.model.resources import Resources
from bayplan.model.selector import EVERYTHING, NODE_NAME, NOWHERE, Selector
from bayplan.model.strategy import ResourceStrategy
from bayplan.model.tolerations import Match, Toleration
from bayplan.model.workload import Fallback, Preference, Workload

# Words that YAML would read as something else are the likeliest to break the way back.
WORDS = ("a", "no", "on", "true", "null", "7", "07", "1.10", "1e3", "0x1f", "1_000", "1-30", "2024-01-01", "x.y", "A_b")
NAMES = (*WORDS, "w-0", "w-1", "a:b", "é", "#x", "*x", "=", "<<", "~", "'", '"', "{", "-x", "@", "%")
KEYS = ("zone", "disk", "app.kubernetes.io/name", "no", "7", "in", "y")

keys = st.sampled_from(KEYS)
words = st.sampled_from((*WORDS, ""))
names = st.sampled_from(NAMES)
label_maps = st.dictionaries(keys, words, max_size=3)
weights = st.floats(min_value=1e-9, max_value=1e4)
amounts = st.dictionaries(
    st.sampled_from(("cpu", "memory", "gpu", "example.com/fpga")), st.integers(0, 2**40) | st.integers(0, 2**53), max_size=3
).map(Resources)

plain_sets = st.one_of(
    st.lists(words, min_size=1, max_size=3).map(lambda values: algebra.in_(*values)),
    st.lists(words, min_size=1, max_size=3).map(lambda values: algebra.not_in(*values)),
    st.sampled_from((algebra.exists(), algebra.does_not_exist())),
    st.sampled_from((3, 0, -1, 2**63 - 1, 2**63 - 2, -(2**63), -(2**63) + 1)).flatmap(
        lambda n: st.sampled_from((algebra.gt(n), algebra.lt(n)))
    ),
)
sets = st.lists(plain_sets, min_size=1, max_size=3).map(lambda several: _all(several))
"""What an AND of operators can say."""


def _all(several: list[ValueSet]) -> ValueSet:
    found = algebra.ANYTHING
    for one in several:
        found &= one
    return found


def _any(several: list[Selector]) -> Selector:
    return Selector(tuple(term for one in several for term in one.terms))


peer_terms = st.dictionaries(keys, sets, max_size=3)
peer_selectors = st.lists(peer_terms.map(Selector.of), max_size=3).map(_any)
node_names = st.lists(st.sampled_from(("n1", "a:b", "é", "7")), min_size=1, max_size=2)
name_sets = node_names.flatmap(lambda some: st.sampled_from((algebra.in_(*some), algebra.not_in(*some))))
named_terms = st.builds(lambda term, named: term | {NODE_NAME: named}, peer_terms, name_sets)
node_selectors = st.lists((peer_terms | named_terms).map(Selector.of), max_size=3).map(_any)
topologies = st.sampled_from((NODE, "zone", "no"))
namespaces = st.one_of(st.none(), st.just(ALL), st.frozensets(names, max_size=2))
wishes = st.none() | weights

taints = st.builds(Taint, keys, words, st.sampled_from(Effect))
tolerations = st.one_of(
    st.builds(Toleration, keys | st.just(""), st.just(""), st.just(Match.EXISTS), st.none() | st.sampled_from(Effect)),
    st.builds(Toleration, keys, words, st.just(Match.EQUAL), st.none() | st.sampled_from(Effect)),
    st.builds(Toleration, keys, st.just("7"), st.sampled_from((Match.GT, Match.LT)), st.none() | st.sampled_from(Effect)),
)
near_terms = st.lists(st.builds(Near, peer_selectors, topologies, namespaces), max_size=2)
nears = st.one_of(
    st.builds(Near, peer_selectors, topologies, namespaces, wishes, st.booleans()),
    st.builds(Near, peer_selectors, st.just(("zone", NODE)), namespaces, st.none(), st.booleans(), near_terms),
)
aparts = st.builds(Apart, peer_selectors, topologies, namespaces, wishes, st.integers(1, 3))
flags = [st.booleans()] * 4
spreads = st.builds(Spread, peer_selectors, topologies, namespaces, wishes, st.integers(1, 3), st.integers(1, 3), *flags)
preferences = st.builds(Preference, node_selectors, st.floats(-1e4, 1e4))
few = {"max_size": 2}
conditions = {
    "requests": amounts,
    "selector": node_selectors,
    "nodes": st.frozensets(names, **few),
    "preferences": st.lists(preferences, **few).map(tuple),
    "tolerations": st.lists(tolerations, **few).map(tuple),
    "near": st.lists(nears, **few).map(tuple),
    "apart": st.lists(aparts, **few).map(tuple),
    "spread": st.lists(spreads, **few).map(tuple),
}
fallbacks = st.builds(Fallback, **{name: st.none() | each for name, each in conditions.items()})
patterns = st.sampled_from(("cpu", "memory", "nvidia.com/gpu", "nvidia.com/*", "gpu*", "no", "7"))
"""Names of resources, and beginnings of names."""
shapes = st.lists(st.integers(0, 100), min_size=1, max_size=3, unique=True).flatmap(
    lambda xs: st.tuples(*(st.tuples(st.just(float(x)), st.floats(0, 10)) for x in sorted(xs)))
)
uses = st.one_of(
    st.builds(ResourceStrategy, patterns, st.sampled_from(("most", "least")), weights | weights.map(lambda one: -one)),
    st.builds(ResourceStrategy, patterns, st.just("ratio"), weights, shapes),
)
packings = st.none() | st.lists(uses, max_size=3, unique_by=lambda one: one.resource).map(tuple)
about = {
    "labels": label_maps,
    "namespace": names,
    "priority": st.integers(-(2**31), 2**31 - 1),
    "owner": names | st.just(""),
    "queue": names | st.just(""),
    "packing": packings,
    "images": st.lists(names | st.just("web:v1"), max_size=2),
}
kinds = st.builds(Workload, st.just("w"), **conditions, **about)
"""Workloads of any kind; the tests give them names of their own."""


@st.composite
def machines(draw: st.DrawFn, name: str) -> Node:
    counted = draw(st.dictionaries(st.sampled_from(("gpu", "npu")), st.integers(1, 3), max_size=2))
    listed = draw(st.lists(names, unique=True, max_size=2))
    pieces = [Device(resource, str(i)) for resource, count in counted.items() for i in range(count)]
    pieces += [Device("fpga", one) for one in listed]
    capacity = {k: v for k, v in draw(amounts).items() if k not in counted}
    images = draw(st.dictionaries(names | st.just("web:v1"), st.integers(0, 2**63 - 1), max_size=2))
    return Node(name, Resources(capacity), draw(label_maps), draw(st.lists(taints, **few)), pieces, images=images)


@st.composite
def manifests(draw: st.DrawFn) -> Manifest:
    nodes = tuple(draw(machines(name)) for name in draw(st.lists(names, unique=True, max_size=3)))
    templates = tuple(
        NodeTemplate(name, draw(machines(name)), draw(st.integers(0, 3)), draw(st.none() | st.integers(3, 9)), draw(weights))
        for name in draw(st.lists(names, unique=True, max_size=2))
    )
    requests: list[Workload | Group] = []
    for i in range(draw(st.integers(0, 4))):
        one = draw(kinds).named(f"r{i}")
        if draw(st.booleans()):
            requests += one.copies(draw(st.integers(1, 3)))
        else:
            strategy, by = draw(st.sampled_from(Strategy)), draw(topologies)
            other = Group(f"g{i}", (draw(kinds).named(f"r{i}"),), draw(st.sampled_from(Strategy)), draw(topologies))
            requests.append(Group(f"g{i}", tuple(one.copies(2)), strategy, by, (other,)))
    resident = tuple((draw(kinds).named(f"s{i}"), node.name) for i, node in enumerate(nodes))
    pinned = [name for one in requests for name in _pinned(one)] + [name for one, _ in resident for name in one.nodes]
    known = {node.name for node in nodes}
    extra = tuple(Node(name) for name in dict.fromkeys(pinned) if name not in known) if known else ()
    return Manifest((*nodes, *extra), templates, tuple(requests), resident)


def _pinned(request: Workload | Group) -> list[str]:
    if isinstance(request, Group):
        return [name for one in request.alternatives() for member in one.members for name in member.nodes]
    return list(request.nodes)


@settings(deadline=None, max_examples=80)
@given(manifests())
def test_the_way_back(manifest: Manifest) -> None:
    assert native.loads(native.dumps(manifest)) == manifest


@settings(deadline=None, max_examples=60)
@given(kinds, st.lists(fallbacks, min_size=1, max_size=2))
def test_fallbacks_keep_what_is_empty_and_what_is_absent(kind: Workload, others: list[Fallback]) -> None:
    one = Workload("w", requests=kind.requests, fallbacks=tuple(others))
    assert native.loads(native.dumps(Manifest(requests=(one,)))).requests == (one,)


@settings(deadline=None, max_examples=200)
@given(st.recursive(plain_sets, lambda inner: st.tuples(inner, inner).map(lambda two: two[0] | two[1]) | inner.map(lambda s: ~s)))
def test_every_set_is_written_with_its_meaning_or_refused(values: ValueSet) -> None:
    selector = Selector.of({"zone": values})
    manifest = Manifest(requests=(Workload("w", selector=selector),))
    if values.texts and (~values).values is None:  # some numbers, all other texts
        with pytest.raises(Unsupported, match=re.escape(str(values))):
            native.dumps(manifest)
        return
    written = native.dumps(manifest)
    (found,) = native.loads(written).requests
    assert isinstance(found, Workload)
    for value in (ABSENT, "", "other", *WORDS, "3", "-1", "4", "+3", str(2**63 - 1), str(-(2**63)), str(2**63)):
        labels = {} if value is ABSENT else {"zone": str(value)}
        assert found.selector.matches(labels) == selector.matches(labels), (value, written)


SETS = [
    ("one", algebra.in_("a"), ["a"]),
    ("two", algebra.in_("b", "a"), [["a", "b"]]),
    ("others", algebra.not_in("a"), [{"not_in": ["a"]}]),
    ("there", algebra.exists(), [{"exists": True}]),
    ("not there", algebra.does_not_exist(), [{"exists": False}]),
    ("there, and another", algebra.exists() & algebra.not_in("a"), [{"exists": True, "not_in": ["a"]}]),
    ("above", algebra.gt(3), [{"gt": 3}]),
    ("below", algebra.lt(3), [{"lt": 3}]),
    ("between", algebra.gt(3) & algebra.lt(9), [{"gt": 3, "lt": 9}]),
    ("between, but one", algebra.gt(3) & algebra.lt(9) & algebra.not_in("5"), [{"gt": 3, "lt": 9, "not_in": ["5"]}]),
    ("a number", algebra.lt(0) | algebra.gt(-1), [{"gt": -(2**63) - 1}]),
    ("one, or not there", algebra.in_("a") | algebra.does_not_exist(), ["a", {"exists": False}]),
    ("small or large", algebra.lt(3) | algebra.gt(9), [{"lt": 3}, {"gt": 9}]),
    ("large, or a word", algebra.gt(9) | algebra.in_("max"), [{"gt": 9}, "max"]),
]


@pytest.mark.parametrize("values, expected", [row[1:] for row in SETS], ids=[row[0] for row in SETS])
def test_sets_as_they_are_written(values: ValueSet, expected: list[object]) -> None:
    assert selectors.branches(values) == expected


W = Workload("w")
UNSUPPORTED = [
    (
        "texts but not all numbers",
        Manifest(requests=(Workload("w", selector=Selector.of({"a": ~algebra.gt(3)})),)),
        "not a number or < 4",
    ),
    ("a topology called node", Manifest(requests=(Workload("w", apart=(Apart(EVERYTHING, by="node"),)),)), "'node'"),
    ("a peer of a node's name", Manifest(requests=(Workload("w", apart=(Apart({NODE_NAME: "n"}),)),)), "cannot name nodes"),
    (
        "a near rule within a term",
        Manifest(requests=(Workload("w", near=(Near(EVERYTHING, terms=[Near(EVERYTHING, weight=1.0)]),)),)),
        "a term of a near rule",
    ),
    ("Exists with a value", Manifest(requests=(Workload("w", tolerations=(Toleration("a", "b", Match.EXISTS),)),)), "'b'"),
    ("two strategies for one resource", Manifest(requests=(Workload("w", packing=[ResourceStrategy("cpu")] * 2),)), "'cpu'"),
    ("a policy of things", Manifest(policy=PolicySpec(scorers={"mine": {"x": object()}})), "'balanced' cannot be written"),
    ("a policy with a misspelt word", Manifest(policy=PolicySpec(scorers={"packing": {"ovr": "x"}})), "unknown key 'ovr'"),
    ("a template's other name", Manifest(templates=(NodeTemplate("t", Node("u")),)), "'t'"),
    ("a group's other name", Manifest(requests=(Group("g", (W,), fallbacks=(Group("h", (W,)),)),)), "'g'"),
]


@pytest.mark.parametrize("manifest, message", [row[1:] for row in UNSUPPORTED], ids=[row[0] for row in UNSUPPORTED])
def test_what_cannot_be_written(manifest: Manifest, message: str) -> None:
    with pytest.raises(Unsupported, match=message):
        native.dumps(manifest)


def test_nowhere_and_everywhere() -> None:
    requests = (Workload("a", selector=NOWHERE), Workload("b", selector=EVERYTHING))
    written = native.dumps(Manifest(requests=requests))
    assert written == "workloads:\n- name: a\n  selector: []\n- {name: b}\n"
    assert native.loads(written).requests == requests


def test_runs_become_one_entry_and_order_is_kept() -> None:
    web, job = Workload("web", {"cpu": 1}), Workload("job", {"cpu": 2})
    gang = Group("g", tuple(job.copies(2)))
    manifest = Manifest(requests=(*web.copies(3), gang, Workload("late"), web.named("web-4")))
    written = native.dumps(manifest)
    assert native.loads(written) == manifest
    assert written == (
        "workloads:\n- name: web\n  replicas: 3\n  requests: {cpu: 1}\n---\n"
        "groups:\n- name: g\n  strategy: PACK\n  by: node\n"
        "  members:\n  - name: job\n    replicas: 2\n    requests: {cpu: 2}\n---\n"
        "workloads:\n- {name: late}\n- name: web-4\n  requests: {cpu: 1}\n"
    )


def test_amounts_are_exact() -> None:
    capacity = Resources({"cpu": 5_000, "memory": 2**30 + 1, "gpu": 2_501, "storage": 3 * 2**20, "x": 2**53 - 1, "y": 1})
    written = native.dumps(Manifest(nodes=(Node("n", capacity),)))
    assert native.loads(written).nodes[0].capacity == capacity
    for text in ("cpu: 500m", "memory: 1073741825", "gpu: 0.2501", "storage: 3Mi", "x: 900719925474.0991", "y: '0.0001'"):
        assert text.replace("'", "") in written.replace("'", "")


def test_policies_go_the_way_back() -> None:
    spec = PolicySpec(
        "pack", "mine", {"balance": 0.5, "packing": {"weight": 2, "resources": {"cpu": "least"}}}, {"taints": False}
    )
    assert native.loads(native.dumps(Manifest(policy=spec))).policy == spec


def test_an_empty_manifest_is_an_empty_text() -> None:
    assert native.dumps(Manifest()) == ""
    assert native.loads("") == Manifest()


def test_what_could_not_be_read_again_is_not_written() -> None:
    """Else a decision log could hold lines that nobody can replay."""
    below = Workload("w", tolerations=[Toleration("k", "-1", Match.GT)])
    assert native.loads(native.dumps(native.Manifest(requests=(below,)))).requests == (below,)
    by_name = Workload("w", preferences=[Preference(Selector.of({NODE_NAME: "n"}))])
    assert native.loads(native.dumps(native.Manifest(requests=(by_name,)))).requests == (by_name,)
