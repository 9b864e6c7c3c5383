"""Files into a placed cluster: read, settle what runs, place what asks, try once more what waits.

The second try is for work that wants to be near something which was placed after it. Requests are
placed most important first; above 20,000 in portions, for the sake of a progress bar. Portions do not
change the outcome, since the engine decides a batch as it would decide one by one.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice

from bayplan.cli import kube as kubes
from bayplan.cli import policies
from bayplan.cli.options import NO_KUBE, STRICTLY, Kube, Volcano
from bayplan.cli.progress import Progress, Waiting
from bayplan.dialects import native
from bayplan.dialects.native import Manifest
from bayplan.engine.cluster import Cluster
from bayplan.engine.policy import DEFAULT
from bayplan.engine.spec import PolicySpec, build
from bayplan.errors import ConfigError, PlacementError, Problem
from bayplan.model.decision import Decision, Plan
from bayplan.model.group import Group, Request
from bayplan.run.recorder import Recorder

PORTION = 2_000
MANY = 20_000


@dataclass(frozen=True, slots=True)
class Planned:
    """What the files said, and what became of it."""

    manifest: Manifest
    cluster: Cluster
    plan: Plan
    seconds: float


def plan(
    files: Sequence[str], policy: str | None = None, seed: int = 0, log: str | None = None, volcano: Volcano = STRICTLY,
    kube: Kube = NO_KUBE,
) -> Planned:  # fmt: skip
    """Read the files and place everything in them."""
    manifest = read(files, policy, volcano, kube)
    spec = manifest.policy or PolicySpec(preset=DEFAULT)
    made = build(spec)
    if log is None:
        cluster = Cluster(manifest.nodes, made, manifest.templates, seed)
        return _carry_out(manifest, cluster, cluster)
    with Recorder.start(log, manifest.nodes, spec, manifest.templates, seed) as recorder:
        return _carry_out(manifest, recorder.cluster, recorder)


def read(files: Sequence[str], policy: str | None = None, volcano: Volcano = STRICTLY, kube: Kube = NO_KUBE) -> Manifest:
    """What the files say, all together, and by which policy; all that is wrong with any of them is said at once."""
    named = files[0] if len(files) == 1 else f"{len(files):,} files"
    mistakes: list[Problem] = []
    with Waiting(f"reading {'standard input' if named == '-' else named} …"):
        configurations = [file for file in files if policies.is_volcano(file)]
        manifest = Manifest()
        with _collecting(mistakes):
            manifest = native.load(*(file for file in files if file not in configurations))
    if kube.paths:
        with _collecting(mistakes):
            manifest = kubes.merged(manifest, kubes.read(kube))
    for file in configurations:
        with _collecting(mistakes):
            found = policies.read(file, volcano)
            if manifest.policy is not None:
                raise ConfigError(Problem("there is a policy already", file=file, hint="one policy, in one file"))
            manifest = replace(manifest, policy=found)
    if policy is not None:
        with _collecting(mistakes):
            manifest = replace(manifest, policy=policies.read(policy, volcano))
    if mistakes:
        raise ConfigError(mistakes)
    return manifest


@contextmanager
def _collecting(mistakes: list[Problem]) -> Iterator[None]:
    try:
        yield
    except ConfigError as error:
        mistakes += error.problems


def _carry_out(manifest: Manifest, cluster: Cluster, target: Cluster | Recorder) -> Planned:
    _settle(manifest, target)
    begin = time.perf_counter()
    requests = manifest.requests
    answers: dict[int, list[Decision]] = {}
    with Progress("placing", len(requests)) as progress:
        in_turn = iter(sorted(range(len(requests)), key=lambda at: -requests[at].priority))
        size = PORTION if len(requests) > MANY else MANY
        while portion := list(islice(in_turn, size)):
            asked = [requests[at] for at in portion]
            answers.update(zip(portion, _answers(asked, target.place(asked)), strict=True))
            progress.advance(len(portion))
    late = target.retry()
    found = _merged((answers[at] for at in range(len(requests))), late)
    return Planned(manifest, cluster, Plan(tuple(found)), time.perf_counter() - begin)


def _answers(requests: Iterable[Request], plan: Plan) -> Iterator[list[Decision]]:
    """The decisions of each request. A group placed by a fallback may have fewer or more members than it asked with."""
    rest = deque(plan)
    for request in requests:
        answer = [rest.popleft()]
        while isinstance(request, Group) and rest and rest[0].group == request.name:
            answer.append(rest.popleft())
        yield answer


def _merged(answers: Iterator[list[Decision]], late: Plan) -> Iterator[Decision]:
    """The plan in the order of the files, with the outcome of the second try in place of the first."""
    alone = {one.workload: one for one in late if one.group is None}
    gangs: dict[str, list[Decision]] = {}
    for one in late:
        if one.group is not None:
            gangs.setdefault(one.group, []).append(one)
    for answer in answers:
        first = answer[0]
        if first.group is not None:
            yield from gangs.get(first.group, answer)
        else:
            yield alone.get(first.workload, first)


def _settle(manifest: Manifest, target: Cluster | Recorder) -> None:
    problems = []
    for workload, node in manifest.residents:
        try:
            target.settle(workload, node, overbooked=manifest.overbooked)
        except PlacementError as error:
            file, _, line = manifest.source("workload", workload.id).rpartition(":")
            hint = "what runs already must fit; correct its requests, its 'on', or the node's capacity"
            problems.append(Problem(str(error), "on", hint, file, int(line) if line.isdigit() else None))
    if problems:
        raise ConfigError(problems)
