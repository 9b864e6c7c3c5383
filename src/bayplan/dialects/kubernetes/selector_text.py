"""Selectors as text: `app in (a,b),!x,tier!=db,cores>4`.

A word is a run of anything but white space and = ! ( ) , < >. Whether `in` is an operator or a word depends on where it
stands, so `notin=in` is a label called "notin".
"""

from __future__ import annotations

import re
from typing import Final

from bayplan.dialects.kubernetes.labels import Requirement
from bayplan.errors import wrong
from bayplan.model import syntax

_TOKEN = re.compile(r"[ \t\r\n]*(==|!=|[=!(),<>]|[^ \t\r\n=!(),<>]+)")
_OPERATORS: Final = {"in": "in", "notin": "notin", "=": "=", "==": "==", "!=": "!=", ">": "gt", "<": "lt"}
_SYMBOLS: Final = frozenset(("=", "==", "!=", "!", "(", ")", ",", "<", ">", ""))
END: Final = ""
LIMIT: Final = 100_000


def parse(text: str) -> list[Requirement]:
    """The requirements of a selector string, sorted by key, or a ConfigError that says what was expected."""
    if len(text) > LIMIT:
        raise wrong(f"a selector of {len(text):,} characters", "selector", f"at most {LIMIT:,}")
    return sorted(_Parser(text).requirements(), key=lambda one: one.key)


class _Parser:
    def __init__(self, text: str):
        self.text = text
        self.tokens: list[str] = [*_TOKEN.findall(text.rstrip(" \t\r\n")), END]
        self.at = 0

    @property
    def next(self) -> str:
        return self.tokens[self.at]

    def take(self) -> str:
        self.at += 1
        return self.tokens[self.at - 1]

    def requirements(self) -> list[Requirement]:
        found: list[Requirement] = []
        if self.next == END:
            return found
        while True:
            found.append(self.requirement())
            if self.next == END:
                return found
            self.expect(",")

    def requirement(self) -> Requirement:
        absent = self.next == "!" and bool(self.take())
        key = self.word("a label key")
        if fault := syntax.key_fault(key):
            raise wrong(fault, "selector")
        if absent or self.next in (END, ","):
            return Requirement(key, "!" if absent else "exists")
        written = self.take()
        if written not in _OPERATORS:
            raise self.unexpected(written, "one of in, notin, =, ==, !=, <, >")
        operator = _OPERATORS[written]
        values = self.several() if operator in ("in", "notin") else self.single()
        made = Requirement(key, operator, tuple(sorted(values)))
        if faults := made.faults():
            raise wrong(faults[0][1], "selector")
        return made

    def single(self) -> set[str]:
        """Nothing after `x=` is the empty value."""
        return {""} if self.next in (END, ",") else {self.word("a value")}

    def several(self) -> set[str]:
        """A list in parentheses; between commas, and instead of a list, nothing is the empty value."""
        self.expect("(")
        found = {self.item()}
        while self.next == ",":
            self.take()
            found.add(self.item())
        self.expect(")")
        return found

    def item(self) -> str:
        return "" if self.next in (",", ")") else self.word("a value")

    def word(self, what: str) -> str:
        token = self.take()
        if token in _SYMBOLS:
            raise self.unexpected(token, what)
        return token

    def expect(self, symbol: str) -> None:
        token = self.take()
        if token != symbol:
            raise self.unexpected(token, repr(symbol))

    def unexpected(self, token: str, wanted: str) -> Exception:
        found = f"found {token[:60]!r}" if token else "found the end"
        return wrong(f"expected {wanted}, {found} in {self.text[:80]!r}", "selector", "for example: app in (a,b),!x")
