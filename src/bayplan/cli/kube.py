"""`--kube`: nodes and pods as Kubernetes has them.

What was left out, and why, is said on standard error; under --json it goes there, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from rich.text import Text

from bayplan.cli import screen
from bayplan.cli.options import Kube
from bayplan.cli.progress import Waiting
from bayplan.dialects import kubernetes, volcano
from bayplan.dialects.native import Manifest
from bayplan.engine.spec import PolicySpec
from bayplan.errors import Problem, wrong

NOTES_SHOWN = 10


def read(asked: Kube) -> Manifest:
    """The cluster in these files and directories."""
    paths, scheduler = asked.paths, asked.scheduler or None
    with Waiting(f"reading {paths[0] if len(paths) == 1 else f'{len(paths):,} files'} …") as waiting:
        found = kubernetes.load(
            *paths, version=asked.version, scheduler=scheduler, strategies=volcano.strategies_of_pod,
            progress=lambda name, objects: waiting.say(f"reading {name}, {objects:,} objects so far …"),
        )  # fmt: skip
    tell(found.notes)
    policy = found.policy or PolicySpec("kubernetes")
    return Manifest(found.nodes, (), found.requests, found.residents, policy, overbooked=True)


def merged(native: Manifest, found: Manifest) -> Manifest:
    """Kubernetes' objects beside those of native files, whose policy goes first."""
    twice = {one.name for one in native.nodes} & {one.name for one in found.nodes}
    if twice:
        raise wrong(f"the node {min(twice)!r} is in native files and in Kubernetes' as well")
    return replace(
        native,
        nodes=(*native.nodes, *found.nodes),
        requests=(*native.requests, *found.requests),
        residents=(*native.residents, *found.residents),
        policy=native.policy or found.policy,
        overbooked=True,
    )


def tell(notes: Sequence[Problem]) -> None:
    """The first notes; of those that say the same about many objects one stands for all."""
    same = Counter(one.message for one in notes)
    out = screen.console(stderr=True)
    for number, (message, count) in enumerate(same.items()):
        if number == NOTES_SHOWN:
            out.print(Text(f"and {len(same) - NOTES_SHOWN:,} more kinds of notes", screen.QUIET))
            break
        first = next(one for one in notes if one.message == message)
        more = f" (and {count - 1:,} more like it)" if count > 1 else ""
        out.print(Text.assemble(("note: ", screen.WAITING), f"{first}{more}"))


def name_of(asked: str) -> str:
    """`pod/web-0` is what kubectl calls it; the default namespace is not written."""
    return asked.removeprefix("pod/").removeprefix("pods/").removeprefix("default/")
