"""The way back: a Manifest as native YAML, and the JSON Schema of the dialect.

Law: loads(dumps(manifest)) has equal nodes, templates, requests and residents (selectors.py tells the
one exception). What the dialect has no words for raises Unsupported; nothing is left out silently.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any, Final

import yaml

from bayplan.dialects.native import policies
from bayplan.dialects.native.load import loads
from bayplan.dialects.native.manifest import Manifest
from bayplan.dialects.native.sections import DocumentEntry
from bayplan.dialects.native.writing import write_group, write_nodes, write_template, write_workloads
from bayplan.dialects.source import dump
from bayplan.engine.spec import PolicySpec
from bayplan.errors import ConfigError, Unsupported
from bayplan.model.group import Group

SCHEMA: Final = "https://json-schema.org/draft/2020-12/schema"


def json_schema() -> dict[str, Any]:
    """JSON Schema of a document, draft 2020-12."""
    found: dict[str, Any] = _tidied(DocumentEntry.model_json_schema())
    return {"$schema": SCHEMA, **found}


def _tidied(schema: Any) -> Any:
    """Pydantic says that what may be left out may be null. It may not, so the schema should not say so.
    And it says that only one of several forms fits; but a bare `{weight: 2}` is many kinds of scorer."""
    if isinstance(schema, list):
        return [_tidied(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    found = {
        "anyOf" if key == "oneOf" else key: _tidied(value)
        for key, value in schema.items()
        if not (key == "default" and value is None)
    }
    choices = found.get("anyOf")
    if isinstance(choices, list) and {"type": "null"} in choices:
        left = [one for one in choices if one != {"type": "null"}]
        del found["anyOf"]
        # The outer description is about this field, the inner one about the type: the outer wins.
        found = {**left[0], **found} if len(left) == 1 and "$ref" not in left[0] else {**found, "anyOf": left}
    return found


def dumps(manifest: Manifest) -> str:
    """The manifest as native YAML. Runs of equal nodes and workloads become one entry with count or replicas."""
    documents = list(_documents(manifest))
    return "---\n".join(dump.to_yaml(one) for one in documents)


def _documents(manifest: Manifest) -> Iterator[dict[str, Any]]:
    """Requests keep their order: a new document begins wherever workloads and groups take turns."""
    first: dict[str, Any] = {}
    if manifest.policy is not None:
        first["policy"] = write_policy(manifest.policy)
    if manifest.nodes:
        first["nodes"] = write_nodes(manifest.nodes)
    if manifest.templates:
        first["templates"] = [write_template(one) for one in manifest.templates]
    if manifest.residents:
        placed = [(write_workloads([workload])[0], node) for workload, node in manifest.residents]
        first["workloads"] = [{**entry, "on": node} for entry, node in placed]
    if first:
        yield first
    for is_group, several in groupby(manifest.requests, lambda one: isinstance(one, Group)):
        if is_group:
            yield {"groups": [write_group(one) for one in several if isinstance(one, Group)]}
        else:
            yield {"workloads": write_workloads(one for one in several if not isinstance(one, Group))}


def write_policy(spec: PolicySpec) -> dict[str, Any]:
    """The policy as plain data. It is read once more: a spec can hold anything, and what is written must be readable."""
    try:
        again = loads(dump.to_yaml({"policy": policies.write(spec)})).policy
    except (ConfigError, yaml.YAMLError) as error:
        why = error.problems[0].message if isinstance(error, ConfigError) else str(error)
        raise Unsupported(f"the policy {spec.name or spec.preset!r} cannot be written: {why}") from error
    assert again is not None
    return policies.write(again)
