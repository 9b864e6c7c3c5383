"""A Volcano configuration into a policy: every mistake is reported, together, before anything is returned."""

from __future__ import annotations

import os

from bayplan.dialects.source import files
from bayplan.dialects.volcano import plugins, source, tiers
from bayplan.dialects.volcano.policy import policy
from bayplan.dialects.volcano.reading import Reading
from bayplan.dialects.volcano.settings import Configuration, Dialect, Mode
from bayplan.errors import wrong


def load(path: str | os.PathLike[str], dialect: Dialect = "auto", mode: Mode = "strict") -> Configuration:
    """Read a `volcano-scheduler.conf`, or a ConfigMap that has one, in YAML or JSON. "-" is standard input."""
    return loads(*files.contents(os.fspath(path)), dialect, mode)


def loads(raw: str | bytes, name: str = "<text>", dialect: Dialect = "auto", mode: Mode = "strict") -> Configuration:
    """Read text. `name` is what messages call it."""
    if dialect not in ("auto", "volcano", "design"):
        raise wrong(f"{dialect!r} is not a dialect", "dialect", "one of auto, volcano, design")
    if mode not in ("strict", "lenient"):
        raise wrong(f"{mode!r} is not a mode", "mode", "one of strict, lenient")
    reading = Reading(strict=mode == "strict")
    conf = source.configuration(raw, name, reading.mistakes)
    if conf is None:
        reading.mistakes.finish()
    assert conf is not None
    uses = tiers.uses(conf, reading)
    found, grammar = plugins.read(uses, dialect, reading)
    spec = policy(found, uses, conf, reading)
    reading.mistakes.finish()
    return Configuration(spec, grammar, reading.warnings, found)
