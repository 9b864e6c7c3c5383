"""Kubernetes' dialect: manifests and dumps of a cluster into the model, and pods back.

objects = kubernetes.load("nodes.json", "pods.json", "scheduler.yaml")
cluster = Cluster(objects.nodes, policy=build(objects.policy or PolicySpec("kubernetes")))
"""

from bayplan.dialects.kubernetes.arguments import fit_args_problems
from bayplan.dialects.kubernetes.configuration import nodes_to_find
from bayplan.dialects.kubernetes.context import Context
from bayplan.dialects.kubernetes.export import dumps
from bayplan.dialects.kubernetes.load import Objects, load, loads
from bayplan.dialects.kubernetes.nodes import node_of
from bayplan.dialects.kubernetes.pods import workload_of_pod

__all__ = ["Context", "Objects", "dumps", "fit_args_problems", "load", "loads", "node_of", "nodes_to_find", "workload_of_pod"]
