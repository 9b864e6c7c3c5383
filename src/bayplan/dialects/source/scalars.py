"""What an unquoted YAML word means: as in YAML 1.2, and never a surprise.

null, ~, (nothing)         nothing
true, false                a truth value; yes, no, on, off are text (Norway is "no")
12, -3                     a whole number; 012, 0x1f, 1_000 and 1:30 are text
1.5, 1e3, .5, .inf, .nan   a number
anything else              text; dates, too
"""

from __future__ import annotations

import re

Scalar = None | bool | int | float | str

DIGITS_LIMIT = 100
"""Longer whole numbers stay text: nobody means them, and reading them takes quadratic time."""

_NULL = frozenset(("", "~", "null", "Null", "NULL"))
_BOOL = {word: word.lower() == "true" for word in ("true", "True", "TRUE", "false", "False", "FALSE")}
_INT = re.compile(r"[-+]?(?:0|[1-9][0-9]*)", re.ASCII)
_FLOAT = re.compile(r"[-+]?(?:(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|[0-9]+[eE][-+]?[0-9]+)", re.ASCII)
_SPECIAL = {
    **{word: float("nan") for word in (".nan", ".NaN", ".NAN")},
    **{sign + word: float(sign + "inf") for sign in ("", "+", "-") for word in (".inf", ".Inf", ".INF")},
}
_MAYBE_NUMBER = frozenset("+-.0123456789")


def plain(text: str) -> Scalar:
    """The value of a word that stands in the file without quotes."""
    if text and text[0] not in _MAYBE_NUMBER:
        return None if text in _NULL else _BOOL.get(text, text)
    if not text:
        return None
    if _INT.fullmatch(text):
        return int(text) if len(text) <= DIGITS_LIMIT else text
    if _FLOAT.fullmatch(text):
        return float(text)
    return _SPECIAL.get(text, text)


def tagged(tag: str, text: str) -> Scalar:
    """The value of a word with an explicit tag such as `!!str`. KeyError: no such tag; ValueError: the text does not fit."""
    kinds = _TAGS[tag]
    value = text if str in kinds else plain(text)
    if float in kinds and type(value) is int:
        value = float(value)
    if type(value) not in kinds:
        raise ValueError(text)
    return value


_CORE = "tag:yaml.org,2002:"
_TAGS: dict[str, tuple[type, ...]] = {
    "!": (str,),
    _CORE + "str": (str,),
    _CORE + "int": (int,),
    _CORE + "float": (float,),
    _CORE + "bool": (bool,),
    _CORE + "null": (type(None),),
}
