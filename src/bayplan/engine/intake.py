"""What comes in with one call: in which order it is decided, and what of it can be decided in one go."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter

from bayplan.errors import wrong
from bayplan.model.group import Group, Request, all_ids
from bayplan.model.workload import Workload

_ID = attrgetter("id")
_KIND_KEY = attrgetter("_kind")


def flatten(items: Iterable[Request | Iterable[Request]]) -> list[Request]:
    """Requests, given one by one or in lists."""
    found: list[Request] = []
    for item in items:
        found += item if isinstance(item, Iterable) else (item,)
    return found


def ids_of(asked: Sequence[Request]) -> list[str]:
    """Every id the requests could come to use."""
    types = set(map(type, asked))
    if types == {Workload}:
        return list(map(_ID, asked))
    if not types <= {Workload, Group}:
        odd = next(one for one in asked if type(one) not in (Workload, Group))
        raise wrong(f"{odd!r} cannot be placed", hint="only a Workload or a Group can")
    return [one for request in asked for one in all_ids(request)]


def all_alike(asked: Sequence[Request]) -> bool:
    """Copies of one workload share the very key of their kind, which is quick to see."""
    if len(asked) < 2 or not _may_batch(asked[0]):
        return False
    try:
        return list(map(_KIND_KEY, asked)).count(_kind(asked[0])) == len(asked)
    except AttributeError:  # a group has no such key
        return False


def runs(asked: Sequence[Request], together: bool = True) -> Iterator[list[int]]:
    """Positions in the order of deciding (important first, then as given), equal workloads `together`."""
    run: list[int] = []
    for at in sorted(range(len(asked)), key=lambda at: -asked[at].priority):
        if run and not (together and _may_batch(asked[at]) and _kind(asked[at]) == _kind(asked[run[0]])):
            yield run
            run = []
        run.append(at)
    if run:
        yield run


def _kind(request: Request) -> object:
    return request.kind if isinstance(request, Workload) else request


def _may_batch(request: Request) -> bool:
    """Fallbacks can make way for the next of the same kind, so those are decided one by one."""
    return isinstance(request, Workload) and not request.fallbacks
