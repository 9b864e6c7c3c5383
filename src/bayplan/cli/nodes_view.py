"""How full the nodes are: one bar per resource."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

from bayplan.cli import screen
from bayplan.engine.cluster import Cluster
from bayplan.model import resources

ALL_SHOWN = 20
"""Up to so many nodes are all shown; of more, the fullest."""
FULLEST = 10
COLUMNS = 4
FIRST = {"cpu": 0, "memory": 1}


@dataclass(frozen=True, slots=True)
class Fill:
    """One node, or all together: how many workloads, and used and capacity by resource."""

    name: str
    workloads: int
    amounts: dict[str, tuple[int, int]]

    @property
    def fullness(self) -> float:
        return max((used / capacity for used, capacity in self.amounts.values() if capacity), default=0.0)


def fills(cluster: Cluster) -> Iterator[Fill]:
    """Every node, by name."""
    table = cluster.snapshot
    for name in sorted(table.row_of):
        row = table.row_of[name]
        amounts = {}
        for resource, at in table.resources.items():
            capacity = int(table.capacity[at].cell[row])
            if capacity:
                amounts[resource] = (capacity - int(table.free[at].cell[row]), capacity)
        yield Fill(name, len(table.guests.get(row, ())), amounts)


def show(cluster: Cluster, out: Console, *, everything: bool = False) -> None:
    every = list(fills(cluster))
    if not every:
        out.print("There are no nodes.", style=screen.BAD)
        return
    total = _total(every)
    names = sorted(total.amounts, key=lambda resource: (FIRST.get(resource, len(FIRST)), resource))[:COLUMNS]
    table = screen.table("NODE", "WORKLOADS", *(name.upper() for name in names), right=("WORKLOADS",))
    shown = every
    if len(every) > ALL_SHOWN:
        table.add_row(*_row(total, names, out))
        shown = every if everything else sorted(every, key=lambda one: -one.fullness)[:FULLEST]
    for one in shown:
        table.add_row(*_row(one, names, out))
    if len(shown) < len(every):
        table.add_row(Text(f"and {len(every) - len(shown):,} less full; --all shows them", screen.QUIET))
    out.print(table)
    out.print()


def _total(every: list[Fill]) -> Fill:
    amounts: dict[str, tuple[int, int]] = {}
    for one in every:
        for resource, (used, capacity) in one.amounts.items():
            before = amounts.get(resource, (0, 0))
            amounts[resource] = (before[0] + used, before[1] + capacity)
    return Fill(f"all {len(every):,} nodes", sum(one.workloads for one in every), amounts)


def _row(one: Fill, names: list[str], out: Console) -> list[Text | str]:
    row: list[Text | str] = [Text(one.name, screen.NAME), f"{one.workloads:,}"]
    for name in names:
        used, capacity = one.amounts.get(name, (0, 0))
        row.append(screen.bar(used / capacity, out) if capacity else Text("-", screen.QUIET))
    return row


def as_json(cluster: Cluster) -> list[dict[str, object]]:
    return [
        {
            "name": one.name,
            "workloads": one.workloads,
            "used": {name: resources.render(name, used) for name, (used, _) in one.amounts.items()},
            "capacity": {name: resources.render(name, capacity) for name, (_, capacity) in one.amounts.items()},
        }
        for one in fills(cluster)
    ]
