"""The policy section into a PolicySpec, and back.

A spec holds parameters as they are written; only selectors are read, because other dialects write them otherwise. What
the parameters mean is checked here already: a rule that is built later knows nothing of lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from bayplan.dialects.native import selectors, strategies
from bayplan.dialects.native.plugin_schema import NodeResourcesBalancedAllocationEntry, NodeResourcesFitEntry
from bayplan.dialects.native.policy_schema import PolicyEntry, PoolEntry, ReserveEntry
from bayplan.dialects.native.scorer_schema import BalanceEntry, PackingEntry, ScarcityEntry
from bayplan.dialects.source.report import Report, Spot
from bayplan.engine.spec import PolicySpec
from bayplan.errors import ConfigError
from bayplan.model import resources, selector, syntax


def read(entry: PolicyEntry, spot: Spot, report: Report) -> PolicySpec:
    """The policy at `spot`; mistakes in its parameters go to the report."""
    scorers, filters, places = {}, {}, {}
    for name, one in _listed(entry.scorers, spot / "scorers"):
        _check_scorer(one, spot / "scorers" / name, report)
        scorers[name] = _plain((spot / "scorers" / name).value)
    for name, one in _listed(entry.filters, spot / "filters"):
        here = spot / "filters" / name
        filters[name] = _reserve(one, here, report) if isinstance(one, ReserveEntry) else one
    for here in [*(spot / "scorers" / name for name in scorers), *(spot / "filters" / name for name in filters)]:
        places[".".join(map(str, here.path))] = (here.document.file, *here.document.place(here.path, on_key=True))
    return PolicySpec(entry.preset, entry.name, scorers, filters, places)


def _listed(rules: Any, spot: Spot) -> Iterable[tuple[str, Any]]:
    """The rules of a part of the policy by name, in the order of the file."""
    known = {} if rules is None else dict(rules)
    return [(name, known[name]) for name in spot.value or ()]


# --- scorers --------------------------------------------------------------------------------------


def _check_scorer(entry: Any, spot: Spot, report: Report) -> None:
    if isinstance(entry, PackingEntry):
        _check_packing(entry, spot, report)
    elif isinstance(entry, NodeResourcesFitEntry):
        _check_fit(entry, spot, report)
    elif isinstance(entry, BalanceEntry | ScarcityEntry | NodeResourcesBalancedAllocationEntry):
        _check_names(entry.resources or (), spot / "resources", report)
        if isinstance(entry, ScarcityEntry) and entry.resources is None and entry.weight:
            report.add(spot, "'resources' is missing", "list what is scarce: [nvidia.com/gpu]")


def _check_packing(entry: PackingEntry, spot: Spot, report: Report) -> None:
    strategies.read(entry.resources or {}, spot / "resources", report)
    for word, by_name in (("per_queue", entry.per_queue), ("per_namespace", entry.per_namespace)):
        for name, one in (by_name or {}).items():
            strategies.read(one, spot / word / name, report)
            if word == "per_namespace" and (fault := syntax.name_fault(name)):
                report.add(spot / word / name, fault, on_key=True)


def _check_fit(entry: NodeResourcesFitEntry, spot: Spot, report: Report) -> None:
    _check_names(entry.resources or {}, spot / "resources", report)
    if (entry.strategy == "RequestedToCapacityRatio") != (entry.shape is not None):
        report.add(spot, "a shape belongs to RequestedToCapacityRatio, which needs one", "shape: [[0, 0], [100, 10]]")
    percents = [percent for percent, _ in entry.shape or ()]
    for i, (percent, score) in enumerate(entry.shape or ()):
        if score > 10:
            report.add(spot / "shape" / i, f"a score is 0 to 10, found {score}")
        if percent in percents[:i] or percent < max(percents[:i], default=0):
            report.add(spot / "shape" / i, "percents must be rising")


def _check_names(names: Iterable[str], spot: Spot, report: Report) -> None:
    """Names of resources, as a list or as the keys of a mapping."""
    seen = set()
    for i, name in enumerate(names):
        here = spot / (name if isinstance(names, Mapping) else i)
        if not resources.is_name(name):
            report.add(here, f"{name!r} is not a resource name", on_key=isinstance(names, Mapping))
        if name in seen:
            report.add(here, f"{name!r} is listed twice")
        seen.add(name)


# --- filters --------------------------------------------------------------------------------------


def _reserve(entry: ReserveEntry, spot: Spot, report: Report) -> dict[str, Any]:
    """The parameters as written, but for the selectors, which are read."""
    if entry.per_unit is None and entry.pools is None:
        report.add(spot, "nothing is reserved", "give it per_unit, pools, or both")
    for primary, amounts in (entry.per_unit or {}).items():
        here = spot / "per_unit" / primary
        if not resources.is_name(primary):
            report.add(here, f"{primary!r} is not a resource name", on_key=True)
        elif resources.in_bytes(primary):
            report.add(here, f"{primary} is not counted in units", "a resource such as nvidia.com/gpu", on_key=True)
        report.build(here, "", resources.requests, amounts)
    found: dict[str, Any] = _plain(spot.value)
    for i, pool in enumerate(entry.pools or ()):
        _check_pool(pool, spot / "pools" / i, report)
        if pool.nodes is not None:
            found["pools"][i]["nodes"] = selectors.parse(pool.nodes, spot / "pools" / i / "nodes", report)
    return found


def _check_pool(pool: PoolEntry, spot: Spot, report: Report) -> None:
    for name, amount in pool.keep.items():
        if not (isinstance(amount, str) and amount.endswith("%")):
            report.build(spot / "keep", "", resources.request, name, amount)
        elif not _is_percent(amount[:-1]):
            report.add(spot / "keep" / name, f"{amount!r} cannot be kept", "0% to 100%")
        elif not resources.is_name(name):
            report.add(spot / "keep" / name, f"{name!r} is not a resource name", on_key=True)
    _check_names(pool.for_ or (), spot / "for", report)


def _is_percent(text: str) -> bool:
    try:
        return resources.exact("percent", text) <= 100
    except ConfigError:
        return False


# --- the way back ---------------------------------------------------------------------------------


def write(spec: PolicySpec) -> dict[str, Any]:
    """The policy in native notation. Parameters that no file can hold are left as they are."""
    filters = {name: _write_filter(one) for name, one in spec.filters.items()}
    parts = {"name": spec.name, "scorers": _plain(spec.scorers), "filters": filters}
    return {"preset": spec.preset, **{key: value for key, value in parts.items() if value}}


def _write_filter(parameters: Any) -> Any:
    """Selectors stand only where nodes do."""
    found = _plain(parameters)
    pools = parameters.get("pools", ()) if isinstance(parameters, Mapping) else ()
    for i, pool in enumerate(pools):
        if isinstance(pool, Mapping) and "nodes" in pool:
            found["pools"][i]["nodes"] = selectors.write(selector.selector(pool["nodes"], "reserve.pools.nodes"))
    return found


def _plain(data: Any) -> Any:
    """The same data in plain dicts and lists."""
    if isinstance(data, Mapping):
        return {key: _plain(value) for key, value in data.items()}
    if isinstance(data, set | frozenset):
        return sorted(data)
    return [_plain(value) for value in data] if isinstance(data, list | tuple) else data
