"""What happens to a cluster, as lines of a log, and back.

    event          fields                          what happened
    nodes          nodes                           the nodes the cluster began with, loaded together
    node           node                            one joined
    node-changed   node                            labels, taints or the cordon of one became these
    node-removed   node, displaced                 one went; these workloads ran on it
    drain          node, displaced                 one was cordoned and emptied
    settle         workload, node, overbooked?     something already ran there, whether or not it fits
    place          requests, decisions             asked for, and decided
    retry          decisions                       pending work was tried again; only what found a place
    release        workload                        one was done
    policy         policy                          decide by this from here on

Nodes, workloads, groups, templates and policies are written as the native dialect writes them, so a
log can be read with the same eyes as a manifest. `requests` is a list, in the order asked, of
`{"group": ...}`, `{"workload": ...}` and `{"workload": ..., "names": [...]}` for several of one kind.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any, Final

from bayplan.dialects import native
from bayplan.dialects.native import export, writing
from bayplan.dialects.native.manifest import Manifest
from bayplan.engine.spec import PolicySpec
from bayplan.errors import ConfigError, Problem
from bayplan.model import syntax
from bayplan.model.decision import Decision, Status
from bayplan.model.group import Group, Request
from bayplan.model.node import Node, NodeTemplate
from bayplan.model.workload import Workload
from bayplan.run.log import Data, Record

FIELDS: Final[dict[str, dict[str, type]]] = {
    "nodes": {"nodes": list},
    "node": {"node": dict},
    "node-changed": {"node": dict},
    "node-removed": {"node": str, "displaced": list},
    "drain": {"node": str, "displaced": list},
    "settle": {"workload": dict, "node": str},
    "place": {"requests": list, "decisions": list},
    "retry": {"decisions": list},
    "release": {"workload": str},
    "policy": {"policy": dict},
}
_ESCAPED = re.compile("[\x7f-\xa0\u2028\u2029\ufeff\ufffe\uffff]")


# --- writing ------------------------------------------------------------------------------------


def header(policy: PolicySpec, seed: int, templates: Sequence[NodeTemplate]) -> Data:
    shop = {"templates": [writing.write_template(one) for one in templates]} if templates else {}
    return {"policy": write_policy(policy), "seed": seed, **shop}


def write_policy(policy: PolicySpec) -> Data:
    return export.write_policy(policy)


def write_requests(requests: Sequence[Request]) -> list[Data]:
    """Workloads in a row that differ only by name are written once, with all their names."""
    written: list[Data] = []
    for kind, run in groupby(requests, key=lambda one: one.kind if isinstance(one, Workload) else None):
        alike = list(run)
        if kind is None:
            written += [{"group": writing.write_group(one)} for one in alike if isinstance(one, Group)]
        else:
            names = {"names": [one.name for one in alike]} if len(alike) > 1 else {}
            written.append({"workload": write_workload(alike[0]), **names})
    return written


def write_workload(workload: Request) -> Data:
    assert isinstance(workload, Workload)
    [entry] = writing.write_workloads([workload])
    return _single(entry, workload.name, "replicas")


def write_node(node: Node) -> Data:
    [entry] = writing.write_nodes([node])
    return _single(entry, node.name, "count")


def _single(entry: Data, name: str, word: str) -> Data:
    """The dialect writes a single web-0 as one replica of web; here it is itself."""
    return {key: value for key, value in {**entry, "name": name}.items() if key != word}


def write_decisions(decisions: Iterable[Decision]) -> list[Data]:
    return [one.as_json() for one in decisions]


# --- reading ------------------------------------------------------------------------------------


class Reader:
    """Turns records into model objects. Mistakes are reported with the file and line of the record."""

    def __init__(self, file: str):
        self.file = file

    def event(self, record: Record) -> str:
        """The kind of a record, its fields checked."""
        kind = record.data.get("event")
        fields = FIELDS.get(kind) if isinstance(kind, str) else None
        if fields is None:
            raise self._mistake(record, f"unknown event {kind!r}", f"known: {', '.join(FIELDS)}")
        for name, wanted in fields.items():
            if not isinstance(record.data.get(name), wanted):
                raise self._mistake(record, f"event {kind!r} needs {name!r}, a {_WORDS[wanted]}")
        return str(kind)

    def header(self, data: Data) -> tuple[PolicySpec, int, tuple[NodeTemplate, ...]]:
        record = Record(1, data)
        seed = data.get("seed", 0)
        if not isinstance(seed, int) or isinstance(seed, bool) or not -(2**63) <= seed < 2**63:
            raise self._mistake(record, f"the seed {seed!r} is not a whole number of 64 bits")
        shop = self._manifest(record, {"templates": data.get("templates", [])}).templates
        return self.policy(record), seed, shop

    def policy(self, record: Record) -> PolicySpec:
        found = self._manifest(record, {"policy": record.data.get("policy", {})}).policy
        if found is None:
            raise self._mistake(record, "there is no policy")
        return replace(found, places={})

    def nodes(self, record: Record) -> tuple[Node, ...]:
        return self._manifest(record, {"nodes": record.data["nodes"]}).nodes

    def node(self, record: Record) -> Node:
        found: Node = self._only(record, self._manifest(record, {"nodes": [record.data["node"]]}).nodes)
        return found

    def settled(self, record: Record) -> Workload:
        found = self._only(record, self._manifest(record, {"workloads": [record.data["workload"]]}).requests)
        assert isinstance(found, Workload)
        return found

    def requests(self, record: Record) -> list[Request]:
        documents = [self._document(record, item) for item in record.data["requests"]]
        found: list[Request] = []
        for item, request in zip(record.data["requests"], self._manifest(record, *documents).requests, strict=True):
            if "names" not in item or isinstance(request, Group):
                found.append(request)
            else:
                found += [request.named(self._name(record, name)) for name in item["names"]]
        return found

    def _document(self, record: Record, item: Any) -> Data:
        """One request as a document of its own: they keep their order then."""
        whole = isinstance(item, dict) and isinstance(item.get("names", []), list)
        for word in ("workload", "group") if whole else ():
            entry = item.get(word)
            if isinstance(entry, dict) and not {"replicas", "on"} & entry.keys():
                return {f"{word}s": [entry]}
        raise self._mistake(record, "a request is a single workload, with names if there are several, or a group")

    def displaced(self, record: Record) -> list[str]:
        return [self._text(record, one) for one in record.data["displaced"]]

    def decisions(self, record: Record) -> list[Decision]:
        return [self._decision(record, one) for one in record.data["decisions"]]

    def _decision(self, record: Record, data: Any) -> Decision:
        if not isinstance(data, dict) or data.get("status") not in set(Status):
            raise self._mistake(record, "a decision needs a workload and one of the statuses " + ", ".join(Status))
        node, devices = data.get("node"), data.get("devices")
        return Decision(
            self._text(record, data.get("workload")),
            Status(data["status"]),
            None if node is None else self._text(record, node),
            data.get("score"),
            data.get("fallback", 0),
            {name: tuple(ids) for name, ids in devices.items()} if devices else None,
            group=data.get("group"),
        )

    def _only(self, record: Record, found: Sequence[Any]) -> Any:
        if len(found) != 1:
            raise self._mistake(record, f"one was expected here, found {len(found)}")
        return found[0]

    def _name(self, record: Record, found: object) -> str:
        name = self._text(record, found)
        if fault := syntax.name_fault(name):
            raise self._mistake(record, fault)
        return name

    def _text(self, record: Record, found: object) -> str:
        if not isinstance(found, str) or not found:
            raise self._mistake(record, f"a name was expected, found {found!r}")
        return found

    def _manifest(self, record: Record, *documents: object) -> Manifest:
        # JSON is YAML, but for a few characters which YAML takes for ends of lines or refuses.
        texts = (json.dumps(one, ensure_ascii=False) for one in documents)
        text = "\n---\n".join(_ESCAPED.sub(lambda odd: f"\\u{ord(odd[0]):04x}", one) for one in texts)
        try:
            return native.loads(text, self.file)
        except ConfigError as error:
            raise ConfigError(replace(one, file=self.file, line=record.line, column=None) for one in error.problems) from error

    def _mistake(self, record: Record, message: str, hint: str = "") -> ConfigError:
        return ConfigError(Problem(message, "", hint, self.file, record.line))


_WORDS: Final[dict[type, str]] = {dict: "mapping", list: "list", str: "text"}
