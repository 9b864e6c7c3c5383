"""The notation of taints and tolerations, both ways.

taint        key=value:Effect    key:Effect    key=value    key             no effect: NoSchedule
toleration   the same, where no value means any value and no effect any effect; "*" is everything
"""

from __future__ import annotations

from typing import Any

from bayplan.dialects.native import schema
from bayplan.dialects.source.report import Report, Spot
from bayplan.errors import Unsupported, did_you_mean
from bayplan.model import syntax
from bayplan.model.node import Effect, Taint
from bayplan.model.tolerations import Match, Toleration

_EFFECTS = tuple(str(effect) for effect in Effect)


def taint(written: str | schema.TaintEntry, spot: Spot, report: Report) -> Taint | None:
    if isinstance(written, str):
        parts = _parts(written, spot, report)
        if parts is None:
            return None
        key, value, effect = parts
    else:
        key, value = written.key, written.value
        effect = None if written.effect is None else Effect(written.effect)
    return report.build(spot, "taint", Taint, key, value or "", effect or Effect.NO_SCHEDULE)


def toleration(written: str | schema.TolerationEntry, spot: Spot, report: Report) -> Toleration | None:
    if isinstance(written, str):
        parts = _parts(written, spot, report)
        if parts is None:
            return None
        key, value, effect = parts
        operator = Match.EXISTS if value is None else Match.EQUAL
        key = "" if key == "*" else key
    else:
        key, value = written.key or "", written.value
        effect = None if written.effect is None else Effect(written.effect)
        operator = Match(written.operator) if written.operator else Match.EXISTS if value is None else Match.EQUAL
    return _toleration(key, value, operator, effect, spot, report)


def _toleration(
    key: str, value: str | None, operator: Match, effect: Effect | None, spot: Spot, report: Report
) -> Toleration | None:
    if operator is Match.EXISTS and value:
        report.add(spot, f"Exists takes no value, found {value!r}", "leave the value out, or use operator Equal")
        return None
    number = operator in (Match.GT, Match.LT)  # checked by the model; it may be negative, which no label value is
    fault = (syntax.key_fault(key) if key else "") or ("" if number else syntax.value_fault(value or ""))
    if fault:
        report.add(spot, fault)
        return None
    return report.build(spot, "toleration", Toleration, key, value or "", operator, effect)


def _parts(text: str, spot: Spot, report: Report) -> tuple[str, str | None, Effect | None] | None:
    """Key, value and effect of `key=value:Effect`."""
    rest, colon, effect = text.partition(":")
    key, equals, value = rest.partition("=")
    if colon and effect not in _EFFECTS:
        near = did_you_mean(effect, _EFFECTS) if len(effect) <= 100 else ""
        report.add(spot, f"{text!r} does not end in an effect, found {effect!r}", near)
        return None
    if not key:
        report.add(spot, f"{text!r} has no key", "write key=value:Effect")
        return None
    return key, value if equals else None, Effect(effect) if colon else None


def write_taint(one: Taint) -> str:
    return str(one)


def write_toleration(one: Toleration) -> str | dict[str, Any]:
    effect = f":{one.effect}" if one.effect else ""
    if one.operator is Match.EXISTS:
        if one.value:
            raise Unsupported(f"a toleration with operator Exists and the value {one.value!r}")
        return f"{one.key or '*'}{effect}"
    if one.operator is Match.EQUAL:
        return f"{one.key}={one.value}{effect}"
    written = {"key": one.key, "operator": str(one.operator), "value": one.value}
    return written | ({"effect": str(one.effect)} if one.effect else {})
