"""The journal and the change log: versions, how far back they reach, who is behind."""

from __future__ import annotations

import numpy as np
import pytest

from bayplan import ConfigError, Node, Workload
from bayplan.table import changes, journal
from bayplan.table.changes import ChangeLog
from bayplan.table.snapshot import Snapshot


def test_every_change_is_a_version() -> None:
    snapshot = Snapshot([Node("n", {"cpu": 4})])
    start = snapshot.version
    seen = [start]
    for act in (
        lambda: snapshot.place(Workload("a", {"cpu": 1}), "n"),
        lambda: snapshot.add(Node("m")),
        lambda: snapshot.replace(Node("m", labels={"zone": "a"})),
        lambda: snapshot.release("a"),
        lambda: snapshot.remove("m"),
    ):
        act()
        seen.append(snapshot.version)
    assert seen == [start + i for i in range(6)]
    snapshot.replace(snapshot.node("n"))
    assert snapshot.version == start + 5, "what changes nothing is no version"


def test_a_placement_knows_the_version_it_was_decided_at() -> None:
    snapshot = Snapshot([Node("n", {"cpu": 4})])
    version = snapshot.version
    assert snapshot.place(Workload("a"), "n").version == version
    snapshot.place_many(["b", "c"], snapshot.kind(Workload("b")), [0, 0], np.array([0, 0]))
    assert [snapshot.placements[one].version for one in "bc"] == [version + 1, version + 2]


def test_the_oldest_half_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "LIMIT", 10)
    snapshot = Snapshot([Node("n", {"cpu": 100})])
    for i in range(30):
        snapshot.place(Workload(f"w{i}", {"cpu": 1}), "n")
    oldest, version = snapshot.journal.oldest, snapshot.version
    assert version - 10 <= oldest < version
    assert len(snapshot.at(oldest).placements) == 30 - (version - oldest)
    with pytest.raises(ConfigError, match=f"version {oldest - 1} is out of reach.*{oldest} to {version} can be restored"):
        snapshot.undo_to(oldest - 1)


def test_undo_puts_residents_back_on_their_devices() -> None:
    snapshot = Snapshot([Node("n", devices={"gpu": 2})])
    snapshot.place(Workload("a", {"gpu": 0.5}), "n")
    snapshot.place(Workload("b", {"gpu": 1}), "n")
    version = snapshot.version
    snapshot.release("a")
    snapshot.place(Workload("c", {"gpu": 1}), "n")
    assert snapshot.placements["c"].devices == (("gpu", (0,)),)
    snapshot.undo_to(version)
    assert snapshot.placements["a"].devices == (("gpu", (0,)),)
    assert snapshot.devices["gpu"].shares[0, :2].tolist() == [5_000, 0]


# --- the change log ---


def test_followers_read_what_changed_since() -> None:
    log = ChangeLog()
    start = log.end
    log.touch(3)
    middle = log.end
    log.touch_all([5, 3])
    assert log.since(start) == [3, 5, 3]
    assert log.since(middle) == [5, 3]
    assert log.since(log.end - 1) == [3]
    assert log.since(log.end) == []


@pytest.mark.parametrize("count", [0, 1, 2, 5])
def test_who_never_read_anything_is_told_so(count: int) -> None:
    """-1 is the position of somebody who has not begun: the answer is None, not a few rows."""
    log = ChangeLog()
    log.touch_all(range(count))
    assert log.since(-1) is None


def test_who_is_too_far_behind_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes, "LIMIT", 8)
    log = ChangeLog()
    for row in range(20):
        log.touch(row)
    assert log.since(0) is None
    assert log.since(log.end - 3) == [17, 18, 19]
    kept = next(n for n in range(1, 21) if log.since(log.end - n - 1) is None)
    assert log.since(log.end - kept) == list(range(20 - kept, 20))
