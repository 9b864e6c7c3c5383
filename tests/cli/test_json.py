"""JSON for programs: one object of a known form."""

from __future__ import annotations

import pytest

from tests.cli.command import FITS, HOPELESS, WAITS, WRONG, bayplan

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
