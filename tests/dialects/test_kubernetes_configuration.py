"""KubeSchedulerConfiguration as a policy, checked as kube-scheduler checks it."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from bayplan import Workload, exists, in_
from bayplan.dialects import kubernetes
from bayplan.dialects.kubernetes import Objects
from bayplan.engine.spec import PolicySpec, build
from bayplan.errors import ConfigError
from bayplan.model.selector import Selector

HEAD = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "p", "labels": {"app": "a"}},
    "spec": {"containers": [{"name": "c"}]},
}
SERVICE = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}, "spec": {"selector": {"app": "a"}}}
DEFAULTS = {
    "TaintToleration": 3,
    "NodeAffinity": 2,
    "PodTopologySpread": 2,
    "InterPodAffinity": 2,
    "NodeResourcesFit": 1,
    "ImageLocality": 1,
}


def read(
    profile: dict[str, Any] | None = None, version: str = "1.37", scheduler: str | None = "default-scheduler", **root: Any
) -> Objects:
    profiles = {} if profile is None else {"profiles": [profile]}
    return kubernetes.loads(
        yaml.safe_dump_all([{**HEAD, **profiles, **root}, POD, SERVICE]), "s.yaml", version=version, scheduler=scheduler
    )


def policy(profile: dict[str, Any] | None = None, **options: Any) -> PolicySpec:
    found = read(profile, **options).policy
    assert found is not None
    return found


def plugin(name: str, **args: Any) -> dict[str, Any]:
    return {"pluginConfig": [{"name": name, "args": args}]}


def test_the_defaults() -> None:
    found = policy()
    assert (found.preset, found.name, found.filters) == ("kubernetes", "default-scheduler", {})
    assert found.scorers == {**DEFAULTS, "NodeResourcesBalancedAllocation": {"weight": 1, "version": "1.37"}}


def test_without_a_configuration_only_the_version_matters() -> None:
    assert kubernetes.loads(yaml.safe_dump(POD)).policy is None
    old = kubernetes.loads(yaml.safe_dump(POD), version="1.35").policy
    assert old == PolicySpec("kubernetes", "", {"NodeResourcesBalancedAllocation": {"weight": 1, "version": "1.35"}})


WEIGHTS = [
    ("score weight", {"score": {"enabled": [{"name": "NodeAffinity", "weight": 9}]}}, {"NodeAffinity": 9}),
    ("multiPoint weight", {"multiPoint": {"enabled": [{"name": "NodeAffinity", "weight": 9}]}}, {"NodeAffinity": 9}),
    ("no weight is 1", {"multiPoint": {"enabled": [{"name": "TaintToleration"}]}}, {"TaintToleration": 1}),
    ("disabled", {"score": {"disabled": [{"name": "ImageLocality"}]}}, {"ImageLocality": 0}),
    (
        "all disabled but one",
        {"score": {"disabled": [{"name": "*"}], "enabled": [{"name": "NodeResourcesFit", "weight": 5}]}},
        {**dict.fromkeys(DEFAULTS, 0), "NodeResourcesFit": 5},
    ),
    (
        "score wins over multiPoint",
        {"multiPoint": {"disabled": [{"name": "*"}]}, "score": {"enabled": [{"name": "NodeAffinity"}]}},
        {**dict.fromkeys(DEFAULTS, 0), "NodeAffinity": 1},
    ),
]


@pytest.mark.parametrize("name, plugins, expected", WEIGHTS, ids=[row[0] for row in WEIGHTS])
def test_weights(name: str, plugins: dict[str, Any], expected: dict[str, int]) -> None:
    found = policy({"plugins": plugins}).scorers
    assert {key: found[key] for key in DEFAULTS} == {**DEFAULTS, **expected}


FILTERS = [
    ({"filter": {"disabled": [{"name": "NodeUnschedulable"}, {"name": "NodeResourcesFit"}]}}, {"unschedulable": False}),
    ({"filter": {"disabled": [{"name": "NodePorts"}]}}, {}),
    ({"multiPoint": {"disabled": [{"name": "InterPodAffinity"}]}}, {"near": False, "apart": False}),
    ({"multiPoint": {"disabled": [{"name": "TaintToleration"}], "enabled": [{"name": "TaintToleration", "weight": 5}]}}, {}),
]


@pytest.mark.parametrize("plugins, expected", FILTERS)
def test_filters(plugins: dict[str, Any], expected: dict[str, bool]) -> None:
    assert policy({"plugins": plugins}).filters == expected


GPU = [{"name": "cpu", "weight": 2}, {"name": "nvidia.com/gpu"}]
SHAPE = {"shape": [{"utilization": 0, "score": 0}, {"utilization": 70, "score": 10}]}
PARAMETERS = [
    (
        "NodeResourcesFit",
        {"scoringStrategy": {"type": "MostAllocated", "resources": GPU}},
        {"strategy": "MostAllocated", "resources": {"cpu": 2, "nvidia.com/gpu": 1}},
    ),
    (
        "NodeResourcesFit",
        {"scoringStrategy": {"type": "LeastAllocated"}},
        {"strategy": "LeastAllocated", "resources": {"cpu": 1, "memory": 1}},
    ),
    (
        "NodeResourcesFit",
        {"scoringStrategy": {"type": "RequestedToCapacityRatio", "requestedToCapacityRatio": SHAPE, "resources": GPU}},
        {"strategy": "RequestedToCapacityRatio", "resources": {"cpu": 2, "nvidia.com/gpu": 1}, "shape": [[0, 0], [70, 10]]},
    ),
    (
        "InterPodAffinity",
        {"hardPodAffinityWeight": 5, "ignorePreferredTermsOfExistingPods": True},
        {"hard_weight": 5, "ignore_preferred_of_existing": True},
    ),
    (
        "NodeResourcesBalancedAllocation",
        {"resources": [{"name": "cpu"}, {"name": "example.com/x", "weight": 1}]},
        {"resources": ["cpu", "example.com/x"], "version": "1.37"},
    ),
]


@pytest.mark.parametrize("name, args, expected", PARAMETERS)
def test_parameters(name: str, args: dict[str, Any], expected: dict[str, Any]) -> None:
    weight = {**DEFAULTS, "NodeResourcesBalancedAllocation": 1}[name]
    assert policy(plugin(name, **args)).scorers[name] == {"weight": weight, **expected}


def test_the_policy_can_be_built() -> None:
    disabled = {"filter": {"disabled": [{"name": "*"}]}, "score": {"disabled": [{"name": "ImageLocality"}]}}
    found = build(policy({"plugins": disabled, **strategy(type="MostAllocated", resources=GPU)}))
    assert {one.name for one in found.scorers} == {*DEFAULTS, "NodeResourcesBalancedAllocation"} - {"ImageLocality"}


def test_ports_that_are_not_looked_at() -> None:
    port = {"name": "c", "ports": [{"hostPort": 80}]}
    written = yaml.safe_dump_all(
        [
            {**HEAD, "profiles": [{"plugins": {"filter": {"disabled": [{"name": "NodePorts"}]}}}]},
            {**POD, "spec": {"containers": [port]}},
        ]
    )
    (found,) = kubernetes.loads(written).requests
    assert isinstance(found, Workload)
    assert found.apart == ()


def waiting(profile: dict[str, Any]) -> Workload:
    (found,) = read(profile).requests
    assert isinstance(found, Workload)
    return found


def test_added_affinity() -> None:
    term = {"matchExpressions": [{"key": "z", "operator": "In", "values": ["a"]}]}
    wish = {"weight": 4, "preference": {"matchExpressions": [{"key": "q", "operator": "Exists"}]}}
    added = {
        "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]},
        "preferredDuringSchedulingIgnoredDuringExecution": [wish],
    }
    found = waiting(plugin("NodeAffinity", addedAffinity=added))
    assert found.selector == Selector.of({"z": in_("a")})
    assert [(one.selector, one.weight) for one in found.preferences] == [(Selector.of({"q": exists()}), 0.04)]


def test_default_constraints() -> None:
    constraint = {"maxSkew": 4, "topologyKey": "rack", "whenUnsatisfiable": "DoNotSchedule"}
    (found,) = waiting(plugin("PodTopologySpread", defaultingType="List", defaultConstraints=[constraint])).spread
    assert (found.by, found.max_skew, found.weight, found.may_lack) == ("rack", 4, None, False)
    assert waiting(plugin("PodTopologySpread", defaultingType="List")).spread == ()
    assert len(waiting(plugin("PodTopologySpread", defaultingType="System")).spread) == 2


def test_profiles() -> None:
    two = [{"schedulerName": "a"}, {"schedulerName": "b", "plugins": {"score": {"disabled": [{"name": "*"}]}}}]
    assert policy(profiles=two, scheduler="b").scorers["NodeAffinity"] == 0
    assert policy(profiles=two, scheduler=None).name == "a"
    found = read(profiles=two)
    assert "there is no profile for 'default-scheduler'" in str(found.notes[0])


NOTED = [
    ({}, {"percentageOfNodesToScore": 40}, "percentageOfNodesToScore: every node is judged here"),
    ({"percentageOfNodesToScore": 40}, {}, "profiles[0].percentageOfNodesToScore: every node"),
    ({}, {"extenders": [{"urlPrefix": "http://x"}]}, "extenders are not asked"),
    ({"plugins": {"score": {"enabled": [{"name": "Mine"}]}}}, {}, "'Mine' is not a plugin that is known here"),
    (plugin("Mine", a=1), {}, "'Mine' is not a plugin that is known here; its arguments"),
    ({"plugins": {"filter": {"disabled": [{"name": "NodeResourcesFit"}]}}}, {}, "the filter NodeResourcesFit stays"),
    ({"plugins": {"filter": {"disabled": [{"name": "InterPodAffinity"}]}}}, {}, "host ports are not looked at either"),
    ({"plugins": {"preScore": {"disabled": [{"name": "NodeAffinity"}]}}}, {}, "preScore alone is disabled"),
]


@pytest.mark.parametrize("profile, root, expected", NOTED)
def test_notes(profile: dict[str, Any], root: dict[str, Any], expected: str) -> None:
    assert expected in "\n".join(map(str, read(profile, **root).notes))


def strategy(**written: Any) -> dict[str, Any]:
    return plugin("NodeResourcesFit", scoringStrategy=written)


def ratio(*points: tuple[int, int]) -> dict[str, Any]:
    shape = [{"utilization": utilization, "score": score} for utilization, score in points]
    return strategy(type="RequestedToCapacityRatio", requestedToCapacityRatio={"shape": shape})


ARGS = "profiles[0].pluginConfig[0].args"
REFUSED = [
    (strategy(type="Some"), f"{ARGS}.scoringStrategy.type: 'Some' is not one of"),
    (strategy(resources=[{"name": "cpu", "weight": 0}]), f"{ARGS}.scoringStrategy.resources[0].weight: 0 is out of range"),
    (
        strategy(resources=[{"name": "cpu"}, {"name": "m", "weight": 101}]),
        f"{ARGS}.scoringStrategy.resources[1].weight: 101 is out",
    ),
    (strategy(type="RequestedToCapacityRatio"), "requestedToCapacityRatio.shape: at least one point"),
    (ratio((0, 0), (0, 5)), "shape[1].utilization: 0 is not above"),
    (ratio((0, 11)), "shape[0].score: 11 is out of range"),
    (ratio((101, 1)), "shape[0].utilization: 101 is out of range"),
    (plugin("NodeResourcesFit", ignoredResourceGroups=["a.com/b"]), "ignoredResourceGroups[0]: 'a.com/b' is not a group"),
    (plugin("NodeResourcesFit", ignoredResources=["a b"]), "ignoredResources[0]: 'a b' is not the name"),
    (plugin("NodeResourcesFit", scoring={}), f"{ARGS}.scoring: unknown field"),
    (plugin("InterPodAffinity", hardPodAffinityWeight=101), "hardPodAffinityWeight: 101 is out of range"),
    (
        plugin("NodeResourcesBalancedAllocation", resources=[{"name": "cpu", "weight": 2}]),
        "resources[0].weight: only the weight 1",
    ),
    (plugin("PodTopologySpread", defaultConstraints=[{"maxSkew": 1}]), "defaultConstraints: with defaultingType System"),
    (plugin("PodTopologySpread", defaultingType="List", defaultConstraints=[{"topologyKey": "z"}]), "maxSkew is missing"),
    (
        plugin("NodeAffinity", addedAffinity={"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 0}]}),
        "0 is out of range",
    ),
    ({"plugins": {"score": {"enabled": [{"weight": 1}]}}}, "plugins.score.enabled[0].name: the name of the plugin is missing"),
    ({"plugins": {"scores": {}}}, "plugins.scores: unknown field 'scores' (did you mean 'score'?)"),
    ({"pluginConfig": [{"name": "NodeAffinity"}, {"name": "NodeAffinity"}]}, "pluginConfig[1].name: the arguments"),
]


@pytest.mark.parametrize("profile, expected", REFUSED)
def test_refused(profile: dict[str, Any], expected: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read(profile)
    assert expected in str(caught.value)
    assert all(one.file == "s.yaml" and one.line for one in caught.value.problems)


@pytest.mark.parametrize(
    "root", [{"apiVersion": "kubescheduler.config.k8s.io/v1beta3"}, {"profils": []}, {"percentageOfNodesToScore": 101}]
)
def test_refused_roots(root: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        read(**root)
