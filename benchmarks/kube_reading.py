"""Reading a dump of a large cluster: 5,000 nodes and 50,000 pods, as `kubectl get ... -o json` prints them.

The dump is made by scripts/make_kube_dump.py and written to a file first. It is read in a process of its own, with
the garbage collector as the command line sets it, so that the peak of its memory is that of reading, modules included.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from scripts.make_kube_dump import dump

NODES, PODS = 5_000, 50_000
SECONDS, MEBIBYTES = 8, 1024
"""What it may take."""
READ = """
import gc, json, resource, sys, time
from bayplan.cli.app import GARBAGE
from bayplan.dialects import kubernetes
gc.set_threshold(*GARBAGE)
begin = time.perf_counter()
found = kubernetes.load(sys.argv[1])
taken = time.perf_counter() - begin
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps([len(found.nodes), len(found.residents) + len(found.requests), taken, peak]))
"""


def rows(repeats: int) -> Iterator[dict[str, object]]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "dump.json"
        write(file)
        size = file.stat().st_size / 2**20
        runs = [_read(file) for _ in range(min(repeats, 3))]
    nodes, pods, taken, _ = min(runs, key=lambda run: run[2])
    what = f"{pods:,.0f} pods, {size:,.0f} MiB of JSON"
    common = {"what": what, "how": "kube-reading", "nodes": round(nodes)}
    yield common | {"seconds": round(taken, 2), "aim": SECONDS}
    yield common | {"mebibytes": round(max(run[3] for run in runs)), "aim": MEBIBYTES}


def write(file: Path) -> None:
    """Item by item, in lines as kubectl's are."""
    with file.open("w", encoding="utf-8") as out:
        out.write('{\n    "apiVersion": "v1",\n    "items": [\n')
        for number, item in enumerate(dump(NODES, PODS)):
            text = json.dumps(item, indent=4).replace("\n", "\n        ")
            out.write(f"{',' if number else ''}\n        {text}")
        out.write('\n    ],\n    "kind": "List"\n}\n')


def _read(file: Path) -> tuple[float, float, float, float]:
    done = subprocess.run([sys.executable, "-c", READ, str(file)], stdout=subprocess.PIPE, text=True, check=True)
    nodes, pods, taken, peak = json.loads(done.stdout)
    return nodes, pods, taken, peak
