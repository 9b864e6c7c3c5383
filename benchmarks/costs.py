"""What everything else costs on a warm cluster: node changes, explanations, forks, retries."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from bayplan import Cluster, Node, Taint, Workload
from benchmarks.scenarios import MIXES, PICKY, repeated, unique
from benchmarks.timing import best

MANY = 20


def rows(cluster: Cluster, repeats: int) -> Iterator[dict[str, object]]:
    size = len(cluster.snapshot.row_of)
    for mix in MIXES:  # warm caches: expression masks, rankings, sieves
        asked = [*unique(mix, 50), *repeated(mix, 50)]
        cluster.place(asked)
        for workload in asked:
            cluster.release(workload.id)
    for name, change, undo in _changes(cluster):
        seconds = best(_many(change), _many(undo), repeats)
        yield {"what": name, "how": "change", "nodes": size, "microseconds": round(seconds * 1e6, 1)}
    nowhere = Workload("nowhere", {"cpu": 90, "memory": "1600Gi", "gpu": 9}, {"app": "a0"}, selector=PICKY)
    cluster.why(nowhere)
    seconds = best(lambda: _explain(cluster, nowhere), lambda: None, repeats)
    yield {"what": "explain a pending workload", "how": "ask", "nodes": size, "microseconds": round(seconds * 1e6, 1)}
    seconds = best(lambda: _fork(cluster), lambda: None, 3)
    yield {"what": "fork", "how": "ask", "nodes": size, "microseconds": round(seconds * 1e6, 1)}
    cluster.place(nowhere)
    seconds = best(lambda: _retry(cluster), lambda: None, repeats)
    yield {"what": "retry after one release", "how": "change", "nodes": size, "microseconds": round(seconds * 1e6, 1)}
    cluster.release("nowhere")


def _changes(cluster: Cluster) -> Iterator[tuple[str, Callable[[int], object], Callable[[int], object]]]:
    yield "relabel a node", lambda i: cluster.relabel(f"n{i}", {"l0": "z"}), lambda i: cluster.relabel(f"n{i}", {"l0": "a"})
    yield (
        "move a node to another zone",
        lambda i: cluster.relabel(f"n{i}", {"zone": "z99"}),
        lambda i: cluster.relabel(f"n{i}", {"zone": "z1"}),
    )
    yield "taint a node", lambda i: cluster.taint(f"n{i}", [Taint("bad")]), lambda i: cluster.taint(f"n{i}", [])
    yield "cordon a node", lambda i: cluster.cordon(f"n{i}"), lambda i: cluster.cordon(f"n{i}", False)
    yield "add a node", lambda i: cluster.add(Node(f"new-{i}", {"cpu": 8}, {"zone": "z1"})), lambda i: cluster.remove(f"new-{i}")


def _many(change: Callable[[int], object]) -> Callable[[], int]:
    def work() -> int:
        for i in range(MANY):
            change(i)
        return MANY

    return work


def _explain(cluster: Cluster, workload: Workload) -> int:
    cluster.why(workload)
    return 1


def _fork(cluster: Cluster) -> int:
    cluster.fork()
    return 1


def _retry(cluster: Cluster) -> int:
    small = Workload("passing", {"cpu": "1m"})
    for _ in range(MANY):
        cluster.snapshot.place(small, "n0")
        cluster.release("passing")
        cluster.retry()
    return MANY
