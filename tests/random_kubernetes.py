"""Random clusters and pods over everything that kube-scheduler's default profile looks at, in the model's own terms.

As in `random_scenarios`, a `Pick` makes every choice, pools are small so that things collide, and the steps are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from bayplan.model.neighbours import ALL, Apart, Namespaces, Near, Spread
from bayplan.model.node import Node
from bayplan.model.resources import Quantity, Resources
from bayplan.model.selector import EVERYTHING, NODE_NAME, Selector
from bayplan.model.workload import Preference, Workload
from tests import random_scenarios as space
from tests.oracle.kube_amounts import Strategy
from tests.oracle.kube_scores import HOST, Profile
from tests.random_scenarios import AddNode, Dice, Pick, Release, RemoveNode, ReplaceNode

T = TypeVar("T")
NODE_LABELS: dict[str, tuple[str, ...]] = {"zone": ("a", "b", "c"), "rack": ("r1", "r2", "r3"), "tier": ("1", "2", "gold")}
POD_LABELS = {"app": ("web", "db", "cache"), "v": ("1", "2")}
NAMESPACES = ("default", "prod")
BY = ("zone", "rack", HOST)
GPU, DISK = "nvidia.com/gpu", "ephemeral-storage"
MILLI, MI = 10, 2**20
IMAGES = ("nginx", "redis", "pause")
SHAPES = (((0, 0), (100, 10)), ((0, 10), (40, 2), (70, 2), (100, 0)), ((0, 0), (70, 10), (100, 3)))


# --- nodes ---


def node(pick: Pick, name: str) -> Node:
    capacity: dict[str, Quantity] = {
        "cpu": pick.of((4, 1, 2, 8, "3500m")),
        "memory": pick.of(("8Gi", "3000Mi", "16Gi")),
        "pods": pick.of((110, 110, 2, 4)),
    }
    for resource, most in ((GPU, 4), (DISK, 10**9)):
        if pick.chance(40):
            capacity[resource] = pick.of((most, most // 2))
    labels = space.labels_of(pick, NODE_LABELS, 80)
    if pick.chance(85):
        labels[HOST] = name
    taints = [space.taint(pick) for _ in range(pick.of((0, 0, 0, 1, 2)))]
    return Node(name, capacity, labels, taints, cordoned=pick.chance(5), images=images(pick))


def images(pick: Pick) -> dict[str, int]:
    return {name: pick.of((10, 100, 700, 5000)) * MI for name in IMAGES if pick.chance(20)}


# --- conditions ---


def peers(pick: Pick) -> Selector:
    """Mostly one app; never the empty selector, which a spread counts as nobody."""
    if pick.chance(70):
        return Selector.of({"app": pick.of(POD_LABELS["app"])})
    return space.selector(pick, POD_LABELS, 1)


def namespaces(pick: Pick, own: str) -> Namespaces:
    return pick.of((frozenset((own,)), frozenset((own,)), frozenset(NAMESPACES), frozenset(("prod",)), ALL))


def weight(pick: Pick) -> float:
    return pick.of((1, 5, 50, 100, 33)) / 100


def preference(pick: Pick, own: str) -> Preference:
    if pick.chance(20):
        return Preference(Selector.of({NODE_NAME: pick.of(space.NAMES)}), weight(pick))
    return Preference(space.selector(pick, NODE_LABELS, 1), weight(pick))


def wish_near(pick: Pick, own: str) -> Near:
    return Near(peers(pick), pick.of(BY), namespaces(pick, own), weight(pick))


def joint(pick: Pick, own: str) -> Near:
    """Required terms: one pod has to match them all."""
    terms = [Near(peers(pick), pick.of(BY), namespaces(pick, own)) for _ in range(pick.of((1, 1, 2)))]
    selector, common = EVERYTHING, frozenset(NAMESPACES)
    for one in terms:
        selector &= one.peers
        common &= frozenset(NAMESPACES) if one.namespaces in (None, ALL) else frozenset(one.namespaces or ())
    keys = tuple(dict.fromkeys(one.by[0] for one in terms))
    return Near(selector, keys, common, first_may_start=True, terms=terms)


def apart(pick: Pick, own: str) -> Apart:
    return Apart(peers(pick), pick.of(BY), namespaces(pick, own), None if pick.chance(40) else weight(pick))


def spread(pick: Pick, own: str, lenient: bool) -> Spread:
    hard = not lenient and pick.chance(50)
    return Spread(
        peers(pick), pick.of(BY), {own}, None if hard else 1.0, pick.of((1, 1, 2, 5)), pick.of((1, 1, 2, 5)) if hard else 1,
        honour_taints=pick.chance(40), honour_selector=pick.chance(70), on_allowed=True, may_lack=lenient,
    )  # fmt: skip


def requests(pick: Pick) -> Resources:
    """What is requested, and what scores take the pod for: a container that says nothing counts as a small one."""
    cpu = pick.of((0, 100, 250, 1000, 2000)) * MILLI
    memory = pick.of((0, 64, 500, 1500, 4000)) * MI
    found = {"pods": 10_000, "counted-cpu": cpu or 100 * MILLI, "counted-memory": memory or 200 * MI}
    found |= {name: units for name, units in (("cpu", cpu), ("memory", memory)) if units}
    if pick.chance(15):
        found[GPU] = pick.of((10_000, 20_000))
    if pick.chance(15):
        found[DISK] = 10**8
    return Resources(found)


def pod(pick: Pick, name: str, constrained: int = 25) -> Workload:
    """`constrained`: how likely, in percent, each type of condition is."""
    own, lenient = pick.of(NAMESPACES), pick.chance(35)

    def some(make: Callable[[Pick, str], T], percent: int = constrained) -> list[T]:
        return [make(pick, own) for _ in range(pick.of((1, 1, 2)))] if pick.chance(percent) else []

    return Workload(
        name,
        requests(pick),
        space.labels_of(pick, POD_LABELS, 80),
        namespace=own,
        selector=space.selector(pick, NODE_LABELS, 2) if pick.chance(constrained) else EVERYTHING,
        preferences=some(preference),
        tolerations=some(lambda pick, _: space.toleration(pick), 2 * constrained),
        images=[pick.of(IMAGES) for _ in range(pick.of((0, 0, 1, 2)))],
        near=[*([joint(pick, own)] if pick.chance(constrained // 2) else []), *some(wish_near)],
        apart=some(apart),
        spread=[spread(pick, own, lenient) for _ in range(pick.of((0, 0, 0, 1, 1, 2, 3)))],
    )


# --- profiles and scenarios ---


def profile(pick: Pick) -> Profile:
    if pick.chance(40):
        return Profile()
    kind = pick.of(("LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"))
    resources = [("cpu", pick.of((1, 2))), ("memory", 1), (GPU, 5), (DISK, 3)]
    chosen = tuple(one for one in resources if pick.chance(70)) or (("cpu", 1),)
    balanced = ("cpu", "memory", *(name for name in (GPU, DISK) if pick.chance(40)))
    strategy = Strategy(kind, chosen, pick.of(SHAPES) if kind == "RequestedToCapacityRatio" else ())
    return Profile(strategy, balanced, pick.of((1, 0, 50)))


@dataclass(frozen=True)
class Settle:
    """A pod that somebody else has put on a node, whether or not it fits there."""

    pod: Workload
    node: str


Step = Workload | Release | AddNode | RemoveNode | ReplaceNode | Settle


@dataclass(frozen=True)
class Scenario:
    nodes: tuple[Node, ...]
    profile: Profile
    steps: tuple[Step, ...]


def scenario(pick: Pick, most_steps: int = 25, *, only_pods: bool = False, names: Sequence[str] = ()) -> Scenario:
    """`names`: of many nodes, instead of a few."""
    start = [node(pick, name) for name in names or space.NAMES[: pick.number(2, len(space.NAMES))]]
    present = {one.name: one for one in start}
    rules = profile(pick)
    kinds = [pod(pick, f"kind-{i}") for i in range(pick.number(1, 3))]
    asked: list[str] = []
    steps: list[Step] = []
    for i in range(pick.number(5, most_steps)):
        kind = pick.of(("same", "same", "new", "new", "new", "release", "change", "settle")) if not only_pods else "same"
        if kind == "release" and asked:
            steps.append(Release(asked.pop(pick.number(0, len(asked) - 1))))
        elif kind == "change":
            steps.append(change(pick, present))
        else:
            one = pick.of(kinds).named(f"p{i}") if kind == "same" and pick.chance(85) else pod(pick, f"p{i}")
            asked.append(one.id)
            steps.append(Settle(one, pick.of(tuple(present))) if kind == "settle" else one)
    return Scenario(tuple(start), rules, tuple(steps))


def change(pick: Pick, present: dict[str, Node]) -> AddNode | RemoveNode | ReplaceNode:
    """Something that can happen to these nodes; `present` is brought up to date."""
    kind = pick.of(("labels", "taints", "cordoned", "images", "labels", "add", "remove"))
    missing = tuple(name for name in space.NAMES if name not in present)
    if kind == "add" and missing:
        new = node(pick, pick.of(missing))
        present[new.name] = new
        return AddNode(new)
    name = pick.of(tuple(present))
    if kind == "remove" and len(present) > 1:
        del present[name]
        return RemoveNode(name)
    other = node(pick, name)
    field = kind if kind in ("taints", "cordoned", "images") else "labels"
    present[name] = replace(present[name], **{field: getattr(other, field)})
    return ReplaceNode(present[name])


def scenarios(count: int, first_seed: int = 0, *, only_pods: bool = False) -> Iterator[tuple[int, Scenario]]:
    """(seed, scenario): `scenario(Dice(seed))` makes the same one again."""
    for seed in range(first_seed, first_seed + count):
        yield seed, scenario(Dice(seed), only_pods=only_pods)
