"""The policy section: a preset, and the scorers and filters that differ from it.

preset      pack | spread | balanced
scorers     name: weight, or name: {weight, ...}; replaces the preset's scorer of that name; weight 0 takes it out
filters     name: false takes a filter out, name: true adds one from another package
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from bayplan.errors import ConfigError, Problem

if TYPE_CHECKING:
    from bayplan.engine.policy import Policy, Scorer


@dataclass(frozen=True, slots=True)
class PolicySpec:
    """A policy as it is written. `build` makes it; until then no rule, and no NumPy, is loaded."""

    preset: str = "balanced"
    name: str = ""
    scorers: Mapping[str, Any] = field(default_factory=dict)
    """By name: a weight, or a mapping of parameters, as written."""
    filters: Mapping[str, bool] = field(default_factory=dict)
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
    filters = dict.fromkeys(found.filters)
    for name, wanted in spec.filters.items():
        try:
            engine.filter_named(name)
        except ConfigError as error:
            problems += [_placed(one, f"policy.filters.{name}", spec) for one in error.problems]
        if wanted:
            filters[name] = None
        else:
            filters.pop(name, None)
    if problems:
        raise ConfigError(problems)
    try:
        return replace(found, filters=tuple(filters))
    except ConfigError as error:
        path = next(f"policy.filters.{name}" for name, wanted in spec.filters.items() if not wanted)
        raise ConfigError(_placed(one, path, spec) for one in error.problems) from error


def _scorer(name: str, written: Any, preset: Policy) -> Scorer:
    """The scorer as written; a bare number is another weight for the preset's own."""
    from bayplan.engine import policy as engine

    make = engine.scorer_named(name)
    own = next((one for one in preset.scorers if one.name == name), None)
    if own is not None and not isinstance(written, Mapping):
        return replace(own, weight=float(written))  # type: ignore[type-var]
    parameters: dict[str, Any] = dict(written) if isinstance(written, Mapping) else {"weight": float(written)}
    if "weight" in parameters:
        parameters["weight"] = float(parameters["weight"])
    if name == "packing" and "resources" in parameters:
        parameters["resources"] = tuple(_strategy(one, how) for one, how in parameters["resources"].items())
    elif name == "balance" and "resources" in parameters:
        parameters["resources"] = tuple(parameters["resources"])
    try:
        return make(**parameters)
    except (TypeError, ValueError) as error:  # a rule of another package, with parameters it does not take
        raise ConfigError(Problem(f"the scorer {name!r} refuses its parameters: {error}")) from error


def _strategy(resource: str, how: Any) -> Any:
    from bayplan.scorers.packing import ResourceStrategy

    if isinstance(how, str):
        return ResourceStrategy(resource, how)  # type: ignore[arg-type]
    shape = tuple((float(x), float(y)) for x, y in how.get("shape", ()))
    return ResourceStrategy(resource, how["strategy"], float(how.get("weight", 1.0)), shape)


def _placed(problem: Problem, path: str, spec: PolicySpec) -> Problem:
    """The problem with the path and place of the rule it is about."""
    file, line, column = spec.places.get(path, ("", None, None))
    return replace(problem, path=path, file=file, line=line, column=column)
