"""Who is where, what is free, which domain a node lies in. Everything is recounted at every question."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from bayplan.model.neighbours import ALL, Namespaces
from bayplan.model.node import Node
from bayplan.model.resources import UNIT
from bayplan.model.selector import NODE_NAME, Selector
from bayplan.model.workload import Workload

Shares = Mapping[str, Mapping[str, int]]
"""resource -> device id -> smallest units taken of that device."""


class Resident(NamedTuple):
    workload: Workload
    node: str
    devices: Shares


class Reserve(NamedTuple):
    """So many units of another resource stay free for each idle unit of `primary`, and so many on every node."""

    primary: str
    per_unit: tuple[tuple[str, float], ...]
    kept: tuple[tuple[str, int], ...] = ()


class Cluster:
    """Nodes in tie order (the first wins ties), the residents by id, and what is kept for whom."""

    def __init__(self, nodes: list[Node], reserve: Reserve | None = None):
        self.nodes = list(nodes)
        self.residents: dict[str, Resident] = {}
        self.reserve = reserve

    def copy(self) -> Cluster:
        twin = Cluster(self.nodes, self.reserve)
        twin.residents = dict(self.residents)
        return twin

    def node(self, name: str) -> Node:
        for node in self.nodes:
            if node.name == name:
                return node
        raise KeyError(name)

    # --- labels and domains ---

    def labels(self, node: Node) -> dict[str, str]:
        """A node's labels, and its name under NODE_NAME."""
        return {**node.labels, NODE_NAME: node.name}

    def domain(self, node: Node, key: str) -> str | None:
        """The value a node has under a topology key; None when it does not carry the key."""
        return self.labels(node).get(key)

    def matching(self, peers: Selector, namespaces: Namespaces, own: str) -> list[Resident]:
        """All residents that match; `own` is the namespace of the workload that sets the condition."""
        return [one for one in self.residents.values() if matches(one.workload, peers, namespaces, own)]

    def count(self, matching: list[Resident], key: str, domain: str | None) -> int:
        """How many of these are on nodes of that domain."""
        return sum(domain is not None and self.domain(self.node(one.node), key) == domain for one in matching)

    # --- resources ---

    def used(self, node: Node, resource: str) -> int:
        return sum(one.workload.requests.get(resource, 0) for one in self.residents.values() if one.node == node.name)

    def free(self, node: Node, resource: str) -> int:
        return node.capacity.get(resource, 0) - self.used(node, resource)

    def devices(self, node: Node, resource: str) -> list[tuple[str, int]]:
        """(id, free share) of every device of that resource, by position."""
        here = [one for one in self.residents.values() if one.node == node.name]
        found = []
        for device in node.devices:
            if device.resource == resource:
                taken = sum(one.devices.get(resource, {}).get(device.id, 0) for one in here)
                found.append((device.id, UNIT - taken))
        return found

    def choose(self, node: Node, resource: str, amount: int) -> dict[str, int] | None:
        """The devices that would be taken, or None when there are none that do."""
        pieces = self.devices(node, resource)
        if amount < UNIT:
            fitting = [(free, position) for position, (_, free) in enumerate(pieces) if free >= amount]
            return {pieces[min(fitting)[1]][0]: amount} if fitting else None
        whole = [name for name, free in pieces if free == UNIT]
        count, rest = divmod(amount, UNIT)
        return None if rest or count > len(whole) else dict.fromkeys(whole[:count], UNIT)

    # --- changes ---

    def place(self, workload: Workload, name: str, devices: Shares | None = None) -> None:
        """Put it there, whatever the rules say; devices must be possible unless they are given."""
        if workload.id in self.residents:
            raise ValueError(f"{workload.id} is already placed")
        node = self.node(name)
        if devices is None:
            chosen: dict[str, dict[str, int]] = {}
            for resource, amount in workload.requests.items():
                if self.devices(node, resource):
                    shares = self.choose(node, resource, amount)
                    if shares is None:
                        raise ValueError(f"{workload.id} finds no {resource} devices on {name}")
                    chosen[resource] = shares
            devices = chosen
        self.residents[workload.id] = Resident(workload, name, devices)

    def release(self, workload_id: str) -> None:
        del self.residents[workload_id]

    def add(self, node: Node) -> None:
        """A new node loses ties against all that are there."""
        if any(one.name == node.name for one in self.nodes):
            raise ValueError(f"{node.name} is already there")
        self.nodes.append(node)

    def remove(self, name: str) -> list[str]:
        """The node goes and takes its residents with it; their ids are returned."""
        self.nodes.remove(self.node(name))
        gone = [key for key, one in self.residents.items() if one.node == name]
        for key in gone:
            self.release(key)
        return gone

    def replace(self, node: Node) -> None:
        """Other labels, taints, capacity: same name, same place in the tie order, residents stay."""
        self.nodes[self.nodes.index(self.node(node.name))] = node


def matches(workload: Workload, peers: Selector, namespaces: Namespaces, own: str) -> bool:
    """Is this workload one of the peers? namespaces: None is `own`, ALL any, else one of the set."""
    if namespaces is None:
        right_namespace = workload.namespace == own
    elif namespaces == ALL:
        right_namespace = True
    else:
        right_namespace = workload.namespace in namespaces
    return right_namespace and peers.matches(workload.labels)
