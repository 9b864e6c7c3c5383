"""bayplan decides where work runs, and can say why.

    from bayplan import Cluster, Node, Workload

    cluster = Cluster([Node("n1", {"cpu": 4}), Node("n2", {"cpu": 8})], policy="pack")
    plan = cluster.place(Workload("web", {"cpu": 2}).copies(3))
    print(plan.assignments, cluster.why("web-0"), sep="\\n")

The names below are the public ones.
"""

from bayplan.engine.cluster import Cluster
from bayplan.engine.policy import Policy
from bayplan.errors import BackendError, BayplanError, ConfigError, PlacementError, Unsupported
from bayplan.model.decision import Decision, No, Plan, Reason, Status
from bayplan.model.labels import does_not_exist, exists, gt, in_, lt, not_in
from bayplan.model.neighbours import ALL, NODE, Apart, Near, Spread
from bayplan.model.node import Device, Effect, Node, NodeTemplate, Taint
from bayplan.model.selector import Selector
from bayplan.model.workload import Fallback, Group, Preference, Strategy, Toleration, Workload

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
