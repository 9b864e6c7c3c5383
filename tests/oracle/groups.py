"""Gangs: does a full assignment keep every rule, and does any exist? (PACK and SPREAD are wishes.)"""

from __future__ import annotations

from collections.abc import Mapping

from bayplan.model.group import Group, Strategy
from bayplan.model.workload import Workload
from tests.oracle.cluster import Cluster
from tests.oracle.rules import refusals
from tests.oracle.scores import Policy, score

Choice = tuple[str, int]
"""A node, and the member's alternative that was placed on it (0: its own conditions)."""


def violations(cluster: Cluster, group: Group, assignment: Mapping[str, str], fallbacks: Mapping[str, int]) -> list[str]:
    """Replay the members in order on a copy, and say all that is wrong. `group` is one alternative."""
    wrong = [f"{one} is no member" for one in assignment if one not in {member.id for member in group.members}]
    trial = cluster.copy()
    for member in group.members:
        if member.id not in assignment:
            wrong.append(f"{member.id} has no place")
            continue
        name, variant = assignment[member.id], list(member.alternatives())[fallbacks.get(member.id, 0)]
        found = list(refusals(trial, variant, trial.node(name)))
        wrong += [f"{member.id} on {name}: {rule} [{topic}]" for rule, topic, _ in found]
        if not any(rule == "devices" for rule, _, _ in found):
            trial.place(variant, name)
    if not strategy_holds(cluster, group, list(assignment.values())):
        wrong.append(f"{group.strategy} by {group.by} does not hold over {', '.join(assignment.values())}")
    return wrong


def strategy_holds(cluster: Cluster, group: Group, names: list[str]) -> bool:
    """Holds for any beginning of an assignment that can still be completed, so it also prunes the search."""
    domains = [cluster.domain(cluster.node(name), group.by) for name in names]
    if group.strategy is Strategy.STRICT_PACK:
        return None not in domains and len(set(domains)) <= 1
    if group.strategy is Strategy.STRICT_SPREAD:
        return None not in domains and len(set(domains)) == len(domains)
    return True


def search(cluster: Cluster, group: Group, policy: Policy, done: tuple[Choice, ...] = ()) -> tuple[Choice, ...] | None:
    """The first full assignment, members in order, each trying its best nodes first; None: there is none."""
    if len(done) == len(group.members):
        return done
    for index, variant in enumerate(group.members[len(done)].alternatives()):
        for name in ranked(cluster, variant, policy):
            if strategy_holds(cluster, group, [*(node for node, _ in done), name]):
                trial = cluster.copy()
                trial.place(variant, name)
                found = search(trial, group, policy, (*done, (name, index)))
                if found is not None:
                    return found
    return None


def ranked(cluster: Cluster, workload: Workload, policy: Policy) -> list[str]:
    """The feasible nodes, best first (sorting is stable, so ties stay in tie order)."""
    fitting = [node for node in cluster.nodes if not list(refusals(cluster, workload, node))]
    return [node.name for node in sorted(fitting, key=lambda node: -score(cluster, workload, node, policy))]
