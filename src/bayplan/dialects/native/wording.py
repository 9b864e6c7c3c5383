"""Mistakes of shape in plain words: what was found, what was expected, what to write instead."""

from __future__ import annotations

import types
import typing
from typing import Any

from pydantic import Tag, ValidationError

from bayplan.dialects.native.shapes import Entry
from bayplan.dialects.source import values
from bayplan.dialects.source.report import Report, Spot
from bayplan.errors import did_you_mean

_EXPECTED = {
    "string_type": "text",
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "list_type": "a list",
    "finite_number": "a finite number",
}
_BOUNDS = {
    "greater_than_equal": ("ge", "must be {} or more"),
    "greater_than": ("gt", "must be above {}"),
    "less_than_equal": ("le", "must be {} or less"),
    "less_than": ("lt", "must be below {}"),
    "too_short": ("min_length", "must have at least {} entries"),
    "too_long": ("max_length", "must have at most {} entries"),
}
_TRUTHS = {"yes": "true", "on": "true", "y": "true", "no": "false", "off": "false", "n": "false"}


def explain(error: ValidationError, model: type[Entry], spot: Spot, report: Report) -> None:
    """Report every mistake pydantic found in the entry at `spot`."""
    for one in error.errors(include_url=False):
        where = _spot(spot, one["loc"])
        if one["type"] == "missing":
            _missing_key(where, model_at(model, one["loc"][:-1]), report)
        elif one["type"] == "extra_forbidden":
            _unknown_key(where, model_at(model, one["loc"][:-1]), report)
        else:
            _wrong_value(one, where, report)


def _missing_key(where: Spot, model: type[Entry] | None, report: Report) -> None:
    key = str(where.path[-1])
    hint = model.needed.get(key, "") if model is not None else ""
    report.add(Spot(where.document, where.path[:-1]), f"{key!r} is missing", hint)


def _unknown_key(where: Spot, model: type[Entry] | None, report: Report) -> None:
    key = str(where.path[-1])
    hint = ""
    if model is not None and len(key) <= 100:
        known = [one.alias or name for name, one in model.model_fields.items()]
        hint = model.refused.get(key) or did_you_mean(key, known) or f"known: {', '.join(sorted(known))}"
    report.add(where, f"unknown key {values.found(key)}", hint, on_key=True)


def _wrong_value(one: Any, where: Spot, report: Report) -> None:
    kind, value, context = one["type"], one["input"], one.get("ctx", {})
    if kind in _BOUNDS:
        name, words = _BOUNDS[kind]
        if kind == "too_short" and context[name] == 1:
            report.add(where, "must not be empty")
            return
        size = (
            f"{context['actual_length']:,}"
            if name.endswith("length") and context.get("actual_length") is not None
            else values.found(value)
        )
        report.add(where, f"{words.format(_plain(context[name]))}, found {size}")
    elif kind == "literal_error":
        known = context["expected"].replace(" or ", ", ").replace("'", "").split(", ")
        hint = did_you_mean(value, known) if isinstance(value, str) and len(value) <= 100 else ""
        hint = hint if hint.startswith("did") else ""
        report.add(where, f"expected one of {', '.join(known)}, found {values.found(value)}", hint)
    else:
        expected = _EXPECTED.get(kind) or one["msg"]
        report.add(where, f"expected {expected}, found {values.found(value)}", _hint(kind, value, where))


def _hint(kind: str, value: object, where: Spot) -> str:
    """What to write instead, for the commonest slips."""
    if value is None:
        return "give it a value or leave the key out"
    text_fits = kind == "string_type" or (kind == "form" and not isinstance(value, dict | list))
    if text_fits and isinstance(value, bool | int | float):
        written = where.document.written(where.path) or str(value)
        return f"write it in quotes: '{written}'" if kind == "string_type" else ""
    if isinstance(value, str):
        if kind == "bool_type" and value.lower() in _TRUTHS:
            return f"write {_TRUTHS[value.lower()]}"
        if kind == "int_type" and value.isascii() and value.lstrip("+-").isdecimal() and not value.lstrip("+-").startswith("0"):
            return "write it without quotes"
        if kind == "list_type":
            return "write it in brackets: [...]"
    if kind == "list_type":
        return "begin every entry with '- '"
    return ""


def _plain(number: float) -> str:
    return f"{number:,}" if isinstance(number, int) else f"{number:g}"


def _spot(spot: Spot, location: tuple[str | int, ...]) -> Spot:
    """Pydantic's location without the names of union branches, which are in no file."""
    data = spot.value
    for step in location:
        inside = isinstance(data, dict) and step in data
        if isinstance(step, str) and step.startswith("<") and not inside:
            continue
        spot = spot / step
        data = data[step] if inside or (isinstance(data, list) and isinstance(step, int)) else None
    return spot


def model_at(model: type[Entry], location: tuple[str | int, ...]) -> type[Entry] | None:
    """The model whose fields are known at a location."""
    here: Any = model
    for step in location:
        here = _inside(here, step)
    here = _bare(here)
    return here if isinstance(here, type) and issubclass(here, Entry) else None


def _inside(annotation: Any, step: str | int) -> Any:
    """The annotation of what stands at a step into an annotated value; the step may be the tag of a form."""
    here = _bare(annotation)
    origin, inner = typing.get_origin(here), typing.get_args(here)
    if origin in (typing.Union, types.UnionType):
        return next((one for one in inner if any(isinstance(mark, Tag) and mark.tag == step for mark in _marks(one))), None)
    if origin in (dict, list):
        return inner[-1]
    if not (isinstance(here, type) and issubclass(here, Entry)):
        return None
    by_key = {one.alias or name: one.annotation for name, one in here.model_fields.items()}
    if step in by_key:
        return by_key[str(step)]
    others = typing.get_type_hints(here, include_extras=True).get("__pydantic_extra__")
    return _inside(others, step) if here.model_config.get("extra") == "allow" else None


def _bare(annotation: Any) -> Any:
    """Without marks, and without the None of what may be left out."""
    while True:
        choices = typing.get_args(annotation)
        if typing.get_origin(annotation) is typing.Annotated:
            annotation = choices[0]
        elif len(choices) == 2 and types.NoneType in choices:
            annotation = choices[choices[0] is types.NoneType]
        else:
            return annotation


def _marks(annotation: Any) -> tuple[Any, ...]:
    return typing.get_args(annotation)[1:] if typing.get_origin(annotation) is typing.Annotated else ()
