"""Selector: the node's labels (and name) must satisfy the workload's node selector, an OR of ANDs."""

from __future__ import annotations

from functools import partial

import numpy as np

from bayplan.model.decision import No, Reason
from bayplan.model.labels import ABSENT, ValueSet
from bayplan.model.selector import NODE_NAME, Selector
from bayplan.model.workload import Workload
from bayplan.table.checks import Holds
from bayplan.table.column import Column
from bayplan.table.forms import Clause
from bayplan.table.snapshot import Snapshot


def selector(snapshot: Snapshot, workload: Workload) -> list[Clause]:
    if workload.selector.always and not workload.nodes:
        return []
    return snapshot.statics.clauses((workload.selector, workload.nodes), lambda: _clauses(snapshot, workload.node_selector))


def _clauses(snapshot: Snapshot, wanted: Selector) -> list[Clause]:
    if wanted.never:
        nowhere = Column.of(snapshot.room, np.bool_)
        return [Clause("selector", Holds(nowhere), False, _impossible)]
    if len(wanted.terms) == 1:
        return [_key(snapshot, key, values) for key, values in wanted.terms[0]]
    column = snapshot.statics.selector(wanted)
    return [Clause("selector", Holds(column), False, partial(_none_of, snapshot, wanted))]


def _key(snapshot: Snapshot, key: str, values: ValueSet) -> Clause:
    column = snapshot.statics.expression(key, values)
    return Clause("selector", Holds(column), False, partial(_mismatch, snapshot, key, values))


def _impossible(row: int) -> tuple[Reason, ...]:
    return (Reason.of("selector", "never", No.NEVER, "the node selector contradicts itself: no node can ever match it"),)


def _mismatch(snapshot: Snapshot, key: str, values: ValueSet, row: int) -> tuple[Reason, ...]:
    found = snapshot.labels[key].value(row)
    name = "node name" if key == NODE_NAME else key
    says = "is absent" if found is ABSENT else f"is {found!r}"
    sentence = f"wants {name} {values}, it {says}"
    facts = {"key": key, "wanted": str(values), "found": None if found is ABSENT else found}
    return (Reason.of("selector", key, No.NEVER, sentence, **facts),)


def _none_of(snapshot: Snapshot, wanted: Selector, row: int) -> tuple[Reason, ...]:
    """Of several alternatives none holds: say what the nearest one lacks."""
    index = snapshot.labels
    lacking = [[(k, v) for k, v in term if not index.one(row, k, v)] for term in wanted.terms]
    nearest = min(lacking, key=len)
    missing = " and ".join(_mismatch(snapshot, key, values, row)[0].sentence for key, values in nearest)
    sentence = f"none of {len(wanted.terms)} alternatives matches; nearest: {missing}"
    facts = {"wanted": str(wanted), "nearest": tuple(key for key, _ in nearest)}
    return (Reason.of("selector", f"any of {len(wanted.terms)}", No.NEVER, sentence, **facts),)
