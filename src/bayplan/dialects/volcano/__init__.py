"""Volcano's dialect: a whole scheduler configuration into a policy, and the strategies of single pods.

configuration = volcano.load("volcano-scheduler.conf")
cluster = Cluster(nodes, policy=build(configuration.policy))
"""

from bayplan.dialects.volcano.annotations import strategies_of_pod
from bayplan.dialects.volcano.load import load, loads
from bayplan.dialects.volcano.settings import (
    Binpack,
    Configuration,
    NodeOrder,
    Predicates,
    Proportional,
    Ratio,
    Retention,
    StrategyFit,
)

__all__ = [
    "Binpack",
    "Configuration",
    "NodeOrder",
    "Predicates",
    "Proportional",
    "Ratio",
    "Retention",
    "StrategyFit",
    "load",
    "loads",
    "strategies_of_pod",
]
