"""Nodes, taints, devices and templates: what they are built from, and what is refused."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace

import pytest

from bayplan.errors import ConfigError
from bayplan.model.node import Device, Effect, Node, NodeTemplate, Taint

TAINTS = [
    (Taint("gpu"), "gpu:NoSchedule"),
    (Taint("gpu", "yes"), "gpu=yes:NoSchedule"),
    (Taint("a.io/spot", "", Effect.PREFER_NO_SCHEDULE), "a.io/spot:PreferNoSchedule"),
    (Taint("gpu", "yes", "NoExecute"), "gpu=yes:NoExecute"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize("taint, text", TAINTS, ids=[row[1] for row in TAINTS])
def test_taints(taint: Taint, text: str) -> None:
    assert str(taint) == text


# name, node, capacity in smallest units, devices as (resource, id)
NODES = [
    ("nothing", Node("n"), {}, []),
    ("quantities", Node("n", {"cpu": "1500m", "memory": "1Ki"}), {"cpu": 15_000, "memory": 1024}, []),
    ("capacity is rounded down", Node("n", {"cpu": "0.99999"}), {"cpu": 9_999}, []),
    ("zero is left out", Node("n", {"cpu": 0}), {}, []),
    ("a count of devices", Node("n", devices={"gpu": 2}), {"gpu": 20_000}, [("gpu", "0"), ("gpu", "1")]),
    ("no devices", Node("n", devices={"gpu": 0}), {}, []),
    ("devices and capacity agree", Node("n", {"gpu": 1}, devices={"gpu": 1}), {"gpu": 10_000}, [("gpu", "0")]),
    (
        "listed devices keep their order within a resource",
        Node("n", devices=[Device("tpu", "z"), Device("gpu", "b"), Device("gpu", "a")]),
        {"gpu": 20_000, "tpu": 10_000},
        [("gpu", "b"), ("gpu", "a"), ("tpu", "z")],
    ),
    ("a pool without devices", Node("n", {"gpu": 2.5}), {"gpu": 25_000}, []),
]


@pytest.mark.parametrize("node, capacity, devices", [row[1:] for row in NODES], ids=[row[0] for row in NODES])
def test_capacity_and_devices(node: Node, capacity: dict[str, int], devices: list[tuple[str, str]]) -> None:
    assert node.capacity == capacity
    assert [(device.resource, device.id) for device in node.devices] == devices


COUNT = "(a whole number, at most 1024)"

# what is built, every line of the message
BAD: list[tuple[Callable[[], object], list[str]]] = [
    (lambda: Node(""), ["node ''.name: a name may not be empty"]),
    (lambda: Node("a/b"), ["node 'a/b'.name: the name 'a/b' contains white space, '/' or unprintable characters"]),
    (lambda: Node("n", {"cpu": -1}), ["node 'n'.capacity.cpu: -1 is negative"]),
    (lambda: Node("n", labels={"-": "x"}), ["node 'n'.labels.-: the name '-' must begin and end with a letter or digit"]),
    (lambda: Node("n", devices={"gpu": -1}), [f"node 'n'.devices.gpu: -1 is not a number of devices {COUNT}"]),
    (lambda: Node("n", devices={"gpu": 1.5}), [f"node 'n'.devices.gpu: 1.5 is not a number of devices {COUNT}"]),  # type: ignore[dict-item]
    (lambda: Node("n", devices={"gpu": True}), [f"node 'n'.devices.gpu: True is not a number of devices {COUNT}"]),
    (lambda: Node("n", devices={"gpu": 1025}), [f"node 'n'.devices.gpu: 1025 is not a number of devices {COUNT}"]),
    (lambda: Node("n", {"gpu": 3}, devices={"gpu": 2}), ["node 'n'.capacity.gpu: capacity says 3 but 2 devices are listed"]),
    (lambda: Node("n", devices=[Device("gpu", "a")] * 2), ["node 'n'.devices: two devices have the same resource and id"]),
    (
        lambda: Node("n", {"cpu": "x"}, {"zone": 1}, devices={"gpu": -1}),  # type: ignore[dict-item]
        [
            "node 'n'.labels.zone: a label value must be text, found 1 (write it in quotes: '1')",
            f"node 'n'.devices.gpu: -1 is not a number of devices {COUNT}",
            'node \'n\'.capacity.cpu: \'x\' is not a quantity (write a number, "500m", "64Gi" or "1.5e3")',
        ],
    ),
    (lambda: Taint(""), ["taint: a label key may not be empty"]),
    (lambda: Taint("a", "b c"), ["taint: the value 'b c' contains ' '; allowed are letters, digits, '-', '_' and '.'"]),
    (lambda: NodeTemplate("t", Node("n"), minimum=-1), ["template 't': minimum -1 and maximum None do not fit together"]),
    (lambda: NodeTemplate("t", Node("n"), 3, 2), ["template 't': minimum 3 and maximum 2 do not fit together"]),
    (lambda: NodeTemplate("t", Node("n"), price=-1.0), ["template 't'.price: -1.0 is not a price"]),
    (lambda: NodeTemplate("t", Node("n"), price=float("nan")), ["template 't'.price: nan is not a price"]),
]


@pytest.mark.parametrize("build, lines", BAD, ids=[row[1][0][:50] for row in BAD])
def test_what_is_refused(build: Callable[[], object], lines: list[str]) -> None:
    with pytest.raises(ConfigError) as caught:
        build()
    assert str(caught.value).splitlines() == lines


def test_an_unknown_effect_is_refused() -> None:
    with pytest.raises(ValueError, match="NoSchedul"):
        Taint("a", "b", "NoSchedul")  # type: ignore[arg-type]


def test_taints_are_in_order() -> None:
    a, b = Taint("a"), Taint("b")
    assert Node("n", taints=[b, a]).taints == (a, b)
    assert Node("n", taints=[b, a]) == Node("n", taints=(a, b))


def test_nodes_are_values() -> None:
    node = Node("n", {"cpu": 1}, {"zone": "a"}, [Taint("a")], {"gpu": 1})
    assert node == Node("n", {"cpu": "1000m"}, {"zone": "a"}, [Taint("a")], {"gpu": 1})
    assert hash(node) == hash(replace(node))
    assert replace(node, cordoned=True).cordoned
    assert replace(node, cordoned=True).capacity == node.capacity
    assert replace(node, labels={"zone": "b"}).labels == {"zone": "b"}  # type: ignore[arg-type]
    assert pickle.loads(pickle.dumps(node)) == node
