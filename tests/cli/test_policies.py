"""`--policy` with the configuration of Volcano's scheduler: how it is read, what is said of it, and what is asked for next."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from bayplan.cli import policies
from tests.cli.command import bayplan

CONF = """\
actions: "enqueue, allocate"
tiers:
- plugins:
  - name: predicates
  - name: resource-strategy-fit
    arguments:
      resources: {nvidia.com/gpu: {type: MostAllocated, weight: 2}, cpu: {type: LeastAllocated}}
      sra: {enable: true, resources: nvidia.com/gpu, weight: 10}
      proportional:
        {enable: true, resources: nvidia.com/gpu, resourceProportion: {nvidia.com/gpu.cpu: 6, nvidia.com/gpu.memory: 0}}
"""
SLIP = CONF.replace("MostAllocated", "mostallocated")
DESIGN = CONF.replace("enable: true, resources: nvidia.com/gpu, weight: 10", "policy: retention, resources: nvidia.com/gpu")
DESIGN = DESIGN[: DESIGN.index("      proportional")]
MIXED = CONF.replace("sra: {enable", "sra: {policy: retention, enable")
CONFIG_MAP = "kind: ConfigMap\napiVersion: v1\ndata:\n  volcano-scheduler.conf: |\n" + "".join(
    f"    {line}\n" for line in CONF.splitlines()
)
NODES = "nodes: [{name: c, capacity: {cpu: 16}}, {name: g, capacity: {cpu: 32, nvidia.com/gpu: 4}}]\n"
CLUSTER = NODES + "workloads: [{name: web, requests: {cpu: 4}}, {name: big, requests: {cpu: 14}}]\n"

# command, what stdout or stderr says, exit code; f.yaml, x.conf, slip.conf, design.conf, mixed.conf and map.yaml are there
READ = [
    ("place f.yaml --policy x.conf", "x.conf: the configuration of Volcano's scheduler, grammar 'volcano', read strictly", 1),
    ("place f.yaml --policy x.conf", "web       c        1750.000", 1),
    ("place f.yaml x.conf", "(policy x.conf)", 1),
    ("place f.yaml --policy map.yaml", "(policy map.yaml)", 1),
    ("place f.yaml --policy slip.conf", "slip.conf:7:42: tiers[0].plugins[1].arguments.resources.nvidia.com/gpu.type", 2),
    ("place f.yaml --policy slip.conf --lenient", "grammar 'volcano', read as Volcano reads it", 1),
    ("place f.yaml --policy slip.conf --lenient", "warning: slip.conf:7:42:", 1),
    ("place f.yaml slip.conf --lenient", "Volcano takes LeastAllocated", 1),
    ("why web f.yaml --policy slip.conf --lenient", "web is on c", 0),
    ("why web f.yaml --policy x.conf --all-nodes", "sra: without nvidia.com/gpu", 0),
    ("whatif f.yaml x.conf --policy slip.conf --lenient", "What if: policy slip.conf", 1),
    ("whatif f.yaml slip.conf --drain c --lenient", "What if: drain c", 1),
    ("validate x.conf", "ok: policy x.conf", 0),
    ("validate f.yaml --policy x.conf", "ok: 2 nodes, 2 workloads, policy x.conf", 0),
    ("validate slip.conf", "did you mean 'MostAllocated'?", 2),
    ("validate slip.conf --lenient", "did you mean 'MostAllocated'?", 0),
    ("validate mixed.conf", "'sra.policy' is written in the design document's grammar, 'sra.enable' in that of the releases", 2),
    ("validate mixed.conf --dialect volcano", "a key of the design document", 2),
    ("validate mixed.conf --dialect volcano --lenient", "ok: policy mixed.conf", 0),
    ("validate design.conf", "grammar 'design'", 0),
    ("validate design.conf --dialect volcano", "unknown key 'policy'; Volcano ignores it", 2),
    ("validate design.conf --dialect volcano --lenient", "grammar 'volcano'", 0),
    ("validate design.conf --dialect nonsense", "nonsense", 2),
    ("validate empty.conf", "there is no configuration here", 2),
    ("place f.yaml --policy none.conf", "'none.conf' is neither a preset nor a file", 2),
    ("place f.yaml --policy=", "'' is neither a preset nor a file", 2),
    ("validate f.yaml x.conf slip.conf", "slip.conf:7:42", 2),
    ("validate f.yaml x.conf design.conf", "design.conf: there is a policy already", 2),
]


@pytest.mark.parametrize("command, says, code", READ)
def test_configurations_are_read(command: str, says: str, code: int) -> None:
    files = {"x_conf": CONF, "slip_conf": SLIP, "design_conf": DESIGN, "mixed_conf": MIXED, "empty_conf": "", "map": CONFIG_MAP}
    ran = bayplan(*command.split(), f=CLUSTER, **files)
    assert says in ran.out + ran.err
    assert ran.code == code


def test_mistakes_of_all_files_and_of_the_policy_are_told_together() -> None:
    ran = bayplan("place", "f.yaml", "slip.conf", "--policy", "mixed.conf", f="nodes: [{}]", slip_conf=SLIP, mixed_conf=MIXED)
    assert [line.split(":")[1].strip() for line in ran.err.splitlines()[:3]] == ["f.yaml", "slip.conf", "mixed.conf"]
    assert "3 mistakes." in ran.err
    assert not ran.out


def test_what_to_ask_next_asks_about_the_same_plan() -> None:
    """Without the policy the answer would be about another plan."""
    ran = bayplan("place", "f.yaml", "--policy", "slip.conf", "--lenient", "--seed", "3", f=CLUSTER, slip_conf=SLIP)
    again = "bayplan why big f.yaml --policy slip.conf --lenient --seed 3"
    assert f"Ask {again} for the whole story." in ran.out
    ran = bayplan(*again.split()[1:], f=CLUSTER, slip_conf=SLIP)
    assert "big is pending" in ran.out
    assert "24 cpu is reserved for 4 idle nvidia.com/gpu, and it would leave 18" in ran.out


@pytest.mark.parametrize("written, name", [(CONFIG_MAP, "<stdin>"), ("policy: {preset: pack, name: mine}", "mine")])
def test_a_policy_from_standard_input(written: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(written.encode())))
    assert policies.read("-").name == name


def test_a_log_is_replayed_under_a_configuration_that_is_read_leniently(tmp_path: Path) -> None:
    log = str(tmp_path / "decisions.jsonl")
    assert bayplan("place", "f.yaml", "--policy", "x.conf", "--log", log, f=CLUSTER, x_conf=CONF).code == 1
    assert "All came out as recorded." in bayplan("replay", log).out
    assert bayplan("replay", log, "--policy", "slip.conf", slip_conf=SLIP).code == 2
    assert "under policy slip.conf" in bayplan("replay", log, "--policy", "slip.conf", "--lenient", slip_conf=SLIP).out


# --- the line of the pending table -----------------------------------------------------------------

POOL = "policy: {filters: {reserve: {pools: [{keep: {cpu: 10%}}]}}}\n"


def test_the_nearest_node_says_what_is_missing_and_room_goes_before_the_reserve() -> None:
    nodes = "nodes: [{name: full, capacity: {cpu: 8}}, {name: near, capacity: {cpu: 8}}]\n"
    work = "workloads: [{name: old, 'on': full, requests: {cpu: 7}}, {name: a, 'on': near, requests: {cpu: 2}}, %s]\n"
    ran = bayplan("place", "f.yaml", f=nodes + POOL + work % "{name: b, requests: {cpu: 6}}")
    assert "b        near (and 1 more node) 800m cpu (10 %) is kept on this node, and it would leave 0" in ran.out
    ran = bayplan("place", "f.yaml", f=nodes + POOL + work % "{name: b, requests: {cpu: 7}}")
    assert "b        near (and 1 more node) needs 7 cpu, 6 of 8 free; near" in ran.out
