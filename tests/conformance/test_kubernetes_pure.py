"""Kubernetes' own cases that need no cluster. They are facts that lie beside the repository and are read in place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conformance.report import Outcome, outcomes, run

FOLDER = Path(__file__).parents[3] / "shared" / "conformance" / "kubernetes"
PURE = ("quantity", "label_validation", "labels_selector", "pod_requests", "tolerations", "node_selector_terms")
FOUND = [one for name in PURE for path in FOLDER.glob(f"{name}.json") for one in outcomes(path)]


@pytest.mark.skipif(not FOUND, reason=f"there are no cases in {FOLDER}")
def test_there_are_cases() -> None:
    assert sum(one.passed for one in FOUND) > 500


@pytest.mark.parametrize("outcome", FOUND, ids=lambda one: one.suite)
def test_suite(outcome: Outcome) -> None:
    assert outcome.failed == []
    assert all("alpha gate" in reason for _, reason in outcome.skipped)


@pytest.mark.skipif(not FOLDER.exists(), reason=f"there is no {FOLDER}")
@pytest.mark.parametrize("file, kind", [("noderesources_fit_score", "argsError"), ("normalize_and_sampling", "numAllNodes")])
def test_rows_about_configuration(file: str, kind: str, tmp_path: Path) -> None:
    """Files that are mostly about something else."""
    data = json.loads((FOLDER / f"{file}.json").read_text())
    rows = [one for one in data["cases"] if kind in one or kind in one["expect"]]
    (tmp_path / f"{file}.json").write_text(json.dumps({"cases": rows}))
    assert len(rows) >= 6
    assert run([str(tmp_path)]) == 0


def test_a_wrong_expectation_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cases = [
        {"id": f"quantity/{value}", "input": "1.5Gi", "expect": {"valid": True, "value": value}} for value in (1610612736, 1)
    ]
    (tmp_path / "more.json").write_text(json.dumps({"cases": cases}))
    assert run([str(tmp_path)]) == 1
    assert "FAILED quantity/1: value: 1610612736, expected 1" in capsys.readouterr().out
