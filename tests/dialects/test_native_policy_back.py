"""Policies in words, the way back: what is written says the same."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from bayplan.dialects import native
from bayplan.dialects.native import Manifest
from bayplan.engine.policy import PRESETS, Policy, preset
from bayplan.engine.spec import PolicySpec, build
from bayplan.model import labels as algebra
from bayplan.model.selector import NODE_NAME, Selector
from tests.dialects.test_native_policy import spec_of
from tests.dialects.test_native_roundtrip import names, node_selectors, patterns, shapes, weights

written_uses = st.one_of(
    st.sampled_from(("most", "least")),
    st.fixed_dictionaries({"strategy": st.sampled_from(("most", "least")), "weight": weights}),
    shapes.map(lambda shape: {"strategy": "ratio", "shape": [list(point) for point in shape]}),
)
some_uses = st.dictionaries(patterns, written_uses, min_size=1, max_size=3)
packing = st.fixed_dictionaries(
    {"scorer": st.just("packing")},
    optional={
        "weight": weights,
        "over": st.sampled_from(("configured", "requested")),
        "lacking": st.sampled_from(("skip", "zero")),
        "resources": some_uses,
        "per_queue": st.dictionaries(names, some_uses, max_size=2),
        "per_namespace": st.dictionaries(names, some_uses, max_size=2),
    },
)
exact_names = st.sampled_from(("cpu", "memory", "gpu", "no", "7"))
scarcity = st.fixed_dictionaries(
    {
        "scorer": st.just("scarcity"),
        "resources": st.lists(exact_names, min_size=1, unique=True) | st.dictionaries(exact_names, weights, min_size=1),
    },
    optional={"total": weights},
)
kept = st.sampled_from((4, 0.5, "500m", "8G", "1Gi", "10%", "2.5%", "100%"))
amounts = st.dictionaries(exact_names, kept.filter(lambda one: "%" not in str(one)), min_size=1, max_size=2)
pools = st.fixed_dictionaries(
    {"keep": st.dictionaries(exact_names, kept, min_size=1, max_size=2)},
    optional={"nodes": node_selectors, "for": st.lists(exact_names, min_size=1, unique=True)},
)
reserve = st.fixed_dictionaries(
    {"filter": st.just("reserve"), "per_unit": st.dictionaries(st.sampled_from(("gpu", "no")), amounts, min_size=1)},
    optional={"pools": st.lists(pools, min_size=1, max_size=2)},
)
specs = st.builds(
    PolicySpec,
    st.sampled_from(list(PRESETS)),
    names | st.just(""),
    st.dictionaries(names, packing | scarcity, max_size=3),
    st.dictionaries(names, reserve, max_size=2),
)


@settings(deadline=None, max_examples=150)
@given(specs)
def test_policies_go_the_way_back(spec: PolicySpec) -> None:
    again = native.loads(native.dumps(Manifest(policy=spec))).policy
    assert again == spec
    assert build(again) == build(spec)


def test_what_python_may_hold_is_written_in_words() -> None:
    """Tuples, sets and selectors of any kind; the policy is the same."""
    pool = {"keep": {"cpu": 1}, "nodes": {"zone": algebra.in_("a", "b")}, "for": frozenset(("gpu", "fpga"))}
    shape = {"strategy": "ratio", "shape": ((0, 0), (100, 10))}
    spec = PolicySpec(scorers={"packing": {"resources": {"cpu": shape}}}, filters={"reserve": {"pools": (pool,)}})
    again = native.loads(native.dumps(Manifest(policy=spec))).policy
    assert again is not None
    assert build(again) == build(spec)


def test_a_pool_of_named_nodes() -> None:
    pool = {"keep": {"cpu": 1}, "nodes": Selector.of({NODE_NAME: "n1"})}
    spec = PolicySpec(filters={"reserve": {"pools": [pool]}})
    assert native.loads(native.dumps(Manifest(policy=spec))).policy == spec


def test_a_preset_in_words() -> None:
    """`ai-mixed`, written out."""
    source = """{preset: balanced, name: ai-mixed, scorers: {
      balance: 0,
      packing: {resources: {gpu: {strategy: most, weight: 2}, nvidia.com/gpu: {strategy: most, weight: 2}, cpu: least},
                over: requested, lacking: zero},
      scarcity: {weight: 2, resources: [gpu, nvidia.com/gpu]}}}"""
    found: Policy = build(spec_of(source))
    assert set(found.scorers) == set(preset("ai-mixed").scorers)
