"""Signs of life: on a terminal, when it takes its time, and never anywhere else."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.golden import compare

pty = pytest.importorskip("pty", reason="pseudo terminals are not for this system")
PATIENT = "from bayplan.cli import progress; progress.SHORT_PATIENCE = {patience}; from bayplan.cli.app import run; run()"


def on_a_terminal(folder: Path, patience: float, *words: str, piped: bool = False) -> str:
    """What a person sees who sits at stderr; stdout is the same terminal, or goes elsewhere."""
    parent, child = pty.openpty()
    command = [sys.executable, "-c", PATIENT.format(patience=patience), *words]
    environment = compare.environment() | {"TERM": "xterm"}
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL if piped else child, "stderr": child}
    with subprocess.Popen(command, cwd=folder, env=environment, **streams):  # type: ignore[call-overload]
        os.close(child)
        seen = b""
        with contextlib.suppress(OSError):  # the other side is closed: so Linux says that there is no more
            while chunk := os.read(parent, 4096):
                seen += chunk
    os.close(parent)
    return seen.decode()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    work = "".join(f"- {{name: w{i}, requests: {{cpu: {i + 1}m}}}}\n" for i in range(2_000))
    (tmp_path / "f.yaml").write_text("nodes: [{name: n, capacity: {cpu: 9999}}]\nworkloads:\n" + work)
    return tmp_path


@pytest.mark.parametrize(
    "patience, words, piped, shown",
    [
        (0.01, ["validate", "f.yaml"], False, True),
        (60, ["validate", "f.yaml"], False, False),
        (0.01, ["validate", "f.yaml", "--json"], True, False),
        (0.01, ["place", "f.yaml", "--json"], True, False),
    ],
    ids=["it takes long", "it does not", "validate for a program", "place for a program"],
)
def test_reading_is_shown_to_a_person_who_waits(
    patience: float, words: list[str], piped: bool, shown: bool, folder: Path
) -> None:  # fmt: skip
    seen = on_a_terminal(folder, patience, *words, piped=piped)
    assert ("reading f.yaml" in seen) == shown, seen
    assert "Traceback" not in seen


def test_a_mistake_ends_it(folder: Path) -> None:
    with open(folder / "f.yaml", "a") as file:
        file.write("nonsense: 1\n")
    seen = on_a_terminal(folder, 0.01, "validate", "f.yaml")
    assert "unknown section" in seen
    assert "Traceback" not in seen
