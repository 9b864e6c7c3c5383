"""Fit: every requested amount must be free on the node.

free(resource) >= requested        else BUSY, or NEVER when even the empty node is too small
"""

from __future__ import annotations

from functools import partial

from bayplan.model.decision import No, Reason
from bayplan.model.resources import COUNTED, render
from bayplan.model.workload import Workload
from bayplan.table.checks import AtLeast
from bayplan.table.forms import Clause
from bayplan.table.snapshot import Snapshot


def fit(snapshot: Snapshot, workload: Workload) -> list[Clause]:
    free, capacity = snapshot.free, snapshot.capacity
    return [
        Clause("fit", AtLeast(free[at], amount), AtLeast(capacity[at], amount), partial(_short, snapshot, resource, int(amount)))
        for resource, (at, amount) in zip(workload.requests, snapshot.kind(workload).amounts, strict=True)
        if resource not in COUNTED
    ]


def _short(snapshot: Snapshot, resource: str, amount: int, row: int) -> tuple[Reason, ...]:
    free = int(snapshot.free_of(resource).cell[row])
    capacity = int(snapshot.capacity_of(resource).cell[row])
    asked = render(resource, amount)
    if capacity < amount:
        no, sentence = No.NEVER, f"needs {asked} {resource}, the node has {render(resource, capacity)}"
    else:
        no, sentence = No.BUSY, f"needs {asked} {resource}, {render(resource, free)} of {render(resource, capacity)} free"
    return (Reason.of("fit", resource, no, sentence, requested=amount, free=free, capacity=capacity, short=amount - free),)
