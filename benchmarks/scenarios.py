"""Clusters and requests to measure with: 20 labels per node, 20 shapes, 10 % GPU nodes, 7 % tainted,
10 zones, racks of 40, filled at random to about a quarter."""

from __future__ import annotations

import random
from collections.abc import Iterator

from bayplan import (
    Apart,
    Cluster,
    Near,
    Node,
    Preference,
    Selector,
    Spread,
    Taint,
    Toleration,
    Workload,
    does_not_exist,
    gt,
    in_,
    not_in,
)

MIXES = ("resources", "selector", "anti-affinity", "affinity", "spread", "mixed")
SHAPES = [(cpu, per_cpu) for cpu in (8, 16, 32, 64, 96) for per_cpu in (2, 4, 8, 16)]
APPS = 50

PICKY = Selector.of(
    {
        "l0": in_("a", "b", "c"),
        "l1": not_in("a"),
        "gen": gt(3),
        "zone": in_("z1", "z2", "z3", "z4", "z5"),
        "retired": does_not_exist(),
    }
)
"""Five expressions; about 13 % of the nodes pass."""


def nodes(count: int, seed: int = 1) -> Iterator[Node]:
    dice = random.Random(seed)
    for i in range(count):
        cpu, per_cpu = dice.choice(SHAPES)
        labels = {f"l{j}": dice.choice("abcdef") for j in range(16)}
        labels |= {"zone": f"z{i % 10}", "rack": f"r{i // 40}", "host": f"h{i}", "gen": str(dice.randint(1, 9))}
        capacity: dict[str, int | str] = {"cpu": cpu, "memory": f"{cpu * per_cpu}Gi", "pods": 110}
        if i % 10 == 0:
            capacity["gpu"] = 8
        yield Node(f"n{i}", capacity, labels, [Taint("dedicated", "batch")] if dice.random() < 0.07 else ())


def cluster(count: int, policy: str = "spread") -> Cluster:
    found = Cluster(nodes(count), policy)
    dice = random.Random(2)
    sizes = [Workload("fill", {"cpu": size, "memory": f"{2 * size}Gi", "pods": 1}) for size in (1, 1, 2)]
    for i in range(count):
        for j in range(dice.randint(0, 3)):
            found.settle(dice.choice(sizes).named(f"fill-{i}-{j}"), f"n{i}")
    return found


def unique(mix: str, count: int, seed: int = 3) -> list[Workload]:
    """Every request of another size; neighbours and spreads among 50 applications."""
    dice = random.Random(seed)
    return [_request(mix, f"u{i}", dice.randrange(APPS), dice.random() * 4000, dice) for i in range(count)]


def repeated(mix: str, count: int) -> list[Workload]:
    """The same request again and again."""
    return _request(mix, "r", 0, 500, random.Random(4)).copies(count)


def _request(mix: str, name: str, app: int, size: float, dice: random.Random) -> Workload:
    requests: dict[str, int | str] = {"cpu": f"{100 + size:.1f}m", "memory": int((200 + size) * 2**20), "pods": 1}
    labels, own = {"app": f"a{app}"}, Selector.of({"app": f"a{app}"})
    apart = (Apart(own),)
    near = (Near(own, by=("zone",), first_may_start=True),)
    match mix:
        case "resources":
            return Workload(name, requests)
        case "selector":
            return Workload(name, requests, selector=PICKY)
        case "anti-affinity":
            return Workload(name, requests, labels, apart=apart)
        case "affinity":
            return Workload(name, requests, labels, near=near)
        case "spread":
            return Workload(name, requests, labels, spread=(Spread(own, by="zone"), Spread(own, weight=1.0)))
    draw = dice.random()
    return Workload(
        name,
        requests,
        labels,
        selector=PICKY if dice.random() < 0.5 else Selector.of({}),
        apart=apart if draw < 0.2 else (),
        near=near if 0.2 <= draw < 0.3 else (),
        spread=(Spread(own, by="zone", max_skew=5),) if 0.3 <= draw < 0.5 else (),
        preferences=(Preference(Selector.of({"l3": "a"}), 0.3),) if dice.random() < 0.3 else (),
        tolerations=(Toleration("dedicated", "batch"),) if dice.random() < 0.2 else (),
    )
