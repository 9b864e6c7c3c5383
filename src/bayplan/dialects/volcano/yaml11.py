"""Words without quotes that mean more in YAML 1.1, which Volcano reads, than in YAML 1.2, which bayplan reads."""

from __future__ import annotations

import re

_TRUTHS = {
    **{form: True for word in ("y", "yes", "on") for form in (word, word.capitalize(), word.upper())},
    **{form: False for word in ("n", "no", "off") for form in (word, word.capitalize(), word.upper())},
}
_OCTAL = re.compile(r"[-+]?0[0-7_]+", re.ASCII)
_OTHER = re.compile(r"[-+]?0(?:x[0-9a-fA-F_]+|b[01_]+|o[0-7_]+)", re.ASCII)
_GROUPED = re.compile(r"[-+]?[1-9][0-9]*(?:_[0-9]+)+", re.ASCII)
_LONGEST = 40


def meaning(word: str) -> bool | int | None:
    """The truth value or whole number that a word is in YAML 1.1; None where it is text there, too."""
    if word in _TRUTHS:
        return _TRUTHS[word]
    if len(word) > _LONGEST:
        return None
    digits = word.replace("_", "")
    if _OCTAL.fullmatch(word):
        return int(digits, 8)
    if _GROUPED.fullmatch(word):
        return int(digits)
    return int(digits, 0) if _OTHER.fullmatch(word) and len(digits.lstrip("+-")) > 2 else None
