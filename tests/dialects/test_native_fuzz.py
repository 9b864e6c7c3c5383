"""Whatever the file, load gives a Manifest or a ConfigError: never another exception, never a long wait."""

from __future__ import annotations

import random
from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from bayplan.dialects import native
from bayplan.engine.spec import build
from bayplan.errors import ConfigError

GOOD = """\
nodes:
  - &n {name: gpu, count: 3, capacity: {cpu: 32, memory: 128Gi}, devices: {gpu: 4}, labels: {zone: a}}
  - {<<: *n, name: n1, taints: ["gpu=true:NoSchedule", {key: gpu, value: "true", effect: NoExecute}], cordoned: false}
templates:
  - {name: spare, minimum: 0, maximum: 10, price: 1.5, capacity: {cpu: 8}}
workloads:
  - name: web
    replicas: 3
    labels: {app: web}
    requests: {cpu: 500m, memory: 1Gi}
    selector: [{zone: [a, b]}, {disk: {exists: true, not_in: [hdd]}, size: {gt: 3}}]
    nodes: [gpu-0, n1-1]
    prefer: [{selector: {zone: a}, weight: 2}]
    tolerate: ["*", gpu, {key: gpu, operator: Exists}]
    near: [{peers: {app: cache}, by: [zone, node], namespaces: ["*"]}]
    apart: [{peers: {app: web}, by: node, at_most: 2}]
    spread: [{peers: {app: web}, by: zone, max_skew: 1, weight: 1}]
    fallbacks: [{requests: {cpu: 250m}, nodes: []}]
  - {name: db, on: gpu-1, priority: 5, queue: q, packing: {cpu: most, gpu*: {strategy: ratio, shape: [[0, 0], [100, 10]]}}}
groups:
  - {name: train, strategy: STRICT_SPREAD, by: node, members: [{name: t, replicas: 2}], fallbacks: [{by: zone}]}
policy:
  preset: pack
  scorers:
    packing: {resources: {cpu: least, nvidia.com/*: {strategy: most, weight: 2}}, lacking: zero, per_queue: {q: {cpu: most}}}
    scarce: {scorer: scarcity, resources: {gpu: 1}, total: 2}
    balance: 0.5
  filters:
    taints: false
    reserve:
      per_unit: {gpu: {cpu: 8, memory: 8G}}
      pools: [{nodes: [{zone: [a, b]}, {size: {gt: 3}}], keep: {cpu: 4, memory: 10%}, for: [gpu]}]
"""


def survives(source: str | bytes) -> bool:
    """True: it is a manifest; False: it is refused properly. Anything else is a failure."""
    found = attempt(source)
    if isinstance(found, ConfigError):
        assert found.problems
        assert all(one.message for one in found.problems)
        assert str(found)
        return False
    assert native.loads(native.dumps(found)) == found
    return True


def attempt(source: str | bytes) -> native.Manifest | ConfigError:
    try:
        manifest = native.loads(source, "f.yaml")
        if manifest.policy is not None:
            build(manifest.policy)
    except ConfigError as error:
        return error
    return manifest


def test_the_good_file_is_good() -> None:
    assert survives(GOOD)


@settings(deadline=None, max_examples=300)
@given(st.binary(max_size=200))
def test_any_bytes(source: bytes) -> None:
    survives(source)


@settings(deadline=None, max_examples=300)
@given(st.text(alphabet=st.sampled_from("ab01 -:,[]{}\n\t&*!|>'\"%@#~?<=.\\\u00e9\ufeff\u2028\x85"), max_size=80))
def test_any_yaml_punctuation(source: str) -> None:
    survives(source)
    survives("nodes: " + source)


@settings(deadline=None, max_examples=400)
@given(st.integers(0, 2**32), st.integers(1, 4))
def test_a_good_file_with_characters_changed(seed: int, times: int) -> None:
    pick = random.Random(seed)
    text = GOOD
    for _ in range(times):
        at, length = pick.randrange(len(text)), pick.choice((0, 0, 1, 1, 5, 40))
        text = (
            text[:at]
            + pick.choice(("", "", "x", "-", ": ", "\n", "{", "]", "'", "*n", "&n ", "1", ".nan", "\t", "!"))
            + text[at + length :]
        )
    survives(text)


ODD: list[Any] = [
    None, True, 0, -1, 3, 2**70, 1.5, float("nan"), float("inf"), "", "x", "a b", "7", "*", "node", "n1", "gpu-0", "\U0001f600",
    [], {}, [[]], [None], {"": None}, {"a": {"b": "c"}}, {"in": []}, ["*", "*"], {"name": "web"}, "a=b:c", "x" * 300,
]  # fmt: skip
FIELDS = [
    "nodes",
    "name",
    "requests",
    "by",
    "peers",
    "weight",
    "selector",
    "on",
    "members",
    "replicas",
    "count",
    "in",
    "policy",
    "scorers",
    "scorer",
    "filters",
    "pools",
    "keep",
    "for",
    "packing",
    "zz",
]


@settings(deadline=None, max_examples=400)
@given(st.integers(0, 2**32), st.integers(1, 3))
def test_a_good_file_with_values_changed(seed: int, times: int) -> None:
    pick = random.Random(seed)
    data = yaml.safe_load(GOOD)
    for _ in range(times):
        _mutate(data, pick)
    survives(yaml.safe_dump(data, allow_unicode=True))


def _mutate(data: Any, pick: random.Random) -> None:
    """Change, add, drop or double one value somewhere."""
    while True:
        keys = list(data) if isinstance(data, dict) else list(range(len(data)))
        key = pick.choice(keys) if keys else None
        if key is not None and isinstance(data[key], dict | list) and data[key] and pick.random() < 0.75:
            data = data[key]
            continue
        what = pick.randrange(4)
        if isinstance(data, dict) and (what == 0 or key is None):
            data[pick.choice(FIELDS)] = pick.choice(ODD)
        elif isinstance(data, list) and (what == 0 or key is None):
            data.append(pick.choice(data) if data else pick.choice(ODD))
        elif what == 1:
            del data[key]
        else:
            data[key] = pick.choice(ODD)
        return


anything: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from([one for one in ODD if not isinstance(one, dict | list)]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=4),
    max_leaves=25,
)


@settings(deadline=None, max_examples=400)
@given(anything, st.sampled_from(["nodes", "templates", "workloads", "groups", "policy"]))
def test_any_structure(data: Any, section: str) -> None:
    survives(yaml.safe_dump(data, allow_unicode=True))
    survives(yaml.safe_dump({section: data}, allow_unicode=True))
    survives(yaml.safe_dump({section: [data, data]}, allow_unicode=True))


names = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z"), exclude_characters="/"), min_size=1, max_size=10)


@settings(deadline=None, max_examples=200)
@given(st.lists(names, unique=True, max_size=5), st.integers(1, 5), st.decimals(0, 1000, places=4))
def test_good_files_are_never_refused(several: list[str], count: int, amount: Any) -> None:
    data = {
        "nodes": [{"name": f"n{one}", "count": count, "capacity": {"cpu": str(amount)}} for one in several],
        "workloads": [{"name": f"w{one}", "replicas": count, "requests": {"cpu": float(amount)}} for one in several],
    }
    assert survives(yaml.safe_dump(data, allow_unicode=True))
