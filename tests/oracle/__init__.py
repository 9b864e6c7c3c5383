"""The independent judge: a scheduler so plain that it can be read as the specification.

Loops, no caches, no NumPy; imports only bayplan.model. Written from the semantics, never from the
engine's code. One idea per file:

    cluster.py   who is where, what is free, which domain a node lies in
    rules.py     why a node is refused
    scores.py    how good a node is
    groups.py    whether a gang lies where its strategy allows, and whether it could lie anywhere
    judge.py     Oracle: filter, score, pick
    kube.py      KubeOracle, the same for kube-scheduler's profile: kube_filters.py, kube_scores.py, kube_amounts.py
"""

from tests.oracle.cluster import Reserve
from tests.oracle.judge import Oracle
from tests.oracle.scores import Balance, Neighbours, Packing, Policy, Preferences, Scarcity, Spreading, Use

__all__ = [
    "Balance", "Neighbours", "Oracle", "Packing", "Policy", "Preferences", "Reserve", "Scarcity", "Spreading", "Use",
]  # fmt: skip
