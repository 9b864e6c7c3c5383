"""Devices: a share of a GPU comes from one GPU, whole GPUs must be wholly free.

request < 1        some device has that share free
request = n        n devices are wholly free
otherwise          no node with devices can serve it
"""

from __future__ import annotations

from functools import partial

from bayplan.model.decision import No, Reason
from bayplan.model.resources import UNIT, render
from bayplan.model.workload import Workload
from bayplan.table.checks import AtLeast, Where
from bayplan.table.column import Bools, Rows
from bayplan.table.devices import DeviceColumns
from bayplan.table.forms import Clause
from bayplan.table.snapshot import Snapshot


def devices(snapshot: Snapshot, workload: Workload) -> list[Clause]:
    found = []
    for resource, columns in snapshot.devices.items():
        amount = workload.requests.get(resource, 0)
        if amount:
            hope = Where(partial(_could, columns, amount))
            reasons = partial(_short, columns, resource, amount)
            found.append(Clause("devices", AtLeast(columns.column(amount), float(amount)), hope, reasons))
    return found


def _could(columns: DeviceColumns, amount: int, rows: Rows) -> Bools:
    """Would the node serve it if it were empty?"""
    whole = amount <= UNIT or amount % UNIT == 0
    counts = columns.counts.data[rows]
    could: Bools = (counts == 0) | (whole & (counts * UNIT >= amount))
    return could


def _short(columns: DeviceColumns, resource: str, amount: int, row: int) -> tuple[Reason, ...]:
    asked, count = render(resource, amount), columns.counts.cell[row]
    shares = columns.shares[row, :count].tolist()
    facts = {"requested": amount, "devices": count, "free_shares": tuple(int(share) for share in shares)}
    if amount > UNIT and amount % UNIT:
        sentence = f"{asked} {resource} is neither a share of one device nor a whole number of devices"
        return (Reason.of("devices", resource, No.NEVER, sentence, **facts),)
    if count * UNIT < amount:
        sentence = f"needs {asked} {resource}, the node has {count} devices"
        return (Reason.of("devices", resource, No.NEVER, sentence, **facts),)
    if amount < UNIT:
        sentence = f"needs {asked} {resource} on one device, the freest has {render(resource, max(shares))}"
    else:
        sentence = f"needs {asked} whole {resource}, {shares.count(UNIT)} of {count} devices are wholly free"
    return (Reason.of("devices", resource, No.BUSY, sentence, **facts),)
