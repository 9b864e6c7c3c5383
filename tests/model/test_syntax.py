"""Label syntax: what is accepted, and the exact words in which the rest is refused."""

from __future__ import annotations

import pytest

from bayplan.errors import Problem
from bayplan.model import syntax

GOOD_KEYS = [
    "a",
    "A",
    "7",
    "zone",
    "a-b_c.d",
    "topology.kubernetes.io/zone",
    "x/y",
    "1.2/3",
    "k" * 63,
    "p" * 253 + "/" + "k" * 63,
]


@pytest.mark.parametrize("key", GOOD_KEYS, ids=lambda key: key[:30])
def test_good_keys(key: str) -> None:
    assert syntax.key_fault(key) == ""


ALLOWED = "allowed are letters, digits, '-', '_' and '.'"
DNS = "is not a DNS name (lower-case letters, digits, '-' and '.')"

BAD_KEYS = [
    ("", "a label key may not be empty"),
    ("a/b/c", "'a/b/c' has more than one '/'"),
    ("//", "'//' has more than one '/'"),
    ("/a", "'/a' has an empty prefix before '/'"),
    ("/", "'/' has an empty prefix before '/'"),
    ("a/", "'a/' has an empty name"),
    ("Upper.io/a", f"the prefix 'Upper.io' {DNS}"),
    ("a..b/c", f"the prefix 'a..b' {DNS}"),
    ("-a/b", f"the prefix '-a' {DNS}"),
    ("a_b/c", f"the prefix 'a_b' {DNS}"),
    ("p" * 254 + "/a", f"the prefix of '{'p' * 40}'... is 254 characters long, at most 253 are allowed"),
    ("k" * 64, f"the name '{'k' * 40}'... is 64 characters long, at most 63 are allowed"),
    ("-a", "the name '-a' must begin and end with a letter or digit"),
    ("a.", "the name 'a.' must begin and end with a letter or digit"),
    ("x/_", "the name '_' must begin and end with a letter or digit"),
    ("a b", f"the name 'a b' contains ' '; {ALLOWED}"),
    ("@name", f"the name '@name' contains '@'; {ALLOWED}"),
    ("naïve", f"the name 'naïve' contains 'ï'; {ALLOWED}"),
    ("a\n", f"the name 'a\\n' contains '\\n'; {ALLOWED}"),
    ("!?*", f"the name '!?*' contains '!' '*' '?'; {ALLOWED}"),
]


@pytest.mark.parametrize("key, fault", BAD_KEYS, ids=[row[0][:20] or "empty" for row in BAD_KEYS])
def test_bad_keys(key: str, fault: str) -> None:
    assert syntax.key_fault(key) == fault


@pytest.mark.parametrize("value", ["", "a", "0", "a-b_c.d", "A" * 63])
def test_good_values(value: str) -> None:
    assert syntax.value_fault(value) == ""


BAD_VALUES = [
    ("v" * 64, f"the value '{'v' * 40}'... is 64 characters long, at most 63 are allowed"),
    ("-1", "the value '-1' must begin and end with a letter or digit"),
    (".", "the value '.' must begin and end with a letter or digit"),
    ("a/b", f"the value 'a/b' contains '/'; {ALLOWED}"),
    (" a", f"the value ' a' contains ' '; {ALLOWED}"),
    ("٣", f"the value '٣' contains '٣'; {ALLOWED}"),
    ("#!$%&*+", f"the value '#!$%&*+' contains '!' '#' '$' '%' '&'; {ALLOWED}"),
]


@pytest.mark.parametrize("value, fault", BAD_VALUES, ids=[row[0][:20] for row in BAD_VALUES])
def test_bad_values(value: str, fault: str) -> None:
    assert syntax.value_fault(value) == fault


UNPLAIN = "contains white space, '/' or unprintable characters"

NAMES = [
    ("web-0", ""),
    ("10.0.0.1:8080", ""),
    ("knoten-ä", ""),
    ("n" * 253, ""),
    ("", "a name may not be empty"),
    ("a b", f"the name 'a b' {UNPLAIN}"),
    ("a\t", f"the name 'a\\t' {UNPLAIN}"),
    ("a/b", f"the name 'a/b' {UNPLAIN}"),
    ("a\x00", f"the name 'a\\x00' {UNPLAIN}"),
    ("n" * 254, f"the name '{'n' * 40}'... is 254 characters long, at most 253 are allowed"),
]


@pytest.mark.parametrize("name, fault", NAMES, ids=[ascii(row[0])[:20] for row in NAMES])
def test_names_of_nodes_and_workloads(name: str, fault: str) -> None:
    assert syntax.name_fault(name) == fault


def test_every_mistake_in_a_set_of_labels_is_reported() -> None:
    assert syntax.label_problems({"ok": "fine", 1: "x", "tier": 3, "a b": "-", "on": True}, "node.labels") == [
        Problem("a label key must be text, found 1", "node.labels.1", "write it in quotes: '1'"),
        Problem("a label value must be text, found 3", "node.labels.tier", "write it in quotes: '3'"),
        Problem(f"the name 'a b' contains ' '; {ALLOWED}", "node.labels.a b"),
        Problem("the value '-' must begin and end with a letter or digit", "node.labels.a b"),
        Problem("a label value must be text, found True", "node.labels.on", "write it in quotes: 'True'"),
    ]
