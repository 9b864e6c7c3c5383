"""Who is called what, and who speaks of whom, over all files.

Names are claimed as entries are read and looked up at the end, so the order of files does not matter.
Expanding `count` and `replicas` is budgeted here, too: it is a matter of names.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from bayplan.dialects.source.report import Report, Spot

TOTAL_LIMIT: Final = 2_000_000
"""Nodes and workloads over all files, counts and replicas expanded."""


class Names:
    """`sources[kind][name]` is the `file:line` where it is defined."""

    def __init__(self, report: Report):
        self.sources: dict[str, dict[str, str]] = {kind: {} for kind in ("node", "template", "workload", "group")}
        self._report = report
        self._total = 0
        self._mentions: list[tuple[str, Spot, bool]] = []
        self.incomplete = False
        """Some nodes could not be read at all, so that an unknown one may be one of them."""

    def expand(self, name: str, count: int | None, spot: Spot) -> list[str]:
        """`name`, or name-0, name-1, ...; nothing once there are too many over all files."""
        before, self._total = self._total, self._total + (count or 1)
        if self._total > TOTAL_LIMIT:
            if before <= TOTAL_LIMIT:
                self._report.add(spot, f"with this entry there are more than {TOTAL_LIMIT:,} nodes and workloads")
            return []
        return [name] if count is None else [f"{name}-{i}" for i in range(count)]

    def claim(self, kind: str, names: Iterable[str], spot: Spot) -> None:
        """These names are defined here; they may not be defined elsewhere as well."""
        known, source = self.sources[kind], spot.source
        twice = ""
        for name in names:
            if known.setdefault(name, source) is not source:
                twice = twice or name
        if twice:
            self._report.add(spot / "name", f"the {kind} {twice!r} is already defined at {known[twice]}")

    def mention(self, node: str, spot: Spot, *, surely: bool) -> None:
        """A node is spoken of here. `surely`: it is a mistake when it is not defined, even if no node is at all."""
        self._mentions.append((node, spot, surely))

    def check(self) -> None:
        """Report nodes that are spoken of and not defined."""
        nodes = self.sources["node"]
        if self.incomplete:
            return
        for node, spot, surely in self._mentions:
            if node not in nodes and (surely or nodes):
                self._report.add(spot, f"there is no node {node!r}", self._report.near_miss(node, nodes))
