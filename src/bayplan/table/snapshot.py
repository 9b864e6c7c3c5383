"""The cluster at one version: columns, label index and residents, changed only through here.

    Snapshot(nodes)  add  remove  replace        nodes, at the start and at run time
    place  place_many  release                   residents
    fork()  undo_to(version)                     other worlds, earlier times
    invariants()                                 what must always hold, for tests to call

Rows. Nodes loaded together are dealt rows by capacity, taints and then a seeded hash of the name;
a node that joins later takes the lowest free row. Ties in a decision go to the lowest row, so this
is the documented tie order: the order of nodes in a file does not matter, and equal nodes are taken
in an order that favours no prefix of their names. (Equal shapes lie side by side because that makes
bounds over blocks of rows tight, see engine/bounds.py.)
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Sequence
from itertools import repeat
from typing import Any

import numpy as np

from bayplan.errors import did_you_mean, wrong
from bayplan.model.frozen import FrozenMap
from bayplan.model.node import Node, Taint
from bayplan.model.workload import Workload
from bayplan.table import room, rows
from bayplan.table.changes import ChangeLog
from bayplan.table.column import Column, Rows, whole_blocks
from bayplan.table.devices import DeviceColumns
from bayplan.table.fork import fork
from bayplan.table.index import LabelIndex
from bayplan.table.journal import Changed, Journal, Marked, Placement, Released
from bayplan.table.kinds import Kind, Kinds
from bayplan.table.residents import Residents
from bayplan.table.rows import TAINTS
from bayplan.table.statics import Statics


class Snapshot:
    def __init__(self, nodes: Iterable[Node] = (), seed: int = 0):
        self.seed = seed
        self.room = whole_blocks(0)
        self.alive = Column.of(self.room, np.bool_)
        self.open = Column.of(self.room, np.bool_)
        """Alive and not cordoned."""
        self.names: list[str | None] = []
        self.row_of: dict[str, int] = {}
        self.labels = LabelIndex(self.room)
        self.taint_sets: dict[str, tuple[Taint, ...]] = {}
        self.soft_taints = False
        """Has any node ever had a taint that only asks to stay away?"""
        self.resources: dict[str, int] = {}
        self.capacity: list[Column] = []
        self.free: list[Column] = []
        self.devices: dict[str, DeviceColumns] = {}
        self.images: dict[int, FrozenMap[int]] = {}
        """By row: the images that are there already, and their sizes."""
        self.residents = Residents(self.labels)
        self.statics = Statics(self.labels)
        self.placements: dict[str, Placement] = {}
        self.guests: dict[int, list[Placement]] = {}
        self.log = ChangeLog()
        self.journal = Journal()
        self.node_version = 0
        """Counts changes of nodes (not of residents)."""
        self.followers: dict[Any, Any] = {}
        """What others derive from the rows and keep (see changes.py), by a key of their own."""
        self.vacant: list[int] = []
        self._shared, self._shared_at = False, -1
        """Are there fine domains of several rows? As of which node version?"""
        self._kinds = Kinds(self)
        rows.load(self, nodes)

    # --- looking ------------------------------------------------------------------------------

    @property
    def version(self) -> int:
        """How many changes have been made; see journal.py."""
        return self.journal.version

    def row(self, name: str) -> int:
        row = self.row_of.get(name)
        if row is None:
            raise wrong(f"there is no node {name!r}", hint=did_you_mean(name, self.row_of))
        return row

    def node(self, name: str) -> Node:
        """The node as the columns have it now."""
        return rows.read(self, self.row(name))

    def nodes(self) -> list[Node]:
        """All nodes, in tie order."""
        return [rows.read(self, row) for row, name in enumerate(self.names) if name is not None]

    def taints(self, row: int) -> tuple[Taint, ...]:
        value = self.labels[TAINTS].values[self.labels[TAINTS].codes.cell[row]]
        return self.taint_sets[value] if value else ()

    def free_of(self, resource: str) -> Column:
        return self.free[self.resource(resource)]

    def capacity_of(self, resource: str) -> Column:
        return self.capacity[self.resource(resource)]

    def placement(self, workload_id: str) -> Placement:
        found = self.placements.get(workload_id)
        if found is None:
            raise wrong(f"no workload {workload_id!r} is placed", hint=did_you_mean(workload_id, self.placements))
        return found

    def kind(self, workload: Workload) -> Kind:
        """The kind of a workload in the terms of this table, made on first sight."""
        return self._kinds.get(workload.kind) or self._kinds.add(workload)

    # --- nodes --------------------------------------------------------------------------------

    def add(self, node: Node) -> None:
        if node.name in self.row_of:
            raise wrong(f"there is already a node {node.name!r}")
        if self.vacant:
            row = heapq.heappop(self.vacant)
        else:
            row = len(self.names)
            self.names.append(None)
            if row >= self.room:
                self.make_room(row + 1 + row // 4)
        self._change(row, None, node)

    def remove(self, name: str) -> list[Workload]:
        """Take a node away; its residents are released and returned."""
        row = self.row(name)
        displaced = [one.workload for one in self.guests_of(name)]
        for workload in displaced:
            self.release(workload.id)
        self._change(row, rows.read(self, row), None)
        return displaced

    def replace(self, node: Node) -> None:
        """The node of that name becomes this: other labels, taints, capacity, cordon."""
        row = self.row(node.name)
        before = rows.read(self, row)
        if before != node:
            room.check_shrink(self, row, before, node)
            self._change(row, before, node)

    def _change(self, row: int, before: Node | None, after: Node | None) -> None:
        rows.write(self, row, before, after)
        self.journal.write(Changed(row, before, after))

    def resource(self, name: str) -> int:
        at = self.resources.get(name)
        if at is None:
            at = self.resources[name] = len(self.free)
            self.free.append(Column.of(self.room, np.float64))
            self.capacity.append(Column.of(self.room, np.float64))
        return at

    def make_room(self, rows: int) -> None:
        room = whole_blocks(rows)
        if room <= self.room:
            return
        self.room = room
        for column in (self.alive, self.open, *self.free, *self.capacity):
            column.grow(room)
        for devices in self.devices.values():
            devices.grow(room)
        self.labels.grow(room)
        self.statics.clear()
        self.followers.clear()

    # --- residents ----------------------------------------------------------------------------

    def guests_of(self, node: str) -> list[Placement]:
        """Who runs on a node, in order of arrival."""
        return sorted(self.guests.get(self.row(node), ()), key=lambda one: one.version)

    def place(self, workload: Workload, node: str, *, overbooked: bool = False) -> Placement:
        """Put a workload on a node. Only room is checked, unless `overbooked`; whether it is wise is the engine's business."""
        row = self.row(node)
        kind = self.kind(workload)
        if not overbooked:
            room.check_room(self, workload.id, kind, row)
        return self.place_kind(workload.id, kind, row)

    def place_kind(self, workload_id: str, kind: Kind, row: int) -> Placement:
        if workload_id in self.placements:
            raise wrong(f"workload {workload_id!r} is already placed", hint="release it first")
        devices = self._choose_devices(kind, row) if self.devices else ()
        # tuple.__new__ makes a named tuple four times faster than its class does.
        one = tuple.__new__(Placement, (workload_id, kind, row, devices, self.journal.version))
        self.seat(one)
        self.journal.write(one)
        return one

    def place_many(self, ids: Sequence[str], kind: Kind, rows: Sequence[int], same: Rows) -> None:
        """Seat many of one kind at once; for kinds that take no devices. `same` are the rows once more, as an array."""
        fields = zip(ids, repeat(kind), rows, repeat(()), range(self.version, self.version + len(ids)))
        made: list[Placement] = list(map(tuple.__new__, repeat(Placement), fields))
        per_row = np.bincount(same, minlength=self.room)
        used = np.flatnonzero(per_row)
        counts = per_row[used]
        for at, amount in kind.amounts:
            self.free[at].data[used] -= amount * counts
        touched = used.tolist()
        self.residents.count_many(kind.class_id, kind.holder_ids, touched, counts.tolist())
        guests = self.guests
        for row, one in zip(rows, made, strict=True):
            here = guests.get(row)
            if here is None:
                guests[row] = [one]
            else:
                here.append(one)
        self.placements.update(zip(ids, made, strict=True))
        self.log.touch_all(touched)
        self._touch_domains(kind, touched)
        self.journal.write_all(made)

    def release(self, workload_id: str) -> Placement:
        """Take a workload off its node; it gives back exactly what was recorded when it came."""
        one = self.placement(workload_id)
        self.unseat(one)
        self.journal.write(Released(one))
        return one

    def reseat(self, one: Placement) -> None:
        """Put a released resident back exactly where it was."""
        self.seat(one)
        self.journal.write(one)

    def seat(self, one: Placement) -> None:
        self._count(one, +1)
        self.placements[one.id] = one
        row = one.row
        if row in self.guests:
            self.guests[row].append(one)
        else:
            self.guests[row] = [one]

    def unseat(self, one: Placement) -> None:
        self._count(one, -1)
        del self.placements[one.id]
        self.guests[one.row].remove(one)
        if not self.guests[one.row]:
            del self.guests[one.row]

    def _count(self, one: Placement, change: int) -> None:
        row, kind = one.row, one.kind
        for at, amount in kind.amounts:
            self.free[at].cell[row] -= change * amount
        for resource, chosen in one.devices:
            self.devices[resource].take(row, chosen, change * kind.requests[resource])
        self.residents.count(kind.class_id, kind.holder_ids, row, change)
        self.log.touch(row)
        if self._shared or self._shared_at != self.node_version:
            self._touch_domains(kind, (row,))

    def _touch_domains(self, kind: Kind, rows: Sequence[int]) -> None:
        """Where fine domains have several rows, a change on one of them is a change on all."""
        if self._shared_at != self.node_version:
            self._shared_at = self.node_version
            self._shared = any(label.fine and label.shared_codes for label in self.labels.columns.values())
        if not self._shared:
            return
        counted = [watch.tally.label for watch in self.residents.classes[kind.class_id].watches]
        counted += [self.residents.holders[holder_id].tally.label for holder_id in kind.holder_ids]
        for label in counted:
            if label.fine and label.shared_codes:
                codes = (label.codes.cell[row] for row in rows)
                self.log.touch_all(row for code in codes if code for row in label.rows(code))

    def _choose_devices(self, kind: Kind, row: int) -> tuple[tuple[str, tuple[int, ...]], ...]:
        chosen = (
            (name, columns.choose(row, kind.requests[name]))
            for name, columns in self.devices.items()
            if name in kind.requests and columns.counts.cell[row]
        )
        return tuple(one for one in chosen if one[1])

    # --- other worlds -------------------------------------------------------------------------

    def fork(self) -> Snapshot:
        """A copy that can be changed freely; neither side ever sees the other's changes."""
        return fork(self)

    def mark(self) -> int:
        """Begin a new version although nothing changes here: the rules by which things are decided do."""
        self.journal.write(Marked())
        return self.version

    def undo_to(self, version: int) -> None:
        """Restore the state at an earlier version."""
        if not self.journal.oldest <= version <= self.version:
            reach = f"{self.journal.oldest} to {self.version} can be restored; a decision log keeps everything"
            raise wrong(f"version {version} is out of reach", hint=reach)
        while self.version > version:
            self.journal.take_last().undo(self)

    def at(self, version: int) -> Snapshot:
        """The state at an earlier version, as a fork (or this very snapshot if nothing changed)."""
        if version == self.version:
            return self
        past = self.fork()
        past.undo_to(version)
        return past

    def invariants(self) -> list[str]:
        """What is broken, in words; nothing, if the table is sound. For tests: it looks at everything."""
        from bayplan.table.invariants import broken  # it reads snapshots, so it comes after them

        return broken(self)

    def follow(self, key: Any, build: Callable[[], Any]) -> Any:
        """The follower called `key`, built on first use."""
        found = self.followers.get(key)
        if found is None:
            found = self.followers[key] = build()
        return found
