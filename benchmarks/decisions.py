"""Decisions per second: unique requests, repeated ones, batches of equal ones, and the baseline."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from bayplan import Cluster, Workload
from benchmarks.scenarios import MIXES, repeated, unique
from benchmarks.timing import best
from tests.oracle import Neighbours, Oracle, Packing, Preferences, Spreading, Use

BASELINE_POLICY = (
    Packing((Use("cpu", "least"), Use("memory", "least"), Use("gpu", "least", 2.0))),
    Preferences(),
    Neighbours(),
    Spreading(),
)
"""What the preset `spread` means, for the oracle."""

BATCH = 10_000
SAMPLE = 200


def rows(cluster: Cluster, repeats: int) -> Iterator[dict[str, object]]:
    size = len(cluster.snapshot.row_of)
    count = 600 if size <= 20_000 else 300
    for mix in MIXES:
        baseline = _baseline(cluster, unique(mix, 1))
        again = repeated(mix, min(4 * count, size // 2))
        yield _row(mix, "unique", size, _one_by_one(cluster, lambda seed, mix=mix: unique(mix, count, seed), repeats), baseline)
        yield _row(mix, "repeated", size, _one_by_one(cluster, lambda _, again=again: again, repeats), baseline)
        batch = min(BATCH, size // 2) if mix in ("anti-affinity", "mixed") else BATCH  # at most one a node
        yield _row(mix, "batch", size, _at_once(cluster, repeated(mix, batch), repeats), baseline)


def _row(mix: str, how: str, size: int, seconds: float, baseline: float) -> dict[str, object]:
    return {
        "what": mix, "how": how, "nodes": size, "per_second": round(1 / seconds), "microseconds": round(seconds * 1e6, 2),
        "baseline_per_second": round(1 / baseline, 2), "times_baseline": round(baseline / seconds),
    }  # fmt: skip


def _one_by_one(cluster: Cluster, make: Callable[[int], list[Workload]], repeats: int) -> float:
    asked: list[Workload] = []

    def prepare(number: int) -> None:
        asked[:] = make(number)  # unique requests must be new in every repeat

    def work() -> int:
        for workload in asked:
            cluster.place(workload)
        return len(asked)

    return best(work, lambda: _release(cluster, asked), repeats, prepare)


def _at_once(cluster: Cluster, asked: Sequence[Workload], repeats: int) -> float:
    def work() -> int:
        before = len(cluster.snapshot.placements)
        cluster.place(asked)
        return len(cluster.snapshot.placements) - before

    return best(work, lambda: _release(cluster, asked), repeats)


def _release(cluster: Cluster, asked: Sequence[Workload]) -> None:
    for workload in asked:
        cluster.release(workload.id)


def _baseline(cluster: Cluster, asked: Sequence[Workload]) -> float:
    """The oracle deciding the same request on 200 of the same nodes. Its time grows at least in
    proportion to the number of nodes, so scaling it up to all of them flatters it, if anything."""
    names = [name for name in cluster.snapshot.names if name is not None]
    sample = [cluster.snapshot.node(name) for name in names[:: max(1, len(names) // SAMPLE)]]
    oracle = Oracle(sample)

    def work() -> int:
        for workload in asked:
            oracle.decide(workload, BASELINE_POLICY)
        return len(asked)

    return best(work, lambda: None, 2) * len(names) / len(sample)
