"""What the reading of a pod depends on besides the pod: the rest of the cluster, the scheduler's arguments, the version."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from bayplan.errors import wrong
from bayplan.model.selector import Selector
from bayplan.model.strategy import ResourceStrategy

Version = tuple[int, int]
OLDEST: Final[Version] = (1, 30)
NEWEST: Final[Version] = (1, 37)

POD_LEVEL: Final[Version] = (1, 34)
"""spec.resources counts from here."""
RESIZE: Final[Version] = (1, 33)
"""From here a pod that is being resized counts as what it has or wants, whichever is more."""
AFFINITY_KEYS: Final[Version] = (1, 31)
"""matchLabelKeys and mismatchLabelKeys of pod affinity work from here."""
BALANCE: Final[Version] = (1, 36)
"""NodeResourcesBalancedAllocation scores what a pod changes, not the state it leaves, from here."""


def version(text: str) -> Version:
    """ "1.37", "v1.36.4" """
    match = re.fullmatch(r"v?1\.([0-9]{1,3})(?:\..*)?", text) if isinstance(text, str) else None
    if match is None or not OLDEST <= (1, int(match[1])) <= NEWEST:
        span = f"{OLDEST[0]}.{OLDEST[1]} to {NEWEST[0]}.{NEWEST[1]}"
        raise wrong(f"{text!r} is not a version of Kubernetes that is known here", "version", span)
    return 1, int(match[1])


@dataclass(frozen=True, slots=True)
class Context:
    """The default is a bare kube-scheduler 1.37: no other objects, no arguments, no API server in front of it."""

    namespaces: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Labels by name."""
    priority_classes: Mapping[str, int] = field(default_factory=dict)
    default_priority: int = 0
    added_affinity: Mapping[str, Any] | None = None
    """NodeAffinityArgs.addedAffinity, as written."""
    ignored_resources: frozenset[str] = frozenset()
    ignored_groups: frozenset[str] = frozenset()
    spread_defaults: tuple[Mapping[str, Any], ...] = ()
    """topologySpreadConstraints for pods that have none."""
    system_spread: bool = False
    """They are the scheduler's own, which nodes without such a label may ignore."""
    host_ports: bool = True
    """Host ports are looked at: the plugin NodePorts is not disabled."""
    deduce: Callable[[Mapping[str, Any]], Selector | None] | None = None
    """The selector of the spread defaults, from the services and owners of a pod; None: the pod has none."""
    strategies: Callable[[Mapping[str, str]], tuple[ResourceStrategy, ...] | None] | None = None
    """A pod's own packing, from its annotations."""
    version: Version = NEWEST
    server: bool = False
    """Take a pod as the API server would: fill in its defaults, refuse what it refuses."""
    compared_tolerations: bool = False
    """The alpha gate TaintTolerationComparisonOperators."""


BARE: Final = Context()
