"""Spread: no domain may run ahead of the emptiest by more than max_skew.

    residents(peers, domain) + [the newcomer matches] - emptiest <= max_skew

`emptiest` is taken over the domains with a node this workload could use (its node selector, and its
tolerations where `honour_taints`); it is 0 when there are fewer than `min_domains` of them.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from bayplan.model.decision import No, Reason
from bayplan.model.labels import ABSENT, EXISTS
from bayplan.model.neighbours import NODE, Spread
from bayplan.model.workload import Workload
from bayplan.table.checks import Counted, Holds
from bayplan.table.eligible import Eligible, eligible_for, tally_of
from bayplan.table.forms import Clause
from bayplan.table.snapshot import Snapshot
from bayplan.table.tally import Tally
from bayplan.table.watching import covers, resolve


def spread(snapshot: Snapshot, workload: Workload) -> list[Clause]:
    return [_clause(snapshot, workload, one) for one in workload.spread if one.weight is None]


def _clause(snapshot: Snapshot, workload: Workload, one: Spread) -> Clause:
    namespaces = resolve(one.namespaces, workload.namespace)
    itself = int(one.peers.matches(workload.labels) and covers(namespaces, workload.namespace))
    eligible = eligible_for(snapshot, workload, one)
    tally, follower = tally_of(snapshot, workload, one, eligible)
    emptiest = Emptiest(eligible, tally, one.min_domains)

    def limits() -> tuple[int, int]:
        return 0, emptiest() + one.max_skew - itself

    hope = True if one.by == NODE else Holds(snapshot.statics.expression(one.by, EXISTS))
    check = Counted(tally, limits, False, moves=True)
    return Clause("spread", check, hope, partial(_ahead, snapshot, one, tally, emptiest), follower=follower)


class Emptiest:
    """The count of the emptiest eligible domain.

    As long as nobody leaves, it cannot fall: while the domain that was emptiest keeps its count, so does this.
    """

    __slots__ = ("_eligible", "_losses", "_min_domains", "_seen", "_tally", "_witness")

    def __init__(self, eligible: Eligible, tally: Tally, min_domains: int):
        self._eligible, self._tally, self._min_domains = eligible, tally, min_domains
        self._witness = (0, 0)
        """The code of an emptiest domain and its count, when there were so many `_losses`, at the node version `_seen`."""
        self._losses = self._seen = -1

    def __call__(self) -> int:
        eligible, tally = self._eligible, self._tally
        eligible.catch_up()
        code, count = self._witness
        # (A witness has a code of its own, so its cell is there.)
        if self._losses == tally.losses and self._seen == eligible.seen and tally.cell[code] == count:
            return count
        code, count = self._look()
        if code:
            self._witness, self._losses, self._seen = (code, count), tally.losses, eligible.seen
        return count

    def _look(self) -> tuple[int, int]:
        """The first emptiest domain and its count; code 0 when that depends on more than its count."""
        eligible, tally = self._eligible, self._tally
        if not eligible.number or eligible.number < self._min_domains:
            return 0, 0
        sparse = tally.sparse
        if sparse is None:
            # Below a few dozen domains plain Python beats the overhead of array calls.
            if eligible.few:
                tally.counts()  # makes room for every code
                code = min(eligible.few, key=tally.cell.__getitem__)
                return code, tally.cell[code]
            counts = tally.counts().take(eligible.codes)
            first = int(counts.argmin())
            return int(eligible.codes[first]), int(counts[first])
        counted = eligible.table[sparse.keys[: sparse.size]]
        if np.count_nonzero(counted) < eligible.number:
            return 0, 0
        return 0, int(sparse.counts[: sparse.size][counted].min())


def _ahead(snapshot: Snapshot, one: Spread, tally: Tally, emptiest: Emptiest, row: int) -> tuple[Reason, ...]:
    domain = snapshot.labels[one.by].value(row)
    if domain is ABSENT:
        sentence = f"must {one}, and the node has no label {one.by}"
        return (Reason.of("spread", str(one), No.NEVER, sentence, by=one.by, domain=None),)
    count, least = tally.at(row), emptiest()
    where = "this node" if one.by == NODE else f"{one.by} {domain}"
    sentence = f"must {one}: {where} has {count}, the emptiest has {least}"
    facts = {"by": one.by, "domain": domain, "count": count, "emptiest": least, "max_skew": one.max_skew}
    return (Reason.of("spread", str(one), No.BUSY, sentence, **facts),)
