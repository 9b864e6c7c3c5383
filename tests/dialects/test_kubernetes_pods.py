"""Pods as workloads: each condition in the model's terms."""

from __future__ import annotations

from typing import Any

import pytest

from bayplan import ALL, NODE, Apart, Near, Preference, Selector, Toleration, Workload, does_not_exist, exists, in_, not_in
from bayplan.dialects.kubernetes import Context, workload_of_pod
from bayplan.errors import ConfigError
from bayplan.model.labels import gt, lt
from bayplan.model.selector import EVERYTHING, NODE_NAME, NOWHERE

REQUIRED, PREFERRED = "requiredDuringSchedulingIgnoredDuringExecution", "preferredDuringSchedulingIgnoredDuringExecution"
ZONE, HOST = "topology.kubernetes.io/zone", "kubernetes.io/hostname"
SERVER = Context(server=True, namespaces={"a": {"team": "x"}, "b": {"team": "y"}, "default": {}})


def pod(spec: dict[str, Any] | None = None, context: Context = SERVER, **metadata: Any) -> Workload:
    full = {"containers": [{"name": "c"}], **(spec or {})}
    return workload_of_pod({"metadata": {"name": "p", **metadata}, "spec": full}, context)


def container(requests: dict[str, Any] | None = None, limits: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    resources = {"requests": requests, "limits": limits}
    return {"name": "c", "resources": {key: value for key, value in resources.items() if value is not None}, **more}


def always(requests: dict[str, Any]) -> dict[str, Any]:
    return container(requests, restartPolicy="Always")


# --- requests -------------------------------------------------------------------------------------

REQUESTS = [
    ("nothing", {}, {"counted-cpu": "100m", "counted-memory": "200Mi"}),
    ("cpu only", {"containers": [container({"cpu": "250m"})]}, {"cpu": "250m", "counted-cpu": "250m", "counted-memory": "200Mi"}),
    (
        "an explicit zero counts as zero",
        {"containers": [container({"cpu": 0, "memory": "1Mi"})]},
        {"memory": "1Mi", "counted-memory": "1Mi"},
    ),
    (
        "a limit is a request",
        {"containers": [container(None, {"cpu": 1, "memory": "1Gi"})]},
        {"cpu": 1, "memory": "1Gi", "counted-cpu": 1, "counted-memory": "1Gi"},
    ),
    (
        "two containers",
        {"containers": [container({"cpu": "1.5"}), container()]},
        {"cpu": "1500m", "counted-cpu": "1600m", "counted-memory": "400Mi"},
    ),
    (
        "rounded up once",
        {"containers": [container({"cpu": "0.5m"}), container({"cpu": "0.5m"})]},
        {"cpu": "1m", "counted-cpu": "1m", "counted-memory": "400Mi"},
    ),
    (
        "sidecars and init",
        {"initContainers": [always({"cpu": 1}), container({"cpu": 5})], "containers": [container({"cpu": 2})]},
        {"cpu": 6, "counted-cpu": 6, "counted-memory": "400Mi"},
    ),
    (
        "overhead",
        {"containers": [container({"cpu": 1})], "overhead": {"cpu": "250m", "memory": "8Mi"}},
        {"cpu": "1250m", "memory": "8Mi", "counted-cpu": "1250m", "counted-memory": "208Mi"},
    ),
    (
        "pod level",
        {"containers": [container({"cpu": 1})], "resources": {"requests": {"cpu": 3, "memory": "1Gi"}}},
        {"cpu": 3, "memory": "1Gi", "counted-cpu": 3, "counted-memory": "1Gi"},
    ),
    (
        "extended",
        {"containers": [container({"nvidia.com/gpu": "2"})]},
        {"nvidia.com/gpu": 2, "counted-cpu": "100m", "counted-memory": "200Mi"},
    ),
]


@pytest.mark.parametrize("name, spec, expected", REQUESTS, ids=[row[0] for row in REQUESTS])
def test_requests(name: str, spec: dict[str, Any], expected: dict[str, Any]) -> None:
    assert pod(spec).requests == Workload("w", {**expected, "pods": 1}).requests


def test_without_an_api_server_a_limit_is_no_request() -> None:
    spec = {"containers": [container(None, {"cpu": 1})]}
    assert "cpu" not in pod(spec, Context()).requests


def test_pod_level_requests_count_from_1_34_on() -> None:
    spec = {"containers": [container({"cpu": 1})], "resources": {"requests": {"cpu": 3}}}
    assert pod(spec, Context(version=(1, 33))).requests["cpu"] == 10_000
    assert pod(spec, Context(version=(1, 34))).requests["cpu"] == 30_000


def test_ignored_resources() -> None:
    spec = {"containers": [container({"example.com/a": 1, "other.com/b": 1, "cpu": 1})]}
    context = Context(ignored_groups=frozenset({"example.com"}), ignored_resources=frozenset({"other.com/b", "cpu"}))
    assert set(pod(spec, context).requests) == {"cpu", "pods", "counted-cpu", "counted-memory"}


# --- nodes ----------------------------------------------------------------------------------------


def required(*terms: dict[str, Any]) -> dict[str, Any]:
    return {"affinity": {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": list(terms)}}}}


def label(key: str, operator: str, *values: str) -> dict[str, Any]:
    return {"matchExpressions": [{"key": key, "operator": operator, **({"values": list(values)} if values else {})}]}


def field(operator: str, *values: str) -> dict[str, Any]:
    return {"matchFields": [{"key": "metadata.name", "operator": operator, "values": list(values)}]}


SELECTORS = [
    ("none", {}, EVERYTHING),
    ("nodeSelector", {"nodeSelector": {"disk": "ssd"}}, Selector.of({"disk": "ssd"})),
    ("In", required(label("a", "In", "x", "y")), Selector.of({"a": in_("x", "y")})),
    ("NotIn", required(label("a", "NotIn", "x")), Selector.of({"a": not_in("x")})),
    ("Exists", required(label("a", "Exists")), Selector.of({"a": exists()})),
    ("DoesNotExist", required(label("a", "DoesNotExist")), Selector.of({"a": does_not_exist()})),
    ("Gt", required(label("a", "Gt", "007")), Selector.of({"a": gt(7)})),
    ("Lt", required(label("a", "Lt", "7")), Selector.of({"a": lt(7)})),
    ("OR", required(label("a", "In", "x"), label("b", "Exists")), Selector.of({"a": "x"}) | Selector.of({"b": exists()})),
    ("name", required(field("In", "n1")), Selector.of({NODE_NAME: in_("n1")})),
    ("not that name", required(field("NotIn", "n1")), Selector.of({NODE_NAME: not_in("n1")})),
    ("both parts", required({**label("a", "Exists"), **field("In", "n1")}), Selector.of({"a": exists(), NODE_NAME: in_("n1")})),
    ("an empty term", required({}), NOWHERE),
    ("with nodeSelector", {"nodeSelector": {"d": "s"}, **required(label("a", "Exists"))}, Selector.of({"d": "s", "a": exists()})),
]


@pytest.mark.parametrize("name, spec, expected", SELECTORS, ids=[row[0] for row in SELECTORS])
def test_selector(name: str, spec: dict[str, Any], expected: Selector) -> None:
    assert pod(spec).selector == expected


LAZY = [
    ("one bad, one good", required(label("a b", "Exists"), label("a", "Exists")), Selector.of({"a": exists()})),
    ("several names", required(field("In", "n1", "n2")), NOWHERE),
    ("In without values", required(label("a", "In")), NOWHERE),
    ("Gt of text", required(label("a", "Gt", "x")), NOWHERE),
    ("Gt beyond 64 bits", required(label("a", "Gt", "9223372036854775808")), NOWHERE),
    ("no terms", required(), NOWHERE),
]


@pytest.mark.parametrize("name, spec, expected", LAZY, ids=[row[0] for row in LAZY])
def test_the_scheduler_parses_required_terms_one_by_one(name: str, spec: dict[str, Any], expected: Selector) -> None:
    assert pod(spec, Context()).selector == expected
    with pytest.raises(ConfigError):
        pod(spec)


def test_preferred_nodes() -> None:
    listed = [{"weight": 30, "preference": label("a", "Exists")}, {"weight": 5, "preference": {}}]
    found = pod({"affinity": {"nodeAffinity": {PREFERRED: listed}}}).preferences
    assert found == (Preference({"a": exists()}, 0.3),)


def test_added_affinity() -> None:
    added = {
        REQUIRED: {"nodeSelectorTerms": [label("z", "In", "a")]},
        PREFERRED: [{"weight": 2, "preference": label("q", "Exists")}],
    }
    found = pod({"nodeSelector": {"d": "s"}}, Context(added_affinity=added))
    assert found.selector == Selector.of({"d": "s", "z": "a"})
    assert found.preferences == (Preference({"q": exists()}, 0.02),)


TOLERATIONS = [
    ({"key": "k", "operator": "Exists"}, Toleration("k", operator="Exists")),
    ({"key": "k", "value": "v", "effect": "NoExecute", "tolerationSeconds": 3}, Toleration("k", "v", effect="NoExecute")),
    ({"operator": "Exists", "effect": ""}, Toleration(operator="Exists")),
]


@pytest.mark.parametrize("written, expected", TOLERATIONS)
def test_tolerations(written: dict[str, Any], expected: Toleration) -> None:
    assert pod({"tolerations": [written]}).tolerations == (expected,)


def test_comparing_tolerations_need_a_gate() -> None:
    spec = {"tolerations": [{"key": "k", "operator": "Gt", "value": "5"}]}
    assert pod(spec, Context()).tolerations == ()
    assert pod(spec, Context(compared_tolerations=True)).tolerations == (Toleration("k", "5", "Gt"),)


# --- neighbours -----------------------------------------------------------------------------------


def term(key: str = ZONE, selector: Any = None, **more: Any) -> dict[str, Any]:
    return {"topologyKey": key, **({} if selector is None else {"labelSelector": selector}), **more}


WEB, DB = {"matchLabels": {"app": "web"}}, {"matchLabels": {"app": "db"}}


def test_required_affinity_is_joint() -> None:
    terms = [
        term(ZONE, WEB, namespaces=["a", "b"]),
        term(HOST, {"matchLabels": {"v": "1"}}, namespaceSelector={"matchLabels": {"team": "x"}}),
    ]
    (found,) = pod({"affinity": {"podAffinity": {REQUIRED: terms}}}).near
    assert found.peers == Selector.of({"app": "web", "v": "1"})
    assert found.by == (ZONE, HOST)
    assert found.namespaces == frozenset({"a"})
    assert found.first_may_start
    assert found.terms == (Near({"app": "web"}, ZONE, {"a", "b"}), Near({"v": "1"}, HOST, {"a"}))


NAMESPACES = [
    ("own", {}, frozenset({"default"})),
    ("listed", {"namespaces": ["a"]}, frozenset({"a"})),
    ("all", {"namespaceSelector": {}}, ALL),
    ("selected", {"namespaceSelector": {"matchLabels": {"team": "y"}}}, frozenset({"b"})),
    ("union", {"namespaces": ["c"], "namespaceSelector": {"matchLabels": {"team": "y"}}}, frozenset({"b", "c"})),
    ("none", {"namespaceSelector": {"matchLabels": {"team": "nobody"}}}, frozenset()),
]


@pytest.mark.parametrize("name, more, expected", NAMESPACES, ids=[row[0] for row in NAMESPACES])
def test_namespaces(name: str, more: dict[str, Any], expected: object) -> None:
    (found,) = pod({"affinity": {"podAntiAffinity": {REQUIRED: [term(ZONE, WEB, **more)]}}}).apart
    assert found.namespaces == expected


def test_anti_affinity_is_separate_and_wishes_have_weights() -> None:
    listed = {REQUIRED: [term(ZONE, WEB), term(HOST, {})], PREFERRED: [{"weight": 7, "podAffinityTerm": term(HOST)}]}
    own = {"default"}
    assert pod({"affinity": {"podAntiAffinity": listed}}).apart == (
        Apart({"app": "web"}, ZONE, own), Apart({}, HOST, own), Apart(NOWHERE, HOST, own, weight=0.07),
    )  # fmt: skip


def test_label_keys_are_merged_as_the_api_server_does() -> None:
    keys = {"matchLabelKeys": ["hash", "missing"], "mismatchLabelKeys": ["tenant"]}
    spec = {"affinity": {"podAffinity": {REQUIRED: [term(ZONE, WEB, **keys)]}}}
    labels = {"hash": "x", "tenant": "t"}
    (found,) = pod(spec, labels=labels).near
    assert found.peers == Selector.of({"app": "web", "hash": "x", "tenant": not_in("t")})
    (old,) = pod(spec, Context(server=True, version=(1, 30)), labels=labels).near
    (bare,) = pod(spec, Context(), labels=labels).near
    assert old.peers == bare.peers == Selector.of({"app": "web"})


PORTS = [
    ("every address", [{"hostPort": 80}], {"tcp-80": "0.0.0.0"}, {"tcp-80": exists()}),
    ("one address", [{"hostPort": 80, "hostIP": "10.0.0.1"}], {"tcp-80": "10.0.0.1"}, {"tcp-80": in_("10.0.0.1", "0.0.0.0")}),
    (
        "IPv6",
        [{"hostPort": 53, "protocol": "UDP", "hostIP": "fe80::1"}],
        {"udp-53": "ip6.fe80__1.6"},
        {"udp-53": in_("ip6.fe80__1.6", "0.0.0.0")},
    ),
    (
        "two addresses",
        [{"hostPort": 80, "hostIP": "1.1.1.1"}, {"hostPort": 80, "hostIP": "1.1.1.2"}],
        {"tcp-80": "0.0.0.0"},
        {"tcp-80": exists()},
    ),
    ("none", [{"containerPort": 80}], {}, {}),
]


@pytest.mark.parametrize("name, ports, labels, peers", PORTS, ids=[row[0] for row in PORTS])
def test_host_ports(name: str, ports: list[Any], labels: dict[str, str], peers: dict[str, Any]) -> None:
    found = pod({"containers": [container(ports=ports)]})
    assert found.labels == {f"hostport.bayplan.dev/{key}": value for key, value in labels.items()}
    assert found.apart == tuple(Apart({f"hostport.bayplan.dev/{key}": value}, NODE, ALL) for key, value in peers.items())


def test_a_pod_on_the_host_network_has_its_ports_there() -> None:
    spec = {"hostNetwork": True, "containers": [container(ports=[{"containerPort": 80}])]}
    assert pod(spec).labels == {"hostport.bayplan.dev/tcp-80": "0.0.0.0"}
    assert pod(spec, Context()).labels == {}


def spread(**more: Any) -> dict[str, Any]:
    full = {"maxSkew": 2, "topologyKey": ZONE, "whenUnsatisfiable": "DoNotSchedule", "labelSelector": WEB, **more}
    return {"topologySpreadConstraints": [{key: value for key, value in full.items() if value is not None}]}


def test_spread() -> None:
    (found,) = pod(spread(minDomains=3, nodeTaintsPolicy="Honor", nodeAffinityPolicy="Ignore")).spread
    assert found.peers == Selector.of({"app": "web", "bayplan.dev/terminating": does_not_exist()})
    assert (found.by, found.namespaces, found.weight) == (ZONE, frozenset({"default"}), None)
    assert (found.max_skew, found.min_domains) == (2, 3)
    assert (found.honour_taints, found.honour_selector, found.on_allowed, found.may_lack) == (True, False, True, False)
    (wish,) = pod(spread(whenUnsatisfiable="ScheduleAnyway")).spread
    assert (wish.weight, wish.honour_taints, wish.honour_selector) == (1.0, False, True)


@pytest.mark.parametrize("selector", [None, {}])
def test_an_empty_selector_counts_nobody(selector: Any) -> None:
    assert pod(spread(labelSelector=selector)).spread[0].peers.never


def test_spread_over_the_own_revision() -> None:
    (found,) = pod(spread(labelSelector={}, matchLabelKeys=["hash"]), labels={"hash": "x"}).spread
    assert found.peers == Selector.of({"hash": "x", "bayplan.dev/terminating": does_not_exist()})


# --- the rest -------------------------------------------------------------------------------------


def test_who_is_being_deleted_is_labelled() -> None:
    assert pod(deletionTimestamp="2026-01-01T00:00:00Z").labels == {"bayplan.dev/terminating": "true"}


PRIORITIES = [
    ({"priority": 5, "priorityClassName": "high"}, 5),
    ({"priorityClassName": "high"}, 1000),
    ({"priorityClassName": "system-node-critical"}, 2_000_001_000),
    ({"priorityClassName": "unknown"}, 0),
    ({}, 7),
]


@pytest.mark.parametrize("spec, expected", PRIORITIES)
def test_priority(spec: dict[str, Any], expected: int) -> None:
    assert pod(spec, Context(priority_classes={"high": 1000}, default_priority=7)).priority == expected


def test_owner_and_namespace() -> None:
    owners = [{"kind": "Node", "name": "n"}, {"kind": "ReplicaSet", "name": "web-5d", "controller": True}]
    found = pod(namespace="shop", ownerReferences=owners)
    assert (found.owner, found.id) == ("ReplicaSet/web-5d", "shop/p")


def test_a_resident_with_terms_that_cannot_be_parsed_has_none() -> None:
    bad = {"podAffinity": {REQUIRED: [term(ZONE, {"matchLabels": {"a": "{{x}}"}})]}}
    assert pod({"affinity": bad, "nodeName": "n"}, Context()).near == ()
    with pytest.raises(ConfigError):
        pod({"affinity": bad}, Context())
