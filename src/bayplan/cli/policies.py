"""`--policy NAME|FILE`: a preset, a file with a policy section, or the configuration of Volcano's scheduler.

A Volcano configuration is known by its `actions` and `tiers`, by the suffix .conf, or as a ConfigMap. How it was read,
and what of it bayplan does otherwise than Volcano, is said on standard error.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rich.text import Text

from bayplan.cli import screen
from bayplan.cli.options import STRICTLY, Volcano
from bayplan.dialects import kubernetes, native, volcano
from bayplan.dialects.source import files, text
from bayplan.engine.policy import PRESETS
from bayplan.engine.spec import PolicySpec
from bayplan.errors import ConfigError, Problem, did_you_mean, wrong

LARGEST = 1 << 20
"""No configuration is longer, so larger files need not be looked into."""
SUFFIX = ".conf"


def read(name: str, how: Volcano = STRICTLY) -> PolicySpec:
    """The policy of that name, or in that file; "-" is standard input."""
    if name in PRESETS:
        return PolicySpec(preset=name)
    if name != "-" and not os.path.exists(name):
        raise wrong(f"{name!r} is neither a preset nor a file", "--policy", did_you_mean(name, PRESETS))
    if os.path.isdir(name):
        return _section(native.load(name), name)
    raw, shown = files.contents(name)
    if b"KubeSchedulerConfiguration" in raw:
        return _kube_scheduler(raw, shown)
    return _volcano(raw, shown, how) if _configures(raw, shown) else _section(native.loads(raw, shown), shown)


def is_volcano(path: str) -> bool:
    """Is this file a configuration of Volcano's scheduler? What can be read only once, such as a pipe, is not looked into."""
    if not os.path.isfile(path) or os.path.getsize(path) > LARGEST:
        return False
    return _configures(files.contents(path)[0], path)


def _configures(raw: bytes, name: str) -> bool:
    if name.endswith(SUFFIX):
        return True
    if len(raw) > LARGEST or (b"tiers" not in raw and b"actions" not in raw):
        return False
    return any(_is_configuration(one.data) for one in text.parse(raw, name)[0])


def _is_configuration(data: Any) -> bool:
    if not isinstance(data, Mapping):
        return False
    inner = data.get("data")
    in_map = data.get("kind") == "ConfigMap" and isinstance(inner, Mapping) and any(key.endswith(SUFFIX) for key in inner)
    return in_map or "tiers" in data or "actions" in data


def _section(found: native.Manifest, name: str) -> PolicySpec:
    if found.policy is None:
        hint = "policy: {preset: pack}, or the configuration of Volcano's scheduler"
        raise ConfigError(Problem("there is no policy section in this file", file=name, hint=hint))
    return found.policy


def _kube_scheduler(raw: bytes, name: str) -> PolicySpec:
    """The profile of the default scheduler, or the only one there is."""
    found = kubernetes.loads(raw, name, scheduler=None)
    if found.policy is None:
        raise ConfigError(Problem("there is no KubeSchedulerConfiguration in this file", file=name))
    return replace(found.policy, name=os.path.basename(name))


def _volcano(raw: bytes, name: str, how: Volcano) -> PolicySpec:
    """The policy, called like its file, so that two configurations can be told apart."""
    found = volcano.loads(raw, name, how.dialect.value, "lenient" if how.lenient else "strict")
    out = screen.console(stderr=True)
    reading = "as Volcano reads it" if how.lenient else "strictly"
    said = f"{name}: the configuration of Volcano's scheduler, grammar {found.dialect!r}, read {reading}"
    out.print(Text(said, screen.QUIET), soft_wrap=True)
    for one in found.warnings:
        out.print(Text.assemble(("warning: ", screen.WAITING), str(one)), soft_wrap=True)
    return replace(found.policy, name=os.path.basename(name))
