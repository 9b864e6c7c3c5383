"""Decisions: what was decided, and why, as data.

Reason    why one node is out: the rule, which kind of no, the facts; a sentence is made from it
Decision  one workload: placed (where, with what score) or not
Plan      the decisions of one call, in the order they were asked for
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from bayplan.model.frozen import FrozenMap
from bayplan.model.group import Request


class No(StrEnum):
    """The two kinds of no."""

    NEVER = "never"
    """No change of load helps: wrong labels, a taint, too small."""
    BUSY = "busy"
    """It would fit if something left."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a node is out. `topic` tells apart what a rule can complain about (the resource, the label
    key, the taint), so equal (rule, topic) can be counted; `facts` are the numbers behind it."""

    rule: str
    topic: str
    no: No
    sentence: str
    facts: FrozenMap[object]

    @classmethod
    def of(cls, rule: str, topic: str, no: No, sentence: str, **facts: object) -> Reason:
        return cls(rule, topic, no, sentence, FrozenMap(facts))

    def __str__(self) -> str:
        return self.sentence

    def as_json(self) -> dict[str, object]:
        return {"rule": self.rule, "topic": self.topic, "no": self.no, "sentence": self.sentence, "facts": dict(self.facts)}


class Status(StrEnum):
    """What became of a workload."""

    PLACED = "placed"
    PENDING = "pending"
    """Nothing fits now; something may later."""
    IMPOSSIBLE = "impossible"
    """Every node says NEVER: waiting is of no use."""


class Decision(NamedTuple):
    """The answer for one workload. Immutable; a tuple because a million of them are made.

    `version` is the snapshot's version the decision was taken at: explanations are computed from
    that state, whatever happened since. `fallback` is 0 for the own conditions of what was asked for,
    n for its n-th fallback. `request` is what was asked for.
    """

    workload: str
    status: Status
    node: str | None = None
    score: float | None = None
    fallback: int = 0
    devices: Mapping[str, tuple[str, ...]] | None = None
    version: int = 0
    group: str | None = None
    request: Request | None = None

    def __repr__(self) -> str:
        return f"Decision({self.workload!r}, {self.status}, node={self.node!r}, score={self.score!r}, fallback={self.fallback})"

    @property
    def placed(self) -> bool:
        return self.status is Status.PLACED

    def as_json(self) -> dict[str, object]:
        out: dict[str, object] = {"workload": self.workload, "status": self.status, "node": self.node}
        if self.score is not None:
            out["score"] = self.score
        if self.fallback:
            out["fallback"] = self.fallback
        if self.devices:
            out["devices"] = {resource: list(ids) for resource, ids in self.devices.items()}
        if self.group:
            out["group"] = self.group
        return out


class Plan(Sequence[Decision]):
    """Decisions in the order they were asked for. Immutable.

    Those of a large batch are made when they are first looked at: whoever only wants the workloads
    placed does not pay for ten thousand records.
    """

    __slots__ = ("_count", "_decisions", "_make")

    def __init__(self, decisions: Iterable[Decision] = ()):
        self._decisions: tuple[Decision, ...] | None = tuple(decisions)
        self._count = len(self._decisions)
        self._make: Callable[[], Iterable[Decision]] = tuple

    @classmethod
    def later(cls, count: int, make: Callable[[], Iterable[Decision]]) -> Plan:
        """A plan of `count` decisions that `make` gives; it is called once at most."""
        plan = cls()
        plan._decisions, plan._count, plan._make = None, count, make
        return plan

    @property
    def decisions(self) -> tuple[Decision, ...]:
        if self._decisions is None:
            self._decisions, self._make = tuple(self._make()), tuple
        return self._decisions

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index):  # type: ignore[no-untyped-def]
        return self.decisions[index]

    def __iter__(self) -> Iterator[Decision]:
        return iter(self.decisions)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Plan) and self.decisions == other.decisions

    def __hash__(self) -> int:
        return hash(self.decisions)

    def __repr__(self) -> str:
        return f"Plan({list(self.decisions)!r})"

    @property
    def placed(self) -> tuple[Decision, ...]:
        return tuple(one for one in self.decisions if one.status is Status.PLACED)

    @property
    def pending(self) -> tuple[Decision, ...]:
        """Everything that has no place, whether it may find one later or not."""
        return tuple(one for one in self.decisions if one.status is not Status.PLACED)

    @property
    def assignments(self) -> dict[str, str]:
        """Workload to node, for all that were placed."""
        return {one.workload: one.node for one in self.decisions if one.node is not None}

    def as_json(self) -> dict[str, object]:
        return {"placed": len(self.placed), "pending": len(self.pending), "decisions": [one.as_json() for one in self.decisions]}
