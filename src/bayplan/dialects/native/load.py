"""Files into a Manifest: every mistake of every file is reported, together, before anything is returned."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from bayplan.dialects.native import nodes, policies, wording
from bayplan.dialects.native.manifest import Manifest
from bayplan.dialects.native.names import Names
from bayplan.dialects.native.sections import SECTIONS
from bayplan.dialects.native.shapes import COUNT_LIMIT
from bayplan.dialects.native.workloads import Reader
from bayplan.dialects.source import files, text, values
from bayplan.dialects.source.report import Report, Spot
from bayplan.engine.spec import PolicySpec
from bayplan.errors import ConfigError, Problem, did_you_mean
from bayplan.model.group import Request
from bayplan.model.node import Node, NodeTemplate
from bayplan.model.workload import Workload

SUFFIXES: Final = (".yaml", ".yml", ".json")


def load(*paths: str | os.PathLike[str]) -> Manifest:
    """Read files, directories (every .yaml, .yml and .json in them, sorted) and "-" (standard input) as one manifest."""
    reading = _Reading()
    for path in paths:
        for file in reading.files(path):
            reading.file(file)
    return reading.manifest()


def loads(source: str | bytes, name: str = "<text>") -> Manifest:
    """Read text. `name` is what messages call it."""
    reading = _Reading()
    reading.text(source, name)
    return reading.manifest()


class _Reading:
    """One call of load: what was found so far."""

    def __init__(self) -> None:
        self.report = Report()
        self.names = Names(self.report)
        self.reader = Reader(self.names, self.report)
        self.nodes: list[Node] = []
        self.templates: list[NodeTemplate] = []
        self.requests: list[Request] = []
        self.residents: list[tuple[Workload, str]] = []
        self.policy: PolicySpec | None = None
        self.policy_source = ""

    def files(self, path: str | os.PathLike[str]) -> list[str]:
        name = os.fspath(path)
        if name == "-" or not os.path.isdir(name):
            return [name]
        try:
            found = sorted(str(one) for one in Path(name).iterdir() if one.suffix in SUFFIXES and one.is_file())
        except OSError as error:
            self.report.take([Problem(f"cannot be read: {error.strerror}", file=name)])
            return []
        if not found:
            self.report.take([Problem(f"no {', '.join(SUFFIXES)} file in this directory", file=name)])
        return found

    def file(self, name: str) -> None:
        try:
            self.text(*files.contents(name))
        except ConfigError as error:
            self.report.take(error.problems)

    def text(self, source: str | bytes, name: str) -> None:
        self.report.read(name)
        documents, problems = text.parse(source, name)
        self.report.take(problems)
        self.names.incomplete = self.names.incomplete or bool(problems)
        for document in documents:
            self._document(Spot(document), document.data)

    def _document(self, spot: Spot, data: Any) -> None:
        if data is None:
            return
        if not isinstance(data, dict):
            self.report.add(spot, f"expected a mapping of {', '.join(SECTIONS)}, found {values.found(data)}")
            return
        for section, content in data.items():
            if self.report.full:
                return
            if section not in SECTIONS:
                near = did_you_mean(section, SECTIONS) if len(section) <= 100 else ""
                self.report.add(spot / section, f"unknown section {values.found(section)}", near, on_key=True)
            elif section == "policy":
                self._policy(spot / section, content)
            elif isinstance(content, list):
                self._section(section, content, spot / section)
            elif content is not None:  # a section whose entries are all commented out is an empty one
                hint = "begin every entry with '- '" if isinstance(content, dict) else ""
                self.report.add(spot / section, f"expected a list, found {values.found(content)}", hint)

    def _section(self, section: str, content: list[Any], spot: Spot) -> None:
        for i, written in enumerate(content):
            if self.report.full:  # the rest is not even looked at
                self.report.unread += len(content) - i
                return
            entry = self._checked(section, written, spot / i)
            if entry is not None:
                self._entry(section, entry, spot / i)

    def _checked(self, section: str, written: Any, spot: Spot) -> Any:
        model = SECTIONS[section]
        try:
            return model.model_validate(written)
        except ValidationError as error:
            wording.explain(error, model, spot, self.report)
            if section == "nodes":
                self._salvage(written, spot)
            return None

    def _salvage(self, written: Any, spot: Spot) -> None:
        """A node with mistakes is still a node: whoever speaks of it makes no mistake."""
        name, count = (written.get("name"), written.get("count")) if isinstance(written, dict) else (None, None)
        if isinstance(name, str) and (count is None or (type(count) is int and 1 <= count <= COUNT_LIMIT)):
            self.names.claim("node", self.names.expand(name, count, spot), spot)
        else:
            self.names.incomplete = True

    def _entry(self, section: str, entry: Any, spot: Spot) -> None:
        if section == "nodes":
            self.nodes += nodes.nodes(entry, spot, self.names, self.report)
        elif section == "templates":
            template = nodes.template(entry, spot, self.names, self.report)
            self.templates += [template] if template else []
        elif section == "groups":
            group = self.reader.group(entry, spot)
            self.requests += [group] if group else []
        else:
            found = self.reader.workloads(entry, spot)
            if entry.on is None:
                self.requests += found
            else:
                self.residents += [(one, entry.on) for one in found]

    def _policy(self, spot: Spot, written: Any) -> None:
        if written is None:
            return
        if self.policy_source:
            self.report.add(spot, f"there is a policy already, at {self.policy_source}", on_key=True)
        self.policy_source = self.policy_source or spot.source
        entry = self._checked("policy", written, spot)
        if entry is not None:
            self.policy = policies.read(entry, spot, self.report)

    def manifest(self) -> Manifest:
        self.names.check()
        self.report.finish()
        return Manifest(
            tuple(self.nodes), tuple(self.templates), tuple(self.requests), tuple(self.residents), self.policy, self.names.sources
        )
