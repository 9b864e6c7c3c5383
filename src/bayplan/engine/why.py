"""Which question "why?" is: about a decision, a resident, something that waits, or something that was never asked for.

What was decided before is explained by the state and the policy that decided it; what waits, by the state as it is,
together with what could be bought for it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bayplan.engine.explain import explain, explain_decision, explain_group
from bayplan.engine.explanation import Explanation
from bayplan.engine.market import purchase
from bayplan.errors import did_you_mean, wrong
from bayplan.model.decision import Decision, Status
from bayplan.model.group import Group, Request
from bayplan.model.workload import Workload

if TYPE_CHECKING:
    from bayplan.engine.cluster import Cluster


def why(cluster: Cluster, target: str | Decision | Request) -> Explanation:
    if isinstance(target, Decision):
        displaced = cluster.asked.get(target.workload) if isinstance(target.request, Workload) and target.group else None
        return explain_decision(cluster.pipeline_at(target.version), target, displaced)
    if not isinstance(target, str):
        return _waiting(cluster, target)
    placed = cluster.snapshot.placements.get(target)
    if placed is not None:
        return explain(cluster.pipeline_at(placed.version), placed.workload, placed.version, placed, cluster.asked.get(target))
    request = cluster.pending.get(target)
    if request is None:
        known = (*cluster.snapshot.placements, *cluster.pending.ids)
        raise wrong(f"there is no workload {target!r}", hint=did_you_mean(target, known))
    return _waiting(cluster, request)


def _waiting(cluster: Cluster, request: Request) -> Explanation:
    """What has no place, or was never asked for: what would happen now, and what a purchase would do."""
    pipeline, version = cluster.pipeline_at(cluster.snapshot.version), cluster.snapshot.version
    if isinstance(request, Group):
        found = explain_group(pipeline, request, version)
    else:
        displaced = cluster.asked.get(request.id) if request.id in cluster.pending else None
        found = explain(pipeline, request, version, asked=displaced)
    if found.feasible or not cluster.templates:
        return found
    bought = purchase(cluster.snapshot, cluster.policy, request, cluster.templates)
    if bought is not None and found.status is Status.IMPOSSIBLE:
        note = "no node here will ever do, but one of the templates would"
        found = replace(found, status=Status.PENDING, note=found.note or note)
    return replace(found, purchase=bought)
