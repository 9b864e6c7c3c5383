"""Bayplan's own dialect: nodes, workloads, groups and a policy, in YAML or JSON."""

from bayplan.dialects.native.export import dumps, json_schema
from bayplan.dialects.native.load import load, loads
from bayplan.dialects.native.manifest import Manifest

__all__ = ["Manifest", "dumps", "json_schema", "load", "loads"]
