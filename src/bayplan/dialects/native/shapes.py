"""What all shapes are made of: entries without conversion, forms told apart by their kind, values with bounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, ClassVar, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Discriminator, Field
from pydantic_core import PydanticCustomError

COUNT_LIMIT = 1_000_000
INNER_LIMIT = 10_000
"""Entries of one inner list or mapping."""
MEMBER_LIMIT = 100_000


class Entry(BaseModel):
    """Common rules: no conversion, no unknown keys."""

    model_config = ConfigDict(strict=True, extra="forbid")
    refused: ClassVar[dict[str, str]] = {}
    """Keys that are known elsewhere, and why they are not allowed here."""
    needed: ClassVar[dict[str, str]] = {}
    """Keys that must be given, and what to write; where their names do not say it."""


def shape_of(value: Any) -> str | None:
    """The tag of a value's YAML kind."""
    if isinstance(value, bool):
        return "<flag>"
    if isinstance(value, int | float):
        return "<number>"
    return (
        "<text>"
        if isinstance(value, str)
        else "<list>"
        if isinstance(value, list)
        else "<mapping>"
        if isinstance(value, dict)
        else None
    )


def either(expected: str, tag: Callable[[Any], str | None] = shape_of) -> Discriminator:
    """Tells the forms of a value apart by a tag, as a rule its YAML kind, so that a mistake is reported for one
    form only. `expected` says what would be right."""
    return Discriminator(tag, custom_error_type="form", custom_error_message=expected)


def _quantity(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise PydanticCustomError("form", "a quantity such as 4, 0.5, 500m or 64Gi")
    return value


def _given(value: Any) -> Any:
    if value is None:
        raise PydanticCustomError("nothing", "a value")
    return value


T = TypeVar("T")
Given = Annotated[T | None, BeforeValidator(_given)]
"""May be left out (then it is None), but `key:` with nothing after it is a mistake."""


def _short_enough(value: Any) -> Any:
    """Before the entries are looked at, so that a million wrong ones cost nothing."""
    if isinstance(value, dict | list) and len(value) > INNER_LIMIT:
        raise PydanticCustomError("too_long", "too long", {"max_length": INNER_LIMIT, "actual_length": len(value)})
    return value


Short = BeforeValidator(_short_enough)
Bounded = Annotated[T, Field(max_length=INNER_LIMIT), Short]
Some = Annotated[T, Field(min_length=1, max_length=INNER_LIMIT), Short]
"""Bounded, and not empty."""

Count = Annotated[int, Field(ge=1, le=COUNT_LIMIT)]
Finite = Annotated[float, Field(allow_inf_nan=False)]
Wish = Annotated[float, Field(allow_inf_nan=False, gt=0)]
Weight = Annotated[float, Field(allow_inf_nan=False, ge=0)]
Quantity = Annotated[int | float | str, BeforeValidator(_quantity)]
Quantities = Bounded[dict[str, Quantity]]
Labels = Bounded[dict[str, str]]
Texts = Bounded[list[str]]
SomeTexts = Some[list[str]]
