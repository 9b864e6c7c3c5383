"""Small random clusters and work over every constraint type: the space in which engine and oracle must agree.

The space is written down once, as functions of a `Pick`; who picks is exchangeable:

    Dice(seed)           random.Random, for thousands of scenarios in a few seconds (this file)
    Drawn(draw)          Hypothesis, which shrinks what it finds (tests/strategies.py)

Pools are small, so that labels collide, peers match and nodes fill up. The first of a pool is the
simplest: it is what Hypothesis shrinks to.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

from bayplan.model import labels as algebra
from bayplan.model.group import Group, Strategy
from bayplan.model.labels import ValueSet
from bayplan.model.neighbours import ALL, NODE, Apart, Namespaces, Near, Spread
from bayplan.model.node import Device, Effect, Node, Taint
from bayplan.model.resources import Quantity
from bayplan.model.resources import requests as parse_requests
from bayplan.model.selector import EVERYTHING, NODE_NAME, NOWHERE, Selector
from bayplan.model.tolerations import Match, Toleration
from bayplan.model.workload import Fallback, Preference, Workload
from tests.oracle.cluster import Reserve
from tests.oracle.scores import Balance, Neighbours, Packing, Preferences, Scarcity, Scorer, Spreading, Use

T = TypeVar("T")


class Pick(Protocol):
    """Makes every choice."""

    def of(self, pool: Sequence[T]) -> T: ...
    def chance(self, percent: int) -> bool: ...
    def number(self, low: int, high: int) -> int: ...


class Dice:
    """Choices from a seeded random.Random."""

    def __init__(self, seed: int):
        self.rng = random.Random(seed)

    def of(self, pool: Sequence[T]) -> T:
        return pool[int(self.rng.random() * len(pool))]

    def chance(self, percent: int) -> bool:
        return self.rng.random() * 100 < percent

    def number(self, low: int, high: int) -> int:
        return self.rng.randint(low, high)


NODE_LABELS: dict[str, tuple[str, ...]] = {
    "zone": ("a", "b", "c"),
    "rack": ("r1", "r2", "r3", ""),
    "tier": ("1", "2", "3", "07", "gold"),
    "host": ("h1", "h2"),
}
WORK_LABELS: dict[str, tuple[str, ...]] = {"app": ("web", "db", "cache"), "team": ("x", "y"), "gen": ("1", "2", "3")}
NAMES = ("n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7")
NAMESPACES = ("default", "prod", "test")
TAINT_KEYS = ("dedicated", "spot")
TAINT_VALUES = ("", "1", "5", "db")
BY = (NODE, "zone", "rack", "host", "tier")
CPU_REQUESTS: tuple[Quantity, ...] = (1, "500m", 2, "100m", 4, 0.3)
GPU_REQUESTS: tuple[Quantity, ...] = (1, 0.5, 0.25, 2, 0.3, "750m", 1.5, 3)
WEIGHTS = (1.0, 2.0, 0.5, 10.0, -1.0, 0.1)
SHAPES = (((0.0, 0.0), (100.0, 10.0)), ((0.0, 10.0), (40.0, 2.0), (70.0, 2.0), (100.0, 0.0)), ((20.0, 5.0),))


# --- labels ---


def value_set(pick: Pick, pool: Sequence[str], depth: int = 1) -> ValueSet:
    """Any of the six operators, or an expression of `depth` over them."""
    if depth and pick.chance(15):
        left, right = value_set(pick, pool, depth - 1), value_set(pick, pool, depth - 1)
        return pick.of((left & right, left | right, ~left, left - right))
    kind = pick.of(("in", "in", "in two", "not in", "exists", "absent", "gt", "lt"))
    if kind in ("in", "not in"):
        return (algebra.in_ if kind == "in" else algebra.not_in)(pick.of(pool))
    if kind == "in two":
        return algebra.in_(pick.of(pool), pick.of(pool))
    if kind in ("gt", "lt"):
        return (algebra.gt if kind == "gt" else algebra.lt)(pick.number(-1, 3))
    return algebra.exists() if kind == "exists" else algebra.does_not_exist()


def selector(pick: Pick, labels: dict[str, tuple[str, ...]], most_terms: int = 2) -> Selector:
    """One or two requirements in each term; once in a while everything or nothing at all."""
    if pick.chance(4):
        return pick.of((EVERYTHING, NOWHERE))
    chosen = NOWHERE
    for _ in range(pick.number(1, most_terms)):
        keys = {pick.of(tuple(labels)) for _ in range(pick.of((1, 1, 2)))}
        chosen |= Selector.of({key: value_set(pick, labels[key]) for key in sorted(keys)})
    return chosen


def peers(pick: Pick) -> Selector:
    """Whom a neighbour rule is about: mostly one app, so that there often are some."""
    return Selector.of({"app": pick.of(WORK_LABELS["app"])}) if pick.chance(60) else selector(pick, WORK_LABELS)


def labels_of(pick: Pick, pools: dict[str, tuple[str, ...]], present: int) -> dict[str, str]:
    return {key: pick.of(values) for key, values in pools.items() if pick.chance(present)}


# --- nodes ---


def node(pick: Pick, name: str) -> Node:
    capacity: dict[str, Quantity] = {"cpu": pick.of((4, 1, 2, 8, 16)), "memory": pick.of(("8Gi", "4Gi", "16Gi"))}
    devices: list[Device] = []
    if pick.chance(55):
        devices = [Device("gpu", f"g{i}") for i in range(pick.number(1, 4))]
    elif pick.chance(20):
        capacity["gpu"] = pick.number(1, 4)  # a divisible pool: no devices behind it
    if pick.chance(20):
        capacity["licence"] = pick.number(1, 3)
    if pick.chance(4):
        del capacity["cpu"]
    taints = [taint(pick) for _ in range(pick.of((0, 0, 0, 0, 0, 0, 1, 2)))]
    return Node(name, capacity, labels_of(pick, NODE_LABELS, 80), taints, devices, cordoned=pick.chance(5))


def taint(pick: Pick) -> Taint:
    effect = pick.of((Effect.NO_SCHEDULE, Effect.PREFER_NO_SCHEDULE, Effect.NO_EXECUTE))
    return Taint(pick.of(TAINT_KEYS), pick.of(TAINT_VALUES), effect)


def nodes(pick: Pick, low: int = 1, high: int = 8) -> list[Node]:
    return [node(pick, name) for name in NAMES[: pick.number(low, high)]]


# --- conditions ---


def toleration(pick: Pick) -> Toleration:
    operator = pick.of((Match.EQUAL, Match.EXISTS, Match.GT, Match.LT))
    effect = pick.of((None, None, Effect.NO_SCHEDULE, Effect.PREFER_NO_SCHEDULE, Effect.NO_EXECUTE))
    if operator is Match.EXISTS:
        return Toleration(pick.of(("", *TAINT_KEYS)), operator=operator, effect=effect)
    value = pick.of(TAINT_VALUES) if operator is Match.EQUAL else str(pick.number(-1, 5))
    return Toleration(pick.of(TAINT_KEYS), value, operator, effect)


def preference(pick: Pick) -> Preference:
    if pick.chance(20):
        return Preference(Selector.of({NODE_NAME: pick.of(NAMES)}), pick.of(WEIGHTS))
    return Preference(selector(pick, NODE_LABELS), pick.of(WEIGHTS))


def namespaces(pick: Pick) -> Namespaces:
    return pick.of((None, None, ALL, frozenset({"prod"}), frozenset({"default", "test"}), frozenset[str]()))


def weight(pick: Pick) -> float | None:
    """None is hard."""
    return pick.of((None, None, *WEIGHTS[:4]))


def near(pick: Pick) -> Near:
    wish = weight(pick)
    by = (pick.of(BY), pick.of(BY)) if wish is None and pick.chance(30) else (pick.of(BY),)
    return Near(peers(pick), by, namespaces(pick), wish, first_may_start=pick.chance(60))


def apart(pick: Pick) -> Apart:
    return Apart(peers(pick), pick.of(BY), namespaces(pick), weight(pick), at_most=pick.of((1, 1, 2, 3)))


def spread(pick: Pick) -> Spread:
    skew, domains = pick.of((1, 1, 2, 3)), pick.of((1, 1, 2, 5))
    chosen = peers(pick), pick.of(BY), namespaces(pick), weight(pick)
    return Spread(*chosen, max_skew=skew, min_domains=domains, honour_taints=pick.chance(40))


def requests(pick: Pick) -> dict[str, Quantity]:
    wanted: dict[str, Quantity] = {}
    if pick.chance(85):
        wanted["cpu"] = pick.of(CPU_REQUESTS)
    if pick.chance(60):
        wanted["memory"] = pick.of(("1Gi", "512Mi", "2Gi", "6Gi"))
    if pick.chance(20):
        wanted["gpu"] = pick.of(GPU_REQUESTS)
    if pick.chance(8):
        wanted["licence"] = pick.of((1, 2))
    if pick.chance(2):
        wanted["unheard-of"] = 1
    return wanted


# --- work ---


def workload(pick: Pick, name: str, *, fallbacks: bool = True, constrained: int = 25) -> Workload:
    """`constrained`: how likely, in percent, each type of condition is."""

    def some(make: Callable[[Pick], T], percent: int) -> tuple[T, ...]:
        return tuple(make(pick) for _ in range(pick.of((1, 1, 2)))) if pick.chance(percent) else ()

    return Workload(
        name,
        parse_requests(requests(pick)),
        labels_of(pick, WORK_LABELS, 75),  # type: ignore[arg-type]
        namespace=pick.of((*NAMESPACES[:1] * 2, *NAMESPACES)),
        selector=selector(pick, NODE_LABELS, 3) if pick.chance(constrained) else EVERYTHING,
        nodes=frozenset(pick.of(NAMES) for _ in range(3)) if pick.chance(8) else frozenset(),
        preferences=some(preference, constrained),
        tolerations=some(toleration, 2 * constrained),
        near=some(near, constrained),
        apart=some(apart, constrained),
        spread=some(spread, constrained),
        priority=pick.of((0, 0, 10, -5)),
        fallbacks=some(fallback, 15) if fallbacks else (),
        owner=pick.of(("", "", "job-1", "job-2")),
    )


def fallback(pick: Pick) -> Fallback:
    """Another whole set of conditions, of which some are taken and the rest stay as they were."""
    other = workload(pick, "other", fallbacks=False)
    fields = ("requests", "selector", "nodes", "preferences", "tolerations", "near", "apart", "spread")
    return Fallback(**{name: getattr(other, name) for name in fields if pick.chance(40)})


def group(pick: Pick, name: str, most: int = 4, *, fallbacks: bool = True) -> Group:
    """Copies of one workload, or members of different kinds."""
    first = workload(pick, f"{name}-m", fallbacks=False, constrained=10)
    count = pick.number(1, most)
    if pick.chance(60):
        members = first.copies(count)
    else:
        members = [workload(pick, f"{name}-m-{i}", fallbacks=False, constrained=10) for i in range(count)]
    others = (group(pick, f"{name}-other", most, fallbacks=False),) if fallbacks and pick.chance(20) else ()
    return Group(name, tuple(members), pick.of(tuple(Strategy)), pick.of(BY), others)


# --- policies ---


def policy(pick: Pick) -> tuple[Scorer, ...]:
    """Some scorers, each at most once, in the order of the specification."""
    chosen: list[Scorer] = []
    if pick.chance(85):
        kinds = [Use(r, pick.of(("most", "least", "ratio")), pick.of((1.0, 2.0, 5.0)), pick.of(SHAPES)) for r in _subset(pick)]
        over, lacking = pick.of(("configured", "requested")), pick.of(("skip", "skip", "zero"))
        chosen.append(Packing(tuple(kinds), over, pick.of(WEIGHTS), lacking))
    if pick.chance(25):
        chosen.append(Scarcity(tuple((name, pick.of((1.0, 3.0))) for name in _subset(pick)), pick.of(WEIGHTS)))
    chosen += [part(pick.of(WEIGHTS[:4])) for part in (Preferences, Neighbours, Spreading) if pick.chance(70)]
    if pick.chance(40):
        chosen.append(Balance(_subset(pick), pick.of(WEIGHTS)))
    return tuple(chosen)


def reserve(pick: Pick) -> Reserve | None:
    """Mostly none; GPUs keep CPU and memory for themselves, licences CPU, and sometimes some is kept anyway."""
    if pick.chance(75):
        return None
    primary = pick.of(("gpu", "licence"))
    per_unit = tuple((name, pick.of((0.0, 0.5, 1.0))) for name in ("cpu", "licence") if name != primary and pick.chance(80))
    return Reserve(primary, per_unit, (("cpu", pick.of((5_000, 20_000))),) if pick.chance(40) else ())


def _subset(pick: Pick) -> tuple[str, ...]:
    return tuple(resource for resource in ("cpu", "memory", "gpu", "licence") if pick.chance(65)) or ("cpu",)


# --- scenarios: what happens to a cluster, step by step ---


@dataclass(frozen=True)
class Release:
    """A resident leaves (nothing happens when it was never placed)."""

    id: str


@dataclass(frozen=True)
class AddNode:
    node: Node


@dataclass(frozen=True)
class RemoveNode:
    name: str


@dataclass(frozen=True)
class ReplaceNode:
    """Same name, other labels, taints, capacity or cordon; devices stay as they are."""

    node: Node


Change = AddNode | RemoveNode | ReplaceNode
Step = Workload | Group | Release | Change


@dataclass(frozen=True)
class Scenario:
    """`nodes` in tie order, then the steps; workloads and groups are asked for, with `policy`."""

    nodes: tuple[Node, ...]
    policy: tuple[Scorer, ...]
    steps: tuple[Step, ...]
    reserve: Reserve | None = None


def changed(pick: Pick, old: Node) -> Node:
    """The node with one thing different."""
    new = node(pick, old.name)
    what = pick.of(("labels", "one label", "taints", "cordoned", "cpu"))
    if what == "one label":
        key = pick.of(tuple(NODE_LABELS))
        return replace(old, labels={**old.labels, key: pick.of(NODE_LABELS[key])})  # type: ignore[arg-type]
    if what == "cpu":
        return replace(old, capacity=type(old.capacity)({**old.capacity, "cpu": new.capacity.get("cpu", 0)}))
    if what == "cordoned":
        return replace(old, cordoned=not old.cordoned)
    return replace(old, labels=new.labels) if what == "labels" else replace(old, taints=new.taints)


def change(pick: Pick, present: dict[str, Node]) -> Change:
    """Something that can happen to these nodes; `present` is brought up to date."""
    kind = pick.of((ReplaceNode, ReplaceNode, AddNode, RemoveNode))
    missing = tuple(name for name in NAMES if name not in present)
    if kind is AddNode and missing:
        new = node(pick, pick.of(missing))
        present[new.name] = new
        return AddNode(new)
    name = pick.of(tuple(present))
    if kind is RemoveNode and len(present) > 1:
        del present[name]
        return RemoveNode(name)
    present[name] = changed(pick, present[name])
    return ReplaceNode(present[name])


def scenario(pick: Pick, most_nodes: int = 8, most_steps: int = 20, *, groups: bool = True, changes: bool = True) -> Scenario:
    start = nodes(pick, 1, most_nodes)
    present = {one.name: one for one in start}
    rules, kept = policy(pick), reserve(pick)
    kinds = [workload(pick, f"kind-{i}") for i in range(pick.number(1, 3))]
    asked: list[str] = []
    steps: list[Step] = []
    for i in range(pick.number(1, most_steps)):
        kind = pick.of(("same", "same", "new", "new", "new", "group", "release", "change"))
        if kind == "release" and asked:
            steps.append(Release(asked.pop(pick.number(0, len(asked) - 1))))
        elif kind == "change" and changes:
            steps.append(change(pick, present))
        elif kind == "group" and groups:
            gang = group(pick, f"gang-{i}")
            steps.append(gang)
            asked += [member.id for one in gang.alternatives() for member in one.members]
        else:
            work = pick.of(kinds).named(f"w{i}") if kind == "same" else workload(pick, f"w{i}")
            steps.append(work)
            asked.append(work.id)
    return Scenario(tuple(start), rules, tuple(steps), kept)


def scenarios(count: int, first_seed: int = 0) -> Iterator[tuple[int, Scenario]]:
    """(seed, scenario): `scenario(Dice(seed))` makes the same one again."""
    for seed in range(first_seed, first_seed + count):
        yield seed, scenario(Dice(seed))
