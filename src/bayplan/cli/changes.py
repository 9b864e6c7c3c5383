"""Changes as they are written on the command line, into the engine's what-if.

--add name=n9,cpu=8,memory=32Gi,gpu=2,count=3,label.zone=a,taint=gpu=true:NoSchedule
--relabel n1:zone=b,disk-        --taint n1:gpu=true:NoSchedule        --taint n1:gpu-
"""

from __future__ import annotations

import json
import os
from dataclasses import replace
from typing import Any

from bayplan.cli import policies
from bayplan.cli.options import STRICTLY, Volcano
from bayplan.cli.planning import Planned
from bayplan.dialects import native
from bayplan.engine.spec import build
from bayplan.engine.whatif import Difference, WhatIf
from bayplan.errors import ConfigError, Problem, did_you_mean, wrong
from bayplan.model.node import Node, Taint

DEVICES = ("gpu", "nvidia.com/gpu", "amd.com/gpu")
"""Resources that come in whole pieces; on the command line a number of them means so many devices."""

Asked = list[tuple[str, str]]


def check(asked: Asked, versus: list[str] | None) -> None:
    if versus and asked:
        raise wrong("compares two plans and takes no changes", "--versus", f"leave out --{asked[0][0]}")
    if not versus and not asked:
        raise wrong("what if what?", hint="give at least one change, such as --drain NODE; see bayplan whatif --help")


def whatif(planned: Planned, asked: Asked, volcano: Volcano = STRICTLY) -> Difference:
    """Make the changes one after another on a copy, and compare."""
    steps = Steps(planned, volcano)
    for name, value in asked:
        steps.take(name, value)
    return steps.what_if.plan()


class Steps:
    """Builds the what-if; knows the taints of nodes as the steps so far leave them."""

    def __init__(self, planned: Planned, volcano: Volcano):
        self.what_if: WhatIf = planned.cluster.whatif()
        self._nodes: dict[str, Node | None] = {}
        self._planned = planned
        self._volcano = volcano

    def take(self, name: str, value: str) -> None:
        match name:
            case "add":
                self._add(_nodes(value))
            case "add-template":
                self._add(self._bought(value))
            case "remove":
                self._known(value)
                self.what_if.remove(value)
            case "drain":
                self._known(value)
                self.what_if.drain(value)
            case "cordon" | "uncordon":
                self._known(value)
                self.what_if.cordon(value, name == "cordon")
            case "relabel":
                node, text = _of_node(value, "--relabel", "NODE:key=value,key-")
                self._known(node)
                self.what_if.relabel(node, _labels(text))
            case "taint":
                node, text = _of_node(value, "--taint", "NODE:key=value:Effect")
                self._taint(node, text)
            case "release":
                self.what_if.release(value)
            case "policy":
                self.what_if.use(build(policies.read(value, self._volcano)))

    def _add(self, nodes: tuple[Node, ...]) -> None:
        self.what_if.add(*nodes)
        self._nodes.update((one.name, one) for one in nodes)

    def _known(self, name: str) -> Node:
        """The node, from the cluster or from a step before."""
        found = self._nodes.get(name)
        return found or self._planned.cluster.snapshot.node(name)

    def _bought(self, text: str) -> tuple[Node, ...]:
        name, equals, number = text.partition("=")
        templates = {one.name: one for one in self._planned.cluster.templates}
        if name not in templates:
            raise wrong(f"there is no template {name!r}", "--add-template", did_you_mean(name, templates))
        if equals and not (number.isdecimal() and 1 <= int(number) <= 100_000):
            raise wrong(f"{number!r} is not a number of nodes", "--add-template", "NAME=COUNT")
        most, count = templates[name].maximum, int(number or 1)
        if most is not None and count > most:
            raise wrong(f"of template {name!r} at most {most} may be added, not {count}", "--add-template")
        taken = {*self._planned.cluster.snapshot.row_of, *self._nodes}
        free = (f"{name}-{i}" for i in range(len(taken) + count) if f"{name}-{i}" not in taken)
        return tuple(replace(templates[name].node, name=next(free)) for _ in range(count))

    def _taint(self, name: str, text: str) -> None:
        node = self._known(name)
        if text.endswith("-") and "=" not in text:
            key = text.removesuffix("-")
            taints = tuple(one for one in node.taints if one.key != key)
            if taints == node.taints:
                raise wrong(f"node {name!r} has no taint {key!r}", "--taint", did_you_mean(key, {one.key for one in taints}))
            self.what_if.untaint(name, key)
        else:
            taints = (*node.taints, *_parsed({"name": name, "taints": [text]}, "--taint")[0].taints)
            self.what_if.taint(name, _sorted(taints))
        self._nodes[name] = replace(node, taints=taints)


def _sorted(taints: tuple[Taint, ...]) -> tuple[Taint, ...]:
    return tuple(sorted(set(taints)))


def _nodes(text: str) -> tuple[Node, ...]:
    """Nodes from a file, or from one line."""
    if "=" not in text or os.path.exists(text):
        found = native.load(text).nodes
        if not found:
            raise ConfigError(Problem("there are no nodes in this file", "--add", file=text))
        return found
    entry: dict[str, Any] = {"capacity": {}, "devices": {}, "labels": {}, "taints": []}
    for part in text.split(","):
        key, equals, value = part.partition("=")
        if not equals or not key:
            raise wrong(f"{part!r} is not key=value", "--add", "name=n9,cpu=8,memory=32Gi,label.zone=a")
        if key == "name":
            entry["name"] = value
        elif key == "count":
            entry["count"] = int(value) if value.isdecimal() and len(value) < 8 else value
        elif key == "taint":
            entry["taints"].append(value)
        elif key.startswith("label."):
            entry["labels"][key.removeprefix("label.")] = value
        elif key in DEVICES and value.isdecimal() and len(value) < 6:
            entry["devices"][key] = int(value)
        else:
            entry["capacity"][key] = value
    return _parsed(entry, "--add")


def _parsed(entry: dict[str, Any], option: str) -> tuple[Node, ...]:
    """As the native dialect reads it: the same checks, the same words."""
    try:
        return native.loads(json.dumps({"nodes": [entry]}, ensure_ascii=False), option).nodes
    except ConfigError as error:
        raise ConfigError(replace(one, file=option, line=None, column=None) for one in error.problems) from error


def _of_node(text: str, option: str, form: str) -> tuple[str, str]:
    node, colon, rest = text.partition(":")
    if not colon or not node or not rest:
        raise wrong(f"{text!r} is not {form}", option)
    return node, rest


def _labels(text: str) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for part in text.split(","):
        key, equals, value = part.partition("=")
        if not equals and not part.endswith("-"):
            raise wrong(f"{part!r} is neither key=value nor key-", "--relabel")
        found[key if equals else part.removesuffix("-")] = value if equals else None
    return found
