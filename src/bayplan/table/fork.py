"""A copy of a snapshot that can be changed freely; neither side ever sees the other's changes.

What is only derived (watches of some rows, kept columns, followers) is made again when it is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.table.statics import Statics

if TYPE_CHECKING:
    from bayplan.table.snapshot import Snapshot


def fork(snapshot: Snapshot) -> Snapshot:
    twin = type(snapshot)(seed=snapshot.seed)
    twin.room = snapshot.room
    twin.alive, twin.open = snapshot.alive.copy(), snapshot.open.copy()
    twin.names, twin.row_of = snapshot.names.copy(), snapshot.row_of.copy()
    twin.labels = snapshot.labels.copy()
    twin.taint_sets, twin.soft_taints = snapshot.taint_sets.copy(), snapshot.soft_taints
    twin.resources = snapshot.resources.copy()
    twin.capacity = [column.copy() for column in snapshot.capacity]
    twin.free = [column.copy() for column in snapshot.free]
    twin.devices = {name: columns.copy() for name, columns in snapshot.devices.items()}
    twin.images = snapshot.images.copy()
    twin.residents = snapshot.residents.copy(twin.labels)
    twin.statics = Statics(twin.labels)
    twin.placements = snapshot.placements.copy()
    twin.guests = {row: guests.copy() for row, guests in snapshot.guests.items()}
    twin.journal = snapshot.journal.copy()
    twin.vacant = snapshot.vacant.copy()
    twin._kinds = snapshot._kinds.copy(twin)
    return twin
