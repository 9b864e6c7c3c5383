"""Groups: several workloads placed together or not at all, and what can be asked for at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from bayplan.errors import did_you_mean, wrong
from bayplan.model import syntax
from bayplan.model.neighbours import NODE
from bayplan.model.workload import Workload


class Strategy(StrEnum):
    """How the members of a group lie over the domains of its topology key."""

    PACK = "PACK"
    SPREAD = "SPREAD"
    STRICT_PACK = "STRICT_PACK"
    STRICT_SPREAD = "STRICT_SPREAD"
    ANY = "ANY"
    """However the policy likes it: only all or nothing counts."""


@dataclass(frozen=True, slots=True)
class Group:
    """A gang: all members are placed, or none. `fallbacks` are whole other groups (Ray's other
    bundles), tried in order."""

    name: str
    members: tuple[Workload, ...]
    strategy: Strategy = Strategy.PACK
    by: str = NODE
    fallbacks: tuple[Group, ...] = ()

    def __post_init__(self) -> None:
        where = f"group {self.name!r}"
        object.__setattr__(self, "members", tuple(self.members))
        object.__setattr__(self, "fallbacks", tuple(self.fallbacks))
        if self.strategy not in list(Strategy):
            raise wrong(f"{self.strategy!r} is not a strategy", f"{where}.strategy", did_you_mean(str(self.strategy), Strategy))
        object.__setattr__(self, "strategy", Strategy(self.strategy))
        if not all(isinstance(member, Workload) for member in self.members):
            raise wrong("every member must be a Workload", f"{where}.members")
        if fault := syntax.name_fault(self.name):
            raise wrong(fault, where)
        if self.by != NODE and (fault := syntax.key_fault(self.by)):
            raise wrong(fault, f"{where}.by")
        if not self.members:
            raise wrong("a group needs at least one member", f"{where}.members")
        ids = [member.id for member in self.members]
        if len(set(ids)) < len(ids):
            twice = next(one for one, times in Counter(ids).items() if times > 1)
            raise wrong(f"two members are called {twice!r}", f"{where}.members")
        if any(fallback.fallbacks for fallback in self.fallbacks):
            raise wrong("a fallback may not have fallbacks of its own", f"{where}.fallbacks")

    def alternatives(self) -> Iterator[Group]:
        """The group itself, then each fallback in order."""
        yield self
        yield from self.fallbacks

    @property
    def priority(self) -> int:
        """A gang is as important as its least important member."""
        return min(member.priority for member in self.members)


Request = Workload | Group
"""What can be asked for at once."""


def all_ids(request: Request) -> set[str]:
    """Every id the request could come to use: those of its members, in all alternatives of a group."""
    if isinstance(request, Workload):
        return {request.id}
    return {member.id for alternative in request.alternatives() for member in alternative.members}


def members(request: Request) -> tuple[Workload, ...]:
    return request.members if isinstance(request, Group) else (request,)
