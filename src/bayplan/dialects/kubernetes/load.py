"""Files into objects of the model: every mistake of every file is reported, together, before anything is returned."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bayplan.dialects.kubernetes import context, source, stream
from bayplan.dialects.kubernetes.assemble import assemble
from bayplan.dialects.kubernetes.collect import Collected
from bayplan.dialects.kubernetes.configuration import DEFAULT_SCHEDULER
from bayplan.dialects.kubernetes.report import Report
from bayplan.engine.spec import PolicySpec
from bayplan.errors import ConfigError, Problem
from bayplan.model.group import Request
from bayplan.model.node import Node
from bayplan.model.strategy import ResourceStrategy
from bayplan.model.workload import Workload

SUFFIXES: Final = (".yaml", ".yml", ".json")
STEP: Final = 1_000
"""Objects between two reports of progress."""

Progress = Callable[[str, int], None]
"""Called with the name of a file and the number of objects read so far."""
Strategies = Callable[[Mapping[str, str]], "tuple[ResourceStrategy, ...] | None"]


@dataclass(frozen=True, slots=True)
class Objects:
    """What stands in the files."""

    nodes: tuple[Node, ...] = ()
    residents: tuple[tuple[Workload, str], ...] = ()
    """Pods that run, and their nodes."""
    requests: tuple[Request, ...] = ()
    """Pods that wait, those that controllers would make, and gangs, in order of arrival."""
    policy: PolicySpec | None = None
    """From a KubeSchedulerConfiguration; None: the preset "kubernetes" as it is."""
    notes: tuple[Problem, ...] = ()
    """What was left out, and why."""


def load(
    *paths: str | os.PathLike[str],
    version: str = "1.37",
    scheduler: str | None = DEFAULT_SCHEDULER,
    strategies: Strategies | None = None,
    progress: Progress | None = None,
) -> Objects:
    """Read files, directories (every .yaml, .yml and .json in them, sorted) and "-" (standard input) as one cluster.

    `scheduler` names the scheduler whose pods are planned, None means those of all; `strategies` reads a pod's own
    packing from its annotations.
    """
    return _read([one for path in paths for one in _files(path)], version, scheduler, strategies, progress)


def loads(
    text: str | bytes,
    name: str = "<text>",
    version: str = "1.37",
    scheduler: str | None = DEFAULT_SCHEDULER,
    strategies: Strategies | None = None,
    progress: Progress | None = None,
) -> Objects:
    """Read text. `name` is what messages call it."""
    raw = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    return _read([(name, stream.from_bytes(raw))], version, scheduler, strategies, progress)


def _read(
    texts: list[tuple[str, stream.Text | Problem]],
    version: str,
    scheduler: str | None,
    strategies: Strategies | None,
    progress: Progress | None,
) -> Objects:
    known = context.version(version)
    report = Report()
    collected = Collected(report)
    for name, text in texts:
        if isinstance(text, Problem):
            report.problems.append(text)
            continue
        for item in _items(name, text, report):
            collected.take(item)
            if progress is not None and collected.objects % STEP == 0:
                progress(name, collected.objects)
            if report.full:
                break
        if progress is not None:
            progress(name, collected.objects)
    found = assemble(collected, report, known, scheduler, strategies)
    return Objects(found.nodes, found.residents, found.requests, found.policy, report.finish())


def _items(name: str, text: stream.Text, report: Report) -> Iterator[source.Item]:
    problems: list[Problem] = []
    try:
        yield from source.items(text, name, problems)
    except ConfigError as error:
        problems += error.problems
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the name
        problems += stream.unreadable(name, error).problems
    report.problems += problems


def _files(path: str | os.PathLike[str]) -> list[tuple[str, stream.Text | Problem]]:
    name = os.fspath(path)
    if name == "-":
        return [("<stdin>", stream.from_bytes(sys.stdin.buffer.read()))]
    if not os.path.isdir(name):
        return [(name, stream.from_file(name))]
    try:
        found = sorted(str(one) for one in Path(name).iterdir() if one.suffix in SUFFIXES and one.is_file())
    except OSError as error:
        return [(name, Problem(f"cannot be read: {error.strerror}", file=name))]
    if not found:
        return [(name, Problem(f"no {', '.join(SUFFIXES)} file in this directory", file=name))]
    return [(one, stream.from_file(one)) for one in found]
