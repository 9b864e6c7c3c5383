"""Volcano's own cases, suite by suite. They are facts that lie beside the repository and are read in place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conformance.report import Outcome, outcomes, run

FOLDER = Path(__file__).parents[3] / "shared" / "conformance" / "volcano"
FOUND = [one for path in sorted(FOLDER.glob("*.json")) for one in outcomes(path)]


@pytest.mark.skipif(not FOUND, reason=f"there are no cases in {FOLDER}")
def test_there_are_cases() -> None:
    assert sum(one.passed for one in FOUND) > 100


@pytest.mark.parametrize("outcome", FOUND, ids=lambda one: one.suite)
def test_suite(outcome: Outcome) -> None:
    assert outcome.failed == []
    if outcome.skipped and not outcome.passed:
        pytest.skip(outcome.skipped[0][1])


SUITE = {"id": "s", "kind": "score_unit", "status": "upstream_test"}

MALFORMED = {
    "not JSON": "{",
    "a list": "[]",
    "a number": "1",
    "no suites": "{}",
    "suites of the wrong type": '{"suites": {}}',
    "a suite without an id": '{"suites": [{"cases": []}]}',
    "a suite without cases": '{"suites": [{"id": "s", "kind": "config_parse"}]}',
    "a suite that is text": '{"suites": ["x"]}',
    "cases of the wrong type": '{"suites": [{"id": "s", "kind": "config_parse", "cases": 3}]}',
    "a case that is text": json.dumps({"suites": [SUITE | {"cases": ["x"]}]}),
    "a case without fields": json.dumps({"suites": [SUITE | {"cases": [{}]}]}),
    "a case of no known kind": json.dumps({"suites": [SUITE | {"cases": [{"kind": "dance"}]}]}),
    "a case with a wrong quantity": json.dumps(
        {"suites": [SUITE | {"kind": "session_node_order", "cases": [{"nodes": [{"name": "n", "allocatable": {"cpu": "x"}}]}]}]}
    ),
    "nested too deep": "[" * 100_000,
}


@pytest.mark.parametrize("written", MALFORMED.values(), ids=MALFORMED.keys())
def test_malformed_files_fail_and_say_why(written: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "cases.json").write_text(written)
    assert run([str(tmp_path)]) == 1
    out = capsys.readouterr().out
    assert "FAILED" in out
    assert "0 passed, 1 failed" in out


def test_no_such_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([str(tmp_path / "none.json")]) == 1
    assert run([str(tmp_path)]) == 1  # nothing in it
    assert run([]) == 2
    assert "there are no cases here" in capsys.readouterr().out


def test_a_wrong_expectation_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = {"weight": 10, "resources": {"cpu": {"type": "MostAllocated", "weight": 1}}}
    case = {"task": {"resreq": {"cpu": 100}}, "node": {"used": {}, "allocatable": {"cpu": 500}}, "parsed_config": config}
    cases = [case | {"name": "right", "expected_score": 200}, case | {"name": "wrong", "expected_score": 200.0001}]
    (tmp_path / "more.json").write_text(json.dumps({"suites": [SUITE | {"cases": cases}]}))
    assert run([str(tmp_path / "more.json")]) == 1
    assert "FAILED wrong: task on n: 200.0, expected 200.0001" in capsys.readouterr().out


def test_what_runs_counts_in_every_unit(tmp_path: Path) -> None:
    """Bytes are not only those of memory: half the disk is used, and a quarter more is asked for."""
    node = {"name": "n", "allocatable": {"ephemeral-storage": "4Gi", "memory": "4Gi", "cpu": "4", "pods": "10"}}
    asked = {"ephemeral-storage": "1Gi", "memory": "1Gi", "cpu": "1"}
    pods = [
        {"name": "old", "nodeName": "n", "phase": "Running", "requests": {name: f"2{one[1:]}" for name, one in asked.items()}},
        {"name": "new", "phase": "Pending", "requests": asked},
    ]
    for resource in asked:
        arguments = {"resourceStrategyFitWeight": 1, "resources": {resource: {"type": "MostAllocated", "weight": 1}}}
        case = {"nodes": [node], "pods": pods, "arguments": arguments, "expected_scores": {"default/new": {"n": 75}}}
        suite = SUITE | {"kind": "session_node_order", "cases": [case | {"name": resource}]}
        (tmp_path / f"{resource}.json").write_text(json.dumps({"suites": [suite]}))
    assert run([str(tmp_path)]) == 0
