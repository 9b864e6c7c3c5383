"""Malformed manifests: every mistake with file, document, path and line, and never a traceback."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bayplan.dialects import kubernetes
from bayplan.errors import ConfigError

FIRST = "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n---\n"
"""So that the document with the mistake is the second, and begins in line 5."""
HEAD = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"
SPEC = HEAD + "spec:\n  containers: [{name: c}]\n"
POD = "document 2, Pod p"

# What is written, the line of the mistake, its path, and a part of the message.
PODS = [
    ("spec: 3", 8, "spec", "expected a mapping, found the number 3"),
    ("", 5, "", "the spec is missing"),
    ("spec: {}", 8, "spec.containers", "at least one container"),
    ("spec: {containers: {name: c}}", 8, "spec.containers", "expected a list"),
    ("spec: {containers: [c]}", 8, "spec.containers[0]", "expected a mapping, found 'c'"),
    (
        "spec:\n  containers:\n  - {name: c, resources: {requests: {cpu: 1zz}}}",
        10,
        "spec.containers[0].resources.requests.cpu",
        "'1zz' is not a quantity",
    ),
    (
        "spec:\n  containers:\n  - {name: c, resources: {requests: {cpu: -1}}}",
        10,
        "spec.containers[0].resources.requests.cpu",
        "negative",
    ),
    (
        "spec:\n  containers:\n  - {name: c, resources: {requests: {gpu: 1}}}",
        10,
        "spec.containers[0].resources.requests",
        "'gpu' is not a resource",
    ),
    ("spec:\n  containers:\n  - {name: c, resources: {requests: {memory: 9Ei}}}", 8, "spec", "more than can be planned"),
    (
        "spec:\n  containers:\n  - {name: c, resources: {request: {}}}",
        10,
        "spec.containers[0].resources.request",
        "unknown field",
    ),
    (
        "spec:\n  containers:\n  - {name: c, ports: [{hostPort: 99999}]}",
        10,
        "spec.containers[0].ports[0].hostPort",
        "out of range",
    ),
    (
        "spec:\n  containers:\n  - {name: c, ports: [{hostPort: '80'}]}",
        10,
        "spec.containers[0].ports[0].hostPort",
        "expected a whole number, found '80'",
    ),
    (
        "spec:\n  containers:\n  - {name: c, ports: [{hostPort: 80, protocol: tcp}]}",
        10,
        "spec.containers[0].ports[0].protocol",
        "not one of TCP, UDP, SCTP",
    ),
    (
        "spec:\n  containers:\n  - {name: c, ports: [{hostPort: 80, hostIP: a b}]}",
        10,
        "spec.containers[0].ports[0].hostIP",
        "not an IP address",
    ),
]
CONDITIONS = [
    ("nodeSelector: [a]", 10, "spec.nodeSelector", "expected a mapping"),
    ("nodeSelector: {a: 1}", 10, "spec.nodeSelector.a", "expected text, found the number 1"),
    ("priority: high", 10, "spec.priority", "expected a whole number"),
    ("priority: 99999999999", 10, "spec.priority", "out of range"),
    ("preemptionPolicy: Maybe", 10, "spec.preemptionPolicy", "not one of"),
    ("affinity: {nodeAfinity: {}}", 10, "spec.affinity.nodeAfinity", "unknown field"),
    ("tolerations: {key: a}", 10, "spec.tolerations", "expected a list"),
    ("tolerations: [{key: a, operator: Equals}]", 10, "spec.tolerations[0].operator", "not one of"),
    ("tolerations: [{value: a}]", 10, "spec.tolerations[0]", "without a key"),
    ("tolerations: [{key: a, operator: Exists, value: b}]", 10, "spec.tolerations[0].value", "no value to compare"),
    ("tolerations: [{key: a, operator: Gt, value: '3'}]", 10, "spec.tolerations[0].operator", "alpha gate"),
    ("tolerations: [{key: a, effect: Never}]", 10, "spec.tolerations[0].effect", "not one of"),
    ("tolerations: [{key: a, tolerationSeconds: 3}]", 10, "spec.tolerations[0].tolerationSeconds", "NoExecute only"),
    ("tolerations: [{key: a b}]", 10, "spec.tolerations[0].key", "contains ' '"),
    ("overhead: {cpu: much}", 10, "spec.overhead.cpu", "not a quantity"),
]
NODE = "affinity:\n    nodeAffinity:\n      requiredDuringSchedulingIgnoredDuringExecution:\n        nodeSelectorTerms"
NODE_PATH = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms"
TERMS = [
    (": []", 13, "", "at least one term"),
    (":\n        - matchExpressions: {a: b}", 14, "[0].matchExpressions", "expected a list"),
    (":\n        - matchExpression: []", 14, "[0].matchExpression", "unknown field"),
    (":\n        - matchExpressions:\n          - {key: a, operator: in}", 15, "[0].matchExpressions[0].operator", "not one of"),
    (":\n        - matchExpressions:\n          - {key: a}", 15, "[0].matchExpressions[0].operator", "the operator is missing"),
    (
        ":\n        - matchExpressions:\n          - {key: a, operator: In}",
        15,
        "[0].matchExpressions[0].values",
        "at least one value",
    ),
    (
        ":\n        - matchExpressions:\n          - {key: a, operator: Exists, values: [b]}",
        15,
        "[0].matchExpressions[0].values",
        "no values",
    ),
    (
        ":\n        - matchExpressions:\n          - {key: a, operator: Gt, values: [b]}",
        15,
        "[0].matchExpressions[0].values[0]",
        "not an integer",
    ),
    (
        ":\n        - matchExpressions:\n          - {key: a b, operator: Exists}",
        15,
        "[0].matchExpressions[0].key",
        "contains ' '",
    ),
    (
        ":\n        - matchFields:\n          - {key: metadata.name, operator: In, values: [a, b]}",
        15,
        "[0].matchFields[0].values",
        "exactly one",
    ),
    (
        ":\n        - matchFields:\n          - {key: spec.x, operator: In, values: [a]}",
        15,
        "[0].matchFields[0].key",
        "not a field",
    ),
]
PEERS = "affinity:\n    podAntiAffinity:\n      "
PEERS_PATH = "spec.affinity.podAntiAffinity"
REQ, PREF = "requiredDuringSchedulingIgnoredDuringExecution", "preferredDuringSchedulingIgnoredDuringExecution"
NEIGHBOURS = [
    (f"{REQ}: [{{labelSelector: {{}}}}]", 12, f"{REQ}[0].topologyKey", "the topologyKey is missing"),
    (f"{REQ}: [{{topologyKey: a b}}]", 12, f"{REQ}[0].topologyKey", "contains ' '"),
    (
        f"{REQ}: [{{topologyKey: z, labelSelector: {{matchLabels: {{a: b c}}}}}}]",
        12,
        f"{REQ}[0].labelSelector.matchLabels.a",
        "contains ' '",
    ),
    (f"{REQ}: [{{topologyKey: z, labelSelector: {{app: web}}}}]", 12, f"{REQ}[0].labelSelector.app", "unknown field"),
    (f"{REQ}: {{topologyKey: z}}", 12, REQ, "expected a list"),
    (f"{REQ}: [{{topologyKey: z, namespaces: a}}]", 12, f"{REQ}[0].namespaces", "expected a list"),
    (f"{PREF}: [{{weight: 101, podAffinityTerm: {{topologyKey: z}}}}]", 12, f"{PREF}[0].weight", "out of range"),
    (f"{PREF}: [{{podAffinityTerm: {{topologyKey: z}}}}]", 12, f"{PREF}[0]", "the weight is missing"),
    (f"{PREF}: [{{weight: 1, topologyKey: z}}]", 12, f"{PREF}[0].topologyKey", "unknown field"),
]
SPREADS = [
    ("{topologyKey: z, whenUnsatisfiable: DoNotSchedule}", "[0]", "maxSkew is missing"),
    ("{maxSkew: 0, topologyKey: z, whenUnsatisfiable: DoNotSchedule}", "[0].maxSkew", "out of range"),
    ("{maxSkew: 1, whenUnsatisfiable: DoNotSchedule}", "[0].topologyKey", "missing"),
    ("{maxSkew: 1, topologyKey: z}", "[0].whenUnsatisfiable", "not one of"),
    ("{maxSkew: 1, topologyKey: z, whenUnsatisfiable: ScheduleAnyway, minDomains: 2}", "[0].minDomains", "DoNotSchedule only"),
    (
        "{maxSkew: 1, topologyKey: z, whenUnsatisfiable: ScheduleAnyway, nodeTaintsPolicy: Yes}",
        "[0].nodeTaintsPolicy",
        "not one of",
    ),
    (
        "{maxSkew: 1, topologyKey: z, whenUnsatisfiable: ScheduleAnyway, matchLabelKeys: [a]}",
        "[0].matchLabelKeys",
        "needs a labelSelector",
    ),
    ("{maxSkew: 1, topologyKey: z, whenUnsatisfiable: X}, {maxSkew: 1, topologyKey: z, whenUnsatisfiable: X}", "[1]", "already"),
]
DEPLOYMENT = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\n"
JOB = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j}\n"
OBJECTS = [
    ("[1, 2]", 5, "object", "expected an object, found a list"),
    ("apiVersion: v1\nmetadata: {name: p}", 5, "object p: kind", "the kind is missing"),
    ("kind: Pod\nmetadata: {name: p}", 5, "Pod p: apiVersion", "the apiVersion is missing"),
    ("apiVersion: v1\nkind: Pod\nmetadata: {}\nspec: {containers: [{name: c}]}", 7, "Pod: metadata.name", "the name is missing"),
    (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: P_1}\nspec: {containers: [{name: c}]}",
        7,
        "Pod P_1: metadata.name",
        "not a name",
    ),
    (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: A}\nspec: {}",
        7,
        "Pod A/p: metadata.namespace",
        "not a namespace",
    ),
    (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p, labels: {a: 1}}\nspec: {containers: [{name: c}]}",
        7,
        "Pod p: metadata.labels.a",
        "text",
    ),
    (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p, labels: {bayplan.dev/terminating: a}}\nspec: {containers: [{name: c}]}",
        7,
        "Pod p: metadata.labels.bayplan.dev/terminating",
        "reserved",
    ),
    ("apiVersion: v1\nkind: Node\nmetadata: {name: n, labels: {a b: c}}", 7, "Node n: metadata.labels.a b", "contains ' '"),
    (
        "apiVersion: v1\nkind: Node\nmetadata: {name: n}\nstatus: {allocatable: {cpu: lots}}",
        8,
        "Node n: status.allocatable.cpu",
        "not a quantity",
    ),
    (
        "apiVersion: v1\nkind: Node\nmetadata: {name: n}\nspec: {taints: [{key: a}]}",
        8,
        "Node n: spec.taints[0].effect",
        "not one of",
    ),
    (
        "apiVersion: v1\nkind: Node\nmetadata: {name: n}\nspec: {unschedulable: 'true'}",
        8,
        "Node n: spec.unschedulable",
        "true or false",
    ),
    (
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec: {template: {}}",
        8,
        "Deployment d: spec.selector",
        "selector is missing",
    ),
    (
        DEPLOYMENT + "spec: {selector: {matchLabels: {a: b}}, template: {spec: {containers: [{name: c}]}}}",
        8,
        "Deployment d: spec.selector",
        "does not match",
    ),
    (
        JOB + "spec: {parallelism: two, template: {spec: {containers: [{name: c}]}}}",
        8,
        "Job j: spec.parallelism",
        "whole number",
    ),
    (
        JOB + "spec:\n  template:\n    spec: {containers: [{name: c}], priority: x}",
        10,
        "Job j: spec.template.spec.priority",
        "whole number",
    ),
    ("apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: c}", 5, "PriorityClass c: value", "missing"),
]


def mistakes(text: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        kubernetes.loads(text, "all.yaml")
    return [str(one) for one in caught.value.problems]


def expect(text: str, line: int, path: str, message: str) -> None:
    found = mistakes(FIRST + text)
    fitting = [one for one in found if f"{path}: " in one and message in one]
    assert fitting, found
    assert fitting[0].startswith(f"all.yaml:{line}:"), fitting
    assert "document 2, " in fitting[0]


@pytest.mark.parametrize("spec, line, path, message", PODS)
def test_pods(spec: str, line: int, path: str, message: str) -> None:
    expect(HEAD + spec, line, f"{POD}: {path}" if path else POD, message)


@pytest.mark.parametrize("more, line, path, message", CONDITIONS)
def test_conditions(more: str, line: int, path: str, message: str) -> None:
    expect(f"{SPEC}  {more}", line, f"{POD}: {path}", message)


@pytest.mark.parametrize("more, line, path, message", TERMS)
def test_node_terms(more: str, line: int, path: str, message: str) -> None:
    expect(f"{SPEC}  {NODE}{more}", line, f"{POD}: {NODE_PATH}{path}", message)


@pytest.mark.parametrize("more, line, path, message", NEIGHBOURS)
def test_neighbours(more: str, line: int, path: str, message: str) -> None:
    expect(f"{SPEC}  {PEERS}{more}", line, f"{POD}: {PEERS_PATH}.{path}", message)


@pytest.mark.parametrize("written, path, message", SPREADS)
def test_spreads(written: str, path: str, message: str) -> None:
    expect(f"{SPEC}  topologySpreadConstraints: [{written}]", 10, f"{POD}: spec.topologySpreadConstraints{path}", message)


@pytest.mark.parametrize("written, line, path, message", OBJECTS)
def test_objects(written: str, line: int, path: str, message: str) -> None:
    expect(written, line, f"document 2, {path}", message)


def test_all_mistakes_come_at_once() -> None:
    text = SPEC + "  priority: x\n  tolerations: 3\n---\n" + SPEC.replace("name: p", "name: q") + "  overhead: 1\n"
    assert len(mistakes(text)) == 3


def test_two_of_one_name() -> None:
    found = mistakes(SPEC + "---\n" + SPEC)
    assert found == ["all.yaml:9:18: document 2, Pod p: metadata.name: there is a Pod called 'p' already"]


BROKEN = {
    "not YAML": ("a: [", "not YAML"),
    "not JSON": ('{"apiVersion": "v1", "items": [{"kind": "Pod"},]}', "all.yaml:1"),
    "cut short": (
        '{"apiVersion": "v1", "items": [{"kind": "Namespace", "apiVersion": "v1", "metadata": {"name": "a"}},\n {"ki',
        "not JSON",
    ),
    "a list of nothing": ("[]", "expected an object"),
    "a word": ("hello", "expected an object, found 'hello'"),
    "deep": ("[" * 5000, "nested more than"),
    "deep JSON": ('{"a":' * 100_000, "all.yaml"),
    "NaN": ('{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"priority": NaN}}', "expected a"),
    "two keys": ("kind: Pod\nkind: Pod", "given twice"),
}


@pytest.mark.parametrize("text, message", BROKEN.values(), ids=BROKEN.keys())
def test_broken_files(text: str, message: str) -> None:
    assert any(message in one for one in mistakes(text)), mistakes(text)


@pytest.mark.parametrize("raw", [b"\xff\xfe\x00", b'{"a": "\xff"}', b"\0", b'{"kind": "\xc3'])
def test_broken_bytes(raw: bytes) -> None:
    with pytest.raises(ConfigError):
        kubernetes.loads(raw)


def test_mistakes_in_json_have_lines(tmp_path: Path) -> None:
    pods = [
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"p{i}"}, "spec": {"containers": [{"name": "c"}], "priority": i}}
        for i in range(3)
    ]
    pods[2]["spec"]["tolerations"] = [{"key": "a", "operator": "Equals"}]  # type: ignore[index]
    written = json.dumps({"apiVersion": "v1", "items": pods, "kind": "List"}, indent=2)
    line = next(at for at, one in enumerate(written.splitlines(), start=1) if "Equals" in one)
    (tmp_path / "pods.json").write_text(written)
    with pytest.raises(ConfigError) as caught:
        kubernetes.load(tmp_path)
    (found,) = caught.value.problems
    assert (found.file, found.line) == (str(tmp_path / "pods.json"), line)
    assert found.path == "document 1, items[2], Pod p2: spec.tolerations[0].operator"


def test_equal_mistakes_are_said_once() -> None:
    pods = [SPEC.replace("name: p", f"name: p{i}") + "  priority: x\n" for i in range(50)]
    (found,) = mistakes("---\n".join(pods))
    assert "and 49 more pods like it" in found


def test_many_mistakes_are_counted() -> None:
    pods = [SPEC.replace("name: p", f"name: p{i}") + f"  priority: x{i}\n" for i in range(1100)]
    found = mistakes("---\n".join(pods))
    assert len(found) == 1001
    assert found[-1] == "and 100 more mistakes"


@pytest.mark.parametrize("path", ["missing.yaml", "with\0zero.yaml"])
def test_files_that_cannot_be_read(path: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        kubernetes.load(tmp_path / path)


def test_an_empty_directory(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no \.yaml, \.yml, \.json file"):
        kubernetes.load(tmp_path)


@pytest.mark.parametrize("version", ["1.29", "2.0", "", "latest"])
def test_versions(version: str) -> None:
    with pytest.raises(ConfigError, match=r"1\.30 to 1\.37"):
        kubernetes.loads("", version=version)
