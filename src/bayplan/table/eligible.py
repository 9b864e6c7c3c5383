"""Which nodes and domains a workload could use: a spread is judged over those."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from bayplan.model.neighbours import Spread
from bayplan.model.workload import Workload
from bayplan.table.allowed import AllowedTally
from bayplan.table.column import Bools, Ints
from bayplan.table.snapshot import Snapshot
from bayplan.table.tally import Tally
from bayplan.table.tolerated import accepted
from bayplan.table.watching import resolve


def tally_of(snapshot: Snapshot, workload: Workload, one: Spread, eligible: Eligible) -> tuple[Tally, AllowedTally | None]:
    """The residents that count, and what must be brought up to date before they are read."""
    namespaces = resolve(one.namespaces, workload.namespace)
    if not one.on_allowed:
        return snapshot.residents.watch(one.peers, namespaces, one.by).tally, None
    allowed = snapshot.residents.watch_allowed(one.peers, namespaces, one.by, eligible)
    return allowed, allowed


class Eligible:
    """Which nodes and domains a workload could use: per row, and as a table over codes. It changes only with nodes."""

    __slots__ = ("_keys", "_one", "_snapshot", "_workload", "codes", "few", "key", "number", "rows", "seen", "table")

    def __init__(self, snapshot: Snapshot, workload: Workload, one: Spread, keys: tuple[str, ...], key: Hashable):
        self._snapshot, self._workload, self._one, self._keys, self.key = snapshot, workload, one, keys, key
        self.seen = -1
        self.rows: Bools = np.zeros(snapshot.room, np.bool_)
        self.table: Bools = np.zeros(1, np.bool_)
        self.codes: Ints = np.zeros(0, np.int64)
        self.few: list[int] = []
        self.number = 0

    @property
    def current(self) -> bool:
        return self.seen == self._snapshot.node_version

    def catch_up(self) -> None:
        snapshot = self._snapshot
        if self.seen == snapshot.node_version:
            return
        label, self.rows = snapshot.labels[self._one.by], self._usable()
        self.table = np.zeros(len(label.values), np.bool_)
        self.table[label.codes.data[self.rows]] = True
        self.table[0] = False
        self.codes = np.flatnonzero(self.table)
        self.few = self.codes.tolist() if len(self.codes) <= 32 else []
        self.number = len(self.codes)
        self.seen = snapshot.node_version

    def _usable(self) -> Bools:
        snapshot, one, wanted = self._snapshot, self._one, self._workload.node_selector
        usable: Bools = snapshot.alive.data.copy()
        if one.honour_selector and wanted.never:
            usable[:] = False
        elif one.honour_selector and not wanted.always:
            usable &= snapshot.statics.selector(wanted).data
        if one.honour_taints:
            usable &= accepted(snapshot, self._workload.tolerations).data
            if not one.on_allowed:
                usable &= snapshot.open.data
        for key in self._keys:
            usable &= snapshot.labels[key].codes.data > 0
        return usable


def eligible_for(snapshot: Snapshot, workload: Workload, one: Spread) -> Eligible:
    """Shared by all workloads that may use the same nodes."""
    tolerations = workload.tolerations if one.honour_taints else None
    wanted = (workload.selector, workload.nodes) if one.honour_selector else None
    alike = (other for other in workload.spread if (other.weight is None) == (one.weight is None))
    fellows = (other for other in alike if not other.may_lack)
    keys = tuple(sorted({other.by for other in fellows})) if one.on_allowed else ()
    key = ("eligible", one.by, keys, wanted, tolerations, one.on_allowed)
    found: Eligible = snapshot.follow(key, lambda: Eligible(snapshot, workload, one, keys, key))
    return found
