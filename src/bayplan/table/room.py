"""Is there room? What is said by name (this workload on this node, this node so small) must fit or is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.errors import PlacementError
from bayplan.model.node import Node
from bayplan.model.resources import COUNTED, render
from bayplan.table.kinds import Kind

if TYPE_CHECKING:
    from bayplan.table.snapshot import Snapshot


def check_room(snapshot: Snapshot, workload_id: str, kind: Kind, row: int) -> None:
    name = snapshot.names[row]
    for resource, units in kind.requests.items():
        if resource in COUNTED:
            continue
        free = snapshot.free_of(resource).cell[row]
        devices = snapshot.devices.get(resource)
        if free < units or (devices is not None and devices.column(units).cell[row] < units):
            raise PlacementError(
                f"{workload_id!r} does not fit on node {name!r}: {render(resource, units)} of {resource} asked, "
                f"{render(resource, free)} free" + (" (not on the devices it needs)" if free >= units else "")
            )


def check_shrink(snapshot: Snapshot, row: int, before: Node, node: Node) -> None:
    for name in {*before.capacity, *node.capacity} - COUNTED:
        used = snapshot.capacity_of(name).cell[row] - snapshot.free_of(name).cell[row]
        if used > node.capacity.get(name, 0) < before.capacity.get(name, 0):
            raise PlacementError(f"node {node.name!r}: {render(name, used)} of {name} is in use, more than it would have")
    if snapshot.guests.get(row) and before.devices != node.devices:
        raise PlacementError(f"node {node.name!r}: its devices cannot change while workloads run on it")
