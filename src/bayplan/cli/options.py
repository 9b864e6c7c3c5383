"""Options and arguments that several commands take, described once."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

import typer


def _remember(ctx: typer.Context, wanted: bool) -> bool:
    """So that a failure, too, is told as JSON."""
    ctx.meta["bayplan.json"] = wanted
    return wanted


Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILES",
        help="YAML or JSON files with nodes, workloads, groups and a policy; directories of them; [bold]-[/] for standard input.",
        show_default=False,
    ),
]
FilesBesideKube = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="FILES",
        help="YAML or JSON files with nodes, workloads, groups and a policy; directories of them; [bold]-[/] for standard input. "
        "None are needed with --kube.",
        show_default=False,
    ),
]


@dataclass(frozen=True, slots=True)
class Kube:
    """Where Kubernetes' objects stand, and how they are to be read."""

    paths: tuple[str, ...] = ()
    version: str = "1.37"
    scheduler: str = "default-scheduler"

    @property
    def words(self) -> list[str]:
        """The same as options."""
        found = [word for path in self.paths for word in ("--kube", path)]
        found += [] if self.version == Kube().version else ["--kube-version", self.version]
        return found + ([] if self.scheduler == Kube().scheduler else ["--scheduler", self.scheduler])


NO_KUBE = Kube()

KubePaths = Annotated[
    list[str] | None,
    typer.Option(
        "--kube",
        metavar="PATH",
        help="Nodes, pods and a scheduler configuration as Kubernetes has them: manifests, directories of them, or what "
        "[bold]kubectl get nodes,pods -A -o json[/] prints. Decided as kube-scheduler does, to the bit.",
        show_default=False,
    ),
]
KubeVersion = Annotated[str, typer.Option("--kube-version", metavar="1.30 … 1.37", help="Of Kubernetes, where they differ.")]
Scheduler = Annotated[
    str, typer.Option("--scheduler", metavar="NAME", help='Plan the pods of this scheduler only; "" for those of all.')
]
Policy = Annotated[
    str | None,
    typer.Option(
        "--policy",
        "-p",
        metavar="NAME|FILE",
        help="[bold]pack[/], [bold]spread[/], [bold]balanced[/], [bold]ai-mixed[/], a file with a policy section, or a "
        "[bold]volcano-scheduler.conf[/] or KubeSchedulerConfiguration. Goes before the policy in FILES.",
        show_default=False,
    ),
]
All = Annotated[bool, typer.Option("--all", help="Show every line: long tables are not cut short, replicas do not share one.")]


class Grammar(StrEnum):
    """The grammars of a Volcano configuration that can be told apart by their keys."""

    AUTO = "auto"
    VOLCANO = "volcano"
    DESIGN = "design"


@dataclass(frozen=True, slots=True)
class Volcano:
    """How a Volcano configuration is to be read."""

    lenient: bool = False
    dialect: Grammar = Grammar.AUTO

    @property
    def words(self) -> list[str]:
        """The same as options."""
        chosen = [] if self.dialect is Grammar.AUTO else ["--dialect", str(self.dialect)]
        return [*(["--lenient"] if self.lenient else []), *chosen]


STRICTLY = Volcano()


Lenient = Annotated[
    bool, typer.Option("--lenient", help="Read a Volcano configuration as Volcano does, warning of what it swallows.")
]
Dialect = Annotated[
    Grammar,
    typer.Option("--dialect", help="Read a Volcano configuration by the grammar of the releases, or of the design document."),
]
Json = Annotated[bool, typer.Option("--json", callback=_remember, help="Print JSON, for programs.")]


def _whole(seed: int) -> int:
    if not -(2**63) <= seed < 2**63:
        raise typer.BadParameter("a seed is a whole number of 64 bits")
    return seed


Seed = Annotated[
    int,
    typer.Option(
        "--seed", metavar="N", callback=_whole, help="Equal nodes are taken in a fixed order; another seed, another order."
    ),
]


def again(files: list[str], policy: str | None, volcano: Volcano, seed: int, kube: Kube = NO_KUBE) -> list[str]:
    """The words that ask another command about the same plan."""
    chosen = ["--policy", policy] if policy else []
    return [*files, *kube.words, *chosen, *volcano.words, *(["--seed", str(seed)] if seed else [])]


def given(files: list[str] | None, kube: Kube = NO_KUBE) -> list[str]:
    """The files; there must be some, or objects of Kubernetes."""
    if not files and not kube.paths:
        raise typer.BadParameter("name at least one file, or use --kube", param_hint="FILES")
    return files or []
