"""`bayplan translate`: the same nodes and workloads in another dialect. What it has no words for is a mistake or a note."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from bayplan.cli import options

if TYPE_CHECKING:
    from bayplan.dialects.native import Manifest
    from bayplan.errors import Problem


class Target(StrEnum):
    """The dialects that can be written."""

    KUBERNETES = "kubernetes"
    NATIVE = "native"


To = Annotated[Target, typer.Option("--to", help="The dialect to write.", show_default=False)]


def translate(
    to: To,
    files: options.FilesBesideKube = None,
    kube: options.KubePaths = None,
    kube_version: options.KubeVersion = "1.37",
    scheduler: options.Scheduler = "default-scheduler",
) -> None:
    """Write the same nodes and workloads in another dialect, as YAML.

    What the other dialect has no words for is refused; what it keeps elsewhere is left out, with a note on stderr.

    [bold]Examples[/]

    [cyan]bayplan translate work.yaml --to kubernetes > pods.yaml[/]  pods that kubectl takes

    [cyan]kubectl get nodes,pods -A -o json | bayplan translate --kube - --to native[/]  a cluster in bayplan's words

    Exit code 0: all is written; 2: the input is wrong, or something cannot be said.
    """
    from bayplan.cli import kube as kubes
    from bayplan.cli import planning
    from bayplan.dialects import kubernetes, native

    objects = options.Kube(tuple(kube or ()), kube_version, scheduler)
    found = planning.read(options.given(files, objects), kube=objects)
    if to is Target.NATIVE:
        text = native.dumps(found)
    else:
        text = kubernetes.dumps(kubernetes.Objects(found.nodes, found.residents, found.requests))
        kubes.tell(_left_out(found, from_kubernetes=bool(kube)))
    typer.echo(text, nl=False)


def _left_out(found: Manifest, *, from_kubernetes: bool) -> list[Problem]:
    """What has no place among Kubernetes' objects. The policy of a cluster is left out without a word: it is there."""
    from bayplan.errors import Problem

    notes = []
    if found.templates:
        notes.append(Problem("templates are left out: Kubernetes has no objects for nodes that could be bought"))
    if found.policy is not None and not from_kubernetes:
        notes.append(Problem("the policy is left out: Kubernetes keeps it in the configuration of the scheduler"))
    return notes
