"""`--policy NAME|FILE`: a preset, a file with a policy section, or the configuration of Volcano's scheduler.

A Volcano configuration is known by its `actions` and `tiers`, or as a ConfigMap. How it was read, and what of it
bayplan does otherwise than Volcano, is said on standard error.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import click
from rich.text import Text

from bayplan.cli import screen
from bayplan.dialects import native, volcano
from bayplan.dialects.source import text
from bayplan.engine.policy import PRESETS
from bayplan.engine.spec import PolicySpec
from bayplan.errors import ConfigError, Problem, did_you_mean, wrong

LARGEST = 1 << 20
"""No configuration is longer, so larger files need not be looked into."""


def read(name: str) -> PolicySpec:
    """The policy of that name, or in that file."""
    if name in PRESETS:
        return PolicySpec(preset=name)
    if not os.path.exists(name):
        raise wrong(f"{name!r} is neither a preset nor a file", "--policy", did_you_mean(name, PRESETS))
    if is_volcano(name):
        return _volcano(name)
    found = native.load(name).policy
    if found is None:
        hint = "policy: {preset: pack}, or the configuration of Volcano's scheduler"
        raise ConfigError(Problem("there is no policy section in this file", file=name, hint=hint))
    return found


def is_volcano(path: str) -> bool:
    """Is this file a configuration of Volcano's scheduler?"""
    if not os.path.isfile(path) or os.path.getsize(path) > LARGEST:
        return False
    with open(path, "rb") as stream:
        raw = stream.read()
    if b"tiers" not in raw and b"actions" not in raw:
        return False
    return any(_configures(one.data) for one in text.parse(raw, path)[0])


def _configures(data: Any) -> bool:
    if not isinstance(data, Mapping):
        return False
    inner = data.get("data")
    in_map = data.get("kind") == "ConfigMap" and isinstance(inner, Mapping) and any(key.endswith(".conf") for key in inner)
    return in_map or "tiers" in data or "actions" in data


def _volcano(path: str) -> PolicySpec:
    context = click.get_current_context(silent=True)
    lenient = bool(context and context.meta.get("bayplan.lenient"))
    found = volcano.load(path, mode="lenient" if lenient else "strict")
    out = screen.console(stderr=True)
    reading = "as Volcano reads it" if lenient else "strictly"
    out.print(Text(f"{path}: the configuration of Volcano's scheduler, grammar {found.dialect!r}, read {reading}", screen.QUIET))
    for one in found.warnings:
        out.print(Text.assemble(("warning: ", screen.WAITING), str(one)))
    return found.policy
