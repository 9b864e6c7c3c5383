"""kube-scheduler's own cases that need a cluster. They are facts that lie beside the repository and are read in place."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.report import Outcome, outcomes, run

FOLDER = Path(__file__).parents[3] / "shared" / "conformance" / "kubernetes"
FILES = (
    "fuzz_pipeline", "nodeaffinity_filter", "nodeaffinity_score", "interpodaffinity_filter", "interpodaffinity_score",
    "tainttoleration_filter", "tainttoleration_score", "podtopologyspread_filter", "podtopologyspread_counts",
    "podtopologyspread_score", "noderesources_fit_filter", "noderesources_fit_score", "noderesources_balanced_score",
    "broken_linear", "node_misc_filter", "normalize_and_sampling",
)  # fmt: skip
FOUND = [one for name in FILES for path in FOLDER.glob(f"{name}.json") for one in outcomes(path)]


@pytest.mark.skipif(not FOUND, reason=f"there are no cases in {FOLDER}")
def test_there_are_cases() -> None:
    assert sum(one.passed for one in FOUND) > 950


@pytest.mark.parametrize("outcome", FOUND, ids=lambda one: one.suite)
def test_suite(outcome: Outcome) -> None:
    assert outcome.failed == []
    assert all("switched off" in reason for _, reason in outcome.skipped)


# --- the runner itself, on a cluster of two nodes -------------------------------------------------


def node(name: str, zone: str) -> dict[str, Any]:
    offers = {"cpu": "2", "memory": "4Gi", "pods": "10"}
    return {"metadata": {"name": name, "labels": {"zone": zone}}, "status": {"allocatable": offers}}


CONTAINER = {"name": "c", "resources": {"requests": {"cpu": "1500m"}}}
CASE: dict[str, Any] = {
    "id": "more/0",
    "name": "more",
    "plugin": "NodeResourcesFit",
    "pod": {"metadata": {"name": "new"}, "spec": {"containers": [CONTAINER]}},
    "existingPods": [{"metadata": {"name": "old"}, "spec": {"nodeName": "n1", "containers": [CONTAINER]}}],
    "nodes": [node("n1", "a"), node("n2", "b")],
    "expect": {
        "nodes": [
            {"node": "n1", "fits": False, "code": "Unschedulable", "reasons": ["Insufficient cpu"]},
            {"node": "n2", "fits": True, "code": "Success"},
        ],
        "insufficient": [{"resource": "cpu", "requested": 1500, "used": 1500, "capacity": 2000, "unresolvable": False}],
    },
}


def changed(change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    case = copy.deepcopy(CASE)
    change(case)
    return case


# what is changed, what is said
WRONG: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "fits": (lambda one: one["expect"]["nodes"][1].update(fits=False), "NodeResourcesFit on n2 fits (): True, expected False"),
    "code": (lambda one: one["expect"]["nodes"][0].update(code="UnschedulableAndUnresolvable"), "NodeResourcesFit on n1, code"),
    "reasons": (
        lambda one: one["expect"]["nodes"][0].update(reasons=["Too many pods"]),
        "NodeResourcesFit on n1: ['Insufficient cpu'], expected ['Too many pods']",
    ),
    "numbers": (lambda one: one["expect"]["insufficient"][0].update(used=1499), "insufficient"),
    "no pod": (lambda one: one.pop("pod"), "KeyError"),
    "nodes that are text": (lambda one: one.update(nodes="n1"), "two nodes"),
    "nothing expected": (lambda one: one.update(expect={}), "nobody knows what this case asks"),
    "expected is text": (lambda one: one.update(expect="nodes"), "Error"),
    "a pod that is a number": (lambda one: one.update(pod=3), "Error"),
    "a wrong quantity": (lambda one: one["nodes"][0]["status"]["allocatable"].update(cpu="2x"), "quantity"),
    "features that are a list": (lambda one: one.update(features=["x"]), "Error"),
}


@pytest.mark.parametrize("change, said", WRONG.values(), ids=WRONG.keys())
def test_what_is_wrong_is_found(
    change: Callable[[dict[str, Any]], object], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "more.json").write_text(json.dumps({"cases": [CASE, changed(change)]}))
    assert run([str(tmp_path)]) == 1
    out = capsys.readouterr().out
    assert said in out
    assert "1 passed, 1 failed" in out


# what is changed, why it is skipped
SKIPPED: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "a gate that is off": (lambda one: one.update(defaultBehaviour=False), "switched off"),
    "an unknown gate": (lambda one: one.update(features={"Telepathy": True}), "does not know the feature gate Telepathy"),
    "a resource claim": (lambda one: one["pod"]["spec"].update(resourceClaims=[{"name": "gpu"}]), "dynamic resource allocation"),
}


@pytest.mark.parametrize("change, why", SKIPPED.values(), ids=SKIPPED.keys())
def test_what_is_out_of_scope_is_not_counted_as_passed(
    change: Callable[[dict[str, Any]], object], why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "more.json").write_text(json.dumps({"cases": [CASE, changed(change)]}))
    assert run([str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert why in out
    assert "1 passed, 0 failed, 1 skipped" in out


MALFORMED = {
    "no cases": "{}",
    "cases of the wrong type": '{"cases": {}}',
    "a case that is text": '{"cases": ["x"]}',
    "a case that is empty": '{"cases": [{}]}',
    "a plugin and nothing else": '{"cases": [{"plugin": "NodeName"}]}',
    "a pipeline without a file's strategies": '{"cases": [{"fitStrategy": "LeastAllocated", "expect": {}}]}',
    "strategies of the wrong type": '{"fitStrategies": 1, "cases": [{"fitStrategy": "LeastAllocated", "expect": {}}]}',
    "only an index": '{"transcribed_total": 3, "files": {}}',
}


@pytest.mark.parametrize("written", MALFORMED.values(), ids=MALFORMED.keys())
def test_malformed_files_fail(written: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "cases.json").write_text(written)
    assert run([str(tmp_path)]) == 1
    assert "0 passed, 1 failed" in capsys.readouterr().out
