"""Suites of cases, and who knows how to run them.

A file is read by the first of `READERS` that knows its schema; a case is judged by the function in `KINDS` under its
kind. Other schedulers add theirs in a module of their own, named in `MODULES`.

A judge returns nothing when bayplan agrees, raises `Disagrees` when it does not, and `Skips` where the case is about
something that bayplan does not have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

Case = dict[str, Any]


class Disagrees(Exception):
    """The answer is another one."""


class Skips(Exception):
    """The case has no meaning here; the message says why."""


@dataclass(frozen=True)
class Suite:
    id: str
    kind: str
    status: str
    cases: tuple[Case, ...]


Judge = Callable[[Case, Suite], None]
Reader = Callable[[str, Any], list[Suite] | None]

KINDS: dict[str, Judge] = {}
READERS: list[Reader] = []
MODULES = (
    "tests.conformance.volcano",
    "tests.conformance.volcano_parsing",
    "tests.conformance.kubernetes_cases",
    "tests.conformance.kubernetes_pure",
    "tests.conformance.kube_pipeline_kinds",
    "tests.conformance.kube_pipeline",
    "tests.conformance.kube_pipeline_filters",
    "tests.conformance.kube_pipeline_scores",
    "tests.conformance.kube_pipeline_parts",
)


def judges(*kinds: str) -> Callable[[Judge], Judge]:
    """Registers a judge for kinds of cases."""

    def register(judge: Judge) -> Judge:
        KINDS.update(dict.fromkeys(kinds, judge))
        return judge

    return register


def learn() -> None:
    """Let every module register what it knows."""
    for module in MODULES:
        import_module(module)


def same(found: Any, expected: Any, what: str) -> None:
    if found != expected:
        raise Disagrees(f"{what}: {found!r}, expected {expected!r}")


def suites_in(name: str, data: Any) -> Iterator[Suite]:
    """The suites of a file, or ValueError where nobody knows its schema."""
    for reader in READERS:
        found = reader(name, data)
        if found is not None:
            yield from found
            return
    raise ValueError("nobody knows this schema")
