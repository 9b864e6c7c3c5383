"""Labels as apimachinery has them: names, requirements, and LabelSelectors as selectors of the model.

An absent LabelSelector matches nothing, an empty one everything. Requirements are joined by AND.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from bayplan.model import labels as algebra
from bayplan.model import syntax
from bayplan.model.labels import ValueSet
from bayplan.model.selector import EVERYTHING, NOWHERE, Selector

_DNS_LABEL = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?", re.ASCII)
IN: Final = frozenset(("in", "=", "=="))
NOT_IN: Final = frozenset(("notin", "!="))
ONE_VALUE: Final = frozenset(("=", "==", "!=", "gt", "lt"))
WORDS: Final = {"In": "in", "NotIn": "notin", "Exists": "exists", "DoesNotExist": "!"}
"""The operators of a LabelSelector."""
NODE_WORDS: Final = {**WORDS, "Gt": "gt", "Lt": "lt"}
"""The operators of a node selector."""


def is_dns_label(text: str) -> bool:
    """The syntax of a namespace's name."""
    return len(text) <= 63 and _DNS_LABEL.fullmatch(text) is not None


def is_dns_subdomain(text: str) -> bool:
    """The syntax of a pod's or node's name."""
    return len(text) <= 253 and all(_DNS_LABEL.fullmatch(part) for part in text.split("."))


def is_key(text: str) -> bool:
    return not syntax.key_fault(text)


def is_prefixed_key(text: str) -> bool:
    """A label key that says whose it is: "example.com/name"."""
    return "/" in text and is_key(text)


def is_value(text: str) -> bool:
    return not syntax.value_fault(text)


@dataclass(frozen=True, slots=True)
class Requirement:
    """One condition on one label. Operators: in notin = == != exists ! gt lt"""

    key: str
    operator: str
    values: tuple[str, ...] = ()

    def faults(self) -> list[tuple[str, str]]:
        """Everything that is wrong with it, as (field, message)."""
        found = [("key", fault)] if (fault := syntax.key_fault(self.key)) else []
        found += self._operator_faults()
        for at, value in enumerate(self.values):
            if fault := syntax.value_fault(value):
                found.append((f"values[{at}][{self.key}]", fault))
        return found

    def _operator_faults(self) -> list[tuple[str, str]]:
        count = len(self.values)
        if self.operator in ONE_VALUE:
            if count != 1:
                return [("values", f"exactly one value is needed, found {count}")]
            if self.operator in ("gt", "lt") and algebra.number(self.values[0]) is None:
                return [("values[0]", f"{self.values[0]!r} is not an integer")]
        elif self.operator in ("in", "notin"):
            return [] if count else [("values", "at least one value is needed")]
        elif self.operator in ("exists", "!"):
            return [("values", "no values are allowed here")] if count else []
        else:
            return [("operator", f"{self.operator!r} is not an operator")]
        return []

    @property
    def value_set(self) -> ValueSet:
        """The values it allows; none, where the requirement itself is wrong."""
        if self.faults():
            return algebra.NOTHING
        return _MEANINGS[self.operator](self.values)

    def __str__(self) -> str:
        if self.operator in ("exists", "!"):
            return f"{'' if self.operator == 'exists' else '!'}{self.key}"
        if self.operator in ("in", "notin"):
            return f"{self.key} {self.operator} ({','.join(sorted(self.values))})"
        return f"{self.key}{ {'gt': '>', 'lt': '<'}.get(self.operator, self.operator) }{self.values[0]}"


_MEANINGS: Final[dict[str, Callable[[tuple[str, ...]], ValueSet]]] = {
    **{operator: lambda values: algebra.in_(*values) for operator in IN},
    **{operator: lambda values: algebra.not_in(*values) for operator in NOT_IN},
    "exists": lambda _: algebra.EXISTS,
    "!": lambda _: algebra.ABSENT_ONLY,
    "gt": lambda values: algebra.gt(algebra.number(values[0]) or 0),
    "lt": lambda values: algebra.lt(algebra.number(values[0]) or 0),
}


def selector(requirements: Iterable[Requirement]) -> Selector:
    """All of them."""
    merged: dict[str, ValueSet] = {}
    for one in requirements:
        merged[one.key] = merged[one.key] & one.value_set if one.key in merged else one.value_set
    return Selector.of(merged)


def render(requirements: Iterable[Requirement]) -> str:
    """As a selector string, sorted by key."""
    return ",".join(str(one) for one in sorted(requirements, key=lambda one: one.key))


def requirements_of(label_selector: Mapping[str, Any]) -> list[Requirement]:
    """The requirements of a LabelSelector whose shape is known to be right."""
    found = [Requirement(key, "=", (value,)) for key, value in (label_selector.get("matchLabels") or {}).items()]
    for one in label_selector.get("matchExpressions") or ():
        found.append(expression(one, WORDS))
    return found


def expression(written: Mapping[str, Any], words: Mapping[str, str]) -> Requirement:
    """A matchExpression; an unknown operator stays what it is, and is a fault of the requirement."""
    operator = str(written.get("operator", ""))
    return Requirement(
        str(written.get("key", "")), words.get(operator, operator or "missing"), tuple(written.get("values") or ())
    )


def of_label_selector(label_selector: Mapping[str, Any] | None) -> Selector:
    if label_selector is None:
        return NOWHERE
    found = requirements_of(label_selector)
    return selector(found) if found else EVERYTHING
