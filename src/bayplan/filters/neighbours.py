"""Near and Apart: who must, and who must not, be in the same domain.

    near      residents(peers, domain) > 0, for every key of `by`
              or nobody matches anywhere, the workload matches its own peers, and may start (first_may_start)
    apart     residents(peers, domain) < at_most
    resident  the same seen by a resident R with a hard Apart that the newcomer matches: besides R there
              may be at most `at_most - 1` matching workloads in R's domain, the newcomer included:
              holders(domain) > 0 and residents(peers, domain) - [R matches itself] + 1 > at_most - 1 refuses

A node without the key can never be near, and is apart from everybody.
"""

from __future__ import annotations

from functools import partial

from bayplan.model.decision import No, Reason
from bayplan.model.labels import ABSENT, EXISTS
from bayplan.model.neighbours import NODE, Apart, Near
from bayplan.model.workload import Workload
from bayplan.table.checks import MANY, Counted, Holds, Limits, Unclaimed
from bayplan.table.forms import Clause
from bayplan.table.snapshot import Snapshot
from bayplan.table.watching import Holders, Watch, resolve


def near(snapshot: Snapshot, workload: Workload) -> list[Clause]:
    return [clause for one in workload.near if one.weight is None for clause in _near(snapshot, workload, one)]


def _near(snapshot: Snapshot, workload: Workload, one: Near) -> list[Clause]:
    namespaces = resolve(one.namespaces, workload.namespace)
    watches = [snapshot.residents.watch(one.peers, namespaces, key) for key in one.by]
    may_start = one.first_may_start and watches[0].matches(workload.namespace, workload.labels)

    def limits() -> tuple[int, int]:
        return 0 if may_start and _nobody(one, watches) else 1, MANY

    return [_near_by(snapshot, one, key, watch, limits, may_start) for key, watch in zip(one.by, watches, strict=True)]


def _nobody(one: Near, watches: list[Watch]) -> bool:
    """Does no resident match? With `terms`, as in Kubernetes, only those on nodes that have a key count."""
    return not watches[0].tally.total if not one.terms else all(each.tally.total == each.tally.lacking for each in watches)


def _near_by(snapshot: Snapshot, one: Near, key: str, watch: Watch, limits: Limits, may_start: bool) -> Clause:
    hope = True if key == NODE else Holds(snapshot.statics.expression(key, EXISTS))
    return Clause("near", Counted(watch.tally, limits, False, moves=may_start), hope, partial(_alone, snapshot, one, key, watch))


def _alone(snapshot: Snapshot, one: Near, key: str, watch: Watch, row: int) -> tuple[Reason, ...]:
    domain = snapshot.labels[key].value(row)
    facts = {"peers": str(one.peers), "by": key, "domain": None if domain is ABSENT else domain, "total": watch.tally.total}
    if domain is ABSENT:
        return (Reason.of("near", str(one), No.NEVER, f"must be {one}, and the node has no label {key}", **facts),)
    where = "this node" if key == NODE else f"{key} {domain}"
    return (Reason.of("near", str(one), No.BUSY, f"must be {one}: nobody matching is in {where}", **facts),)


def apart(snapshot: Snapshot, workload: Workload) -> list[Clause]:
    own = [_apart(snapshot, workload, one) for one in workload.apart if one.weight is None]
    residents, kind = snapshot.residents, snapshot.kind(workload)
    carried = (residents.holders[number] for number in kind.holder_ids)
    held = {one.id for one in carried if isinstance(one, Holders) and one.apart.at_most == 1}
    return own + [_repelled(snapshot, holders, holders.id in held) for holders in residents.classes[kind.class_id].repellers]


def _apart(snapshot: Snapshot, workload: Workload, one: Apart) -> Clause:
    watch = snapshot.residents.watch(one.peers, resolve(one.namespaces, workload.namespace), one.by)
    limits = (0, one.at_most - 1)
    return Clause("apart", Counted(watch.tally, lambda: limits, True), True, partial(_crowded, snapshot, one, watch))


def _crowded(snapshot: Snapshot, one: Apart, watch: Watch, row: int) -> tuple[Reason, ...]:
    count = watch.tally.at(row)
    where = "the node" if one.by == NODE else f"{one.by} {snapshot.labels[one.by].value(row)}"
    sentence = f"must be {one}: {where} has {count}"
    return (Reason.of("apart", str(one), No.BUSY, sentence, peers=str(one.peers), by=one.by, count=count, at_most=one.at_most),)


def _repelled(snapshot: Snapshot, holders: Holders, implied: bool) -> Clause:
    """`implied`: these holders match the workload's own Apart too, which refuses wherever they do."""
    if holders.watch is None:
        check = Counted(holders.tally, lambda: (0, 0), True)
    else:
        room = holders.apart.at_most - 2 + holders.counts_itself
        check = Unclaimed(holders.tally, holders.watch.tally, room)
    return Clause("apart", check, True, partial(_unwelcome, snapshot, holders), implied=implied and holders.counts_itself)


def _unwelcome(snapshot: Snapshot, holders: Holders, row: int) -> tuple[Reason, ...]:
    one = holders.apart
    where = "the node" if one.by == NODE else f"{one.by} {snapshot.labels[one.by].value(row)}"
    count = holders.tally.at(row)
    sentence = f"{count} resident{'s' if count > 1 else ''} of {where} must be {one}"
    return (Reason.of("apart", f"resident {one}", No.BUSY, sentence, peers=str(one.peers), by=one.by, holders=count),)
