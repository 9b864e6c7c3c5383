"""Selectors of the model as Kubernetes writes them: a LabelSelector, or the terms of a node selector.

A LabelSelector is one AND of In, NotIn, Exists and DoesNotExist. A node selector is an OR of such, with Gt and Lt; the
node's name is a field, with one value per requirement, so several names are several terms.
"""

from __future__ import annotations

from itertools import product
from typing import Any, Final

from bayplan.errors import Unsupported
from bayplan.model import labels as algebra
from bayplan.model.labels import HIGHEST, LOWEST, ValueSet
from bayplan.model.selector import NODE_NAME, Selector, Term

Written = dict[str, Any]
NEVER: Final[Written] = {
    "matchExpressions": [{"key": "bayplan.dev/never", "operator": one} for one in ("Exists", "DoesNotExist")]
}
"""A preference may not be empty, but it can contradict itself."""
NOTHING_TERM: Final[Written] = {}
"""An empty term matches no node."""


def label_selector(selector: Selector, what: str) -> Written | None:
    """None, an absent selector, is one that matches nothing."""
    if selector.never:
        return None
    if len(selector.terms) > 1:
        raise Unsupported(f"{what}: one of several sets of labels ({selector})")
    pairs: dict[str, str] = {}
    expressions: list[Written] = []
    for key, values in selector.terms[0]:
        only = values.values
        if only is not None and len(only) == 1 and not values.absent:
            pairs[key] = next(iter(only))
        else:
            expressions += requirements(key, values, what, numbers=False)
    found: Written = {"matchLabels": pairs} if pairs else {}
    return found | ({"matchExpressions": expressions} if expressions else {})


def node_terms(selector: Selector, what: str) -> list[Written]:
    """The terms; a selector that never holds is one empty term."""
    return [one for term in selector.terms for one in node_term(term, what)] or [dict(NOTHING_TERM)]


def node_term(term: Term, what: str) -> list[Written]:
    """One AND, as several terms where it allows several nodes by name."""
    expressions = [one for key, values in term if key != NODE_NAME for one in requirements(key, values, what, numbers=True)]
    fields = [_fields(values, what) for key, values in term if key == NODE_NAME]
    found = []
    for choice in product(*fields):
        one: Written = {"matchExpressions": expressions} if expressions else {}
        flat = [field for several in choice for field in several]
        found.append(one | ({"matchFields": flat} if flat else {}))
    return found


def _fields(values: ValueSet, what: str) -> list[list[Written]]:
    """Requirements on the node's name: a list of alternatives."""
    names = values.values
    if names is not None and not values.absent:
        return [[_field("In", name)] for name in sorted(names)]
    others = (~values).values
    if others is not None:
        return [[_field("NotIn", name) for name in sorted(others)]] if others else [[]]
    raise Unsupported(f"{what}: the node name {values}")


def _field(operator: str, name: str) -> Written:
    return {"key": "metadata.name", "operator": operator, "values": [name]}


def requirements(key: str, values: ValueSet, what: str, *, numbers: bool) -> list[Written]:
    """A set of values as an AND of requirements."""
    listed, excluded = values.values, (~values).values
    if listed is not None and not (values.absent and listed):
        return [{"key": key, "operator": "In", "values": sorted(listed)}] if listed else [_bare(key, "DoesNotExist")]
    if excluded is not None:
        found = [] if values.absent else [_bare(key, "Exists")]
        return found + ([{"key": key, "operator": "NotIn", "values": sorted(excluded)}] if excluded else [])
    if numbers and not values.absent and not values.texts and len(values.numbers) == 1:
        return _interval(key, values, what)
    raise Unsupported(f"{what}: the label {key} {values}")


def _bare(key: str, operator: str) -> Written:
    return {"key": key, "operator": operator}


def _interval(key: str, values: ValueSet, what: str) -> list[Written]:
    low, high = values.numbers[0]
    if any(one in values for one in values.exceptions) or (low, high) == (LOWEST, HIGHEST):
        raise Unsupported(f"{what}: the label {key} {values}")
    found = []
    if low > LOWEST:
        found.append({"key": key, "operator": "Gt", "values": [_bound(low - 1, key, what)]})
    if high < HIGHEST:
        found.append({"key": key, "operator": "Lt", "values": [_bound(high + 1, key, what)]})
    if values.exceptions:
        found.append({"key": key, "operator": "NotIn", "values": sorted(values.exceptions)})
    return found


def _bound(number: int, key: str, what: str) -> str:
    """A label value cannot begin with a '-', so there are no negative bounds."""
    if number < 0 or algebra.number(str(number)) is None:
        raise Unsupported(f"{what}: the label {key} compared with {number}")
    return str(number)
