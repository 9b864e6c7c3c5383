"""Hostile files are refused within bounds: little memory, no traceback, exit code 2."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest

ROOM = 1 << 30
"""Bytes of address space: a sane file takes a tenth of it, an expanded bomb would take all memory."""

HOSTILE = {
    "aliases that multiply": "a: &a [x, x, x, x, x, x, x, x, x]\n"
    + "".join(f"{chr(98 + i)}: &{chr(98 + i)} [{', '.join([f'*{chr(97 + i)}'] * 9)}]\n" for i in range(12)),
    "an alias of itself": "nodes: &n [*n]\n",
    "deep nesting": "[" * 100_000,
    "a huge count": "nodes: [{name: n, count: 999999999999, capacity: {cpu: 1}}]\n",
    "many replicas": "workloads: [" + ", ".join(f"{{name: w{i}, replicas: 1000000}}" for i in range(100)) + "]\n",
    "a long number": "nodes: [{name: n, capacity: {cpu: " + "9" * 1_000_000 + "}}]\n",
    "a wide mapping": "nodes: [{" + ", ".join(f"k{i}: 1" for i in range(100_000)) + "}]\n",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=list(HOSTILE))
def test_refused_in_little_memory(text: str, tmp_path: Path) -> None:
    file = tmp_path / "hostile.yaml"
    file.write_text(text)
    ran = subprocess.run(
        [sys.executable, "-m", "bayplan.cli", "validate", str(file)],
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (ROOM, ROOM)),
        check=False,
    )
    assert (ran.returncode, "Traceback" in ran.stderr) == (2, False), ran.stderr[-500:]
    assert "hostile.yaml" in ran.stderr
