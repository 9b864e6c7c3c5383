"""A pod's own strategies, from its annotations.

    volcano.sh/resource-strategy-scoring-type    MostAllocated or LeastAllocated, for all resources of this pod
    volcano.sh/resource-strategy-weight          {"cpu": 1, "nvidia.com/gpu": 2}: these resources and no others

Without the first one the second is ignored. Where they cannot be read, Volcano gives the pod a score of 0 on every node
instead of that of the scheduler's configuration: an empty tuple here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from bayplan.dialects.source import values
from bayplan.dialects.volcano.decode import INT_LIMIT
from bayplan.dialects.volcano.settings import Mode
from bayplan.dialects.volcano.strategy_fit import TYPES
from bayplan.errors import ConfigError, Problem, did_you_mean
from bayplan.model import resources
from bayplan.model.strategy import ResourceStrategy

TYPE: Final = "volcano.sh/resource-strategy-scoring-type"
WEIGHT: Final = "volcano.sh/resource-strategy-weight"


def strategies_of_pod(
    annotations: Mapping[str, str], mode: Mode = "strict", warnings: list[Problem] | None = None
) -> tuple[ResourceStrategy, ...] | None:
    """The strategies of a pod; None where it has none of its own.

    Strict: whatever Volcano swallows is an error. Lenient: it is taken as Volcano takes it, and added to `warnings`.
    """
    weights, problems = _weights(annotations.get(WEIGHT))
    kind = annotations.get(TYPE)
    if not kind:
        problems = [Problem(f"without {TYPE} Volcano ignores it", WEIGHT)] if annotations.get(WEIGHT) else []
    elif not isinstance(kind, str) or kind not in TYPES:
        hint = did_you_mean(str(kind)[:100], TYPES)
        problems.insert(0, Problem(f"{values.found(kind)} is not a strategy; the pod scores 0 everywhere", TYPE, hint))
    problems = [problem.under("annotations") for problem in problems]
    if problems and mode == "strict":
        raise ConfigError(problems)
    if warnings is not None:
        warnings += problems
    if not kind:
        return None
    if not isinstance(kind, str) or kind not in TYPES or weights is None:
        return ()
    # A weight of 0 skips the resource, even its check for room; a name with a * is no pattern here and matches nothing.
    taken = {name: weight for name, weight in weights.items() if weight and resources.is_name(name)}
    return tuple(ResourceStrategy(name, TYPES[kind], weight) for name, weight in taken.items())


def _weights(written: Any) -> tuple[dict[str, int] | None, list[Problem]]:
    """The weights as Go reads them into a map of integers; None where it cannot. And all that is odd about them."""
    if not written:
        return None, [Problem(f"missing beside {TYPE}; the pod scores 0 everywhere", WEIGHT, '{"cpu": 1}')]
    try:
        pairs = json.loads(written, object_pairs_hook=list, parse_float=_not_whole, parse_constant=_not_whole)
    except (ValueError, TypeError, RecursionError) as error:
        return None, [Problem(f"not JSON of whole numbers ({error}); the pod scores 0 everywhere", WEIGHT, '{"cpu": 1}')]
    if pairs is None:
        return {}, [Problem("null: the pod scores 0 everywhere", WEIGHT, '{"cpu": 1}')]
    if not written.lstrip().startswith("{"):
        return None, [Problem("not a JSON object; the pod scores 0 everywhere", WEIGHT, '{"cpu": 1}')]
    return _checked(pairs)


def _not_whole(written: str) -> int:
    raise ValueError(f"{written[:40]} is not a whole number")


def _checked(pairs: list[tuple[str, Any]]) -> tuple[dict[str, int] | None, list[Problem]]:
    weights: dict[str, int] = {}
    problems, readable = [], True
    for name, weight in pairs:
        path = f"{WEIGHT}.{name[:100]}"
        if weight is None:
            problems.append(Problem("null, which is 0: the resource is skipped", path, "leave it out"))
        elif isinstance(weight, bool) or not isinstance(weight, int) or abs(weight) >= INT_LIMIT:
            readable = False
            problems.append(Problem("not a whole number; the pod scores 0 everywhere", path, "a whole number above 0"))
            continue
        elif weight <= 0:
            problems.append(Problem(f"{weight} is not a weight above 0", path, "leave it out" if weight == 0 else ""))
        if not resources.is_name(name):
            hint = "patterns work only in the scheduler's configuration" if "*" in name else ""
            problems.append(Problem(f"{values.found(name)} is not a resource name", path, hint))
        if name in weights:
            problems.append(Problem("given twice; Volcano takes the last", path))
        weights[name] = weight or 0
    return weights if readable else None, problems
