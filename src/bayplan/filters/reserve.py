"""Reserve: keep room for those who need what is scarce, against those who do not.

    per unit    free(s) - request(s) >= free(p) * ratio(p, s)      on nodes that have the primary resource p,
                                                                   for every secondary resource s it needs
    pools       free(s) - request(s) >= amount, or percent of the capacity      on the nodes of the pool

Whoever requests any of the primary resources is exempt. A ratio is in units of s for each unit of p: cores, devices,
and 10^9 bytes where s is counted in bytes. It is multiplied in thousandths, in the order written below, because that
is how Volcano does it, and on the edge the last bit counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from bayplan.errors import wrong
from bayplan.model.decision import No, Reason
from bayplan.model.frozen import FrozenMap
from bayplan.model.resources import UNIT, Resources, in_bytes, render
from bayplan.model.selector import EVERYTHING, Selector
from bayplan.model.workload import Workload
from bayplan.table.checks import Meets, Pick
from bayplan.table.column import Column
from bayplan.table.forms import Clause
from bayplan.table.snapshot import Snapshot

_MILLI = UNIT / 1000


@dataclass(frozen=True, slots=True)
class Pool:
    """Nodes on which an amount is kept free for those who request one of `primaries` (for nobody, if there are none)."""

    keep: Resources
    percent: Mapping[str, float] = field(default_factory=FrozenMap)
    """Amounts in percent of what the node has."""
    selector: Selector = EVERYTHING
    primaries: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        object.__setattr__(self, "percent", FrozenMap(self.percent))
        for name, percent in self.percent.items():
            if not 0 <= percent <= 100:
                raise wrong(f"{percent} percent cannot be kept", f"reserve.pools.keep.{name}", "0 to 100")


@dataclass(frozen=True, slots=True)
class Reserve:
    per_unit: Mapping[str, Mapping[str, float]] = field(default_factory=FrozenMap)
    """By primary resource: secondary resources and their ratios."""
    pools: tuple[Pool, ...] = ()
    name: str = "reserve"

    def __post_init__(self) -> None:
        frozen = FrozenMap({primary: FrozenMap(ratios) for primary, ratios in self.per_unit.items()})
        object.__setattr__(self, "per_unit", frozen)
        for primary, ratios in self.per_unit.items():
            if in_bytes(primary):
                raise wrong(f"{primary} is not counted in units", f"reserve.{primary}", "a resource such as nvidia.com/gpu")
            for secondary, ratio in ratios.items():
                if not 0 <= ratio < float("inf"):
                    raise wrong(f"{ratio!r} cannot be reserved", f"reserve.{primary}.{secondary}", "0, or a number above it")

    def __call__(self, snapshot: Snapshot, workload: Workload) -> list[Clause]:
        return [*self._per_unit(snapshot, workload), *self._pools(snapshot, workload)]

    def _per_unit(self, snapshot: Snapshot, workload: Workload) -> Iterator[Clause]:
        if any(primary in workload.requests for primary in self.per_unit):
            return
        for primary, ratios in self.per_unit.items():
            for secondary, ratio in ratios.items():
                facts = (snapshot, primary, secondary, ratio, float(workload.requests.get(secondary, 0)))
                yield Clause(self.name, Meets(partial(_leaves_ratio, *facts)), True, partial(_ratio_reasons, self.name, *facts))

    def _pools(self, snapshot: Snapshot, workload: Workload) -> Iterator[Clause]:
        for pool in self.pools:
            if pool.selector.never or any(primary in workload.requests for primary in pool.primaries):
                continue
            amounts = [(name, amount, 0.0) for name, amount in pool.keep.items()]
            amounts += [(name, 0, percent) for name, percent in pool.percent.items()]
            for name, amount, percent in amounts:
                facts = (snapshot, pool, name, amount, percent, float(workload.requests.get(name, 0)))
                now, empty = (
                    Meets(partial(_leaves_amount, column, *facts)) for column in (snapshot.free_of, snapshot.capacity_of)
                )
                yield Clause(self.name, now, empty, partial(_pool_reasons, self.name, *facts))


def _leaves_ratio(snapshot: Snapshot, primary: str, secondary: str, ratio: float, request: float, pick: Pick) -> Any:
    has = pick(snapshot.capacity_of(primary)) > 0
    left = pick(snapshot.free_of(secondary)) - request
    reserved = pick(snapshot.free_of(primary)) / _MILLI * ratio
    if in_bytes(secondary):
        return has <= (left >= reserved * 1000 * 1000)
    return has <= (left / _MILLI >= reserved)


def _ratio_reasons(
    rule: str, snapshot: Snapshot, primary: str, secondary: str, ratio: float, request: float, row: int
) -> tuple[Reason, ...]:
    idle = snapshot.free_of(primary).cell[row]
    left = snapshot.free_of(secondary).cell[row] - request
    reserved = idle / _MILLI * ratio * (1000 * 1000 if in_bytes(secondary) else _MILLI)
    kept = f"{render(secondary, reserved)} {secondary} is reserved for {render(primary, idle)} idle {primary}"
    sentence = f"{kept}, {_left(secondary, left)}"
    facts = {"primary": primary, "idle": int(idle), "left": int(left), "reserved": reserved, "short": reserved - left}
    return (Reason.of(rule, f"{secondary} for {primary}", No.BUSY, sentence, **facts),)


def _left(name: str, left: float) -> str:
    return f"and it would leave {render(name, left)}" if left >= 0 else "and it would take more than is free"


def _kept(snapshot: Snapshot, name: str, amount: int, percent: float, pick: Pick) -> Any:
    return amount + pick(snapshot.capacity_of(name)) * percent / 100.0


def _leaves_amount(
    there: Callable[[str], Column],
    snapshot: Snapshot, pool: Pool, name: str, amount: int, percent: float, request: float, pick: Pick,
) -> Any:  # fmt: skip
    enough = pick(there(name)) - request >= _kept(snapshot, name, amount, percent, pick)
    return enough if pool.selector.always else pick(snapshot.statics.selector(pool.selector)) <= enough


def _pool_reasons(
    rule: str, snapshot: Snapshot, pool: Pool, name: str, amount: int, percent: float, request: float, row: int
) -> tuple[Reason, ...]:
    left = snapshot.free_of(name).cell[row] - request
    kept = float(_kept(snapshot, name, amount, percent, lambda column: column.cell[row]))
    whom = f" for {' or '.join(sorted(pool.primaries))}" if pool.primaries else ""
    share = f" ({percent:g} %)" if percent else ""
    sentence = f"{render(name, kept)} {name}{share} is kept on this node{whom}, {_left(name, left)}"
    facts = {"left": int(left), "reserved": kept, "short": kept - left}
    never = snapshot.capacity_of(name).cell[row] - request < kept
    return (Reason.of(rule, f"{name} of the pool", No.NEVER if never else No.BUSY, sentence, **facts),)
