"""The applications of a generated cluster: who owns their pods, what these ask for, and where they want to run.

Each kind of application shows something that schedulers look at: spread that may or may not be broken, affinity between
pods, pods that stay apart, preferred nodes, GPUs behind a taint, and applications that say nothing at all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Object = dict[str, Any]
ZONE, HOST, POOL = "topology.kubernetes.io/zone", "kubernetes.io/hostname", "example.com/pool"
GPU = "nvidia.com/gpu"
REQUIRED, PREFERRED = "requiredDuringSchedulingIgnoredDuringExecution", "preferredDuringSchedulingIgnoredDuringExecution"


@dataclass(frozen=True)
class App:
    name: str
    namespace: str
    kind: Kind
    replicas: int
    beside: str = ""
    """The application it wants to be near to."""

    @property
    def labels(self) -> dict[str, str]:
        return {"app.kubernetes.io/name": self.name, "app.kubernetes.io/component": self.kind.name}


@dataclass(frozen=True)
class Kind:
    name: str
    controller: str
    cpu: int
    """Thousandths of a core."""
    memory: int
    """Mebibytes."""
    replicas: tuple[int, int]
    """At least, at most."""
    spec: Callable[[App], Object]
    """What its pods say about where they run."""
    gpus: int = 0
    pool: str = ""
    """The only pool of nodes that will do."""
    alone: bool = False
    """No two of its pods on one node."""
    priority: tuple[str, int] = ("", 0)


def _matching(app: str) -> Object:
    return {"matchLabels": {"app.kubernetes.io/name": app}}


def _spread(app: App, mode: str) -> Object:
    rule = {"maxSkew": 1, "topologyKey": ZONE, "whenUnsatisfiable": mode, "labelSelector": _matching(app.name)}
    return {"topologySpreadConstraints": [rule]}


def _near(app: App, key: str) -> Object:
    return {"labelSelector": _matching(app.beside or app.name), "topologyKey": key}


def _in_pool(*pools: str) -> Object:
    return {"matchExpressions": [{"key": POOL, "operator": "In", "values": list(pools)}]}


def _web(app: App) -> Object:
    apart = {"weight": 100, "podAffinityTerm": {"labelSelector": _matching(app.name), "topologyKey": HOST}}
    return {**_spread(app, "ScheduleAnyway"), "affinity": {"podAntiAffinity": {PREFERRED: [apart]}}}


def _api(app: App) -> Object:
    return _spread(app, "DoNotSchedule")


def _cache(app: App) -> Object:
    return {"affinity": {"podAffinity": {REQUIRED: [_near(app, ZONE)]}}}


def _db(app: App) -> Object:
    alone = {"labelSelector": _matching(app.name), "topologyKey": HOST}
    wish = [{"weight": 50, "preference": _in_pool("large")}]
    return {"affinity": {"podAntiAffinity": {REQUIRED: [alone]}, "nodeAffinity": {PREFERRED: wish}}}


def _batch(app: App) -> Object:
    wish = [{"weight": 20, "preference": _in_pool("general", "large")}]
    return {"affinity": {"nodeAffinity": {PREFERRED: wish}}, "restartPolicy": "Never"}


def _train(app: App) -> Object:
    tolerated = [{"key": GPU, "operator": "Exists", "effect": "NoSchedule"}]
    return {"nodeSelector": {POOL: "gpu"}, "tolerations": tolerated, "restartPolicy": "Never"}


ONLINE, LATER = ("online", 1000), ("batch", -10)
WEB = Kind("web", "ReplicaSet", 500, 512, (3, 24), _web, priority=ONLINE)
CACHE = Kind("cache", "ReplicaSet", 250, 2048, (2, 9), _cache, priority=ONLINE)
KINDS = (
    WEB,
    CACHE,
    Kind("api", "ReplicaSet", 1000, 1024, (3, 18), _api, priority=ONLINE),
    Kind("worker", "ReplicaSet", 200, 256, (2, 30), lambda _: {}),
    Kind("db", "StatefulSet", 2000, 8192, (2, 4), _db, alone=True, priority=ONLINE),
    Kind("batch", "Job", 1500, 1024, (2, 12), _batch, priority=LATER),
    Kind("train", "Job", 4000, 32768, (1, 4), _train, gpus=1, pool="gpu"),
    Kind("tune", "Job", 16_000, 65_536, (1, 1), _train, gpus=8, pool="gpu"),
)
CRITICAL = ("system-cluster-critical", 2_000_000_000)
ON_EVERY_NODE = ("system-node-critical", 2_000_001_000)
DNS = Kind("dns", "ReplicaSet", 100, 70, (2, 2), _web, priority=CRITICAL)
EVERYWHERE = [{"operator": "Exists"}]
PROXY = Kind(
    "proxy", "DaemonSet", 100, 64, (1, 1), lambda _: {"tolerations": EVERYWHERE, "hostNetwork": True}, priority=ON_EVERY_NODE
)
EXPORTER = Kind("exporter", "DaemonSet", 50, 64, (1, 1), lambda _: {"tolerations": EVERYWHERE})
CLASSES = dict((ONLINE, LATER, CRITICAL, ON_EVERY_NODE))
