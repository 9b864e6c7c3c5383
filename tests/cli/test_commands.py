"""The commands: exit codes, JSON for programs, text for people. And help that comes at once."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from bayplan.cli.app import app
from tests.golden import compare

DEMO = Path(__file__).resolve().parents[2] / "src/bayplan/cli/demo/cluster.yaml"

FITS = """
nodes: [{name: n1, capacity: {cpu: 4}, labels: {zone: a}}, {name: n2, capacity: {cpu: 4}, taints: ["x:NoSchedule"]}]
templates: [{name: big, maximum: 2, capacity: {cpu: 16}}]
workloads: [{name: web, replicas: 2, requests: {cpu: 1}}, {name: old, "on": n1, requests: {cpu: 1}}]
"""
WAITS = FITS + "groups: [{name: gang, strategy: STRICT_SPREAD, members: [{name: m, replicas: 2, requests: {cpu: 1}}]}]\n"
HOPELESS = FITS.replace("cpu: 1}}, {name: old", "cpu: 9}}, {name: old")
WRONG = FITS.replace("cpu: 4}", "cpu: lots}").replace("replicas: 2", "replicas: -2")
CROWDED = FITS.replace('"on": n1, requests: {cpu: 1}', '"on": n1, requests: {cpu: 5}')


class Outcome:
    def __init__(self, code: int, out: str, err: str):
        self.code, self.out, self.err = code, out, err

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def bayplan(*words: str, **files: str) -> Outcome:
    """Run a command. Keywords are files: `fits=...` becomes fits.yaml in an empty directory."""
    runner = CliRunner(env={"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"})
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for name, text in files.items():
            Path(f"{name}.yaml").write_text(text, encoding="utf-8")
        ran = runner.invoke(app, list(words))
    assert ran.exception is None or isinstance(ran.exception, SystemExit), ran.exception
    assert "Traceback" not in ran.stderr
    return Outcome(ran.exit_code, ran.stdout, ran.stderr)


# command, content of f.yaml, exit code, what stdout or stderr says
CODES: list[tuple[str, str, int, str]] = [
    ("place f.yaml", FITS, 0, "2 of 2 workloads placed on 1 of 2 nodes"),
    ("place f.yaml", WAITS, 1, "Ask bayplan why gang f.yaml"),
    ("place f.yaml", HOPELESS, 1, "2 pending"),
    ("place f.yaml", "", 0, "There are no nodes"),
    ("place f.yaml", "workloads: [{name: a}]", 1, "0 of 1 workload placed"),
    ("place f.yaml --policy pack", FITS, 0, "(policy pack)"),
    ("place f.yaml --policy f.yaml", FITS + "policy: {preset: spread, name: mine}", 0, "(policy mine)"),
    ("place f.yaml", WRONG, 2, "3 mistakes"),
    ("place f.yaml", CROWDED, 2, "f.yaml:4: on: 'old' does not fit on node 'n1'"),
    ("place missing.yaml", "", 2, "missing.yaml: cannot be read: No such file"),
    ("place .", FITS, 0, "2 of 2"),
    ("place f.yaml --policy pakc", FITS, 2, "did you mean 'pack'?"),
    ("place f.yaml --policy f.yaml", FITS, 2, "there is no policy section"),
    ("place f.yaml --log f.yaml", FITS, 2, "there is a file already"),
    ("place f.yaml --log no/such/folder", FITS, 2, "cannot be written"),
    ("place f.yaml --seed x", FITS, 2, "--seed"),
    ("place f.yaml --seed 99999999999999999999", FITS, 2, "64 bits"),
    ("place f.yaml --unknown", FITS, 2, "No such option"),
    ("place", FITS, 2, "FILES"),
    ("nonsense", FITS, 2, "nonsense"),
    ("why web-0 f.yaml", FITS, 0, "web-0 is on n1"),
    ("why old f.yaml", FITS, 0, "old is on n1"),
    ("why gang f.yaml", WAITS, 1, "is placed whole or not at all"),
    ("why gang f.yaml", WAITS, 1, "group gang is pending: m-1 fits on none of 2 nodes now"),
    ("why gang f.yaml", WAITS, 1, "What keeps the nodes out, assuming the first member seated on n1:"),
    ("why m-1 f.yaml", WAITS, 1, "is placed whole or not at all"),
    ("why web-0 f.yaml", HOPELESS, 1, "one of the templates would"),
    ("why web-0 f.yaml", HOPELESS, 1, "Or: add one node of template big"),
    ("why gang f.yaml", WAITS, 1, "Or: add one node of template big"),
    ("why web-0 f.yaml --node n2", FITS, 0, "taints: has the taint x:NoSchedule"),
    ("why web-0 f.yaml --node n1", FITS, 0, "n1 is where it is"),
    ("why web-0 f.yaml --node n9", FITS, 2, "n9"),
    ("why wbe-0 f.yaml", FITS, 2, "did you mean 'web-0'?"),
    ("why web f.yaml", FITS, 2, "web has 2 replicas, web-0 to web-1: ask for one of them"),
    ("why web f.yaml", FITS.replace("replicas: 2", "replicas: 12"), 2, "web has 12 replicas, web-0 to web-11: ask"),
    ("why web f.yaml", FITS.replace("replicas: 2", "replicas: 1"), 2, "did you mean 'web-0'?"),
    ("why web-0 f.yaml --all-nodes", FITS, 0, "would score"),
    ("whatif f.yaml --drain n1", FITS, 1, "Pending: 0 before, 3 after"),
    ("whatif f.yaml --uncordon n1", FITS, 0, "0 moved"),
    ("whatif f.yaml --taint n2:x-", WAITS, 0, "2 gained a place"),
    ("whatif f.yaml --taint n2:x-", FITS, 0, "What if: remove taint x from n2"),
    ("whatif f.yaml --taint n1:y=1:NoSchedule --drain n1", FITS, 1, "taint n1 y=1:NoSchedule; drain n1"),
    ("whatif f.yaml --add name=n3,cpu=4", WAITS, 0, "2 gained a place"),
    ("whatif f.yaml --add name=n,count=2,cpu=4,gpu=2,label.zone=c", WAITS, 0, "add n-0, n-1"),
    ("whatif f.yaml --add-template big=2", WAITS, 0, "add big-0, big-1"),
    ("whatif f.yaml --release web-0 --relabel n1:zone=b,disk-", FITS, 0, "release web-0; relabel n1 zone=b, disk-"),
    ("whatif f.yaml --policy pack", FITS, 0, "policy pack"),
    ("whatif f.yaml --versus f.yaml", FITS, 0, "3 unchanged"),
    ("whatif f.yaml --release web-0", FITS, 0, "gone web-0 n1 - 0 gained a place, 0 lost theirs, 0 moved, 1 gone, 2 unchanged."),
    ("whatif f.yaml", FITS, 2, "what if what?"),
    ("whatif f.yaml --drain n9", FITS, 2, "there is no node 'n9'"),
    ("whatif f.yaml --add nope.yaml", FITS, 2, "nope.yaml: cannot be read"),
    ("whatif f.yaml --add cpu=4", FITS, 2, "name"),
    ("whatif f.yaml --add name=n3,cpu", FITS, 2, "'cpu' is not key=value"),
    ("whatif f.yaml --add name=n3,cpu=lots", FITS, 2, "'lots' is not a quantity"),
    ("whatif f.yaml --add name=n1,cpu=1", FITS, 2, "already a node 'n1'"),
    ("whatif f.yaml --add-template bgi", FITS, 2, "did you mean 'big'?"),
    ("whatif f.yaml --add-template big=9", FITS, 2, "at most 2"),
    ("whatif f.yaml --add-template big=x", FITS, 2, "not a number"),
    ("whatif f.yaml --relabel n1", FITS, 2, "NODE:key=value"),
    ("whatif f.yaml --relabel n1:zone", FITS, 2, "neither key=value nor key-"),
    ("whatif f.yaml --taint n1:x=1:Sometimes", FITS, 2, "--taint"),
    ("whatif f.yaml --taint n1:x-", FITS, 2, "has no taint 'x'"),
    ("whatif f.yaml --release nobody", FITS, 2, "nobody"),
    ("whatif f.yaml --versus f.yaml --drain n1", FITS, 2, "takes no changes"),
    ("validate f.yaml", FITS, 0, "ok: 2 nodes, 1 template, 2 workloads, 1 resident"),
    ("validate f.yaml", WRONG, 2, "3 mistakes"),
    ("validate f.yaml", "policy: {scorers: {nonsense: 1}}", 2, "there is no scorer 'nonsense'"),
    ("schema", "", 0, "json-schema.org"),
    ("replay f.yaml", FITS, 2, "f.yaml:1"),
    ("replay missing.jsonl", "", 2, "cannot be read"),
    ("--version", "", 0, "bayplan"),
]


@pytest.mark.parametrize("command, content, code, says", CODES, ids=[f"{row[0]}: {row[3]}" for row in CODES])
def test_exit_codes(command: str, content: str, code: int, says: str) -> None:
    ran = bayplan(*command.split(), f=content)
    assert ran.code == code, (ran.out, ran.err)
    assert says in " ".join((ran.out + ran.err).split())
    if code == 2:
        assert not ran.out, "what is wrong is said on stderr only"


def test_changes_are_made_in_the_order_given() -> None:
    """Cordoning a node before or after it is drained, with uncordon between, are different stories."""
    first = bayplan("whatif", "f.yaml", "--drain", "n1", "--uncordon=n1", "--json", f=FITS)
    second = bayplan("whatif", "f.yaml", "--uncordon", "n1", "--drain=n1", "--json", f=FITS)
    assert first.json["changes"] == ["drain n1", "uncordon n1"]
    assert second.json["changes"] == ["uncordon n1", "drain n1"]
    assert (first.code, second.code) == (0, 1)


def test_values_that_look_like_options_keep_the_order() -> None:
    odd = FITS.replace("name: web, replicas: 2", "name: --drain")
    ran = bayplan("whatif", "--release", "--drain", "f.yaml", "--drain", "n1", f=odd)
    assert "release --drain; drain n1" in ran.out


def test_a_workload_near_something_placed_later_finds_its_place() -> None:
    late = "nodes: [{name: n, capacity: {cpu: 9}}]\nworkloads:\n"
    late += "- {name: a, priority: 5, near: [{peers: {app: b}}]}\n- {name: b, labels: {app: b}}\n"
    ran = bayplan("place", "f.yaml", "--json", f=late)
    assert [(one["workload"], one["node"]) for one in ran.json["decisions"]] == [("a", "n"), ("b", "n")]


MANY_KINDS = "nodes: [{name: n, capacity: {cpu: 1}}]\nworkloads:\n" + "".join(
    f"- {{name: w{i:02}, requests: {{cpu: {i}}}}}\n" for i in range(2, 16)
) + "groups:\n" + "".join(f"- {{name: g{i}, members: [{{name: m{i}, requests: {{cpu: 9}}}}]}}\n" for i in range(3))  # fmt: skip


@pytest.mark.parametrize("command", ["place f.yaml", "whatif f.yaml --cordon n"])
def test_of_much_that_waits_every_group_is_shown_and_the_rest_on_demand(command: str) -> None:
    short = bayplan(*command.split(), f=MANY_KINDS).out
    assert [f"g{i} (group of 1)" in short for i in range(3)] == [True] * 3
    assert "and 4 more kinds of workloads; --all shows them" in short
    pending = short.partition("PENDING  ")[2]
    assert "\nw11 " in pending
    assert "\nw12 " not in pending
    assert "\nw15 " in bayplan(*command.split(), "--all", f=MANY_KINDS).out.partition("PENDING  ")[2]


def test_all_nodes_and_workloads_have_a_line_when_asked_for() -> None:
    many = FITS.replace("{name: n1,", "{name: n1, count: 30,").replace("replicas: 2", "replicas: 40")
    many = many.replace(', {name: old, "on": n1, requests: {cpu: 1}}', "")
    short, whole = (bayplan("place", "f.yaml", *words, f=many).out for words in ([], ["--all"]))
    assert "less full; --all shows them" in short
    assert [name for name in [f"n1-{i} " for i in range(30)] + [f"web-{i} " for i in range(40)] if f"\n{name}" not in whole] == []


def test_portions_do_not_change_the_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    from bayplan.cli import planning

    work = FITS.replace("cpu: 4}", "cpu: 400}") + "groups: [{name: g, members: [{name: m, replicas: 3}]}]\n"
    work = work.replace("replicas: 2", "replicas: 50").replace("{name: old", "{name: vip, priority: 9, replicas: 30}, {name: old")
    whole = bayplan("place", "f.yaml", "--json", f=work)
    monkeypatch.setattr(planning, "MANY", 10)
    monkeypatch.setattr(planning, "PORTION", 7)
    assert bayplan("place", "f.yaml", "--json", f=work).out == whole.out


# --- JSON ---

KEYS = {
    "place f.yaml --json": ("plan", ["policy", "seed", "summary", "decisions", "waiting", "nodes"]),
    "why gang f.yaml --json": ("explanation", ["asked", "explanations", "preemption"]),
    "why web-0 f.yaml --node n2 --all-nodes --json": ("explanation", ["asked", "explanations", "preemption"]),
    "whatif f.yaml --drain n1 --json": (
        "difference",
        ["changes", "gained", "lost", "moved", "gone", "new", "unchanged", "pending"],
    ),
    "validate f.yaml --json": ("validation", ["valid", "counts", "problems"]),
}


@pytest.mark.parametrize("command", KEYS)
def test_json_is_one_object_of_a_known_form(command: str) -> None:
    kind, keys = KEYS[command]
    ran = bayplan(*command.split(), f=WAITS)
    assert list(ran.json) == ["kind", "version", *keys]
    assert (ran.json["kind"], ran.json["version"]) == (kind, 1)
    assert not ran.err


def test_the_plan_as_json() -> None:
    plan = bayplan("place", "f.yaml", "--json", f=WAITS).json
    assert plan["summary"] == {"workloads": 4, "placed": 2, "pending": 2, "impossible": 0, "residents": 1, "nodes": 2}
    assert plan["decisions"][0] == {"workload": "web-0", "status": "placed", "node": "n1", "score": plan["decisions"][0]["score"]}
    assert plan["decisions"][3] == {"workload": "m-1", "status": "pending", "node": None, "group": "gang"}
    [waiting] = plan["waiting"]
    assert waiting["workloads"] == ["m-0", "m-1"]
    assert waiting["group"] == "gang"
    assert {"rule", "topic", "no", "nodes", "example"} == set(waiting["reasons"][0])
    assert plan["nodes"][0] == {"name": "n1", "workloads": 3, "used": {"cpu": "3"}, "capacity": {"cpu": "4"}}


def test_mistakes_as_json() -> None:
    ran = bayplan("validate", "f.yaml", "--json", f=WRONG)
    assert ran.code == 2
    assert not ran.json["valid"]
    assert {"message", "path", "hint", "file", "line", "column"} == set(ran.json["problems"][0])
    assert bayplan("place", "f.yaml", "--json", f=WRONG).json["problems"] == ran.json["problems"]


def test_the_fallbacks_of_a_group_come_after_what_it_asked_for() -> None:
    gang = (
        "groups: [{name: g, members: [{name: m, requests: {cpu: 9}}], fallbacks: [{members: [{name: s, requests: {cpu: 7}}]}]}]"
    )
    lines = bayplan("why", "g", "f.yaml", f="nodes: [{name: n, capacity: {cpu: 1}}]\n" + gang).out.splitlines()
    found = [one.partition(" (")[0].rstrip(":") for one in lines if one and not one.startswith(" ")]
    assert found[:5] == [
        "group g can never be placed: for m none of 1 node will ever do",
        "What keeps the nodes out",
        "Nearest misses",
        "Smallest change: on n: ask for at most 1 cpu",
        "Fallback 1 finds nothing either",
    ]


def test_who_would_have_to_go() -> None:
    work = "nodes: [{name: n, capacity: {cpu: 4}}]\nworkloads: [{name: low, 'on': n, requests: {cpu: 3}},"
    ran = bayplan("why", "high", "f.yaml", "--json", f=work + "{name: high, priority: 1, requests: {cpu: 2}}]")
    assert ran.json["preemption"] == {
        "workload": "high",
        "nodes": ["n"],
        "victims": ["low"],
        "highest_priority": 0,
        "fallback": 0,
    }


# --- whole outputs ---

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


# --- processes ---


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


def test_two_plans_compared() -> None:
    more = FITS.replace("{name: old", "{name: extra}, {name: old").replace("replicas: 2", "replicas: 1").replace("web", "api")
    ran = bayplan("whatif", "f.yaml", "--versus", "g.yaml", "--json", f=FITS, g=more)
    names = {sort: [one["workload"] for one in ran.json[sort]] for sort in ("gained", "lost", "moved", "gone", "new")}
    assert names == {"gained": [], "lost": [], "moved": [], "gone": ["web-0", "web-1"], "new": ["api-0", "extra"]}
    assert ran.json["unchanged"] == 1


def test_a_pending_workload_that_is_gone_is_not_unchanged() -> None:
    ran = bayplan("whatif", "f.yaml", "--release", "web-0", "--json", f=HOPELESS)
    assert ran.json["unchanged"] == 2
    assert ran.json["pending"] == {"before": 2, "after": 1}
