"""`--kube` on the command line: exit codes, kube-scheduler's words, JSON, and mistakes with their places."""

from __future__ import annotations

import pytest

from tests.cli.command import Outcome, bayplan
from tests.cli.kube_cluster import HUGE, NODES, PACKED, PODS

FILES = {"nodes": NODES, "pods": PODS}
EVERY = ("--kube", ".")


def kube(*words: str, **more: str) -> Outcome:
    """A command on a directory with the small cluster, and more files."""
    return bayplan(*words, *EVERY, **FILES, **more)


CODES = [
    ("all placed", ("place",), {}, 0),
    ("some pending", ("place",), {"huge": HUGE}, 1),
    ("placed", ("why", "pod/web-0"), {}, 0),
    ("pending", ("why", "pod/huge"), {"huge": HUGE}, 1),
    ("nobody", ("why", "pod/nobody"), {}, 2),
    ("no such node", ("why", "pod/web-0", "--node", "n9"), {}, 2),
    ("what if", ("whatif", "--uncordon", "n3"), {}, 0),
    ("what if somebody loses a place", ("whatif", "--drain", "gpu"), {}, 1),
    ("what if there is no such node", ("whatif", "--drain", "n9"), {}, 2),
    ("valid", ("validate",), {}, 0),
    ("a version that is none", ("place", "--kube-version", "2.0"), {}, 2),
    ("an older version", ("place", "--kube-version", "v1.30.2"), {}, 0),
    ("by another preset", ("place", "--policy", "pack"), {}, 0),
    ("a configuration", ("place",), {"scheduler": PACKED}, 0),
]


@pytest.mark.parametrize("words, more, code", [row[1:] for row in CODES], ids=[row[0] for row in CODES])
def test_exit_codes(words: tuple[str, ...], more: dict[str, str], code: int) -> None:
    ran = kube(*words, **more)
    assert ran.code == code, ran.err
    assert bool(ran.out) == (code != 2)
    assert ("error: " in ran.err) == (code == 2)


def test_nothing_to_read() -> None:
    assert bayplan("place").code == 2
    ran = bayplan("place", "--kube", "missing.json")
    assert (ran.code, ran.out) == (2, "")
    assert "missing.json" in ran.err


def test_what_kube_scheduler_would_say() -> None:
    ran = kube("why", "pod/huge", huge=HUGE)
    assert "kube-scheduler would say: 0/4 nodes are available: " in ran.out
    said = " ".join(ran.out.partition("kube-scheduler would say: ")[2].split())
    assert "1 node(s) were unschedulable" in said
    assert "1 node(s) had untolerated taint" in said
    assert "2 Insufficient cpu" in said


def test_the_plugins_that_score_and_those_that_refuse() -> None:
    ran = kube("why", "pod/web-0", "--all-nodes")
    for plugin in ("TaintToleration", "PodTopologySpread", "NodeResourcesFit", "ImageLocality", "NodeUnschedulable"):
        assert plugin in ran.out


def test_json() -> None:
    plan = kube("place", "--json", huge=HUGE).json
    assert (plan["kind"], plan["policy"]) == ("plan", "kubernetes")
    assert plan["summary"]["residents"] == 2
    assert {one["workload"]: one["node"] for one in plan["decisions"]}["huge"] is None
    why = kube("why", "pod/huge", "--json", huge=HUGE).json
    assert why["kind"] == "explanation"
    checked = kube("validate", "--json").json
    assert checked["counts"] == {"nodes": 4, "templates": 0, "workloads": 6, "groups": 0, "residents": 2}


def test_another_configuration_packs() -> None:
    spread, packed = (kube("place", "--json", **more).json for more in ({}, {"scheduler": PACKED}))
    assert spread["decisions"] != packed["decisions"]
    assert packed["policy"] == "default-scheduler"


def test_two_clusters_of_one_name() -> None:
    ran = bayplan("place", "own.yaml", "--kube", "nodes.yaml", own="nodes: [{name: n1}]", nodes=NODES)
    assert ran.code == 2
    assert "'n1' is in native files and in Kubernetes' as well" in ran.err


def test_what_is_left_out_is_said_on_stderr() -> None:
    ran = kube("place", claim="{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: c}}")
    assert ran.code == 0
    assert "note: 1 objects of kind PersistentVolumeClaim are not looked at" in ran.err


POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers: [{name: c, image: i}]\n"
MALFORMED = [
    ("no YAML", "a: [b", 2, "not YAML"),
    ("a tab", "a:\n\t- b", 2, ""),
    ("not an object", "just words", 1, ""),
    ("no kind", "apiVersion: v1\nmetadata: {name: x}", 1, "kind"),
    ("no name", POD.replace("name: p", ""), 3, "name is missing"),
    ("a bad name", POD.replace("name: p", "name: P_p"), 3, "metadata.name"),
    ("no number", POD.replace("image: i", "image: i, resources: {requests: {cpu: lots}}"), 5, "cpu"),
    ("a slip in an operator", POD + "  affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
     "{nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Inn, values: [b]}]}]}}}", 6, "operator"),
    ("a skew of nothing", POD + "  topologySpreadConstraints:\n"
     "    - {topologyKey: zone, whenUnsatisfiable: DoNotSchedule, maxSkew: 0}", 7, "maxSkew"),
    ("a text for a list", POD + "  tolerations: all", 6, "tolerations"),
    ("a document in the middle", f"{POD}---\n{POD.replace('name: p', 'name: Q_q')}---\n{POD}", 9, "metadata.name"),
]  # fmt: skip


@pytest.mark.parametrize("command", ["place", "validate", "translate --to native", "whatif --drain n1", "why pod/p"])
@pytest.mark.parametrize("text, line, words", [row[1:] for row in MALFORMED], ids=[row[0] for row in MALFORMED])
def test_malformed_manifests(command: str, text: str, line: int, words: str) -> None:
    ran = bayplan(*command.split(), "--kube", "f.yaml", f=text)
    assert ran.code == 2
    assert not ran.out
    assert f"error: f.yaml:{line}" in ran.err
    assert words in ran.err


def test_all_mistakes_of_all_files_at_once() -> None:
    ran = bayplan("validate", *EVERY, "--json", a=POD.replace("name: p", "name: P_p"), b=POD.replace("image: i", "image: [i]"))
    assert [one["file"] for one in ran.json["problems"]] == ["a.yaml", "b.yaml"]
    assert all(one["line"] for one in ran.json["problems"])


def test_mistakes_of_native_files_and_of_kubernetes_together() -> None:
    ran = bayplan("place", "own.yaml", "--kube", "f.yaml", own="nodes: [{nme: n}]", f=POD.replace("name: p", "name: P_p"))
    assert ran.code == 2
    assert "own.yaml:1" in ran.err
    assert "f.yaml:3" in ran.err


def test_another_configuration_as_a_policy() -> None:
    ran = bayplan("whatif", "--kube", "nodes.yaml", "--kube", "pods.yaml", "--policy", "packed.yaml", **FILES, packed=PACKED)
    assert ran.code == 1, ran.err  # placed anew, one finds no place
    assert "What if: policy packed.yaml" in ran.out
    assert " moved" in ran.out
