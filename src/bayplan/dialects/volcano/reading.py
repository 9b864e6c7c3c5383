"""One configuration being read: what is wrong, what Volcano would bend, in either mode.

strict     what Volcano swallows is a mistake
lenient    it is taken as Volcano takes it, with a warning
both       what ends Volcano's process, or makes it refuse the whole file, is a mistake
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from bayplan.dialects.source import values
from bayplan.dialects.source.report import Report, Spot
from bayplan.dialects.volcano import decode, yaml11
from bayplan.dialects.volcano.decode import Mismatch, Read
from bayplan.errors import Problem

T = TypeVar("T")


class Reading:
    def __init__(self, strict: bool):
        self.strict = strict
        self.mistakes = Report()
        self._noted = Report()

    @property
    def warnings(self) -> tuple[Problem, ...]:
        return tuple(sorted(self._noted.problems, key=lambda one: (one.line or 0, one.column or 0)))

    # --- saying -------------------------------------------------------------------------------

    def refuse(self, spot: Spot, message: str, hint: str = "", *, on_key: bool = False) -> None:
        """Wrong in both modes."""
        self.mistakes.add(spot, message, hint, on_key=on_key)

    def warn(self, spot: Spot, message: str, hint: str = "", *, on_key: bool = False) -> None:
        """Worth knowing in both modes."""
        self._noted.add(spot, message, hint, on_key=on_key)

    def bent(self, spot: Spot, message: str, volcano: str, hint: str = "", *, on_key: bool = False) -> None:
        """Volcano silently makes something of it."""
        said = self.mistakes if self.strict else self._noted
        said.add(spot, f"{message}; Volcano {volcano}", hint, on_key=on_key)

    # --- values -------------------------------------------------------------------------------

    def decoded(self, spot: Spot, decoder: Callable[[Any], Read[T]], otherwise: T) -> T:
        """The value at a spot by one of the rules of decode.py."""
        try:
            read = decoder(self.as_yaml11(spot))
        except Mismatch as fault:
            ends = "; on this Volcano's scheduler process exits" if fault.fatal else ""
            self.refuse(spot, f"expected {fault.expected}, found {values.found(spot.value)}{ends}", _instead(spot.value))
            return otherwise
        if read.bent:
            hint = "give it a value or leave the key out" if spot.value is None else f"write {read.value}"
            self.bent(spot, f"{values.found(spot.value)} stands here", read.bent, hint)
        return read.value

    def mapping(self, spot: Spot) -> Mapping[str, Any]:
        """The mapping at a spot; an empty one is as good as none."""
        nothing: Mapping[str, Any] = {}
        return nothing if spot.value is None else self.decoded(spot, decode.mapping, nothing)

    def got(self, spot: Spot, key: str, getter: Callable[[Mapping[str, Any], str, T], Read[T]], base: T, expected: str) -> T:
        """The value of a flat key by one of the rules of getters.py; `base` where the key is missing."""
        if not isinstance(spot.value, Mapping) or key not in spot.value:
            return base
        read = getter({key: self.as_yaml11(spot / key)}, key, base)
        if read.bent:
            found = values.found(spot.value[key])
            self.bent(spot / key, f"expected {expected}, found {found}", read.bent, _instead(spot.value[key]))
        return read.value

    def as_yaml11(self, spot: Spot) -> Any:
        """Volcano reads YAML 1.1, in which some words without quotes mean more than they do here."""
        value = spot.value
        if isinstance(value, str) and spot.document.written(spot.path) == value:
            meant = yaml11.meaning(value)
            if meant is not None:
                shown = values.found(meant)
                self.bent(
                    spot, f"{value!r} is a word to YAML 1.2", f"reads YAML 1.1, where it is {shown}", f"write {meant!s}".lower()
                )
                return meant
        return value

    # --- keys ---------------------------------------------------------------------------------

    def fields(self, spot: Spot, known: Iterable[str], refused: Mapping[str, str] | None = None) -> dict[str, Spot]:
        """The known fields of a mapping that Volcano decodes into a struct: their case does not matter to it."""
        found: dict[str, Spot] = {}
        by_folded = {name.lower(): name for name in known}
        for key in self.mapping(spot):
            name = by_folded.get(key.lower())
            if name is None:
                self.unknown(spot / key, key, by_folded.values(), (refused or {}).get(key, ""))
                continue
            if key != name:
                self.bent(spot / key, f"the key is {name!r}", f"takes {key!r} for it", f"write {name!r}", on_key=True)
            if name in found:
                self.refuse(spot / key, f"{name!r} is given twice; Volcano takes one of them by chance", on_key=True)
            found[name] = spot / key
        return found

    def unknown(self, spot: Spot, key: str, known: Iterable[str], hint: str = "") -> None:
        near = hint or self.mistakes.near_miss(key, dict.fromkeys(known))
        self.bent(spot, f"unknown key {values.found(key)}", "ignores it", near, on_key=True)

    def unknown_keys(self, spot: Spot, known: Iterable[str], refused: Mapping[str, str] | None = None) -> None:
        """Every key of the mapping at a spot that is not known; `refused` says more about some."""
        names = list(known)
        for key in spot.value if isinstance(spot.value, Mapping) else ():
            if key not in names:
                self.unknown(spot / key, key, names, (refused or {}).get(key, ""))


def _instead(value: Any) -> str:
    """What to write, for the commonest slips: a number or a truth value in quotes, a list where names stand in a text."""
    if isinstance(value, list) and value and all(isinstance(one, str) for one in value):
        return f'write "{", ".join(value)}"'
    if isinstance(value, str) and (value in ("true", "false") or value.lstrip("+-").replace(".", "", 1).isdecimal()):
        return "write it without quotes"
    return ""
