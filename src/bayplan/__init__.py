"""bayplan decides where work runs, and can say why.

    from bayplan import Cluster, Node, Workload

    cluster = Cluster([Node("n1", {"cpu": 4}), Node("n2", {"cpu": 8})], policy="pack")
    plan = cluster.place(Workload("web", {"cpu": 2}).copies(3))
    print(plan.assignments, cluster.why("web-0"), sep="\n")

The names in `__all__` are the public ones. They are loaded on first use, so that `bayplan --help`
does not wait for NumPy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bayplan.engine.cluster import Cluster
    from bayplan.engine.policy import Policy
    from bayplan.errors import BackendError, BayplanError, ConfigError, PlacementError, Unsupported
    from bayplan.model.decision import Decision, No, Plan, Reason, Status
    from bayplan.model.group import Group, Strategy
    from bayplan.model.labels import does_not_exist, exists, gt, in_, lt, not_in
    from bayplan.model.neighbours import ALL, NODE, Apart, Near, Spread
    from bayplan.model.node import Device, Effect, Node, NodeTemplate, Taint
    from bayplan.model.selector import Selector
    from bayplan.model.strategy import ResourceStrategy
    from bayplan.model.tolerations import Toleration
    from bayplan.model.workload import Fallback, Preference, Workload

__all__ = [
    "ALL",
    "NODE",
    "Apart",
    "BackendError",
    "BayplanError",
    "Cluster",
    "ConfigError",
    "Decision",
    "Device",
    "Effect",
    "Fallback",
    "Group",
    "Near",
    "No",
    "Node",
    "NodeTemplate",
    "PlacementError",
    "Plan",
    "Policy",
    "Preference",
    "Reason",
    "ResourceStrategy",
    "Selector",
    "Spread",
    "Status",
    "Strategy",
    "Taint",
    "Toleration",
    "Unsupported",
    "Workload",
    "does_not_exist",
    "exists",
    "gt",
    "in_",
    "lt",
    "not_in",
]

_HOME = {
    "engine.cluster": "Cluster",
    "engine.policy": "Policy",
    "errors": "BackendError BayplanError ConfigError PlacementError Unsupported",
    "model.decision": "Decision No Plan Reason Status",
    "model.labels": "does_not_exist exists gt in_ lt not_in",
    "model.neighbours": "ALL NODE Apart Near Spread",
    "model.node": "Device Effect Node NodeTemplate Taint",
    "model.selector": "Selector",
    "model.group": "Group Strategy",
    "model.strategy": "ResourceStrategy",
    "model.tolerations": "Toleration",
    "model.workload": "Fallback Preference Workload",
}
_MODULE_OF = {name: f"bayplan.{module}" for module, names in _HOME.items() for name in names.split()}


def __getattr__(name: str) -> object:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'bayplan' has no attribute {name!r}")
    return getattr(import_module(_MODULE_OF[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
