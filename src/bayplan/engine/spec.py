"""Policies as they are written: names and parameters, before any rule, or NumPy, is loaded.

Dialects translate into a `PolicySpec`; `build` makes the policy of it. A spec can be written down and read back,
so a decision log can say by which policy it was decided.

    preset      where to begin
    scorers     name: weight, or name: {parameters}. It replaces the preset's scorer of that name; weight 0 takes it out.
                `scorer: packing` among the parameters makes another one of that kind, under a name of its own.
    filters     name: false takes a filter out, name: true adds one from another package, name: {parameters} one that
                has some; `filter: reserve` among them makes another one of that kind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from inspect import signature
from typing import TYPE_CHECKING, Any, TypeVar

from bayplan.errors import ConfigError, Problem, wrong
from bayplan.model import resources
from bayplan.model.selector import selector

if TYPE_CHECKING:
    from bayplan.engine.policy import Policy, Scorer

DEFAULT_PRESET = "balanced"


@dataclass(frozen=True, slots=True)
class PolicySpec:
    """A policy as it is written."""

    preset: str = DEFAULT_PRESET
    name: str = ""
    scorers: Mapping[str, Any] = field(default_factory=dict)
    """By name: a weight, or a mapping of parameters, as written."""
    filters: Mapping[str, Any] = field(default_factory=dict)
    """By name: wanted or not, or a mapping of parameters."""
    places: Mapping[str, tuple[str, int, int]] = field(default_factory=dict, compare=False, repr=False)
    """`places["policy.scorers.packing"]` is (file, line, column)."""


def build(spec: PolicySpec) -> Policy:
    """The policy. Every scorer or filter that does not exist or refuses its parameters is reported at once."""
    from bayplan.engine import policy as engine

    problems: list[Problem] = []
    found = replace(engine.preset(spec.preset), name=spec.name or spec.preset)
    for name, written in spec.scorers.items():
        try:
            found = found.with_scorer(_scorer(name, written, found))
        except ConfigError as error:
            problems += [_placed(one, f"policy.scorers.{name}", spec) for one in error.problems]
    for name, written in spec.filters.items():
        try:
            found = _with_filter(found, name, written)
        except ConfigError as error:
            problems += [_placed(one, f"policy.filters.{name}", spec) for one in error.problems]
    if problems:
        raise ConfigError(problems)
    return found


def _with_filter(policy: Policy, name: str, written: Any) -> Policy:
    from bayplan.engine import policy as engine

    if isinstance(written, Mapping):
        parameters = dict(written)
        kind = str(parameters.pop("filter", name))
        return policy.with_filter(_made(engine.filter_rule_named(kind), kind, name, parameters))
    if name in engine.FILTER_RULES:
        if written:
            raise wrong(f"the filter {name!r} needs parameters", hint=f"{name}: {{...}}")
        return policy.with_filter(name, False)
    engine.filter_named(name)
    return policy.with_filter(name, bool(written))


def _scorer(name: str, written: Any, policy: Policy) -> Scorer:
    """The scorer as written; a bare number is another weight for the preset's own."""
    from bayplan.engine import policy as engine

    own = next((one for one in policy.scorers if one.name == name), None)
    if own is not None and not isinstance(written, Mapping):
        return replace(own, weight=float(written))  # type: ignore[type-var]
    parameters: dict[str, Any] = dict(written) if isinstance(written, Mapping) else {"weight": written}
    if "weight" in parameters:
        parameters["weight"] = float(parameters["weight"])
    kind = str(parameters.pop("scorer", name))
    for key, hint in _NEEDED.get(kind, {}).items():
        if key not in parameters and parameters.get("weight", 1.0):
            raise wrong(f"{key!r} is missing, and the preset has no scorer {name!r} to take it from", hint=hint)
    return _made(engine.scorer_named(kind), kind, name, parameters)


Rule = TypeVar("Rule")


def _made(make: Callable[..., Rule], kind: str, name: str, parameters: Mapping[str, Any]) -> Rule:
    """A rule of some kind from its parameters as written."""
    try:
        given = {key: _PARAMETERS.get((kind, key), _as_it_is)(value) for key, value in parameters.items()}
        if kind != name:
            if not any(one.name == "name" or one.kind is one.VAR_KEYWORD for one in signature(make).parameters.values()):
                raise wrong(f"a policy can have only one {kind!r}", hint=f"call it {kind!r}")
            given["name"] = name
        return make(**given)
    except (TypeError, ValueError, OverflowError) as error:  # of another package, or parameters that were never checked
        raise ConfigError(Problem(f"the rule {name!r} refuses its parameters: {error}")) from error


def _as_it_is(value: Any) -> Any:
    return value


def _strategies(written: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(strategy(name, how) for name, how in written.items())


def strategy(resource: str, how: Any) -> Any:
    """`cpu: least` or `cpu: {strategy: least, weight: 2}`"""
    from bayplan.model.strategy import ResourceStrategy

    if isinstance(how, str):
        return ResourceStrategy(resource, how)  # type: ignore[arg-type]
    shape = tuple((float(x), float(y)) for x, y in how.get("shape", ()))
    return ResourceStrategy(resource, how["strategy"], float(how.get("weight", 1.0)), shape)


def _strategies_by_name(written: Mapping[str, Any]) -> dict[str, tuple[Any, ...]]:
    return {name: _strategies(one) for name, one in written.items()}


def _scarce(written: Any) -> tuple[tuple[str, float], ...]:
    """Names, or names with weights."""
    weights = written if isinstance(written, Mapping) else dict.fromkeys(written, 1.0)
    return tuple((name, float(weight)) for name, weight in weights.items())


def _weights(written: Mapping[str, Any]) -> tuple[tuple[str, int], ...]:
    return tuple((str(name), int(weight)) for name, weight in written.items())


def _points(written: Any) -> tuple[tuple[int, int], ...]:
    return tuple((int(x), int(y)) for x, y in written)


def _ratios(written: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    return {primary: {name: _ratio(name, one) for name, one in amounts.items()} for primary, amounts in written.items()}


def _ratio(resource: str, amount: Any) -> float:
    """Of `resource`, for one unit of another: units, or 10^9 bytes."""
    exact = resources.exact(resource, amount)
    return float(exact / 10**9 if resources.in_bytes(resource) else exact)


def _pools(written: Any) -> tuple[Any, ...]:
    from bayplan.filters.reserve import Pool

    found = []
    for one in written:
        percent = {name: amount for name, amount in one["keep"].items() if isinstance(amount, str) and amount.endswith("%")}
        fixed = {name: amount for name, amount in one["keep"].items() if name not in percent}
        shares = {name: float(resources.exact(name, amount[:-1].strip())) for name, amount in percent.items()}
        nodes = selector(one.get("nodes", {}), "reserve.pools.nodes")
        found.append(Pool(resources.requests(fixed), shares, nodes, frozenset(one.get("for", ()))))
    return tuple(found)


_PARAMETERS: Mapping[tuple[str, str], Callable[[Any], Any]] = {
    ("packing", "resources"): _strategies,
    ("packing", "per_queue"): _strategies_by_name,
    ("packing", "per_namespace"): _strategies_by_name,
    ("balance", "resources"): tuple,
    ("scarcity", "resources"): _scarce,
    ("NodeResourcesFit", "resources"): _weights,
    ("NodeResourcesFit", "shape"): _points,
    ("NodeResourcesBalancedAllocation", "resources"): tuple,
    ("reserve", "per_unit"): _ratios,
    ("reserve", "pools"): _pools,
}
"""How the parameters of our own rules are read, where they are more than numbers and texts."""


_NEEDED: Mapping[str, Mapping[str, str]] = {"scarcity": {"resources": "list what is scarce: {resources: [nvidia.com/gpu]}"}}
"""Parameters without which a scorer would silently do nothing."""


def _placed(problem: Problem, path: str, spec: PolicySpec) -> Problem:
    """The problem with the path and place of the rule it is about."""
    file, line, column = spec.places.get(path, ("", None, None))
    return replace(problem, path=path, file=file, line=line, column=column)
