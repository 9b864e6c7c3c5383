"""Two states of a cluster compared: who gained a place, who lost one, who moved.

gained   waited before, or was not there      lost   waits now, or is gone      moved   on another node
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bayplan.engine.cluster import Cluster

Where = str | None
"""A node's name, or None for pending."""


@dataclass(frozen=True, slots=True)
class Move:
    """One workload that would be elsewhere."""

    workload: str
    before: Where
    after: Where

    def __str__(self) -> str:
        return f"{self.workload}: {self.before or 'pending'} -> {self.after or 'pending'}"

    def as_json(self) -> dict[str, object]:
        return {"workload": self.workload, "before": self.before, "after": self.after}


@dataclass(frozen=True, slots=True)
class Moves:
    """The moves from one state to another, and how many workloads stay where they are. What-ifs and replays
    are such moves, and say more."""

    moves: tuple[Move, ...]
    unchanged: int

    @property
    def gained(self) -> tuple[Move, ...]:
        return tuple(one for one in self.moves if one.before is None)

    @property
    def lost(self) -> tuple[Move, ...]:
        return tuple(one for one in self.moves if one.after is None)

    @property
    def moved(self) -> tuple[Move, ...]:
        return tuple(one for one in self.moves if one.before is not None and one.after is not None)

    def sorts_as_json(self) -> dict[str, object]:
        sorts = {"gained": self.gained, "lost": self.lost, "moved": self.moved}
        return {name: [one.as_json() for one in moves] for name, moves in sorts.items()}


def difference(before: Mapping[str, Where], after: Mapping[str, Where]) -> tuple[tuple[Move, ...], int]:
    """The moves between two states, and how many workloads stay where they are."""
    ids = dict.fromkeys((*before, *after))
    moves = [Move(one, before.get(one), after.get(one)) for one in ids if before.get(one) != after.get(one)]
    return tuple(moves), len(ids) - len(moves)


def state(cluster: Cluster) -> dict[str, Where]:
    """Where everything is; None: it waits."""
    found: dict[str, Where] = dict(cluster.assignments)
    found.update(dict.fromkeys(cluster.pending.ids))
    return found
