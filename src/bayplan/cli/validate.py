"""`bayplan validate`: are the files right? All mistakes at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from bayplan.cli import options

if TYPE_CHECKING:
    from bayplan.dialects.native import Manifest


def validate(
    files: options.FilesBesideKube = None,
    kube: options.KubePaths = None,
    policy: options.Policy = None,
    lenient: options.Lenient = False,
    dialect: options.Dialect = options.Grammar.AUTO,
    json: options.Json = False,
    kube_version: options.KubeVersion = "1.37",
    scheduler: options.Scheduler = "default-scheduler",
) -> None:
    """Check files without placing anything, and report all mistakes at once.

    Every mistake comes with file, line, path, and what would be right.

    [bold]Examples[/]

    [cyan]bayplan validate cluster.yaml[/]

    [cyan]bayplan validate volcano-scheduler.conf --lenient[/]  what does Volcano swallow?

    [cyan]bayplan validate manifests/ --json | jq '.problems[]'[/]

    Exit code 0: all is well; 2: there are mistakes.
    """
    from bayplan.cli import failing, screen
    from bayplan.errors import ConfigError

    try:
        objects = options.Kube(tuple(kube or ()), kube_version, scheduler)
        found = _checked(options.given(files, objects), policy, options.Volcano(lenient, dialect), objects)
    except ConfigError as error:
        if json:
            data = [failing.as_json(one) for one in error.problems]
            screen.print_json("validation", {"valid": False, "counts": None, "problems": data})
        failing.write(error.problems)
        raise typer.Exit(2) from None
    counts = _counts(found)
    if json:
        screen.print_json("validation", {"valid": True, "counts": counts, "problems": []})
    else:
        parts = [screen.count(number, name.removesuffix("s")) for name, number in counts.items() if number]
        by = [f"policy {found.policy.name or found.policy.preset}"] if found.policy else []
        screen.console().print("ok: " + (", ".join([*parts, *by]) or "empty"))


def _checked(files: list[str], policy: str | None, volcano: options.Volcano, kube: options.Kube) -> Manifest:
    """What the files say; their policy can be built, too."""
    from bayplan.cli import planning
    from bayplan.engine.spec import build

    found = planning.read(files, policy, volcano, kube)
    if found.policy is not None:
        build(found.policy)
    return found


def _counts(found: Manifest) -> dict[str, int]:
    from bayplan.model.group import Group

    return {
        "nodes": len(found.nodes),
        "templates": len(found.templates),
        "workloads": sum(not isinstance(one, Group) for one in found.requests),
        "groups": sum(isinstance(one, Group) for one in found.requests),
        "residents": len(found.residents),
    }
