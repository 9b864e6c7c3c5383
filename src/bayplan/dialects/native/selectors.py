"""The notation of selectors, both ways.

    {zone: a}                        zone is a
    {zone: [a, b]}                   zone is a or b
    {zone: {in: [...]}}              not_in, exists, gt, lt; several operators: all must hold
    {zone: a, disk: ssd}             both keys
    [{zone: a}, {disk: ssd}]         either mapping
    {"@name": [n1, n2]}              the node is called n1 or n2; only where it is about nodes

Law: parse(write(s)) == s, unless a value set needs "or" for one key: then it is written as several
mappings, which match the same labels. A set that has some numbers and all texts cannot be written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product
from typing import Any, Final

from bayplan.dialects.native import schema
from bayplan.dialects.source.report import Report, Spot
from bayplan.errors import Unsupported
from bayplan.model import labels as algebra
from bayplan.model import selector as selectors
from bayplan.model import syntax
from bayplan.model.labels import ValueSet
from bayplan.model.selector import Selector

BRANCH_LIMIT: Final = 256
Value = str | list[str] | schema.Operators
Fault = Callable[[str], str]
"""What is wrong with a value, or nothing."""


def parse(written: dict[str, Value] | list[dict[str, Value]], spot: Spot, report: Report, *, of_nodes: bool = True) -> Selector:
    """The selector at `spot`; mistakes in keys and values go to the report."""
    if isinstance(written, list):
        return Selector(tuple(_term(one, spot / i, report, of_nodes) for i, one in enumerate(written)))
    return Selector((_term(written, spot, report, of_nodes),))


def _term(written: dict[str, Value], spot: Spot, report: Report, of_nodes: bool) -> selectors.Term:
    sets = {}
    for key, value in written.items():
        is_name = of_nodes and key == selectors.NODE_NAME
        if not is_name and (fault := syntax.key_fault(key)):
            report.add(spot / key, fault, on_key=True)
        sets[key] = _values(value, spot / key, report, syntax.name_fault if is_name else syntax.value_fault)
    return selectors.term(sets)


def _values(value: Value, spot: Spot, report: Report, fault_of: Fault) -> ValueSet:
    if isinstance(value, str):
        _check((value,), lambda _: spot, report, fault_of)
        return algebra.in_(value)
    if isinstance(value, list):
        _check(value, lambda i: spot / i, report, fault_of)
        return algebra.in_(*value)
    return _operators(value, spot, report, fault_of)


def _operators(value: schema.Operators, spot: Spot, report: Report, fault_of: Fault) -> ValueSet:
    found = algebra.ANYTHING
    if value.in_ is not None:
        _check(value.in_, lambda i: spot / "in" / i, report, fault_of)
        found &= algebra.in_(*value.in_)
    if value.not_in is not None:
        _check(value.not_in, lambda i: spot / "not_in" / i, report, fault_of)
        found &= algebra.not_in(*value.not_in)
    if value.exists is not None:
        found &= algebra.exists() if value.exists else algebra.does_not_exist()
    if value.gt is not None:
        found &= algebra.gt(value.gt)
    if value.lt is not None:
        found &= algebra.lt(value.lt)
    if not value.model_fields_set:
        report.add(spot, "expected at least one of in, not_in, exists, gt, lt, found an empty mapping")
    return found


def _check(values: Iterable[str], spot: Any, report: Report, fault_of: Fault) -> None:
    for i, value in enumerate(values):
        if fault := fault_of(value):
            report.add(spot(i), fault)


def write(selector: Selector, *, of_nodes: bool = True) -> dict[str, Any] | list[dict[str, Any]]:
    """The selector in native notation."""
    terms = [written for term in selector.terms for written in _write_term(term, of_nodes)]
    return terms[0] if len(terms) == 1 else terms


def _write_term(term: selectors.Term, of_nodes: bool) -> list[dict[str, Any]]:
    keys = [key for key, _ in term]
    if selectors.NODE_NAME in keys and not of_nodes:
        raise Unsupported(f"a selector of workloads cannot name nodes: {Selector((term,))}")
    choices = [branches(values) for _, values in term]
    total = 1
    for choice in choices:
        total *= len(choice)
        if total > BRANCH_LIMIT:
            raise Unsupported(f"the selector {Selector((term,))} would take more than {BRANCH_LIMIT} mappings")
    return [dict(zip(keys, each, strict=True)) for each in product(*choices)]


def branches(values: ValueSet) -> list[Any]:
    """The set as values of a key; more than one where it takes an "or"."""
    if values.values is not None:
        return [*_listed(values.exceptions), *([{"exists": False}] if values.absent else [])]
    if (~values).values is not None:
        there = {} if values.absent else {"exists": True}
        return [there | ({"not_in": sorted(values.exceptions)} if values.exceptions else {})]
    if values.texts:
        raise Unsupported(f"the set of label values '{values}' cannot be written with in, not_in, exists, gt and lt")
    added = [value for value in values.exceptions if value in values]
    removed = [value for value in values.exceptions if value not in values]
    found = [_interval(low, high, removed) for low, high in values.numbers]
    return [*found, *_listed(added), *([{"exists": False}] if values.absent else [])]


def _listed(values: Iterable[str]) -> list[Any]:
    several = sorted(values)
    return [] if not several else [several[0]] if len(several) == 1 else [several]


def _interval(low: int, high: int, removed: Iterable[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if low > algebra.LOWEST or high == algebra.HIGHEST:
        found["gt"] = low - 1
    if high < algebra.HIGHEST:
        found["lt"] = high + 1
    if inside := sorted(value for value in removed if low <= (algebra.number(value) or 0) <= high):
        found["not_in"] = inside
    return found
