"""Resident memory of a loaded cluster, in a process of its own."""

from __future__ import annotations

import gc
from collections.abc import Iterator

from bayplan import Cluster, Workload
from benchmarks.scenarios import nodes

PLACED = 1_000_000
CLASSES = 1_000


def rows(count: int) -> Iterator[dict[str, object]]:
    before = resident()
    cluster = Cluster(nodes(count), "spread")
    gc.collect()
    loaded = resident() - before
    yield {"what": f"{count} nodes of 20 labels", "how": "memory", "nodes": count, "mebibytes": round(loaded)}
    size = max(1, PLACED // CLASSES)
    for number in range(CLASSES):
        kind = Workload(f"w{number}", {"cpu": f"{1 + number % 7}m", "memory": "1Mi"}, {"app": f"a{number}"})
        cluster.place(kind.copies(size))
    gc.collect()
    placed = len(cluster.snapshot.placements)
    yield {"what": f"and {placed} workloads", "how": "memory", "nodes": count, "mebibytes": round(resident() - before)}


def resident() -> float:
    """MiB this process holds now."""
    with open("/proc/self/statm") as file:
        pages = int(file.read().split()[1])
    return pages * 4096 / 2**20
