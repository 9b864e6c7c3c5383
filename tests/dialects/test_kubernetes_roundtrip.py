"""Pods written from the model are read back as they were; and no manifest, however odd, is a traceback."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from bayplan import Apart, Device, Fallback, Group, Near, Node, Preference, Selector, Spread, Strategy, Workload, gt, in_
from bayplan.dialects import kubernetes
from bayplan.dialects.kubernetes import Objects, quantity, selector_text
from bayplan.errors import ConfigError, Unsupported

REQ, PREF = "requiredDuringSchedulingIgnoredDuringExecution", "preferredDuringSchedulingIgnoredDuringExecution"

# --- pods -----------------------------------------------------------------------------------------

KEYS = st.sampled_from(["app", "tier", "example.com/x", "v"])
VALUES = st.sampled_from(["web", "db", "", "1", "007", "yes", "1e3", "null"])
PAIRS = st.dictionaries(KEYS, VALUES, max_size=3)
LISTED = st.lists(VALUES, min_size=1, max_size=3)
AMOUNTS = st.sampled_from(["0", "1m", "100m", "0.5", "3", "1500m", "1Gi", "200Mi", "7", "1.5Gi"])


def expression(numbers: bool) -> st.SearchStrategy[dict[str, Any]]:
    listed = st.fixed_dictionaries({"key": KEYS, "operator": st.sampled_from(["In", "NotIn"]), "values": LISTED})
    bare = st.fixed_dictionaries({"key": KEYS, "operator": st.sampled_from(["Exists", "DoesNotExist"])})
    bound = st.sampled_from(["0", "5", "12", "9223372036854775807"]).map(lambda one: [one])
    compared = st.fixed_dictionaries({"key": KEYS, "operator": st.sampled_from(["Gt", "Lt"]), "values": bound})
    return st.one_of(listed, bare, compared) if numbers else st.one_of(listed, bare)


SELECTORS = st.fixed_dictionaries(
    {}, optional={"matchLabels": PAIRS, "matchExpressions": st.lists(expression(False), max_size=2)}
)
NAMES = st.fixed_dictionaries(
    {"key": st.just("metadata.name"), "operator": st.sampled_from(["In", "NotIn"]), "values": st.sampled_from([["n1"], ["n2"]])}
)
NODE_TERMS = st.fixed_dictionaries(
    {}, optional={"matchExpressions": st.lists(expression(True), max_size=2), "matchFields": st.lists(NAMES, max_size=2)}
)
POD_TERMS = st.fixed_dictionaries(
    {"topologyKey": st.sampled_from(["zone", "kubernetes.io/hostname"])},
    optional={
        "labelSelector": SELECTORS,
        "namespaces": st.lists(st.sampled_from(["a", "b", "default"]), max_size=2),
        "namespaceSelector": SELECTORS,
        "matchLabelKeys": st.lists(KEYS, max_size=1),
    },
)
WEIGHTS = st.integers(1, 100)
AFFINITY = st.fixed_dictionaries(
    {},
    optional={
        "nodeAffinity": st.fixed_dictionaries(
            {},
            optional={
                REQ: st.fixed_dictionaries({"nodeSelectorTerms": st.lists(NODE_TERMS, min_size=1, max_size=3)}),
                PREF: st.lists(st.fixed_dictionaries({"weight": WEIGHTS, "preference": NODE_TERMS}), max_size=2),
            },
        ),
        **{
            kind: st.fixed_dictionaries(
                {},
                optional={
                    REQ: st.lists(POD_TERMS, max_size=2),
                    PREF: st.lists(st.fixed_dictionaries({"weight": WEIGHTS, "podAffinityTerm": POD_TERMS}), max_size=2),
                },
            )
            for kind in ("podAffinity", "podAntiAffinity")
        },
    },
)
RESOURCES = st.fixed_dictionaries(
    {},
    optional={
        name: st.dictionaries(st.sampled_from(["cpu", "memory", "nvidia.com/gpu", "ephemeral-storage"]), AMOUNTS, max_size=3)
        for name in ("requests", "limits")
    },
)
PORTS = st.fixed_dictionaries(
    {"containerPort": st.just(80), "hostPort": st.sampled_from([0, 80, 53])},
    optional={
        "protocol": st.sampled_from(["TCP", "UDP"]),
        "hostIP": st.sampled_from(["", "0.0.0.0", "10.0.0.1", "fe80::1", "::"]),
    },
)
CONTAINERS = st.fixed_dictionaries(
    {"name": st.just("c")},
    optional={
        "image": st.sampled_from(["web", "r.io:5000/db", "x:v1", ""]),
        "resources": RESOURCES,
        "ports": st.lists(PORTS, max_size=2),
        "restartPolicy": st.sampled_from(["Always"]),
    },
)
TOLERATIONS = st.one_of(
    st.fixed_dictionaries(
        {"operator": st.just("Exists")}, optional={"key": KEYS, "effect": st.sampled_from(["NoSchedule", "NoExecute"])}
    ),
    st.fixed_dictionaries({"key": KEYS, "value": VALUES}, optional={"effect": st.sampled_from(["PreferNoSchedule"])}),
)
SPREADS = st.fixed_dictionaries(
    {
        "maxSkew": st.integers(1, 5),
        "topologyKey": st.sampled_from(["zone", "rack"]),
        "whenUnsatisfiable": st.just("DoNotSchedule"),
    },
    optional={
        "labelSelector": SELECTORS,
        "minDomains": st.integers(1, 3),
        "nodeTaintsPolicy": st.sampled_from(["Honor", "Ignore"]),
        "nodeAffinityPolicy": st.sampled_from(["Honor", "Ignore"]),
    },
)
SPECS = st.fixed_dictionaries(
    {"containers": st.lists(CONTAINERS, min_size=1, max_size=3)},
    optional={
        "initContainers": st.lists(CONTAINERS, max_size=2),
        "affinity": AFFINITY,
        "nodeSelector": PAIRS,
        "tolerations": st.lists(TOLERATIONS, max_size=2),
        "overhead": st.just({"cpu": "30m"}),
        "topologySpreadConstraints": st.lists(SPREADS, max_size=1),
        "priority": st.sampled_from([0, 5, -3, 2_000_000_000]),
        "hostNetwork": st.booleans(),
    },
)
METADATA = st.fixed_dictionaries(
    {"name": st.just("p")},
    optional={
        "labels": PAIRS,
        "namespace": st.sampled_from(["a", "default"]),
        "deletionTimestamp": st.just("2026-01-01T00:00:00Z"),
    },
)


@settings(max_examples=300)
@given(METADATA, SPECS)
def test_a_pod_comes_back_as_it_was(metadata: dict[str, Any], spec: dict[str, Any]) -> None:
    namespaces = [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": {"v": name}}} for name in "ab"]
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, "status": {"capacity": {"cpu": "3"}}}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {**spec, "nodeName": "n"}}
    before = kubernetes.loads(json.dumps({"apiVersion": "v1", "kind": "List", "items": [*namespaces, node, pod]}))
    try:
        written = kubernetes.dumps(before)
    except Unsupported as error:
        assert "counts for less than is requested" in str(error)  # noqa: PT017
        return
    after = kubernetes.loads("\n---\n".join([*map(json.dumps, namespaces), written]))
    assert after.nodes == before.nodes
    assert after.residents == before.residents


def test_what_is_written_is_plain_yaml_for_other_readers_too() -> None:
    """YAML 1.1 takes `yes` for a truth value, YAML 1.2 `1e3` for a number."""
    text = kubernetes.dumps([Workload("w", labels={"a": "yes", "b": "1e3", "c": "012", "d": "null"})])
    assert yaml.safe_load(text)["metadata"]["labels"] == {"a": "yes", "b": "1e3", "c": "012", "d": "null"}
    (found,) = kubernetes.loads(text).requests
    assert isinstance(found, Workload)
    assert found.labels == {"a": "yes", "b": "1e3", "c": "012", "d": "null"}


def test_gangs_come_back() -> None:
    label = {"scheduling.x-k8s.io/pod-group": "g"}
    pods = [
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": n, "labels": label}, "spec": {"containers": [{"name": "c"}]}}
        for n in "ab"
    ]
    group = {
        "apiVersion": "scheduling.x-k8s.io/v1alpha1",
        "kind": "PodGroup",
        "metadata": {"name": "g"},
        "spec": {"minMember": 2},
    }
    before = kubernetes.loads(yaml.safe_dump_all([group, *pods]))
    assert isinstance(before.requests[0], Group)
    assert kubernetes.loads(kubernetes.dumps(before)).requests == before.requests


def test_work_of_other_dialects() -> None:
    work = Workload(
        "w", {"cpu": "1.5", "memory": "1Gi"}, {"app": "w"}, nodes=["n1", "n2"], priority=7,
        near=[Near({"app": "db"}, "zone")], apart=[Apart({"app": "w"})],
        spread=[Spread({"app": "w"}, "zone", honour_selector=False)], preferences=[Preference({"disk": in_("ssd")}, 0.5)],
    )  # fmt: skip
    documents = list(yaml.safe_load_all(kubernetes.dumps([work])))
    assert documents[0]["value"] == 7
    terms = documents[1]["spec"]["affinity"]["nodeAffinity"][REQ]["nodeSelectorTerms"]
    assert [one["matchFields"][0]["values"] for one in terms] == [["n1"], ["n2"]]
    assert documents[1]["spec"]["affinity"]["podAntiAffinity"][REQ][0]["topologyKey"] == "kubernetes.io/hostname"
    assert kubernetes.loads(kubernetes.dumps([work])).requests


EITHER = Selector.of({"a": "1"}) | Selector.of({"b": "1"})
UNSUPPORTED = {
    "a name": Workload("Web_1"),
    "a resource": Workload("w", {"gpu": 1}),
    "half a device": Workload("w", {"nvidia.com/gpu": 0.5}),
    "less than 1m": Workload("w", {"cpu": 0.0001}),
    "fallbacks": Workload("w", fallbacks=[Fallback(selector={"a": "b"})]),
    "queue": Workload("w", queue="q"),
    "packing": Workload("w", packing=[]),
    "several hard near rules": Workload("w", near=[Near({"a": "1"}), Near({"a": "2"})]),
    "the first may not start": Workload("w", labels={"a": "1"}, near=[Near({"a": "1"})]),
    "at most several": Workload("w", apart=[Apart({"a": "1"}, at_most=2)]),
    "one of several sets": Workload("w", apart=[Apart(EITHER)]),
    "the label a > 3": Workload("w", apart=[Apart({"a": gt(3)})]),
    "the weight": Workload("w", preferences=[Preference({"a": "1"}, 2.5)]),
    "a preference for": Workload("w", preferences=[Preference(EITHER, 0.5)]),
    "other namespaces": Workload("w", spread=[Spread({"a": "1"}, "z", namespaces="*")]),
    "a spread as a wish": Workload("w", spread=[Spread({"a": "1"}, "z", weight=3.0)]),
    "may not use": Workload("w", selector={"d": "s"}, spread=[Spread({"a": "1"}, "z")]),
    "the priority": Workload("w", priority=1_500_000_000),
    "a strategy": Group("g", (Workload("w"),), Strategy.STRICT_SPREAD),
    "several namespaces": Group("g", (Workload("w"), Workload("v", namespace="b")), Strategy.ANY),
}


@pytest.mark.parametrize("name, work", UNSUPPORTED.items())
def test_what_kubernetes_cannot_express_is_named(name: str, work: Workload | Group) -> None:
    words = {
        "a name": "names have",
        "a resource": "the resource 'gpu'",
        "half a device": "0.5 nvidia.com/gpu",
        "less than 1m": "smallest part",
    }
    with pytest.raises(Unsupported, match=words.get(name, name)):
        kubernetes.dumps([work])


@pytest.mark.parametrize("node", [Node("N_1"), Node("n", devices=[Device("gpu", "a")]), Node("n", {"nvidia.com/gpu": 0.5})])
def test_nodes_that_cannot_be_written(node: Node) -> None:
    with pytest.raises(Unsupported):
        kubernetes.dumps(Objects(nodes=(node,)))


# --- hostile input --------------------------------------------------------------------------------

WORDS = st.sampled_from(
    [
        "apiVersion",
        "kind",
        "metadata",
        "spec",
        "containers",
        "affinity",
        "nodeAffinity",
        "podAffinity",
        REQ,
        PREF,
        "topologyKey",
        "nodeSelectorTerms",
        "matchExpressions",
        "key",
        "operator",
        "values",
        "In",
        "Gt",
        "tolerations",
        "resources",
        "requests",
        "cpu",
        "topologySpreadConstraints",
        "labelSelector",
        "name",
        "labels",
        "weight",
        "preference",
        "template",
        "selector",
        "items",
        "ports",
        "hostPort",
        "status",
        "allocatable",
        "initContainers",
        "schedulingGates",
        "ownerReferences",
        "profiles",
    ]
)
KINDS = st.sampled_from(
    [
        "Pod",
        "Node",
        "List",
        "PodList",
        "Deployment",
        "DaemonSet",
        "Job",
        "PodGroup",
        "Workload",
        "KubeSchedulerConfiguration",
        "Service",
    ]
)
ANY = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=5), WORDS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(WORDS, inner, max_size=4)),
    max_leaves=12,
)


@settings(max_examples=400)
@given(KINDS, ANY, ANY, ANY)
def test_no_object_is_a_traceback(kind: str, metadata: Any, spec: Any, more: Any) -> None:
    written = {"apiVersion": "v1", "kind": kind, "metadata": {"name": "p"} if metadata is None else metadata, "spec": spec}
    written |= more if isinstance(more, dict) else {"status": more, "items": more}
    try:
        kubernetes.loads(json.dumps(written))
    except ConfigError as error:
        assert error.problems  # noqa: PT017


@settings(max_examples=300)
@given(st.data())
def test_no_broken_pod_is_a_traceback(data: st.DataObject) -> None:
    """A good pod with one value replaced by anything."""
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": data.draw(METADATA), "spec": data.draw(SPECS)}
    holder, steps = pod, data.draw(st.integers(1, 8))
    for _ in range(steps):
        options = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        if not options:
            break
        step = data.draw(st.sampled_from(options))
        inner = holder[step]
        if not isinstance(inner, dict | list) or not inner or data.draw(st.booleans()):
            holder[step] = data.draw(ANY)
            break
        holder = inner
    try:
        kubernetes.loads(json.dumps(pod))
    except ConfigError as error:
        assert all(one.file and one.line for one in error.problems)  # noqa: PT017


@given(st.binary(max_size=60))
def test_no_bytes_are_a_traceback(raw: bytes) -> None:
    try:
        kubernetes.loads(raw)
    except ConfigError as error:
        assert error.problems  # noqa: PT017


@given(st.text(alphabet="0123456789.+-eEinumkKMGTP ٣", max_size=12))
def test_a_canonical_quantity_is_the_same_amount(text: str) -> None:
    found = quantity.parse(text)
    if found is not None:
        again = quantity.parse(found.canonical)
        assert again is not None
        assert again.nanos == found.nanos


@given(st.text(alphabet="ab=!(),<> \tin1", max_size=14))
def test_a_selector_string_is_read_or_refused(text: str) -> None:
    try:
        selector_text.parse(text)
    except ConfigError as error:
        assert error.problems  # noqa: PT017
