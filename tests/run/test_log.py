"""The decision log: what is written can be read, a torn line is said, a wrong one named, and replay comes out the same."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bayplan import Cluster, ConfigError, Group, Node, NodeTemplate, PlacementError, Taint, Unsupported, Workload
from bayplan.dialects import native
from bayplan.engine.spec import PolicySpec
from bayplan.errors import BayplanError
from bayplan.run import log as logs
from bayplan.run.log import Writer
from bayplan.run.recorder import Recorder
from bayplan.run.replay import replay
from tests import random_scenarios as space

NODES = [Node("a", {"cpu": 4}, labels={"zone": "a"}), Node("b", {"cpu": 4}, devices={"gpu": 2}), Node("c-0", {"cpu": 8})]


def record(path: Path) -> Recorder:
    """A log with every kind of event."""
    recorder = Recorder.start(path, NODES, "pack", [NodeTemplate("t", Node("t", {"cpu": 32}))], seed=7)
    recorder.settle(Workload("old-0", {"cpu": 1}), "a")
    recorder.place(Workload("web", {"cpu": 1}).copies(3), Workload("gpu", {"gpu": 0.5}), Workload("huge", {"cpu": 16}))
    recorder.place(Group("gang", tuple(Workload("m", {"cpu": 3}).copies(4))))
    recorder.relabel("a", {"zone": None, "disk": "ssd"})
    recorder.taint("b", [Taint("x", "1")])
    recorder.cordon("c-0")
    recorder.add(Node("d-0", {"cpu": 32}))
    recorder.retry()
    recorder.use(PolicySpec("spread", "mine", {"balance": 0.5}))
    recorder.place(recorder.drain("b"))
    recorder.release("web-1")
    recorder.place(recorder.remove("a"))
    return recorder


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "decisions.jsonl"


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def mistakes(path: Path) -> list[tuple[int | None, str]]:
    with pytest.raises(ConfigError) as caught:
        replay(path)
    assert {one.file for one in caught.value.problems} == {str(path)}
    return [(one.line, one.message) for one in caught.value.problems]


# --- writing and reading ---


def test_every_event_is_one_line_and_replays_to_the_same(path: Path) -> None:
    with record(path) as recorder:
        events = [one.get("event") for one in lines(path)]
    assert set(events[1:]) == {
        "nodes", "node", "node-changed", "node-removed", "drain", "settle", "place", "retry", "release", "policy",
    }  # fmt: skip
    again = replay(path)
    assert again.same
    assert again.cluster.assignments == recorder.cluster.assignments
    assert list(again.cluster.pending) == list(recorder.cluster.pending)
    assert again.cluster.policy == recorder.cluster.policy
    assert set(again.cluster.snapshot.nodes()) == set(recorder.cluster.snapshot.nodes())


def test_the_header(path: Path) -> None:
    record(path).close()
    head = lines(path)[0]
    assert head == {
        "log": "bayplan",
        "version": 1,
        "policy": {"preset": "pack"},
        "seed": 7,
        "templates": [{"name": "t", "capacity": {"cpu": 32}}],
    }


def test_equal_workloads_are_written_once(path: Path) -> None:
    with Recorder.start(path, NODES) as recorder:
        recorder.place(Workload("w", {"cpu": "1m"}).copies(1000), Workload("other"))
    [place] = [one for one in lines(path) if one.get("event") == "place"]
    assert [list(one) for one in place["requests"]] == [["workload", "names"], ["workload"]]
    assert replay(path).same


def test_a_log_is_flushed_event_by_event(path: Path) -> None:
    with Recorder.start(path, NODES, sync=True) as recorder:
        recorder.place(Workload("w"))
        assert lines(path)[-1]["decisions"][0]["workload"] == "w"


def test_a_log_is_never_written_over(path: Path) -> None:
    path.write_text("precious")
    with pytest.raises(ConfigError, match="there is a file already"):
        Recorder.start(path, NODES)
    assert path.read_text() == "precious"


def test_two_writers_at_once_are_refused(path: Path) -> None:
    pytest.importorskip("fcntl")
    with record(path), pytest.raises(ConfigError, match="another process"):
        Recorder.resume(path)


def test_what_cannot_be_written_is_refused_before_it_is_done(path: Path) -> None:
    other = Group("other", (Workload("o"),))
    with Recorder.start(path, NODES) as recorder:
        with pytest.raises(Unsupported):
            recorder.place(Group("g", (Workload("m"),), fallbacks=(other,)))
        assert not recorder.cluster.assignments
    assert replay(path).same


def test_what_the_cluster_refuses_is_not_recorded(path: Path) -> None:
    with Recorder.start(path, NODES) as recorder:
        with pytest.raises(PlacementError):
            recorder.settle(Workload("w", {"cpu": 9}), "a")
        with pytest.raises(ConfigError):
            recorder.drain("nowhere")
        with pytest.raises(ConfigError):
            recorder.place(Workload("w"), Workload("w"))
    assert len(lines(path)) == 2
    assert replay(path).same


def test_odd_characters_survive(path: Path) -> None:
    with Recorder.start(path, [Node("n\u00e9\U0001f600\ufffe", {"cpu": 1}, devices={"gpu": 1})]) as recorder:
        recorder.place(Workload("w", owner="a\u2028b\x85c\td\u00a0'\""))
    assert replay(path).same


# --- crashes ---


def test_every_torn_end_is_tolerated_and_said(path: Path) -> None:
    record(path).close()
    whole = path.read_bytes()
    start = whole.rstrip(b"\n").rfind(b"\n") + 1
    header = whole.find(b"\n") + 1
    assert start > header
    before = replay(path)
    for cut in (start + 1, start + 7, len(whole) - 2):
        path.write_bytes(whole[:cut])
        again = replay(path)
        assert again.torn == f"line {len(lines_of(whole))} is torn ({cut - start} bytes without an end) and was left out"
        assert again.events == before.events - 1
        assert not again.changed
    path.write_bytes(whole[:-1])  # only the newline is missing: nothing is lost
    assert replay(path).same
    assert not replay(path).torn


def lines_of(content: bytes) -> list[bytes]:
    return content.splitlines()


def test_resuming_cuts_the_torn_line_and_goes_on(path: Path) -> None:
    with record(path) as recorder:
        expected = recorder.cluster.assignments
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"event":"place","requ')
    with Recorder.resume(path) as recorder:
        assert recorder.log is not None
        assert "is torn" in recorder.log.torn
        assert recorder.cluster.assignments == expected
        recorder.place(Workload("more", {"cpu": 1}))
    assert path.read_bytes().startswith(whole)
    assert replay(path).same
    assert "more" in replay(path).cluster.assignments


def test_resuming_after_a_missing_newline(path: Path) -> None:
    record(path).close()
    path.write_bytes(path.read_bytes()[:-1])
    with Recorder.resume(path) as recorder:
        recorder.place(Workload("more"))
    assert replay(path).same


def test_a_full_disk_leaves_a_log_that_can_be_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full:
        """Writes half, then fails."""

        def __init__(self, file: Any):
            self.file, self.fail = file, False

        def write(self, data: bytes) -> int:
            if self.fail:
                raise OSError(28, "No space left on device")
            self.fail = True
            return int(self.file.write(data[: len(data) // 2]))

        def __getattr__(self, name: str) -> Any:
            return getattr(self.file, name)

    writer = Writer.create(path, {"policy": {}})
    monkeypatch.setattr(writer, "_file", Full(writer._file))
    for message in ("cannot be written: No space left", "nothing more can be recorded: No space left"):
        with pytest.raises(ConfigError, match=message):
            writer.write({"event": "retry", "decisions": []})
    writer.close()
    assert logs.read(path).torn == ""
    assert logs.read(path).records == ()


# --- wrong logs ---

HEAD = '{"log":"bayplan","version":1,"policy":{"preset":"pack"},"seed":0}\n'
NODE = '{"event":"nodes","nodes":[{"name":"n","capacity":{"cpu":1}}]}\n'
PLACE = '{"event":"place","requests":[{"workload":{"name":"w"}}],"decisions":[{"workload":"w","status":"placed","node":"n"}]}\n'
RETRY = '{"event":"retry","decisions":[]}\n'

# name, file, line, message
WRONG: list[tuple[str, str, int, str]] = [
    ("empty", "", 1, "this is not a decision log: it is empty"),
    ("only a torn header", '{"log":"bay', 1, "the log has no whole line"),
    ("not a log", "nodes: []\n", 1, "this is not a decision log"),
    ("not a log, and no line break", "nodes: []", 1, "this is not a decision log"),
    ("no header", RETRY, 1, "this is not a decision log"),
    ("another program's log", '{"log":"other","version":1}\n', 1, "this is not a decision log"),
    ("a later version", '{"log":"bayplan","version":2}\n', 1, "the log has version 2"),
    ("no version", '{"log":"bayplan"}\n', 1, "the log has version None"),
    ("a bad line in the middle", HEAD + NODE + "oops\n" + RETRY, 3, "not a record"),
    ("a torn line in the middle", HEAD + NODE + RETRY[:9] + "\n" + RETRY, 3, "not a record"),
    ("a bad last line that is whole", HEAD + NODE + "oops\n", 3, "not a record"),
    ("an empty line", HEAD + "\n" + NODE, 2, "not a record"),
    ("a list", HEAD + "[1]\n" + NODE, 2, "a JSON object was expected"),
    ("zeros", HEAD + "\0\0\0\n" + NODE, 2, "not a record"),
    ("too deep", HEAD + "[" * 100_000 + "\n" + NODE, 2, "not a record"),
    ("a policy that is none", HEAD.replace("pack", "pakc") + NODE, 1, "'pakc'"),
    ("a seed that is none", HEAD.replace("0}", '"x"}') + NODE, 1, "the seed 'x'"),
    ("a seed too large", HEAD.replace("0}", "99999999999999999999}") + NODE, 1, "the seed"),
    ("an unknown event", HEAD + NODE + '{"event":"dance"}\n', 3, "unknown event 'dance'"),
    ("no event", HEAD + NODE + '{"a":1}\n', 3, "unknown event None"),
    ("a missing field", HEAD + NODE + '{"event":"release"}\n', 3, "needs 'workload', a text"),
    ("a wrong field", HEAD + NODE + '{"event":"place","requests":{},"decisions":[]}\n', 3, "needs 'requests', a list"),
    ("a wrong node", HEAD + NODE.replace('"cpu":1', '"cpu":"lots"'), 2, "'lots' is not a quantity"),
    ("two nodes in one", HEAD + NODE + '{"event":"node","node":{"name":"m","count":2}}\n', 3, "one was expected here, found 2"),
    ("a node twice", HEAD + NODE + '{"event":"node","node":{"name":"n"}}\n', 3, "already a node 'n'"),
    ("no such node", HEAD + NODE + '{"event":"drain","node":"x","displaced":[]}\n', 3, "there is no node 'x'"),
    ("nodes too late", HEAD + NODE + NODE.replace('"n"', '"m"'), 3, "must come first"),
    ("a wrong request", HEAD + NODE + PLACE.replace('"workload":{"name":"w"}', '"workload":3'), 3, "a request is"),
    ("a misspelt request", HEAD + NODE + PLACE.replace('{"name":"w"}', '{"name":"w","requets":{}}'), 3, "unknown key"),
    ("replicas in a request", HEAD + NODE + PLACE.replace('{"name":"w"}', '{"name":"w","replicas":2}'), 3, "a request is"),
    ("names that are none", HEAD + NODE + PLACE.replace('"w"}}', '"w"},"names":["w","a b"]}'), 3, "contains white space"),
    ("a status that is none", HEAD + NODE + PLACE.replace("placed", "lost"), 3, "one of the statuses"),
    ("a decision about nobody", HEAD + NODE + PLACE.replace('{"workload":"w",', '{"workload":7,'), 3, "a name was expected"),
]  # fmt: skip


@pytest.mark.parametrize("content, line, message", [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_wrong_logs(content: str, line: int, message: str, path: Path) -> None:
    path.write_text(content)
    [(where, what), *_] = mistakes(path)
    assert where == line
    assert message in what


def test_all_bad_lines_are_listed(path: Path) -> None:
    path.write_text(HEAD + "oops\n" + NODE + "oops\n" + RETRY)
    assert [line for line, _ in mistakes(path)] == [2, 4]


def test_a_file_that_is_no_log_is_one_mistake(path: Path) -> None:
    """However many of its lines are no records; and nothing of Python's own words."""
    path.write_bytes(b"\x89PNG\r\n" + b"\xff\xfe\x00\n" * 500)
    with pytest.raises(ConfigError) as caught:
        replay(path)
    [problem] = caught.value.problems
    assert problem.message == "this is not a decision log: the first line is not its header"
    assert "bayplan place --log" in problem.hint


def test_of_many_damaged_lines_the_first_few_are_listed(path: Path) -> None:
    path.write_bytes(HEAD.encode() + NODE.encode() + b"\xff\xfe\n" * 500)
    found = mistakes(path)
    assert found[0] == (3, "not a record: not UTF-8")
    assert [line for line, _ in found[:-1]] == list(range(3, 13))
    assert found[-1] == (None, "and 490 more lines that are not records")


def test_a_missing_file(path: Path) -> None:
    assert mistakes(path) == [(None, "cannot be read: No such file or directory")]


def test_resuming_a_wrong_log_changes_nothing(path: Path) -> None:
    path.write_text(HEAD + NODE + "oops\n" + '{"torn')
    with pytest.raises(ConfigError):
        Recorder.resume(path)
    assert path.read_text() == HEAD + NODE + "oops\n" + '{"torn'


# --- replay ---


def test_a_decision_that_comes_out_differently_is_reported(path: Path) -> None:
    path.write_text(HEAD + NODE + PLACE.replace('"node":"n"', '"node":"elsewhere"'))
    again = replay(path)
    assert [str(one) for one in again.changed] == ["w: recorded on elsewhere, now on n"]
    assert [str(one) for one in again.moves] == ["w: elsewhere -> n"]
    assert not again.same
    with pytest.raises(ConfigError, match="decided differently today"):
        Recorder.resume(path)


def test_another_policy_gives_a_difference(path: Path) -> None:
    with Recorder.start(path, [Node("a", {"cpu": 4}), Node("b", {"cpu": 4})], "spread") as recorder:
        recorder.place(Workload("w", {"cpu": 1}).copies(4))
        recorder.place(Workload("large", {"cpu": 4}))
    again = replay(path, "pack")
    assert len(again.moved) == 2
    assert [one.workload for one in again.gained] == ["large"]
    assert not again.lost
    assert not replay(path, "spread").moves


def test_under_another_policy_an_emptied_node_holds_others(path: Path) -> None:
    """With spread, x and y are on different nodes and one is displaced; with pack both are, and both are placed again."""
    with Recorder.start(path, [Node("a", {"cpu": 4}), Node("b", {"cpu": 4}), Node("c", {"cpu": 8})], "spread") as recorder:
        recorder.place(Workload("x", {"cpu": 1}), Workload("y", {"cpu": 1}))
        first = recorder.cluster.assignments["x"]
        recorder.place(recorder.drain(first))
    for policy in ("pack", "balanced"):
        again = replay(path, policy)
        assert set(again.cluster.assignments) == {"x", "y"}
        assert first not in again.cluster.assignments.values()


def test_what_was_displaced_and_never_asked_for_again_is_gone(path: Path) -> None:
    with Recorder.start(path, [Node("a", {"cpu": 4}), Node("b", {"cpu": 4})], "spread") as recorder:
        recorder.place(Workload("x", {"cpu": 1}), Workload("y", {"cpu": 1}))
        recorder.remove(recorder.cluster.assignments["x"])
    again = replay(path, "pack")
    assert set(again.cluster.assignments) == {"y"}
    assert not again.gained


def expressible(step: Workload | Group) -> bool:
    """Whether the native dialect, and so the log, has words for it."""
    try:
        return native.loads(native.dumps(native.Manifest(requests=(step,)))).requests == (step,)
    except BayplanError:
        return False


def take(recorder: Recorder, step: space.Step) -> None:
    cluster = recorder.cluster
    match step:
        case Group():
            step = replace(step, fallbacks=tuple(replace(one, name=step.name) for one in step.fallbacks))
            if expressible(step):
                recorder.place(step)
        case Workload() if expressible(step):
            recorder.place(step)
        case space.Release() if step.id in cluster.snapshot.placements or step.id in cluster.pending:
            recorder.release(step.id)
        case space.AddNode():
            recorder.add(step.node)
            recorder.retry()
        case space.RemoveNode():
            recorder.place(recorder.remove(step.name))
        case space.ReplaceNode():
            recorder.relabel(step.node.name, dict(step.node.labels))
            recorder.taint(step.node.name, step.node.taints)
            recorder.cordon(step.node.name, step.node.cordoned)
            recorder.retry()


def test_random_histories_replay_to_the_same(tmp_path: Path) -> None:
    """Also when the process ends after any of its events and another one resumes."""
    seated = moved = 0
    for seed, scenario in space.scenarios(150):
        path = tmp_path / f"{seed}.jsonl"
        rng = random.Random(seed)
        policy = rng.choice(("pack", "spread", "balanced"))
        recorder = Recorder.start(path, scenario.nodes, policy, seed=seed)
        for step in scenario.steps:
            take(recorder, step)
            if rng.random() < 0.1:
                recorder.close()
                recorder = Recorder.resume(path)
        recorder.close()
        again = replay(path)
        assert again.same, (seed, again.changed, again.moves)
        assert again.cluster.assignments == recorder.cluster.assignments
        assert again.cluster.pending.ids == recorder.cluster.pending.ids
        assert not replay(path, policy).moves, seed
        seated += len(again.cluster.assignments)
        moved += sum(len(replay(path, other).moved) for other in ("pack", "spread"))
    assert seated > 300
    assert moved > 100


def test_a_recorded_cluster_decides_as_a_plain_one(path: Path) -> None:
    work = Workload("w", {"cpu": 1}).copies(9)
    with Recorder.start(path, NODES, "pack") as recorder:
        assert recorder.place(work) == Cluster(NODES, "pack").place(work)
