"""A dump of a Kubernetes cluster that looks real: what `kubectl get nodes,namespaces,priorityclasses.scheduling.k8s.io,
services,replicasets,statefulsets,jobs,daemonsets,pods -A -o json` prints.

    python scripts/make_kube_dump.py --nodes 60 --pods 600 > cluster.json

Nodes lie in three zones and three pools (general, large, and gpu behind a taint); a few are cordoned. Pods belong to
applications of several kinds (kube_apps.py), to daemon sets and to the system; some wait. The same arguments give the
same bytes. Running pods stand where their own rules allow it, and nodes are not overbooked.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

if __package__ in (None, ""):  # run as a file
    sys.path.insert(0, str(Path(__file__).parent.parent))

from scripts.kube_apps import CACHE, CLASSES, DNS, EXPORTER, GPU, HOST, KINDS, POOL, PROXY, WEB, ZONE, App, Object

ZONES = ("eu-west-1a", "eu-west-1b", "eu-west-1c")
SIZES = {"general": (15_890, 58_000, 0), "large": (63_770, 248_000, 0), "gpu": (31_850, 240_000, 8)}
"""By pool: allocatable cores in thousandths, mebibytes, GPUs."""
TEAMS = ("shop", "search", "payments", "data", "ml")
LETTERS = "bcdfghjklmnpqrstvwxz2456789"
FOUNDED = datetime(2026, 3, 2, 8, tzinfo=UTC)
PODS_PER_NODE = 110
TRIES = 200
"""How many nodes are looked at for a pod before it waits."""


@dataclass
class Machine:
    """A node, and what is left of it."""

    name: str
    zone: str
    pool: str
    cordoned: bool
    cpu: int
    memory: int
    gpus: int
    pods: int = PODS_PER_NODE
    apps: set[str] = field(default_factory=set)

    def take(self, app: App) -> bool:
        """Seat a pod of the application, if there is room."""
        kind = app.kind
        fits = self.cpu >= kind.cpu and self.memory >= kind.memory and self.gpus >= kind.gpus and self.pods > 0
        wanted = self.pool == kind.pool if kind.pool else self.pool != "gpu"
        if not fits or not wanted or self.cordoned or (kind.alone and app.name in self.apps):
            return False
        self.seat(app)
        return True

    def seat(self, app: App) -> None:
        self.cpu, self.memory = self.cpu - app.kind.cpu, self.memory - app.kind.memory
        self.gpus, self.pods = self.gpus - app.kind.gpus, self.pods - 1
        self.apps.add(app.name)


def dump(nodes: int, pods: int, seed: int = 0, waiting: float = 0.02) -> Iterator[Object]:
    """The objects, one by one. `waiting`: which share of the pods was left without a node."""
    dice, serials = random.Random(seed), count(1)
    machines = [_machine(i, nodes) for i in range(nodes)]
    apps, everywhere = _apps(dice, pods - 2 * nodes), [App(one.name, "kube-system", one, nodes) for one in (PROXY, EXPORTER)]
    yield from (_node(one) for one in machines)
    yield from (_plain("v1", "Namespace", name, labels={"kubernetes.io/metadata.name": name}) for name in _namespaces(apps))
    for name, value in CLASSES.items():
        yield _plain("scheduling.k8s.io/v1", "PriorityClass", name) | {"value": value}
    yield from (_service(app) for app in apps if app.kind.controller != "Job")
    yield from (_controller(app) for app in (*everywhere, *apps))
    for app in everywhere:
        for one in machines:
            one.seat(app)
            yield _pod(app, dice, 0, one.name, next(serials))
    left = round(sum(app.replicas for app in apps) * waiting)
    for app in apps:
        late = min(left, max(1, app.replicas // 3)) if dice.random() < 0.1 or app is apps[-1] else 0
        left -= late
        for number in range(app.replicas):
            where = _where(app, number, machines, dice) if number < app.replicas - late else ""
            yield _pod(app, dice, number, where, next(serials))


def _machine(number: int, nodes: int) -> Machine:
    gpus, large = max(1, nodes // 10), nodes // 5
    pool = "gpu" if number < gpus else "large" if number < gpus + large else "general"
    cpu, memory, devices = SIZES[pool]
    name = f"{pool}-{ZONES[number % 3][-2:]}-{number:04d}"
    return Machine(name, ZONES[number % 3], pool, number % 40 == 39, cpu, memory, devices)


def _apps(dice: random.Random, pods: int) -> list[App]:
    """Applications with so many pods in all; DNS first."""
    found = [App("coredns", "kube-system", DNS, 2)]
    left, number, web = pods - 2, 0, ""
    while left > 0:
        kind = KINDS[number % len(KINDS)]
        team = TEAMS[number // len(KINDS) % len(TEAMS)]
        name = f"{kind.name}-{number // len(KINDS)}"
        web = name if kind is WEB else web
        replicas = min(left, dice.randint(*kind.replicas))
        found.append(App(name, team, kind, replicas, web if kind is CACHE else ""))
        left, number = left - replicas, number + 1
    return found


def _where(app: App, number: int, machines: list[Machine], dice: random.Random) -> str:
    """A node in the zone whose turn it is; "" where none was found in a few tries."""
    zone = ZONES[number % 3]
    start = dice.randrange(len(machines))
    for step in range(min(len(machines), TRIES)):
        one = machines[(start + step) % len(machines)]
        if one.zone == zone and one.take(app):
            return one.name
    return ""


def _namespaces(apps: list[App]) -> list[str]:
    return sorted({"default", "kube-system", *(app.namespace for app in apps)})


# --- objects --------------------------------------------------------------------------------------


def _time(seconds: int = 0) -> str:
    return f"{FOUNDED + timedelta(seconds=seconds):%Y-%m-%dT%H:%M:%SZ}"


def _plain(api: str, kind: str, name: str, namespace: str = "", labels: dict[str, str] | None = None) -> Object:
    metadata: Object = {"name": name} | ({"namespace": namespace} if namespace else {})
    metadata |= {"creationTimestamp": _time()} | ({"labels": labels} if labels else {})
    return {"apiVersion": api, "kind": kind, "metadata": metadata}


def _node(one: Machine) -> Object:
    labels = {
        "kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux", HOST: one.name, POOL: one.pool, ZONE: one.zone,
        "topology.kubernetes.io/region": "eu-west-1", "node.kubernetes.io/instance-type": f"{one.pool}.4xlarge",
    }  # fmt: skip
    taints = [{"key": GPU, "value": "present", "effect": "NoSchedule"}] if one.pool == "gpu" else []
    spec: Object = {"podCIDR": "10.0.0.0/24", "providerID": f"aws:///{one.zone}/{one.name}"}
    if one.cordoned:
        spec["unschedulable"] = True
        taints.append({"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"})
    spec |= {"taints": taints} if taints else {}
    cpu, memory, gpus = SIZES[one.pool]
    amounts = {"cpu": f"{cpu}m", "memory": f"{memory}Mi", "ephemeral-storage": "95551679124", "pods": str(PODS_PER_NODE)}
    amounts |= {GPU: str(gpus)} if gpus else {}
    conditions = [{"type": "Ready", "status": "True", "reason": "KubeletReady", "lastHeartbeatTime": _time()}]
    images = [{"names": [_image(name)], "sizeBytes": size} for name, size in (("proxy", 32_000_000), ("exporter", 11_000_000))]
    status = {"allocatable": amounts, "capacity": amounts, "conditions": conditions, "images": images}
    return _plain("v1", "Node", one.name, labels=labels) | {"spec": spec, "status": status}


def _service(app: App) -> Object:
    spec = {"selector": {"app.kubernetes.io/name": app.name}, "ports": [{"port": 80}]}
    return _plain("v1", "Service", app.name, app.namespace) | {"spec": spec}


def _owner(app: App) -> str:
    return f"{app.name}-{_letters(random.Random(app.name), 9)}" if app.kind.controller == "ReplicaSet" else app.name


def _labels(app: App) -> dict[str, str]:
    hashed = {"pod-template-hash": _owner(app).rpartition("-")[2]} if app.kind.controller == "ReplicaSet" else {}
    return app.labels | hashed


def _controller(app: App) -> Object:
    kind = app.kind.controller
    template = {"metadata": {"labels": _labels(app)}, "spec": _spec(app)}
    spec: Object = {"selector": {"matchLabels": _labels(app)}, "template": template}
    if kind == "Job":
        spec |= {"parallelism": app.replicas, "completions": app.replicas}
    elif kind != "DaemonSet":
        spec["replicas"] = app.replicas
    api = "batch/v1" if kind == "Job" else "apps/v1"
    return _plain(api, kind, _owner(app), app.namespace, app.labels) | {"spec": spec}


def _spec(app: App) -> Object:
    kind = app.kind
    requests: Object = {"cpu": f"{kind.cpu}m", "memory": f"{kind.memory}Mi"}
    limits = {GPU: str(kind.gpus)} if kind.gpus else {"memory": f"{2 * kind.memory}Mi"}
    requests |= {GPU: str(kind.gpus)} if kind.gpus else {}
    container: Object = {"name": kind.name, "image": _image(kind.name), "resources": {"requests": requests, "limits": limits}}
    if kind is EXPORTER:
        container["ports"] = [{"containerPort": 9100, "hostPort": 9100, "protocol": "TCP"}]
    spec: Object = {"containers": [container], "schedulerName": "default-scheduler", "serviceAccountName": "default"}
    name, value = kind.priority
    spec |= {"priorityClassName": name, "priority": value} if name else {"priority": 0}
    return spec | kind.spec(app)


def _pod(app: App, dice: random.Random, number: int, node: str, serial: int) -> Object:
    kind, owner = app.kind.controller, _owner(app)
    name = f"{owner}-{number}" if kind == "StatefulSet" else f"{owner}-{_suffix(serial)}"
    found = _plain("v1", "Pod", name, app.namespace, _labels(app))
    found["metadata"]["creationTimestamp"] = _time(serial)
    reference = {"apiVersion": "batch/v1" if kind == "Job" else "apps/v1", "kind": kind, "name": owner, "controller": True}
    found["metadata"]["ownerReferences"] = [reference | {"uid": f"{dice.getrandbits(128):032x}", "blockOwnerDeletion": True}]
    spec = _spec(app)
    if kind == "DaemonSet":  # as the controller of daemon sets does it
        field = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}
        required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [field]}}
        spec["affinity"] = {"nodeAffinity": required}
    soon = [{"key": f"node.kubernetes.io/{trouble}", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}
            for trouble in ("not-ready", "unreachable")]  # fmt: skip
    spec["tolerations"] = [*spec.get("tolerations", []), *soon]
    spec |= {"nodeName": node} if node else {}
    ready = {"type": "PodScheduled", "status": "True" if node else "False"}
    return found | {
        "spec": spec,
        "status": {"phase": "Running" if node else "Pending", "conditions": [ready], "qosClass": "Burstable"},
    }


def _image(name: str) -> str:
    return f"registry.example.com/{name}:v1.4.2"


def _suffix(serial: int) -> str:
    """Five letters that look like chance and never come twice."""
    rest = serial * 7_368_787 % len(LETTERS) ** 5  # a prime, so that no two serials meet
    return "".join(LETTERS[rest // len(LETTERS) ** place % len(LETTERS)] for place in range(5))


def _letters(dice: random.Random, length: int) -> str:
    return "".join(dice.choice(LETTERS) for _ in range(length))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--nodes", type=int, default=60)
    parser.add_argument("--pods", type=int, default=600, help="daemon sets included: two per node")
    parser.add_argument("--waiting", type=float, default=0.02, help="which share of the pods has no node yet")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--lines", action="store_true", help="one object per line, not indented as kubectl does it")
    chosen = parser.parse_args()
    items = dump(chosen.nodes, chosen.pods, chosen.seed, chosen.waiting)
    if chosen.lines:
        print('{"apiVersion": "v1", "kind": "List", "items": [', ",\n".join(map(json.dumps, items)), "]}", sep="\n")
    else:
        json.dump({"apiVersion": "v1", "items": list(items), "kind": "List"}, sys.stdout, indent=4)
        print()


if __name__ == "__main__":
    main()
