"""Taints and tolerations.

    tolerates = (no effect, or the same) and (no key, or the same) and (Exists, or the same value)

Gt and Lt compare canonical 64-bit integers, behind an alpha gate; without it nothing is tolerated by them.
"""

from __future__ import annotations

import re
from typing import Final

from bayplan.dialects.kubernetes.context import Context
from bayplan.dialects.kubernetes.reading import At
from bayplan.errors import ConfigError
from bayplan.model import labels as algebra
from bayplan.model import syntax
from bayplan.model.node import Effect, Taint
from bayplan.model.tolerations import Match, Toleration

EFFECTS: Final = tuple(effect.value for effect in Effect)
_CANONICAL = re.compile(r"0|-?[1-9][0-9]*", re.ASCII)
_TAINT: Final = frozenset(("key", "value", "effect", "timeAdded"))
_TOLERATION: Final = frozenset(("key", "operator", "value", "effect", "tolerationSeconds"))


def taints(node: At) -> list[Taint]:
    found = []
    for one in (node / "spec" / "taints").items():
        one.known(_TAINT)
        key, value = (one / "key").text(), (one / "value").text()
        effect = (one / "effect").word(EFFECTS, "")
        fault = syntax.key_fault(key) or syntax.value_fault(value)
        if fault:
            one.mistake(fault)
        elif effect:
            found.append(Taint(key, value, Effect(effect)))
    return found


def tolerations(spec: At, context: Context) -> list[Toleration]:
    found = []
    for one in (spec / "tolerations").items():
        made = toleration(one, context)
        if made is not None:
            found.append(made)
    return found


def toleration(at: At, context: Context) -> Toleration | None:
    """None where it tolerates nothing."""
    at.known(_TOLERATION)
    key, value = (at / "key").text(), (at / "value").text()
    operator = (at / "operator").word([one.value for one in Match], "Equal") if (at / "operator").value else "Equal"
    effect = (at / "effect").word(EFFECTS, "NoSchedule") if (at / "effect").value else ""
    (at / "tolerationSeconds").whole(0)
    if operator in ("Gt", "Lt") and not _comparable(at, operator, value, context):
        return None
    if context.server:
        _check(at, key, operator, value, effect)
    try:
        return Toleration(key, value, Match(operator), Effect(effect) if effect else None)
    except ConfigError as error:
        at.mistake(error.problems[0].message)
        return None


def _comparable(at: At, operator: str, value: str, context: Context) -> bool:
    if not context.compared_tolerations:
        if context.server:
            (at / "operator").mistake(f"{operator} needs the alpha gate TaintTolerationComparisonOperators")
        return False
    if is_canonical(value):
        return True
    if context.server:
        (at / "value").mistake(f"{value!r} is not a canonical 64-bit integer")
    return False


def is_canonical(value: str) -> bool:
    """An integer in the one spelling that Gt and Lt accept: no sign +, no leading zeros."""
    return _CANONICAL.fullmatch(value) is not None and algebra.number(value) is not None


def _check(at: At, key: str, operator: str, value: str, effect: str) -> None:
    """What the API server refuses."""
    if key and (fault := syntax.key_fault(key)):
        (at / "key").mistake(fault)
    if operator == "Exists" and value:
        (at / "value").mistake("there is no value to compare with Exists", "leave it out, or write operator: Equal")
    elif fault := syntax.value_fault(value):
        (at / "value").mistake(fault)
    if at / "tolerationSeconds" and effect != "NoExecute":
        (at / "tolerationSeconds").mistake("tolerationSeconds goes with effect NoExecute only")
