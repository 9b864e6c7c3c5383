"""A snapshot as plain values, by names: equal fingerprints are equal states.

What is numbered inside (rows, codes, classes) is left out, and so are counts of nothing, because
they depend on the way a state was reached. `rebuilt` makes a snapshot of the same nodes and
residents from nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from bayplan.model.node import Node
from bayplan.table.snapshot import Snapshot

Counts = dict[str, int]


@dataclass(frozen=True)
class Fingerprint:
    nodes: dict[str, Node]
    free: dict[str, Counts]
    shares: dict[str, dict[str, list[float]]]
    placements: dict[str, tuple[object, ...]]
    classes: dict[object, Counts]
    watches: dict[object, tuple[int, Counts]]
    holders: dict[object, tuple[int, Counts]]

    @property
    def state(self) -> Fingerprint:
        """Without what is watched: a watch counts what is there, but that somebody watches is not state."""
        return replace(self, watches={})


def fingerprint(snapshot: Snapshot) -> Fingerprint:
    names, residents = snapshot.names, snapshot.residents
    rows = snapshot.row_of.items()
    classes = {(one.namespace, one.labels): {str(names[row]): n for row, n in one.rows.items()} for one in residents.classes}
    watches = {key: (watch.tally.total, watch.tally.contents()) for key, watch in residents._watches.items()}
    holders = {key: (one.tally.total, one.tally.contents()) for key, one in residents._holder_of.items()}
    return Fingerprint(
        nodes={node.name: node for node in snapshot.nodes()},
        free={name: _amounts(snapshot, row) for name, row in rows},
        shares={name: _shares(snapshot, row) for name, row in rows},
        placements={one.id: (names[one.row], one.workload, one.devices) for one in snapshot.placements.values()},
        classes={key: counts for key, counts in classes.items() if counts},
        watches={key: counts for key, counts in watches.items() if counts[0]},
        holders={key: counts for key, counts in holders.items() if counts[0]},
    )


def _amounts(snapshot: Snapshot, row: int) -> Counts:
    found = {name: int(snapshot.free[at].cell[row]) for name, at in snapshot.resources.items()}
    return {name: units for name, units in found.items() if units}


def _shares(snapshot: Snapshot, row: int) -> dict[str, list[float]]:
    found = {name: columns.shares[row, : columns.counts.cell[row]].tolist() for name, columns in snapshot.devices.items()}
    return {name: shares for name, shares in found.items() if shares}


def rebuilt(snapshot: Snapshot) -> Snapshot:
    """The same nodes and residents in a new snapshot, each on the devices it has, with the same things watched."""
    fresh = Snapshot(snapshot.nodes(), snapshot.seed)
    for one in snapshot.placements.values():
        workload = one.workload
        fresh.reseat(one._replace(kind=fresh.kind(workload), row=fresh.row(str(snapshot.names[one.row])), version=fresh.version))
    for peers, namespaces, by in snapshot.residents._watches:
        fresh.residents.watch(peers, namespaces, by)
    return fresh
