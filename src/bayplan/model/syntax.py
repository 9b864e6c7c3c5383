"""Kubernetes' label syntax, with an error that says which rule was broken.

key   = [prefix "/"] name      prefix: DNS subdomain, at most 253
name  = 1..63 of A-Z a-z 0-9 - _ .   beginning and ending with a letter or digit
value = "" or the syntax of a name
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from bayplan.errors import Problem

NAME_LIMIT = 63
PREFIX_LIMIT = 253
_NAME = re.compile(r"[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?", re.ASCII)
_PLAIN = re.compile(r"[^\s/\x00-\x1f\x7f-\x9f\ud800-\udfff]+")
_DNS = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*", re.ASCII)


@lru_cache(maxsize=1 << 16)
def key_fault(key: str) -> str:
    """What is wrong with a label key, or "" when nothing is."""
    prefix, slash, name = key.rpartition("/")
    if "/" in prefix:
        return f"{key!r} has more than one '/'"
    if slash and not prefix:
        return f"{key!r} has an empty prefix before '/'"
    if len(prefix) > PREFIX_LIMIT:
        return f"the prefix of {key[:40]!r}... is {len(prefix)} characters long, at most {PREFIX_LIMIT} are allowed"
    if prefix and not _DNS.fullmatch(prefix):
        return f"the prefix {prefix!r} is not a DNS name (lower-case letters, digits, '-' and '.')"
    if not name:
        return f"{key!r} has an empty name" if key else "a label key may not be empty"
    return _name_fault(name, "the name")


@lru_cache(maxsize=1 << 16)
def value_fault(value: str) -> str:
    """What is wrong with a label value, or "" when nothing is. The empty value is allowed."""
    return _name_fault(value, "the value") if value else ""


def name_fault(name: str) -> str:
    """What is wrong with the name of a node or workload, or "". Engines differ, so only what would
    be ambiguous is refused: the empty name, white space, and '/' (it separates the namespace)."""
    if not name:
        return "a name may not be empty"
    if len(name) > PREFIX_LIMIT:
        return f"the name {name[:40]!r}... is {len(name)} characters long, at most {PREFIX_LIMIT} are allowed"
    if not _PLAIN.fullmatch(name):
        return f"the name {name!r} contains white space, '/' or unprintable characters"
    return ""


def _name_fault(text: str, what: str) -> str:
    if len(text) > NAME_LIMIT:
        return f"{what} {text[:40]!r}... is {len(text)} characters long, at most {NAME_LIMIT} are allowed"
    if _NAME.fullmatch(text):
        return ""
    odd = sorted({char for char in text if not re.fullmatch(r"[-A-Za-z0-9_.]", char, re.ASCII)})
    if odd:
        return f"{what} {text!r} contains {' '.join(map(repr, odd[:5]))}; allowed are letters, digits, '-', '_' and '.'"
    return f"{what} {text!r} must begin and end with a letter or digit"


def label_problems(labels: Mapping[Any, object], path: str = "labels") -> list[Problem]:
    """Every mistake in a set of labels."""
    problems = []
    for key, value in labels.items():
        where = f"{path}.{key}"
        if not isinstance(key, str):
            problems.append(Problem(f"a label key must be text, found {key!r}", where, f"write it in quotes: '{key}'"))
        elif fault := key_fault(key):
            problems.append(Problem(fault, where))
        if not isinstance(value, str):
            problems.append(Problem(f"a label value must be text, found {value!r}", where, f"write it in quotes: '{value}'"))
        elif fault := value_fault(value):
            problems.append(Problem(fault, where))
    return problems
