"""Run the benchmarks: each size in a process of its own, a table on the way, JSON at the end."""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys

from rich.console import Console
from rich.table import Table

SIZES = "1000,5000,20000,100000"
SIZED = ("decisions", "costs", "memory")
"""Sections that are run for every size."""
OWN = {"strategies": 10_000, "kubernetes": 5_000, "kube-reading": 5_000}
"""Sections that have a size of their own."""
SECTIONS = (*SIZED, *OWN)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--nodes", default=SIZES, help=f"sizes of cluster, default {SIZES}")
    parser.add_argument("--only", choices=SECTIONS, action="append", help="sections to run, default all")
    parser.add_argument("--repeats", type=int, default=5, help="the best of so many is taken")
    parser.add_argument("--json", metavar="FILE", help="write the figures there, too")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    sections = options.only or list(SECTIONS)
    sizes = [int(size) for size in options.nodes.split(",")]
    if options.child:
        for row in run(sections[0], sizes[0], options.repeats):
            print(json.dumps(row), flush=True)
        return
    runs = [(section, size) for section in sections for size in (sizes if section in SIZED else [OWN[section]])]
    rows = [row for section, size in runs for row in in_own_process(section, size, options.repeats)]
    report = {"python": platform.python_version(), "machine": platform.machine(), "rows": rows, "growth": growth(rows)}
    show(rows)
    print(json.dumps(report))
    if options.json:
        with open(options.json, "w") as file:
            json.dump(report, file, indent=1)


def run(section: str, size: int, repeats: int):  # type: ignore[no-untyped-def]
    from benchmarks import costs, decisions, kube_reading, kubernetes, memory, scenarios, strategies

    if section not in SIZED:
        return {"strategies": strategies, "kubernetes": kubernetes, "kube-reading": kube_reading}[section].rows(repeats)
    if section == "memory":
        return memory.rows(size) if size >= 100_000 else iter(())
    return {"decisions": decisions, "costs": costs}[section].rows(scenarios.cluster(size), repeats)


def in_own_process(section: str, size: int, repeats: int) -> list[dict[str, object]]:
    command = [sys.executable, "-m", "benchmarks", "--child", "--only", section, "--nodes", str(size), "--repeats", str(repeats)]
    print(f"{section} with {size} nodes ...", file=sys.stderr, flush=True)
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def growth(rows: list[dict[str, object]]) -> dict[str, float]:
    """How much more a unique decision costs on 20,000 nodes than on 5,000."""
    cost = {(r["what"], r["nodes"]): float(str(r["microseconds"])) for r in rows if r["how"] == "unique"}
    mixes = dict.fromkeys(what for what, _ in cost)
    return {str(m): round(cost[m, 20_000] / cost[m, 5_000], 2) for m in mixes if (m, 20_000) in cost and (m, 5_000) in cost}


def show(rows: list[dict[str, object]]) -> None:
    from benchmarks.targets import target

    table = Table(title="bayplan benchmarks: best of several repeats, one core")
    for title in ("nodes", "what", "how"):
        table.add_column(title)
    for title in ("figure", "us each", "x baseline", "target"):
        table.add_column(title, justify="right")
    for row in rows:
        aim = target(row)
        met = "" if aim is None else f"[{'green' if aim[1] else 'red'}]{aim[0]}[/]"
        each, ratio = str(row.get("microseconds", "")), str(row.get("times_baseline", ""))
        table.add_row(f"{row['nodes']:,}", str(row["what"]), str(row["how"]), figure(row), each, ratio, met)
    Console(width=120).print(table)
    if ratios := growth(rows):
        print("growth of a unique decision from 5,000 to 20,000 nodes (target <= 4):", ratios)


def figure(row: dict[str, object]) -> str:
    if "per_second" in row:
        return f"{row['per_second']:,}/s"
    return f"{row['mebibytes']} MiB" if "mebibytes" in row else f"{row['seconds']} s" if "seconds" in row else ""


if __name__ == "__main__":
    main()
