"""What must hold of a snapshot at every version, recomputed by plain loops from nodes and placements.

`broken(snapshot)` says in words what does not hold; an empty list says that no shortcut of columns,
label index, residents or journal has drifted. Slow on purpose: tests call it, the engine never does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from math import inf
from typing import TYPE_CHECKING

from bayplan.model.labels import ABSENT, ValueSet
from bayplan.model.resources import COUNTED, UNIT
from bayplan.model.selector import NODE_NAME, Selector
from bayplan.table.allowed import AllowedTally
from bayplan.table.column import BLOCK, Column
from bayplan.table.index import LabelColumn
from bayplan.table.journal import Placement
from bayplan.table.tally import Tally
from bayplan.table.watching import Admirers, Holders

if TYPE_CHECKING:
    from bayplan.table.snapshot import Snapshot


def broken(snapshot: Snapshot, *, overbooked: bool = False) -> list[str]:
    """Every invariant that does not hold; `overbooked`: some were put where there was no room."""
    checks = [_rows, _guests, _amounts, _devices, _index, _classes, _watches, _allowed, _holders, _statics]
    checks += [] if overbooked else [_room]
    return [f"{check.__name__.strip('_')}: {fault}" for check in checks for fault in check(snapshot)]


def _rows(snapshot: Snapshot) -> Iterator[str]:
    """Names and rows belong together one to one; every other row is vacant, dead and closed."""
    named = {name: row for row, name in enumerate(snapshot.names) if name is not None}
    if named != snapshot.row_of:
        yield f"names say {named}, row_of says {snapshot.row_of}"
    vacant = sorted(row for row, name in enumerate(snapshot.names) if name is None)
    if sorted(snapshot.vacant) != vacant:
        yield f"rows {vacant} have no node, {sorted(snapshot.vacant)} are listed as vacant"
    if snapshot.room % BLOCK or snapshot.room < len(snapshot.names):
        yield f"room {snapshot.room} for {len(snapshot.names)} rows"
    for row, name in enumerate(snapshot.names):
        alive, opened = bool(snapshot.alive.cell[row]), bool(snapshot.open.cell[row])
        if alive != (name is not None) or opened > alive:
            yield f"row {row} of {name}: alive is {alive}, open is {opened}"
    for what, column in _columns(snapshot):
        if len(column.data) != snapshot.room or column.cell.obj is not column.data:
            yield f"{what}: {len(column.data)} cells for {snapshot.room} rows, or cells of another array"
        if (column.data[len(snapshot.names) :] != column.empty).any():
            yield f"{what}: something stands beyond the last row"


def _columns(snapshot: Snapshot) -> Iterator[tuple[str, Column]]:
    yield from (("alive", snapshot.alive), ("open", snapshot.open))
    for name, at in snapshot.resources.items():
        yield from ((f"free {name}", snapshot.free[at]), (f"capacity {name}", snapshot.capacity[at]))
    for name, devices in snapshot.devices.items():
        for what in ("counts", "largest", "whole", "pool"):
            yield f"devices {name} {what}", getattr(devices, what)
    for key, label in snapshot.labels.columns.items():
        yield f"label {key}", label.codes


def _guests(snapshot: Snapshot) -> Iterator[str]:
    """Every resident is listed under its own id, on one living row, since a version that has been."""
    guests: dict[int, list[Placement]] = {}
    for key, one in snapshot.placements.items():
        guests.setdefault(one.row, []).append(one)
        if key != one.id or not snapshot.alive.cell[one.row] or not 0 <= one.version < snapshot.version:
            yield f"{key} is {one.id} on row {one.row} since version {one.version} of {snapshot.version}"
    if {row: sorted(each) for row, each in guests.items()} != {row: sorted(each) for row, each in snapshot.guests.items()}:
        yield f"placements say {guests}, guests says {snapshot.guests}"
    if not 0 <= snapshot.journal.oldest <= snapshot.version:
        yield f"versions {snapshot.journal.oldest} to {snapshot.version} can be restored"


def _amounts(snapshot: Snapshot) -> Iterator[str]:
    """free + what residents asked for = capacity; dead rows have nothing."""
    used: Counter[tuple[int, str]] = Counter()
    for one in snapshot.placements.values():
        for name, units in one.kind.requests.items():
            used[one.row, name] += units
    for name, at in snapshot.resources.items():
        for row in range(len(snapshot.names)):
            free, capacity = snapshot.free[at].cell[row], snapshot.capacity[at].cell[row]
            if free + used[row, name] != capacity or (capacity and not snapshot.alive.cell[row]):
                yield f"row {row}, {name}: {free} free, {used[row, name]} used, of {capacity}"


def _room(snapshot: Snapshot) -> Iterator[str]:
    """0 <= free <= capacity, except for what is only counted."""
    for name, at in snapshot.resources.items():
        for row in range(len(snapshot.names)) if name not in COUNTED else ():
            free, capacity = snapshot.free[at].cell[row], snapshot.capacity[at].cell[row]
            if not 0 <= free <= capacity:
                yield f"row {row}, {name}: {free} free of {capacity}"


def _devices(snapshot: Snapshot) -> Iterator[str]:
    """Shares are what residents left; largest, whole and pool follow from the shares."""
    taken: Counter[tuple[str, int, int]] = Counter()
    for one in snapshot.placements.values():
        for resource, chosen in one.devices:
            for at in chosen:
                taken[resource, one.row, at] += one.kind.requests[resource] // len(chosen)
    for resource, columns in snapshot.devices.items():
        for row in range(len(snapshot.names)):
            count = len(columns.ids.get(row, ()))
            shares = [UNIT - taken[resource, row, at] for at in range(count)]
            found = columns.shares[row].tolist()
            if columns.counts.cell[row] != count or found[:count] != shares or any(found[count:]):
                yield f"row {row}, {resource}: shares {found}, expected {shares}"
            if not all(0 <= share <= UNIT for share in shares):
                yield f"row {row}, {resource}: impossible shares {shares}"
            if count and snapshot.capacity_of(resource).cell[row] != count * UNIT:
                yield f"row {row}, {resource}: {count} devices are not its capacity"
            expected = (max(shares), shares.count(UNIT) * UNIT, -1.0) if count else (inf, inf, inf)
            if (columns.largest.cell[row], columns.whole.cell[row], columns.pool.cell[row]) != expected:
                yield f"row {row}, {resource}: largest, whole, pool are not {expected}"


def _index(snapshot: Snapshot) -> Iterator[str]:
    for key, label in snapshot.labels.columns.items():
        yield from (f"{key}: {fault}" for fault in _label(snapshot, label))
    for name, row in snapshot.row_of.items():
        if (carried := snapshot.labels[NODE_NAME].value(row)) != name:
            yield f"row {row} is {name} but carries the name {carried}"


def _label(snapshot: Snapshot, label: LabelColumn) -> Iterator[str]:
    rows_of: dict[int, list[int]] = {}
    for row in range(len(snapshot.names)):
        if code := label.codes.cell[row]:
            rows_of.setdefault(code, []).append(row)
            if not snapshot.alive.cell[row]:
                yield f"the dead row {row} has a value"
    in_use = {label.values[code]: code for code in rows_of}
    if in_use != label._code_of or label.domains != len(rows_of):
        yield f"codes in use {in_use}, known {label._code_of}"
    for code in range(1, len(label.values)):
        rows = rows_of.get(code, [])
        if label.sizes[code] != len(rows) or label.rows(code) != rows:
            yield f"code {code}: rows {rows}, size {label.sizes[code]}, listed {label.rows(code)}"
        if (code in label._unused) == bool(rows) or label._unused.count(code) > 1:
            yield f"code {code} on rows {rows} is dealt wrongly"
        if len(rows) == 1 and label._some_row[code] != rows[0]:
            yield f"code {code} is on row {rows[0]} alone, noted is row {label._some_row[code]}"
    if label.shared_codes != sum(len(rows) > 1 for rows in rows_of.values()):
        yield f"shared_codes is {label.shared_codes}"


def _classes(snapshot: Snapshot) -> Iterator[str]:
    """A label class counts its residents per row, and knows exactly the watches and holders that match it."""
    rows: dict[int, Counter[int]] = {}
    for one in snapshot.placements.values():
        rows.setdefault(one.kind.class_id, Counter())[one.row] += 1
    residents = snapshot.residents
    for at, known in enumerate(residents.classes):
        if known.id != at or known.rows != rows.get(at, {}):
            yield f"class {dict(known.labels)}: rows {known.rows}, expected {dict(rows.get(at, {}))}"
        for what, listed, every in (
            ("watches", known.watches, [*residents._watches.values(), *residents._allowed.values()]),
            ("repellers", known.repellers, [one for one in residents.holders if isinstance(one, Holders)]),
            ("admirers", known.admirers, [one for one in residents.holders if isinstance(one, Admirers)]),
        ):
            matching = [id(one) for one in every if one.matches(known.namespace, known.labels)]
            if sorted(map(id, listed)) != sorted(matching):
                yield f"class {dict(known.labels)}: {len(listed)} {what}, {len(matching)} match"


def _watches(snapshot: Snapshot) -> Iterator[str]:
    for (peers, _, by), watch in snapshot.residents._watches.items():
        here = (one for one in snapshot.placements.values() if watch.matches(one.workload.namespace, one.workload.labels))
        yield from _counts(snapshot, f"watch of {peers} by {by}", watch.tally, Counter(one.row for one in here))


def _allowed(snapshot: Snapshot) -> Iterator[str]:
    """Counts of some rows only. Those that are out of date are counted anew before they are read."""
    for (peers, _, by, _), watch in snapshot.residents._allowed.items():
        tally = watch.tally
        assert isinstance(tally, AllowedTally)
        if tally.current:
            here = (one for one in snapshot.placements.values() if watch.matches(one.workload.namespace, one.workload.labels))
            rows = Counter(one.row for one in here if tally.allows(one.row))
            yield from _counts(snapshot, f"watch of {peers} by {by} on allowed rows", tally, rows)


def _holders(snapshot: Snapshot) -> Iterator[str]:
    held: dict[int, Counter[int]] = {}
    for one in snapshot.placements.values():
        for holder_id in one.kind.holder_ids:
            held.setdefault(holder_id, Counter())[one.row] += 1
    for holder in snapshot.residents.holders:
        yield from _counts(
            snapshot,
            f"holders of {holder.apart if isinstance(holder, Holders) else holder.term}",
            holder.tally,
            held.get(holder.id, Counter()),
        )


def _counts(snapshot: Snapshot, what: str, tally: Tally, rows: Mapping[int, int]) -> Iterator[str]:
    label, expected = tally.label, Counter[str]()
    for row, count in rows.items():
        if (domain := label.value(row)) is not ABSENT:
            expected[str(domain)] += count
    if label is not snapshot.labels[label.key] or tally.fine != label.fine:
        yield f"{what}: counts in another form than the label has"
    if tally.total != sum(rows.values()) or tally.contents() != expected:
        yield f"{what}: {tally.contents()} of {tally.total}, expected {dict(expected)} of {sum(rows.values())}"


def _statics(snapshot: Snapshot) -> Iterator[str]:
    """A kept column says of every living row what judging the row anew says."""
    for name, column in snapshot.statics._columns.items():
        for node_name, row in snapshot.row_of.items():
            labels = {**snapshot.labels.labels(row), NODE_NAME: node_name}
            match name:
                case Selector():
                    expected: float = name.matches(labels)
                case (str() as key, ValueSet() as values):
                    expected = labels.get(key, ABSENT) in values
                case _:
                    expected = column.judge(row)
            if column.cell[row] != expected:
                yield f"{name}: {column.cell[row]} for {node_name}, expected {expected}"
