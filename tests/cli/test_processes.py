"""Commands as processes of their own: whole outputs, help that comes at once, pipes, signals and terminals."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.command import FITS
from tests.golden import compare

DEMO = Path(__file__).resolve().parents[2] / "src/bayplan/cli/demo/cluster.yaml"

GOLDEN = {
    "place-demo.txt": "place demo.yaml",
    "place-many.txt": "place demo.yaml --policy spread",
    "why-placed.txt": "why web-0 demo.yaml",
    "why-group.txt": "why train demo.yaml",
    "whatif-drain.txt": "whatif demo.yaml --drain cpu-b-1",
    "help.txt": "--help",
}


@pytest.mark.parametrize("name", GOLDEN)
def test_golden(name: str, tmp_path: Path) -> None:
    text = DEMO.read_text(encoding="utf-8")
    (tmp_path / "demo.yaml").write_text(text.replace("replicas: 6", "replicas: 60") if "many" in name else text, encoding="utf-8")
    ran = compare.run(f"bayplan {GOLDEN[name]}", tmp_path)
    assert not ran.stderr
    compare.check(name, ran.stdout)


def test_the_demo_tells_its_story(tmp_path: Path) -> None:
    begin = time.perf_counter()
    ran = compare.run("bayplan demo --save mine.yaml", tmp_path)
    print(f"demo: {time.perf_counter() - begin:.2f} s")
    assert ran.returncode == 0
    acts = ("1. Place", "2. Ask why", "3. Ask what if", "Pending: 4 before, 0 after")
    assert [act for act in acts if act not in ran.stdout] == []
    commands = [line.strip()[2:] for line in ran.stdout.replace("\\\n", "").splitlines() if line.startswith("  $ ")]
    assert [compare.run(one, tmp_path).returncode for one in commands] == [1, 1, 0]


def test_help_comes_at_once_and_loads_little(tmp_path: Path) -> None:
    code = "import sys; from bayplan.cli.app import app\n"
    code += "for words in ['--help'], ['place', '--help'], ['whatif', '--help']:\n"
    code += "    try: app(words)\n    except SystemExit: pass\n"
    code += "print(sorted({'numpy', 'pydantic', 'yaml', 'bayplan.engine.cluster'} & set(sys.modules)))"
    (tmp_path / "helped.py").write_text(code)
    assert compare.run("python helped.py", tmp_path).stdout.splitlines()[-1] == "[]"
    begin = time.perf_counter()
    compare.run("bayplan --help", tmp_path)
    print(f"help: {time.perf_counter() - begin:.2f} s")


def test_a_process_of_its_own_rarely_looks_for_garbage_but_a_guest_leaves_that_alone(tmp_path: Path) -> None:
    code = "import gc, sys; usual = gc.get_threshold(); from bayplan.cli import app\n"
    code += "print(gc.get_threshold() == usual)\n"
    code += "sys.argv = ['bayplan', '--version']\ntry: app.run()\nexcept SystemExit: print(gc.get_threshold() == app.GARBAGE)\n"
    (tmp_path / "tuned.py").write_text(code)
    shown = compare.run("python tuned.py", tmp_path).stdout.splitlines()
    assert (shown[0], shown[-1]) == ("True", "True")


def started(folder: Path, *words: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "bayplan.cli", *words]
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    return subprocess.Popen(command, cwd=folder, env=compare.environment(), **pipes)  # type: ignore[call-overload, no-any-return]


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    many = FITS.replace("replicas: 2", "replicas: 5000").replace("cpu: 1}}, {name: old", "cpu: 1m}}, {name: old")
    (tmp_path / "f.yaml").write_text(many)
    with started(tmp_path, "place", "f.yaml", "--json") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ")
def test_an_interrupt_ends_with_130(tmp_path: Path) -> None:
    with started(tmp_path, "place", "-") as process:
        assert process.stdin is not None
        process.stdin.write(b"# more than a pipe holds, so it is being read when this returns\n" * 10_000)
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"Traceback" not in error


def test_a_terminal_that_knows_only_ascii(tmp_path: Path) -> None:
    (tmp_path / "f.yaml").write_text(FITS.replace("name: old", "name: älter"), encoding="utf-8")
    ran = compare.run("bayplan place f.yaml", tmp_path, PYTHONIOENCODING="ascii")
    assert ran.returncode == 0
    assert "###" in ran.stdout
    assert "\\xe4lter" in compare.run("bayplan why älter f.yaml", tmp_path, PYTHONIOENCODING="ascii").stdout
