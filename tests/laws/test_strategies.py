"""Strategies, scarcity and reserves: what holds for every cluster and every configuration.

order         of nodes, resources and keys of the configuration says nothing
irrelevance   a resource nobody asks for, on nodes or in the configuration, changes nothing
reserve       a node that is refused for the reserve would pass if its idle primary were zero
formula       the columns give what the formulas give in plain Python, node by node
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from bayplan import Cluster, Node, Workload
from bayplan.dialects import volcano
from bayplan.engine.spec import build

RESOURCES = ("cpu", "memory", "nvidia.com/gpu", "example.com/foo")
PATTERNS = (*RESOURCES, "nvidia.com/*", "example.com/f*", "n*")
AMOUNT = st.integers(0, 20)
AMOUNTS = st.dictionaries(st.sampled_from(RESOURCES), AMOUNT)
STRATEGY = st.fixed_dictionaries({"type": st.sampled_from(["MostAllocated", "LeastAllocated"]), "weight": st.integers(1, 7)})
STRATEGIES = st.dictionaries(st.sampled_from(PATTERNS), STRATEGY, min_size=1)
SCARCE = st.dictionaries(st.sampled_from(RESOURCES), st.integers(0, 5), min_size=1).filter(lambda one: any(one.values()))
RATIO = st.integers(0, 40).map(lambda tenths: tenths / 10)
PRIMARIES = st.dictionaries(st.sampled_from(RESOURCES[2:]), st.tuples(RATIO, RATIO), min_size=1)


@dataclass(frozen=True)
class Scene:
    """Nodes as (capacity, used), what is asked for, and a configuration."""

    nodes: tuple[tuple[dict[str, int], dict[str, int]], ...]
    request: dict[str, int]
    weight: int
    strategies: dict[str, Any]
    sra: int
    scarce: dict[str, int]
    ratios: dict[str, tuple[float, float]]

    def used(self, at: int) -> dict[str, int]:
        capacity, used = self.nodes[at]
        return {name: min(amount, capacity.get(name, 0)) for name, amount in used.items()}

    def arguments(self) -> dict[str, Any]:
        proportion = {
            f"{name}.{key}": one for name, both in self.ratios.items() for key, one in zip(("cpu", "memory"), both, strict=True)
        }
        listed = {"enable": True, "resources": ",".join(self.ratios), "resourceProportion": proportion}
        sra = {"enable": True, "resources": ",".join(self.scarce), "weight": self.sra, "resourceWeight": self.scarce}
        return {"resourceStrategyFitWeight": self.weight, "resources": self.strategies, "sra": sra, "proportional": listed}


SCENES = st.builds(
    Scene, st.lists(st.tuples(AMOUNTS, AMOUNTS), min_size=1, max_size=5).map(tuple), AMOUNTS, st.integers(0, 20), STRATEGIES,
    st.integers(1, 9), SCARCE, PRIMARIES,
)  # fmt: skip


def in_bytes(amounts: dict[str, int]) -> dict[str, Any]:
    """Memory in units of 10^9 bytes, so that ratios matter."""
    return {name: f"{amount}G" if name == "memory" else amount for name, amount in amounts.items()}


def cluster(scene: Scene, arguments: dict[str, Any] | None = None, order: list[int] | None = None) -> Cluster:
    plugin = {"name": "resource-strategy-fit", "arguments": arguments or scene.arguments()}
    conf = {"actions": "allocate", "tiers": [{"plugins": [plugin]}]}
    policy = build(volcano.loads(json.dumps(conf), "law").policy)
    nodes = [Node(f"n{at}", in_bytes(scene.nodes[at][0])) for at in order or range(len(scene.nodes))]
    found = Cluster(nodes, policy=policy)
    for at in range(len(scene.nodes)):
        found.settle(Workload(f"used-{at}", in_bytes(scene.used(at))), f"n{at}")
    return found


def scores(where: Cluster, request: dict[str, int]) -> dict[str, tuple[float, float, bool]]:
    """By node: what decides, the sum of what is shown, and whether the reserve lets it in."""
    why = where.why(Workload("w", in_bytes(request)))
    reserved = {name: any(one.rule == "proportional" for one in reasons) for name, reasons in why.nodes()}
    return {one.node: (one.score, sum(part[2] for part in one.parts), reserved[one.node]) for one in why.scores()}


@given(SCENES, st.randoms(use_true_random=False))
def test_order_says_nothing(scene: Scene, rng: random.Random) -> None:
    def shuffled(tree: Any) -> Any:
        if not isinstance(tree, dict):
            return tree
        return {key: shuffled(tree[key]) for key in rng.sample(list(tree), len(tree))}

    order = rng.sample(range(len(scene.nodes)), len(scene.nodes))
    other = cluster(scene, shuffled(scene.arguments()), order)
    found, expected = scores(other, shuffled(scene.request)), scores(cluster(scene), scene.request)
    for name, (deciding, _, reserved) in expected.items():
        assert found[name][0] == deciding  # to the bit
        assert found[name][2] == reserved


@given(SCENES, STRATEGY, AMOUNT)
def test_a_resource_nobody_asks_for_changes_nothing(scene: Scene, strategy: dict[str, Any], amount: int) -> None:
    expected = scores(cluster(scene), scene.request)
    configured = scene.arguments()
    configured["resources"] = {**configured["resources"], "other.org/thing": strategy, "other.org/*": strategy}
    assert scores(cluster(scene, configured), scene.request) == expected
    nodes = tuple(({**capacity, "other.org/thing": amount}, used) for capacity, used in scene.nodes)
    richer = Scene(nodes, scene.request, scene.weight, scene.strategies, scene.sra, scene.scarce, scene.ratios)
    assert scores(cluster(richer), scene.request) == expected


@given(SCENES)
def test_without_idle_primaries_nothing_is_reserved(scene: Scene) -> None:
    """Whoever has room and is refused for the reserve would pass where the primaries are all in use."""
    before = cluster(scene)
    request = {name: amount for name, amount in scene.request.items() if name not in scene.ratios}
    refused = [name for name, (_, _, reserved) in scores(before, request).items() if reserved]
    for name in refused:
        at = int(name[1:])
        capacity, used = scene.nodes[at][0], scene.used(at)
        idle = {one: capacity[one] - used.get(one, 0) for one in capacity if one in scene.ratios}
        before.settle(Workload(f"takes-all-of-{name}", in_bytes(idle)), name)
        free = {one: capacity.get(one, 0) - used.get(one, 0) for one in ("cpu", "memory")}
        has_room = all(request.get(one, 0) <= amount for one, amount in free.items())
        assert scores(before, request)[name][2] == (not has_room)


# --- the formulas, in plain Python ----------------------------------------------------------------


def strategy_for(scene: Scene, resource: str) -> dict[str, Any] | None:
    """The very name, or the longest beginning."""
    if resource in scene.strategies:
        return dict(scene.strategies[resource])
    fitting = [one for one in scene.strategies if one.endswith("*") and resource.startswith(one[:-1])]
    return dict(scene.strategies[max(fitting, key=len)]) if fitting else None


def strategy_score(scene: Scene, at: int) -> float:
    capacity, used = scene.nodes[at][0], scene.used(at)
    total, weights = 0.0, 0
    for name in RESOURCES:
        asked, chosen = scene.request.get(name, 0), strategy_for(scene, name)
        if asked == 0 or chosen is None:
            continue
        there, taken = capacity.get(name, 0), used.get(name, 0) + asked
        if there > 0 and taken > there:
            return 0.0
        if there > 0:
            total += (taken if chosen["type"] == "MostAllocated" else there - taken) * float(chosen["weight"]) / there
        weights += chosen["weight"]
    return total / (weights or 1) * (100.0 * scene.weight)


def retention_score(scene: Scene, at: int) -> float:
    capacity = scene.nodes[at][0]
    if any(amount and not capacity.get(name) for name, amount in scene.request.items()):
        return 0.0
    held = sum(weight for name, weight in scene.scarce.items() if capacity.get(name))
    return (1.0 - held / sum(scene.scarce.values())) * (100.0 * scene.sra)


def keeps_reserve(scene: Scene, at: int) -> bool:
    capacity, used = scene.nodes[at][0], scene.used(at)
    if any(scene.request.get(name) for name in scene.ratios):
        return True
    for name, (cpu, memory) in scene.ratios.items():
        if not capacity.get(name):
            continue
        idle = (capacity[name] - used.get(name, 0)) * 1000
        left = {one: capacity.get(one, 0) - used.get(one, 0) - scene.request.get(one, 0) for one in ("cpu", "memory")}
        if left["cpu"] * 1000 < idle * cpu or left["memory"] * 10**9 < idle * memory * 1000 * 1000:
            return False
    return True


@given(SCENES)
def test_columns_give_what_the_formulas_give(scene: Scene) -> None:
    found = scores(cluster(scene), scene.request)
    for at in range(len(scene.nodes)):
        deciding, shown, reserved = found[f"n{at}"]
        expected = strategy_score(scene, at) + retention_score(scene, at)
        assert abs(shown - expected) <= 1e-12 * max(1.0, abs(expected))
        assert abs(deciding - expected) <= 2**-30
        assert reserved == (not keeps_reserve(scene, at))
