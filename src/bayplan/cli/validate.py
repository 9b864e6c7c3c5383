"""`bayplan validate`: are the files right? All mistakes at once."""

from __future__ import annotations

import typer

from bayplan.cli import options


def validate(files: options.Files, json: options.Json = False) -> None:
    """Check files without placing anything, and report all mistakes at once.

    Every mistake comes with file, line, path, and what would be right.

    [bold]Examples[/]

    [cyan]bayplan validate cluster.yaml[/]

    [cyan]bayplan validate manifests/ --json | jq '.problems[]'[/]

    Exit code 0: all is well; 2: there are mistakes.
    """
    from bayplan.cli import failing, screen
    from bayplan.dialects import native
    from bayplan.dialects.native.policy import build
    from bayplan.errors import ConfigError
    from bayplan.model.group import Group

    try:
        found = native.load(*files)
        if found.policy is not None:
            build(found.policy)
    except ConfigError as error:
        if json:
            data = [failing.as_json(one) for one in error.problems]
            screen.print_json("validation", {"valid": False, "counts": None, "problems": data})
        failing.write(error.problems)
        raise typer.Exit(2) from None
    counts = {
        "nodes": len(found.nodes),
        "templates": len(found.templates),
        "workloads": sum(not isinstance(one, Group) for one in found.requests),
        "groups": sum(isinstance(one, Group) for one in found.requests),
        "residents": len(found.residents),
    }
    if json:
        screen.print_json("validation", {"valid": True, "counts": counts, "problems": []})
    else:
        parts = [screen.count(number, name.removesuffix("s")) for name, number in counts.items() if number]
        policy = [f"policy {found.policy.name or found.policy.preset}"] if found.policy else []
        screen.console().print("ok: " + (", ".join([*parts, *policy]) or "empty"))
