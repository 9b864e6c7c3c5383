"""Malformed files on the command line: exit code 2, the place of the mistake on stderr, nothing else.

The files are those of the native dialect's own tests; here it matters that none of them gets past the command line.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from bayplan.cli.app import app
from tests.dialects.test_native_errors import ALL, BYTES

FILES: list[tuple[str, bytes, int]] = [
    *((name, text.encode("utf-8", "surrogatepass"), line) for name, text, line, *_ in ALL),
    *((name, content, line) for name, content, line, _ in BYTES),
]
DAMAGE = ("", "-1", "[", "}", "null", "&a", "*a", "0.5", "é", "9" * 30)


def place(file: Path, *options: str) -> tuple[int, str, str]:
    ran = CliRunner(env={"NO_COLOR": "1", "TERM": "dumb"}).invoke(app, ["place", str(file), *options])
    assert ran.exception is None or isinstance(ran.exception, SystemExit), ran.exception
    return ran.exit_code, ran.stdout, ran.stderr


@pytest.mark.parametrize("content, line", [row[1:] for row in FILES], ids=[row[0] for row in FILES])
def test_every_malformed_file_is_refused(content: bytes, line: int, tmp_path: Path) -> None:
    file = tmp_path / "f.yaml"
    file.write_bytes(content)
    code, out, err = place(file)
    assert code == 2
    assert not out
    assert f"error: {file}:{line}" in err
    assert "Traceback" not in err


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damaged_files_give_an_answer_or_a_mistake(data: st.DataObject, tmp_path: Path) -> None:
    """Cut, doubled and exchanged pieces of a good file: never a traceback, always one of the three codes."""
    good = (Path(__file__).resolve().parents[2] / "src/bayplan/cli/demo/cluster.yaml").read_text(encoding="utf-8")
    pieces = good.split(" ")
    for _ in range(data.draw(st.integers(1, 4))):
        at, other = (data.draw(st.integers(0, len(pieces) - 1)) for _ in range(2))
        pieces[at] = data.draw(st.sampled_from([*DAMAGE, pieces[other], pieces[at] * 2]))
    file = tmp_path / "f.yaml"
    file.write_text(" ".join(pieces), encoding="utf-8")
    code, out, err = place(file)
    assert code in (0, 1, 2)
    assert bool(err) == (code == 2)
    assert bool(out) == (code != 2)
