"""Kinds and families: workloads in the terms of the table, made once for all that are alike.

Kind     differ only by name: amounts by resource column
Family   differ only by name and size: who counts them, and whom they keep away
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from bayplan.model.kind import KindKey
from bayplan.model.neighbours import Apart, Near
from bayplan.model.resources import COUNTED
from bayplan.model.workload import Workload

if TYPE_CHECKING:
    from bayplan.table.snapshot import Snapshot

LIMIT = 1 << 14
"""Past this many all are forgotten; who is in use keeps its own."""


class Family:
    """All workloads that differ only by name and size: who counts them, and whom they keep away."""

    __slots__ = ("class_id", "holder_ids")

    def __init__(self, class_id: int, holder_ids: tuple[int, ...]):
        self.class_id, self.holder_ids = class_id, holder_ids


class Kind:
    """All workloads that differ only by name, in the terms of the table."""

    __slots__ = ("amounts", "class_id", "family", "holder_ids", "limited", "requests", "workload")

    def __init__(self, workload: Workload, amounts: tuple[tuple[int, float], ...], family: Family):
        self.workload = workload
        self.requests = workload.requests
        self.amounts = amounts
        self.limited = tuple(one for name, one in zip(workload.requests, amounts, strict=True) if name not in COUNTED)
        """The amounts that must be free."""
        self.family = family
        self.class_id, self.holder_ids = family.class_id, family.holder_ids


class Kinds:
    """All kinds and families met so far."""

    __slots__ = ("_families", "_kinds", "_snapshot", "get")

    def __init__(self, snapshot: Snapshot):
        self._snapshot = snapshot
        self._kinds: dict[KindKey, Kind] = {}
        self._families: dict[KindKey, Family] = {}
        self.get = self._kinds.get

    def add(self, workload: Workload) -> Kind:
        if len(self._kinds) >= LIMIT:
            self._kinds.clear()
        resource = self._snapshot.resource
        amounts = tuple([(resource(name), float(units)) for name, units in workload.requests.items()])
        made = self._kinds[workload.kind] = Kind(workload, amounts, self._family(workload))
        return made

    def _family(self, workload: Workload) -> Family:
        key = workload.conditions
        found = self._families.get(key)
        if found is None:
            if len(self._families) >= LIMIT:
                self._families.clear()
            residents = self._snapshot.residents
            label_class = residents.label_class(workload.namespace, workload.labels)
            carried = [residents.holder(one, label_class).id for one in workload.apart if one.weight is None]
            carried += [residents.admirer(one, label_class).id for one in _scored(workload)]
            found = self._families[key] = Family(label_class.id, tuple(carried))
        return found

    def copy(self, snapshot: Snapshot) -> Kinds:
        twin = Kinds(snapshot)
        twin._kinds.update(self._kinds)
        twin._families.update(self._families)
        return twin


def _scored(workload: Workload) -> Iterator[Near | Apart]:
    """The conditions about others that scorers may ask a resident for."""
    yield from (one for one in workload.near if one.weight is not None)
    yield from (one for one in workload.apart if one.weight is not None)
    yield from (term for one in workload.near if one.weight is None for term in one.terms)
