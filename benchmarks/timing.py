"""The best of several repeats, in thread CPU time, with the garbage collector out of the way."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable


def best(work: Callable[[], int], reset: Callable[[], object], repeats: int, prepare: Callable[[int], object] = id) -> float:
    """Seconds per unit of work at best; `work` says how many units it did. `prepare` (given the number of
    the repeat) and `reset` are not timed."""
    shortest = float("inf")
    for number in range(repeats):
        prepare(number)
        gc.collect()
        gc.disable()
        start = time.thread_time()
        units = work()
        taken = time.thread_time() - start
        gc.enable()
        reset()
        shortest = min(shortest, taken / max(units, 1))
    return shortest
