"""What is wrong with a native file is said in plain words, with the line, the path, and what to write instead.

Every row: name, file, and for each mistake in it `line path: message (hint)`. The message and the hint are
given by their important part.
"""

from __future__ import annotations

import io
import sys
import time
from pathlib import Path

import pytest

from bayplan.dialects import native
from bayplan.dialects.native import names
from bayplan.engine.spec import build
from bayplan.errors import ConfigError, Problem

BUDGET = 120.0
"""Seconds of CPU time: not to measure speed, but to see that nothing runs away. Rows take milliseconds, the huge ones seconds."""


def problems_of(source: str | bytes) -> tuple[Problem, ...]:
    start = time.process_time()
    with pytest.raises(ConfigError) as caught:
        native.loads(source, "f.yaml")
    assert time.process_time() - start < BUDGET
    return caught.value.problems


NODE_HEAD, NODE_AT = "nodes:\n  - name: n\n    ", "nodes[0]."
WORK_HEAD, WORK_AT = "workloads:\n  - name: w\n    ", "workloads[0]."
GANG_HEAD, GANG_AT = "groups:\n  - name: g\n    ", "groups[0]."
POLICY_HEAD, POLICY_AT = "policy:\n  ", "policy."


NODE = [
    # YAML itself
    ("a number as a key", "labels: {1: x}", "labels", "a key must be text, found 1", "write it in quotes: '1'"),
    ("a truth as a key", "labels: {true: x}", "labels", "a key must be text, found True", "quotes"),
    ("nothing as a key", "labels: {~: x}", "labels", "a key must be text, found nothing", ""),
    ("a list as a key", "labels: {[a]: x}", "labels", "a key must be text, found a list or mapping", ""),
    ("a tag on text", "cordoned: !secret x", "cordoned", "the tag !secret is not allowed", "without tags"),
    ("a tag that does not fit", "count: !!int three", "count", "'three' is not a !!int", ""),
    # keys and kinds
    ("a misspelt key of a node", "capasity: {cpu: 1}", "capasity", "unknown key", "did you mean 'capacity'?"),
    ("nothing as a count", "count:", "count", "expected a value, found nothing", "leave the key out"),
    ("a version as a label", "labels: {v: 1.10}", "labels.v", "expected text, found the number 1.1", "in quotes: '1.10'"),
    ("a list of labels", "labels: [a]", "labels", "expected a mapping, found a list", ""),
    ("yes for a truth", "cordoned: yes", "cordoned", "expected true or false, found 'yes'", "write true"),
    ("a number for a truth", "cordoned: 1", "cordoned", "expected true or false, found the number 1", ""),
    # numbers
    ("fewer than none", "count: -3", "count", "must be 1 or more, found the number -3", ""),
    # quantities
    ("without end", "capacity: {cpu: .inf}", "capacity.cpu", "inf is not a quantity", ""),
    ("beyond exact numbers", "capacity: {memory: 100Ei}", "capacity.memory", "'100Ei' is too large", "at most"),
    ("a truth", "capacity: {cpu: true}", "capacity.cpu", "expected a quantity such as 4", ""),
    ("nothing", "capacity: {cpu: }", "capacity.cpu", "expected a quantity", "give it a value"),
    ("a list", "capacity: {cpu: [1]}", "capacity.cpu", "expected a quantity such as 4, 0.5, 500m or 64Gi, found a list", ""),
    ("grouped digits", "capacity: {cpu: 1_000}", "capacity.cpu", "'1_000' is not a quantity", ""),
    ("a resource that is no name", "capacity: {'c pu': 1}", "capacity.c pu", "'c pu' is not a resource name", ""),
    ("half a device", "devices: {gpu: 0.5}", "devices.gpu", "expected a whole number, found the number 0.5", ""),
    ("too many devices", "devices: {gpu: 5000}", "devices.gpu", "must be 1,024 or less", ""),
    ("one device twice", "devices: {gpu: [a, a]}", "devices", "two devices have the same resource and id", ""),
    ("a device that is no name", "devices: {'': 1}", "devices", "'' is not a resource name", ""),
    ("devices against capacity", "capacity: {gpu: 3}\n    devices: {gpu: 4}", "capacity.gpu", "4 devices are listed", ""),
    # names, labels, selectors
    ("a label key with a space", "labels: {a b: c}", "labels.a b", "contains ' '", ""),
    ("a label key with two slashes", "labels: {a/b/c: d}", "labels.a/b/c", "more than one '/'", ""),
    # taints
    ("an effect that is none", "taints: ['a=b:NoShedule']", "taints[0]", "found 'NoShedule'", "did you mean 'NoSchedule'?"),
    ("a taint without key", "taints: ['=b:NoSchedule']", "taints[0]", "has no key", "key=value:Effect"),
    ("a taint that is a number", "taints: [3]", "taints[0]", 'expected "key=value:Effect", or a mapping', ""),
    ("a taint key that is none", "taints: [{key: a b}]", "taints[0]", "contains ' '", ""),
    ("an effect in a mapping", "taints: [{key: a, effect: Never}]", "taints[0].effect", "expected one of NoSchedule", ""),
]
"""Rows: name, one node below its name, path in the node, message, hint. The mistake is in line 3."""

WORK = [
    # keys and kinds
    ("a misspelt key", "request: {cpu: 1}", "request", "unknown key 'request'", "did you mean 'requests'?"),
    ("a misspelt key inside", "apart: [{peer: {}}, {peers: {}}]", "apart[0]", "'peers' is missing", ""),
    ("a misspelt operator", "selector: {zone: {notin: [a]}}", "selector.zone.notin", "unknown", "mean 'not_in'?"),
    ("a truth as a label", "labels: {live: true}", "labels.live", "expected text, found true", "in quotes: 'true'"),
    ("nothing as a label", "labels: {live: }", "labels.live", "expected text, found nothing", "give it a value"),
    ("text for replicas", 'replicas: "3"', "replicas", "expected a whole number, found '3'", "without quotes"),
    ("a fraction for replicas", "replicas: 3.0", "replicas", "expected a whole number, found the number 3.0", ""),
    ("a truth for replicas", "replicas: true", "replicas", "expected a whole number, found true", ""),
    ("a word for a list", "nodes: n1", "nodes", "expected a list, found 'n1'", "brackets"),
    ("a mapping for a list", "apart: {peers: {}}", "apart", "expected a list, found a mapping", "'- '"),
    # numbers
    ("no replicas", "replicas: 0", "replicas", "must be 1 or more, found the number 0", ""),
    ("too many replicas", "replicas: 1000001", "replicas", "must be 1,000,000 or less", ""),
    ("digits without end", f"replicas: {'9' * 5000}", "replicas", "expected a whole number, found '999", "without"),
    ("a priority beyond 32 bits", "priority: 2147483648", "priority", "must be below 2,147,483,648", ""),
    ("at most none", "apart: [{peers: {}, at_most: 0}]", "apart[0].at_most", "must be 1 or more", ""),
    ("no skew", "spread: [{peers: {}, max_skew: 0}]", "spread[0].max_skew", "must be 1 or more", ""),
    ("an infinite weight", "prefer: [{selector: {}, weight: .inf}]", "prefer[0].weight", "a finite number", ""),
    ("a weight too large", "prefer: [{selector: {}, weight: 1e999}]", "prefer[0].weight", "a finite number", ""),
    ("a wish of no weight", "near: [{peers: {}, weight: 0}]", "near[0].weight", "must be above 0", ""),
    ("a weight in quotes", "near: [{peers: {}, weight: '2'}]", "near[0].weight", "expected a number, found '2'", ""),
    # quantities
    ("not a quantity", "requests: {cpu: lots}", "requests.cpu", "'lots' is not a quantity", "500m"),
    ("a unit that is not", "requests: {memory: 1Gb}", "requests.memory", "'1Gb' is not a quantity", "64Gi"),
    ("below zero", "requests: {cpu: -1}", "requests.cpu", "-1 is negative", ""),
    ("not a number at all", "requests: {cpu: .nan}", "requests.cpu", "nan is not a quantity", ""),
    ("in a fallback", "fallbacks: [{requests: {cpu: x}}]", "fallbacks[0].requests.cpu", "'x' is not a quantity", ""),
    # names, labels, selectors
    ("a slash in a namespace", "namespace: a/b", "namespace", "contains white space, '/'", ""),
    ("a label value that is too long", f"labels: {{a: {'x' * 64}}}", "labels.a", "at most 63", ""),
    ("a selector of nothing", "selector: {zone: {}}", "selector.zone", "at least one of in, not_in", ""),
    ("a number in a selector", "selector: {zone: 3}", "selector.zone", "expected text, a list of texts", ""),
    ("a number in a list", "selector: {zone: [a, 3]}", "selector.zone[1]", "expected text, found the number 3", "'3'"),
    ("a text for gt", "selector: {size: {gt: big}}", "selector.size.gt", "expected a whole number", ""),
    ("a key that is none", "selector: {'@nme': n}", "selector.@nme", "contains '@'", ""),
    ("the name of a node that is none", "selector: {'@name': [n, 'a b']}", "selector.@name[1]", "white space", ""),
    ("a peer has no node's name", "near: [{peers: {'@name': n}}]", "near[0].peers.@name", "contains '@'", ""),
    (
        "a term with a weight",
        "near: [{peers: {}, terms: [{peers: {}, weight: 1}]}]",
        "near[0].terms[0].weight",
        "unknown key",
        "",
    ),
    ("a term of two keys", "near: [{peers: {}, terms: [{peers: {}, by: [a]}]}]", "near[0].terms[0].by", "expected text", ""),
    ("an image that is none", "images: [7]", "images[0]", "expected text", ""),
    ("a value that is none", "selector: [{a: x}, {b: 'y z'}]", "selector[1].b", "contains ' '", ""),
    ("a word for a selector", "selector: zone=a", "selector", "expected a mapping of label keys", ""),
    ("peers that are a word", "near: [{peers: web}]", "near[0].peers", "expected a mapping of label keys", ""),
    ("a topology that is no key", "near: [{peers: {}, by: 'a b'}]", "near[0].by", "contains ' '", ""),
    ("no topology", "near: [{peers: {}, by: []}]", "near[0].by", "must not be empty", ""),
    ("a wish over two", "near: [{peers: {}, by: [a, b], weight: 1}]", "near[0].by", "one topology key only", ""),
    ("a star among others", "near: [{peers: {}, namespaces: [a, '*']}]", "near[0].namespaces[1]", "stand alone", ""),
    ("a bad namespace", "near: [{peers: {}, namespaces: ['']}]", "near[0].namespaces[0]", "may not be empty", ""),
    # taints
    ("a toleration without key", "tolerate: [{value: x}]", "tolerate[0].key", "must have operator Exists", ""),
    ("Exists with a value", "tolerate: [{key: a, operator: Exists, value: b}]", "tolerate[0]", "no value", "Equal"),
    ("Gt with a text", "tolerate: [{key: a, operator: Gt, value: b}]", "tolerate[0].value", "compares integers", ""),
    ("an operator that is none", "tolerate: [{key: a, operator: Eq}]", "tolerate[0].operator", "Equal, Exists", ""),
    ("a toleration key that is none", "tolerate: ['a b']", "tolerate[0]", "contains ' '", ""),
    # strategies
    ("a queue that is a number", "queue: 7", "queue", "expected text, found the number 7", "in quotes: '7'"),
    ("packing that is a word", "packing: most", "packing", "expected a mapping, found 'most'", ""),
    ("a strategy of another kind", "packing: {cpu: mots}", "packing.cpu", "expected one of most, least, ratio", "'most'?"),
    (
        "a pattern with a star inside",
        "packing: {a*b: most}",
        "packing.a*b",
        "has a * that is not its end",
        "the beginning of one",
    ),
    ("a pattern for everything", "packing: {'*': most}", "packing.*", "matches everything or nothing", "the beginning of one"),
    ("a strategy that counts nothing", "packing: {cpu: {strategy: most, weight: 0}}", "packing.cpu", "not a weight", ""),
    ("a ratio without a shape", "packing: {cpu: ratio}", "packing.cpu", "ratio needs one", ""),
    ("a misspelt weight", "packing: {cpu: {strategy: most, wieght: 1}}", "packing.cpu.wieght", "unknown key", "'weight'?"),
    # names of others
    ("on a node when there are none", "on: n", "on", "there is no node 'n'", ""),
]
"""Rows: name, one workload below its name, path in the workload, message, hint. The mistake is in line 3."""

GANG = [
    # keys and kinds
    ("a fallback in a member", "members: [{name: w, fallbacks: []}]", "members[0].fallbacks", "unknown key", "as a whole"),
    ("a member that runs", "members: [{name: w, on: n}]", "members[0].on", "unknown key 'on'", "cannot run already"),
    # names of others
    ("two members of one name", "members: [{name: w}, {name: w}]", "members[1].name", "two members are called 'w'", ""),
    # groups and policies
    ("a strategy that is none", "strategy: PAK\n    members: [{name: w}]", "strategy", "PACK, SPREAD", "mean 'PACK'?"),
    ("no members", "members: []", "members", "a group needs at least one member", ""),
    ("a group by no key", "by: a b\n    members: [{name: w}]", "by", "contains ' '", ""),
]
"""Rows: name, one group below its name, path in the group, message, hint. The mistake is in line 3."""

POLICY = [
    # groups and policies
    (
        "a preset that is none",
        "preset: pakc",
        "preset",
        "expected one of pack, spread, balanced, ai-mixed, kubernetes, plain, found 'pakc'",
        "'pack'?",
    ),
    ("a weight below zero", "scorers: {balance: -1}", "scorers.balance", "must be 0 or more", ""),
    ("a weight that is text", "scorers: {balance: heavy}", "scorers.balance", "expected a weight, or a mapping", ""),
    ("a parameter that is none", "scorers: {balance: {wieght: 1}}", "scorers.balance.wieght", "unknown", "'weight'?"),
    (
        "an unknown way to pack",
        "scorers: {packing: {resources: {cpu: mots}}}",
        "scorers.packing.resources.cpu",
        "most",
        "'most'?",
    ),
    ("a filter that is no switch", "filters: {taints: 1}", "filters.taints", "expected true or false", ""),
]
"""Rows: name, the policy, path in the policy, message, hint. The mistake is in line 2."""

FILE = [
    # YAML itself
    ("a tab as indentation", "nodes:\n\t- name: n\n", 2, "", "not YAML", "indent with spaces"),
    ("quotes never closed", 'nodes:\n  - name: "n\n', 2, "", "the quotes that open here are never closed", ""),
    ("single quotes never closed", "a: b\nnodes: 'x\n\n\n", 2, "", "the quotes that open here are never closed", ""),
    ("a bracket never closed", "nodes: [{name: n}\n", 2, "", "not YAML", ""),
    ("a colon in plain text", "workloads:\n  - name: a: b\n", 2, "", "mapping values are not allowed", "needs quotes"),
    ("a special character", "workloads:\n  - name: @w\n", 2, "", "cannot start any token", "needs quotes"),
    ("wrong indentation", "nodes:\n  - name: n\n   count: 3\n", 3, "", "not YAML", ""),
    (
        "a key given twice",
        "workloads:\n  - name: w\n    priority: 1\n    priority: 2\n",
        4,
        "workloads[0].priority",
        "given twice, in lines 3 and 4",
        "",
    ),
    (
        "a label given twice",
        "nodes:\n  - name: n\n    labels:\n      a: x\n      a: y\n",
        5,
        "nodes[0].labels.a",
        "'a' is given twice, in lines 4 and 5",
        "",
    ),
    (
        "a Python tag",
        "nodes: !!python/object/apply:os.system [ls]\n",
        1,
        "nodes",
        "the tag !!python/object/apply:os.system is not",
        "plain",
    ),
    ("an alias without anchor", "nodes: *x\n", 1, "nodes", "the alias *x has no anchor &x before it", ""),
    ("an alias inside its anchor", "nodes: &x [*x]\n", 1, "nodes[0]", "it would contain itself for ever", ""),
    ("a mapping that contains itself", "nodes:\n  - &x {name: n, labels: *x}\n", 2, "nodes[0].labels", "contain itself", ""),
    ("merging a text", "nodes:\n  - <<: x\n    name: n\n", 2, "nodes[0]", "'<<' takes a mapping", ""),
    ("two directives", "%YAML 1.1\n%YAML 1.1\n---\n", 2, "", "not YAML", ""),
    ("JSON with a comma too many", '{"nodes": [{"name": "n",, }]}', 1, "", "not YAML", ""),
    # the document
    (
        "a list for a document",
        "- name: n\n",
        1,
        "",
        "expected a mapping of nodes, templates, workloads, groups, policy, found a list",
        "",
    ),
    ("a word for a document", "hello\n", 1, "", "found 'hello'", ""),
    ("the second document is wrong", "nodes: []\n---\n7\n", 3, "", "found the number 7", ""),
    ("an unknown section", "node:\n  - name: n\n", 1, "node", "unknown section 'node'", "did you mean 'nodes'?"),
    ("a section of another tool", "apiVersion: v1\n", 1, "apiVersion", "unknown section", "known: groups, nodes, policy"),
    (
        "a mapping for a section",
        "nodes:\n  name: n\n",
        1,
        "nodes",
        "expected a list, found a mapping",
        "begin every entry with '- '",
    ),
    ("a word for a section", "workloads: web\n", 1, "workloads", "expected a list, found 'web'", ""),
    ("a word for an entry", "nodes: [n]\n", 1, "nodes[0]", "expected a mapping, found 'n'", ""),
    ("nothing for an entry", "nodes:\n  -\n", 2, "nodes[0]", "expected a mapping, found nothing", ""),
    # keys and kinds
    ("no name", "nodes:\n  - capacity: {cpu: 1}\n", 2, "nodes[0]", "'name' is missing", ""),
    (
        "a count in a template",
        "templates:\n  - {name: t, count: 3}\n",
        2,
        "templates[0].count",
        "unknown key",
        "minimum and maximum",
    ),
    ("a number as a name", "nodes:\n  - name: 7\n", 2, "nodes[0].name", "expected text, found the number 7", "in quotes: '7'"),
    ("nothing as a name", "nodes:\n  - name:\n", 2, "nodes[0].name", "expected text, found nothing", "give it a value"),
    # numbers
    (
        "a price that is no number",
        "templates:\n  - {name: t, price: .nan}\n",
        2,
        "templates[0].price",
        "expected a finite number",
        "",
    ),
    ("a price below zero", "templates:\n  - {name: t, price: -1}\n", 2, "templates[0].price", "must be 0 or more", ""),
    (
        "a minimum above the maximum",
        "templates:\n  - {name: t, minimum: 3, maximum: 1}\n",
        2,
        "templates[0]",
        "minimum 3 and maximum 1",
        "",
    ),
    ("a minimum below zero", "templates:\n  - {name: t, minimum: -1}\n", 2, "templates[0].minimum", "must be 0 or more", ""),
    # names, labels, selectors
    ("an empty name", "nodes:\n  - name: ''\n", 2, "nodes[0].name", "a name may not be empty", ""),
    ("white space in a name", "workloads:\n  - name: a b\n", 2, "workloads[0].name", "contains white space", ""),
    ("a name that is too long", f"nodes:\n  - name: {'n' * 300}\n", 2, "nodes[0].name", "at most 253", ""),
    (
        "too long with its number",
        f"workloads:\n  - {{name: {'w' * 252}, replicas: 2}}\n",
        2,
        "workloads[0].name",
        "at most 253",
        "",
    ),
    (
        "a bad label among dots",
        "nodes:\n  - name: n\n    labels:\n      a.b/c: x\n      a.b/d: -x\n",
        5,
        "nodes[0].labels.a.b/d",
        "begin and end",
        "",
    ),
    # names of others
    ("a node twice", "nodes:\n  - name: n\n  - name: n\n", 3, "nodes[1].name", "the node 'n' is already defined at f.yaml:2", ""),
    (
        "a node and a counted one",
        "nodes:\n  - name: n-1\n  - {name: n, count: 2}\n",
        3,
        "nodes[1].name",
        "'n-1' is already defined",
        "",
    ),
    ("a workload twice", "workloads:\n  - name: w\n  - name: w\n", 3, "workloads[1].name", "the workload 'w' is already", ""),
    (
        "a workload twice, elsewhere",
        "workloads:\n  - name: w\n    namespace: a\n---\nworkloads:\n  - name: w\n    namespace: a\n",
        6,
        "workloads[0].name",
        "'a/w' is already",
        "",
    ),
    (
        "a replica and a workload",
        "workloads:\n  - {name: w, replicas: 3}\n  - name: w-2\n",
        3,
        "workloads[1].name",
        "'w-2' is already",
        "",
    ),
    (
        "a member and a workload",
        "workloads:\n  - name: w\n    priority: 1\ngroups:\n  - name: g\n    members: [{name: w}]\n",
        5,
        "groups[0].name",
        "'w' is already",
        "",
    ),
    (
        "two members of a fallback",
        "groups:\n  - name: g\n    members: [{name: w}]\n    fallbacks: [{members: [{name: v}, {name: v}]}]\n",
        4,
        "groups[0].fallbacks[0].members[1].name",
        "two members are called 'v'",
        "",
    ),
    (
        "a group twice",
        "groups:\n  - {name: g, members: [{name: w}]}\n  - {name: g, members: [{name: w}]}\n",
        3,
        "groups[1].name",
        "the group 'g' is already",
        "",
    ),
    ("a template twice", "templates:\n  - name: t\n  - name: t\n", 3, "templates[1].name", "the template 't' is already", ""),
    (
        "on an unknown node",
        "nodes: [{name: node-1}]\nworkloads:\n  - name: w\n    on: node-2\n",
        4,
        "workloads[0].on",
        "no node 'node-2'",
        "mean 'node-1'?",
    ),
    (
        "pinned to an unknown node",
        "nodes: [{name: n1}]\nworkloads:\n  - name: w\n    nodes: [n1, m]\n",
        4,
        "workloads[0].nodes[1]",
        "no node 'm'",
        "n1",
    ),
    (
        "replicas that run",
        "nodes: [{name: n}]\nworkloads:\n  - name: w\n    on: n\n    replicas: 2\n",
        5,
        "workloads[0].replicas",
        "on one node already",
        "one by one",
    ),
    # groups and policies
    ("members left out", "groups:\n  - name: g\n", 2, "groups[0]", "'members' is missing", ""),
    (
        "two policies",
        "policy: {preset: pack}\n---\npolicy: {preset: pack}\n",
        3,
        "policy",
        "there is a policy already, at f.yaml:1",
        "",
    ),
    ("a policy that is a word", "policy: pack\n", 1, "policy", "expected a mapping, found 'pack'", ""),
]
"""Rows: name, whole file, line, path, message, hint."""

Row = tuple[str, str, int, str, str, str]


def under(head: str, line: int, at: str, rows: list[tuple[str, str, str, str, str]]) -> list[Row]:
    return [(name, f"{head}{source}\n", line, at + path, message, hint) for name, source, path, message, hint in rows]


ALL: list[Row] = [
    *FILE,
    *under(NODE_HEAD, 3, NODE_AT, NODE),
    *under(WORK_HEAD, 3, WORK_AT, WORK),
    *under(GANG_HEAD, 3, GANG_AT, GANG),
    *under(POLICY_HEAD, 2, POLICY_AT, POLICY),
]


@pytest.mark.parametrize("source, line, path, message, hint", [row[1:] for row in ALL], ids=[row[0] for row in ALL])
def test_one_mistake(source: str, line: int, path: str, message: str, hint: str) -> None:
    problem = problems_of(source)[0]
    assert (problem.file, problem.line, problem.path) == ("f.yaml", line, path), problem
    assert message in problem.message
    assert hint in problem.hint
    assert "Input should" not in problem.message, "pydantic's words"


def test_the_tables_are_long_enough() -> None:
    assert len(ALL) >= 70


BYTES = [
    ("Latin-1", b"nodes:\n  - name: caf\xe9\n", 2, "not UTF-8: 0xe9 at byte offset 20"),
    ("a text cut short", b"nodes: [{name: \xc3", 1, "not UTF-8: 0xc3 at byte offset 15 (unexpected end of data)"),
    ("UTF-16 without a mark", "nodes: []\n".encode("utf-16-le"), 1, "looks like UTF-16 without a byte order mark"),
    ("UTF-16 cut short", b"\xff\xfen\x00o", 1, "not UTF-16"),
    ("a zero byte", b"nodes:\n  - name: a\x00b\n" + b"# long\n" * 20, 2, "a zero byte at offset 18"),
    (
        "a program",
        b"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00" + bytes(range(256)),
        1,
        "a zero byte at offset 7: this is not a text file",
    ),
    ("an image", b"\x89PNG\r\n\x1a\n" + b"IHDR" * 30, 1, "not UTF-8: 0x89 at byte offset 0"),
    ("a control character", b"nodes:\n  - name: a\x07b\n", 2, r"the character '\x07' is not allowed in YAML"),
    ("an escaped half character", b'nodes:\n  - name: "\\ud800"\n', 2, "not YAML"),
]


@pytest.mark.parametrize("source, line, message", [row[1:] for row in BYTES], ids=[row[0] for row in BYTES])
def test_wrong_bytes(source: bytes, line: int, message: str) -> None:
    (problem,) = problems_of(source)
    assert (problem.file, problem.line) == ("f.yaml", line)
    assert message in problem.message


def bomb(width: int, height: int) -> str:
    rows = [f"a0: &a0 [{', '.join(['x'] * width)}]"]
    rows += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * width)}]" for i in range(1, height)]
    return "\n".join(rows)


def labels(count: int) -> str:
    return f"labels: {{{', '.join(f'k{i}: {i}' for i in range(count))}}}"


def tower(height: int, first: str, row: str) -> str:
    """`row`, with i for its own number and j for the one below, as often as it is high."""
    return "\n".join([first] + [row.replace("i", str(i)).replace("j", str(i - 1)) for i in range(1, height)])


UNKNOWN = [f"m-{i}" for i in range(1000)]

HUGE = [
    ("an alias bomb", bomb(9, 12), "more than 2,000,000 values once the aliases are followed"),
    ("aliases of a long text", "a: &a " + "x" * 1_000_000 + "\nb: [" + "*a, " * 100_000 + "]", "more than 2,000,000 values"),
    ("merges of merges", tower(40, "a0: &a0 {x: 1}", "ai: &ai {ki: *aj, <<: *aj}"), "more than 2,000,000 values"),
    ("deep lists", "[" * 100_000, "nested more than 64 levels deep"),
    ("deep mappings", "{a: " * 100_000, "nested more than 64 levels deep"),
    ("deep dashes", "- " * 100_000, "nested more than 64 levels deep"),
    ("deep by aliases", tower(100, "a0: &a0 [x]", "ai: &ai [*aj]"), "once the alias *a"),
    ("a large file", b"#" * (64 * 2**20 + 1), "larger than 64 MiB"),
    ("many directives", "%TAG !a! b\n" * 200_000, "lines begin with '%'"),
    ("a million wrong nodes", "nodes: [" + "1," * 1_000_000 + "]", "more entries were not looked at"),
    ("a hundred thousand wrong labels", NODE_HEAD + labels(100_000), "at most 10,000 entries"),
    ("ten thousand wrong labels", NODE_HEAD + labels(10_000), "and 9,000 more mistakes"),
    ("a long unknown key", NODE_HEAD + "? " + "k" * 100_000 + "\n    : 1", "unknown key 'kkk"),
    (
        "a thousand unknown nodes",
        f"nodes: [{{name: n, count: 2000}}]\n{WORK_HEAD}nodes: [{', '.join(map(str, UNKNOWN))}]",
        "no node",
    ),
]


@pytest.mark.parametrize("source, message", [row[1:] for row in HUGE], ids=[row[0] for row in HUGE])
def test_huge_input_is_refused_soon(source: str | bytes, message: str) -> None:
    found = problems_of(source)
    assert any(message in problem.message for problem in found), [str(problem)[:200] for problem in found[:5]]
    assert all(len(problem.message) < 500 for problem in found)
    assert len(found) <= 1002


@pytest.mark.parametrize(
    "source, line",
    [
        ("workloads:\n  - {name: a, replicas: 600}\n  - {name: b, replicas: 600}\n  - name: c\n", 3),
        ("nodes:\n  - {name: a, count: 1000}\nworkloads:\n  - name: b\n", 4),
        ("nodes:\n  - {name: a, count: 1000}\ngroups:\n  - {name: g, members: [{name: b, replicas: 2}]}\n", 4),
    ],
)
def test_expanded_entries_are_limited_together(source: str, line: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(names, "TOTAL_LIMIT", 1000)
    (problem,) = problems_of(source)
    assert problem.line == line
    assert "there are more than 1,000 nodes and workloads" in problem.message


def test_all_mistakes_of_all_files_at_once(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("nodes:\n  - name: n\n    capacity: {cpu: x, memory: -1}\n    colour: red\n")
    (tmp_path / "b.yml").write_text("workloads:\n  - {name: w, on: n, labels: {a: 1}}\n  - {name: w, requests: {cpu: y}}\n")
    (tmp_path / "c.json").write_text('{"workloads": [{"name": "w", "on": "m"}, {"name": "w"}]}')
    (tmp_path / "d.yaml").write_text("nodes: [\n")
    (tmp_path / "notes.txt").write_text("not: [read\n")
    with pytest.raises(ConfigError) as caught:
        native.load(tmp_path)
    found = [(Path(one.file).name, one.line, one.path) for one in caught.value.problems]
    assert found == [
        ("a.yaml", 4, "nodes[0].colour"),
        ("b.yml", 2, "workloads[0].labels.a"),
        ("b.yml", 3, "workloads[1].requests.cpu"),
        ("c.json", 1, "workloads[0].name"),
        ("c.json", 1, "workloads[1].name"),
        ("d.yaml", 2, ""),
    ]
    assert str(caught.value).splitlines()[0].endswith("a.yaml:4:5: nodes[0].colour: unknown key 'colour' "
        "(known: capacity, cordoned, count, devices, images, labels, name, taints)")  # fmt: skip


def test_the_mistakes_of_one_entry_come_together() -> None:
    source = WORK_HEAD + "\n    ".join(
        ("labels: {a b: c}", "requests: {cpu: x, memory: y}", "selector: {a b: c}", "tolerate: [':x', 'a b']", "namespace: ''")
    )
    assert [(one.line, one.path.removeprefix("workloads[0].")) for one in problems_of(source)] == [
        (3, "labels.a b"),
        (4, "requests.cpu"),
        (4, "requests.memory"),
        (5, "selector.a b"),
        (6, "tolerate[0]"),
        (6, "tolerate[1]"),
        (7, "namespace"),
    ]


def test_a_node_with_mistakes_is_still_a_node() -> None:
    """Whoever speaks of it makes no mistake."""
    source = "nodes: [{name: n, count: 2, colour: red}]\nworkloads: [{name: w, on: n-1}, {name: v, on: n-2}]\n"
    assert [one.path for one in problems_of(source)] == ["nodes[0].colour", "workloads[1].on"]


def test_columns_point_at_the_value_or_the_key() -> None:
    found = problems_of("nodes:\n  - {name: n, count: x, colour: red, labels: {a: 1}}\n")
    assert [(one.line, one.column) for one in found] == [(2, 22), (2, 25), (2, 50)]


def test_an_alias_is_blamed_where_the_value_stands() -> None:
    found = problems_of("nodes:\n  - {name: n, labels: &l {a: 1}}\n  - {name: m, labels: *l}\n")
    assert [(one.line, one.path) for one in found] == [(2, "nodes[0].labels.a"), (2, "nodes[1].labels.a")]


@pytest.mark.parametrize("name, message", [("missing.yaml", "No such file"), ("a\0b", "null byte")])
def test_files_that_cannot_be_read(tmp_path: Path, name: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        native.load(str(tmp_path / name))


def test_a_directory_without_files(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no \.yaml, \.yml, \.json file in this directory"):
        native.load(tmp_path)


def test_standard_input_is_called_stdin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"nodes: 1\n")))
    with pytest.raises(ConfigError, match=r"<stdin>:1:8: nodes: expected a list"):
        native.load("-")


POLICIES = [
    (
        "an unknown scorer",
        "scorers:\n    pakcing: 1",
        3,
        "policy.scorers.pakcing",
        "there is no scorer 'pakcing'",
        "did you mean 'packing'?",
    ),
    (
        "an unknown filter",
        "filters:\n    tants: false",
        3,
        "policy.filters.tants",
        "there is no filter 'tants'",
        "did you mean 'taints'?",
    ),
    (
        "another one of what there is only one of",
        "scorers:\n    mine: {scorer: preference}",
        3,
        "policy.scorers.mine",
        "a policy can have only one 'preference'",
        "call it 'preference'",
    ),
    (
        "another one of what there is none of",
        "scorers:\n    mine: {scorer: pakcing}",
        3,
        "policy.scorers.mine",
        "there is no scorer 'pakcing'",
        "did you mean 'packing'?",
    ),
    (
        "a reserve of nothing in particular",
        "filters:\n    reserve: true",
        3,
        "policy.filters.reserve",
        "the filter 'reserve' needs parameters",
        "reserve: {...}",
    ),
]


@pytest.mark.parametrize("source, line, path, message, hint", [row[1:] for row in POLICIES], ids=[row[0] for row in POLICIES])
def test_policies_that_cannot_be_built(source: str, line: int, path: str, message: str, hint: str) -> None:
    spec = native.loads(f"{POLICY_HEAD}{source}", "f.yaml").policy
    assert spec is not None
    with pytest.raises(ConfigError) as caught:
        build(spec)
    (problem,) = caught.value.problems
    assert (problem.file, problem.line, problem.path) == ("f.yaml", line, path)
    assert message in problem.message
    assert hint in problem.hint
