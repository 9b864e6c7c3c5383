"""`bayplan schema`: the form of the files, for editors."""

from __future__ import annotations

import typer


def schema() -> None:
    """Print the JSON Schema of bayplan's files, so that an editor completes and checks them.

    [bold]Examples[/]

    [cyan]bayplan schema > bayplan.schema.json[/]

    Then write this as the first line of a file, for the YAML language server (VS Code, Neovim, JetBrains and others):

    [cyan]# yaml-language-server: $schema=bayplan.schema.json[/]
    """
    import json

    from bayplan.dialects import native

    typer.echo(json.dumps(native.json_schema(), indent=2))
