"""Policies: which filters, which scorers, how weighty. The one registry of rules is here.

A new rule is one file in filters/ or scorers/ and one line below. A filter is a function
`(snapshot, workload) -> list[Clause]`, known by its name, or an object that is called so and has parameters of its own.
Users' own rules come by entry points: group `bayplan.filters` for functions, group `bayplan.scorers` for classes with a
`weight` and a method `parts(snapshot, workload) -> list[Part]`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import metadata
from typing import Any, Literal, Protocol

from bayplan.errors import did_you_mean, wrong
from bayplan.filters.devices import devices
from bayplan.filters.fit import fit
from bayplan.filters.neighbours import apart, near
from bayplan.filters.reserve import Reserve
from bayplan.filters.selector import selector
from bayplan.filters.spread import spread
from bayplan.filters.taints import cordon, taints, unschedulable
from bayplan.model.strategy import ResourceStrategy
from bayplan.model.workload import Workload
from bayplan.scorers.balance import Balance
from bayplan.scorers.kubernetes.allocation import Allocation
from bayplan.scorers.kubernetes.attraction import InterPodAffinity
from bayplan.scorers.kubernetes.balanced import BalancedAllocation
from bayplan.scorers.kubernetes.images import ImageLocality
from bayplan.scorers.kubernetes.points import NodeAffinity, TaintToleration
from bayplan.scorers.kubernetes.spreading import PodTopologySpread
from bayplan.scorers.neighbours import Neighbours
from bayplan.scorers.packing import Packing
from bayplan.scorers.preference import Preferences
from bayplan.scorers.scarcity import Scarcity
from bayplan.scorers.spread import Spreading
from bayplan.table.forms import Clause, Part
from bayplan.table.snapshot import Snapshot

Filter = Callable[[Snapshot, Workload], list[Clause]]


class FilterRule(Protocol):
    """A filter with parameters."""

    @property
    def name(self) -> str: ...
    def __call__(self, snapshot: Snapshot, workload: Workload) -> list[Clause]: ...


class Scorer(Protocol):
    """`reads_requests = False` on the class says that its parts are the same whatever the size."""

    @property
    def name(self) -> str: ...
    @property
    def weight(self) -> float: ...
    def parts(self, snapshot: Snapshot, workload: Workload) -> list[Part]: ...


FILTERS: dict[str, Filter] = {
    "cordon": cordon,
    "selector": selector,
    "taints": taints,
    "fit": fit,
    "devices": devices,
    "near": near,
    "apart": apart,
    "spread": spread,
}

OTHER_FILTERS: dict[str, Filter] = {
    "unschedulable": unschedulable,
}
"""Filters that a policy has only if it names them."""

READ_REQUESTS = frozenset(("fit", "devices"))
"""The filters above that look at a workload's requests. What the others compile to is shared by all
workloads with the same conditions, whatever their size. Users' filters are taken to read everything."""

FILTER_RULES: dict[str, Callable[..., FilterRule]] = {
    "reserve": Reserve,
}

SCORERS: dict[str, Callable[..., Scorer]] = {
    "packing": Packing,
    "scarcity": Scarcity,
    "balance": Balance,
    "preference": Preferences,
    "neighbours": Neighbours,
    "spread": Spreading,
    "TaintToleration": TaintToleration,
    "NodeAffinity": NodeAffinity,
    "PodTopologySpread": PodTopologySpread,
    "InterPodAffinity": InterPodAffinity,
    "NodeResourcesFit": Allocation,
    "NodeResourcesBalancedAllocation": BalancedAllocation,
    "ImageLocality": ImageLocality,
}


@dataclass(frozen=True, slots=True)
class Policy:
    """Every filter must pass; the node with the highest sum of scores wins."""

    name: str
    scorers: tuple[Scorer, ...]
    filters: tuple[str | FilterRule, ...] = tuple(FILTERS)
    victims: Literal["fewest", "kubernetes"] = "fewest"
    """Who would have to go where several sets of residents would do; see preempt.py."""
    rules: Rules = field(init=False, repr=False, compare=False)
    """Filters and scorers, looked up."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "rules", Rules(self))
        for name in sorted(READ_REQUESTS.difference(self.filters)):
            raise wrong(f"the filter {name!r} cannot be left out", "policy.filters", "without it nodes would be overbooked")

    def with_scorer(self, scorer: Scorer) -> Policy:
        """The same policy with this scorer in place of the one of its name; weight 0 takes it out."""
        names = [one.name for one in self.scorers]
        others = [scorer if one.name == scorer.name else one for one in self.scorers]
        if scorer.name not in names:
            others.append(scorer)
        return replace(self, scorers=tuple(one for one in others if one.weight))

    def with_filter(self, rule: str | FilterRule, wanted: bool = True) -> Policy:
        """The same policy with this filter in place of the one of its name, or without it."""
        filters = {_name(one): one for one in self.filters} | {_name(rule): rule}
        return replace(self, filters=tuple(one for name, one in filters.items() if wanted or name != _name(rule)))


class Rules:
    """A policy's rules, looked up once and split by whether they read requests."""

    def __init__(self, policy: Policy):
        sized = [one for one in policy.filters if one in READ_REQUESTS or (one not in FILTERS and one not in OTHER_FILTERS)]
        self.sized_filters = [filter_named(one) if isinstance(one, str) else one for one in sized]
        self.filters = [filter_named(one) for one in policy.filters if isinstance(one, str) and one not in sized]
        self.sized_scorers = [one for one in policy.scorers if getattr(one, "reads_requests", True)]
        self.scorers = [one for one in policy.scorers if not getattr(one, "reads_requests", True)]


def _name(rule: str | FilterRule) -> str:
    return rule if isinstance(rule, str) else rule.name


def filter_named(name: str) -> Filter:
    found = FILTERS.get(name) or OTHER_FILTERS.get(name) or _users("bayplan.filters").get(name)
    if found is None:
        raise wrong(f"there is no filter {name!r}", "policy.filters", did_you_mean(name, (*FILTERS, *_users("bayplan.filters"))))
    rule: Filter = found
    return rule


def filter_rule_named(name: str) -> Callable[..., FilterRule]:
    found = FILTER_RULES.get(name)
    if found is None:
        raise wrong(f"there is no filter {name!r} that takes parameters", "policy.filters", did_you_mean(name, FILTER_RULES))
    return found


def scorer_named(name: str) -> Callable[..., Scorer]:
    found = SCORERS.get(name) or _users("bayplan.scorers").get(name)
    if found is None:
        raise wrong(f"there is no scorer {name!r}", "policy.scorers", did_you_mean(name, (*SCORERS, *_users("bayplan.scorers"))))
    rule: Callable[..., Scorer] = found
    return rule


@cache
def _users(group: str) -> dict[str, Any]:
    """Rules that other packages registered, loaded on the first use of an unknown name."""
    return {entry.name: entry.load() for entry in metadata.entry_points(group=group)}


_WISHES: tuple[Scorer, ...] = (Preferences(), Neighbours(), Spreading())

PRESETS: dict[str, Policy] = {
    "pack": Policy(
        "pack",
        (
            Packing((ResourceStrategy("cpu", "most"), ResourceStrategy("memory", "most"), ResourceStrategy("gpu", "most", 2.0))),
            *_WISHES,
        ),
    ),
    "spread": Policy(
        "spread",
        (
            Packing(
                (ResourceStrategy("cpu", "least"), ResourceStrategy("memory", "least"), ResourceStrategy("gpu", "least", 2.0))
            ),
            *_WISHES,
        ),
    ),
    "balanced": Policy("balanced", (Packing(), Balance(), *_WISHES)),
    "ai-mixed": Policy(
        "ai-mixed",
        (
            Packing(
                (
                    *(ResourceStrategy(name, "most", 2.0) for name in ("gpu", "nvidia.com/gpu")),
                    ResourceStrategy("cpu", "least"),
                ),
                over="requested",
                lacking="zero",
            ),
            Scarcity((("gpu", 1.0), ("nvidia.com/gpu", 1.0)), 2.0),
            *_WISHES,
        ),
    ),
    "kubernetes": Policy(
        "kubernetes",
        (
            TaintToleration(),
            NodeAffinity(),
            PodTopologySpread(),
            InterPodAffinity(),
            Allocation(),
            BalancedAllocation(),
            ImageLocality(),
        ),
        ("unschedulable", "taints", "selector", "fit", "devices", "spread", "near", "apart"),
        victims="kubernetes",
    ),
    "plain": Policy("plain", ()),
}
"""`ai-mixed`: GPUs are packed, CPU work is spread and stays off GPU nodes. `kubernetes`: kube-scheduler's default
profile. `plain`: the first node that fits."""

DEFAULT = "balanced"


def preset(name: str) -> Policy:
    if name not in PRESETS:
        raise wrong(f"there is no preset {name!r}", "policy.preset", did_you_mean(name, PRESETS))
    return PRESETS[name]
