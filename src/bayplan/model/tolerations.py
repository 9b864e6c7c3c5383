"""Tolerations: which taints of a node a workload accepts."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from bayplan.errors import wrong
from bayplan.model import labels as algebra
from bayplan.model.node import Effect, Taint


class Match(StrEnum):
    """How a toleration compares its value with a taint's."""

    EQUAL = "Equal"
    EXISTS = "Exists"
    GT = "Gt"
    LT = "Lt"


@dataclass(frozen=True, slots=True)
class Toleration:
    """Accepts taints. An empty key accepts any key, no effect any effect."""

    key: str = ""
    value: str = ""
    operator: Match = Match.EQUAL
    effect: Effect | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "operator", Match(self.operator))
        object.__setattr__(self, "effect", None if self.effect is None else Effect(self.effect))
        if not self.key and self.operator is not Match.EXISTS:
            raise wrong("a toleration without a key must have operator Exists", "toleration.key")
        if self.operator in (Match.GT, Match.LT) and algebra.number(self.value) is None:
            raise wrong(f"{self.operator} compares integers, found {self.value!r}", "toleration.value")

    def tolerates(self, taint: Taint) -> bool:
        if self.effect not in (None, taint.effect) or (self.key and self.key != taint.key):
            return False
        if self.operator is Match.EXISTS:
            return True
        if self.operator is Match.EQUAL:
            return self.value == taint.value
        bound = algebra.number(self.value) or 0
        return taint.value in (algebra.gt(bound) if self.operator is Match.GT else algebra.lt(bound))
