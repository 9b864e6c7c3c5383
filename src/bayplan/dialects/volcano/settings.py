"""What a Volcano configuration says, plugin by plugin, after all defaults: data to look at.

The policy is made from these and from nothing else (policy.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from bayplan.engine.spec import PolicySpec
from bayplan.errors import Problem
from bayplan.model.frozen import FrozenMap
from bayplan.model.strategy import ResourceStrategy

Dialect = Literal["auto", "volcano", "design"]
Mode = Literal["strict", "lenient"]

PLUGIN: Final = "resource-strategy-fit"


@dataclass(frozen=True, slots=True)
class StrategyFit:
    """`resource-strategy-fit`: a strategy for each resource. Weight 0: off."""

    weight: int = 10
    resources: tuple[ResourceStrategy, ...] = (ResourceStrategy("cpu", weight=1), ResourceStrategy("memory", weight=1))


@dataclass(frozen=True, slots=True)
class Retention:
    """`sra`: stay off nodes with scarce resources. Weight 0: off."""

    weight: int = 0
    resources: Mapping[str, int] = field(default_factory=FrozenMap)
    total: int = 0
    """The sum of the weights; a name that is listed twice counts twice."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """For each idle unit of a primary resource: cores, and 10^9 bytes."""

    cpu: float = 1.0
    memory: float = 1.0


@dataclass(frozen=True, slots=True)
class Proportional:
    """`proportional`: cpu and memory kept for idle primary resources."""

    ratios: Mapping[str, Ratio] = field(default_factory=FrozenMap)


@dataclass(frozen=True, slots=True)
class Binpack:
    """`binpack`: fill up every resource. A resource of weight 0 is left alone; a weight below 0 spreads."""

    weight: int = 1
    resources: Mapping[str, int] = field(default_factory=lambda: FrozenMap({"cpu": 1, "memory": 1}))


@dataclass(frozen=True, slots=True)
class NodeOrder:
    """`nodeorder`: the weights of kube-scheduler's plugins. Weight 0: off."""

    least: int = 1
    most: int = 0
    balanced: int = 1
    node_affinity: int = 2
    taint_toleration: int = 3
    pod_affinity: int = 2
    topology_spread: int = 2
    image_locality: int = 1


@dataclass(frozen=True, slots=True)
class Predicates:
    """`predicates`: which of the conditions of pods are looked at."""

    node_affinity: bool = True
    taint_toleration: bool = True
    pod_affinity: bool = True
    topology_spread: bool = True


@dataclass(frozen=True, slots=True)
class Plugins:
    """The plugins that are switched on and what they were told, in the order of the tiers; None: not listed, or off."""

    order: tuple[str, ...] = ()
    """Plugins that score, in the order of the tiers. Lenient: one that is listed twice scores twice."""
    strategy_fit: StrategyFit | None = None
    retention: Retention | None = None
    proportional: Proportional | None = None
    binpack: Binpack | None = None
    node_order: NodeOrder | None = None
    predicates: Predicates | None = None


@dataclass(frozen=True, slots=True)
class Configuration:
    """A scheduler configuration that was read."""

    policy: PolicySpec
    dialect: str
    """The grammar that was found: "volcano" (1.13 and later), "volcano-1.12", or "design"."""
    warnings: tuple[Problem, ...] = ()
    plugins: Plugins = Plugins()

    @property
    def strategy_fit(self) -> StrategyFit | None:
        return self.plugins.strategy_fit

    @property
    def retention(self) -> Retention | None:
        return self.plugins.retention

    @property
    def proportional(self) -> Proportional | None:
        return self.plugins.proportional

    @property
    def binpack(self) -> Binpack | None:
        return self.plugins.binpack

    @property
    def node_order(self) -> NodeOrder | None:
        return self.plugins.node_order
