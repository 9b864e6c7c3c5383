"""What could be bought: the template that would do, how many of it, and never more than may be had."""

from __future__ import annotations

import pytest

from bayplan import Cluster, Group, Node, NodeTemplate, Selector, Strategy, Workload
from bayplan.engine.market import purchase
from bayplan.model.group import Request
from tests.fingerprint import fingerprint


def template(name: str, cpu: int, maximum: int | None = None, price: float = 0.0, **labels: str) -> NodeTemplate:
    return NodeTemplate(name, Node(name, {"cpu": cpu}, labels), maximum=maximum, price=price)


BIG = Workload("w", {"cpu": 8})
GANG = Group("g", tuple(Workload("m", {"cpu": 4}).copies(3)), Strategy.STRICT_SPREAD)
SSD = Workload("w", {"cpu": 1}, selector=Selector.of({"disk": "ssd"}))

# name, request, templates, what to buy
CASES: list[tuple[str, Request, list[NodeTemplate], str | None]] = [
    ("one that is large enough", BIG, [template("small", 4), template("big", 16)], "add one node of template big"),
    ("none is", BIG, [template("small", 4)], None),
    ("none to be had", BIG, [template("big", 16, maximum=0)], None),
    ("no templates", BIG, [], None),
    ("one with the label", SSD, [template("plain", 4), template("fast", 4, disk="ssd")], "add one node of template fast"),
    ("the cheaper of two", BIG, [template("a", 16, price=2), template("b", 16, price=1)], "add one node of template b"),
    ("the first of two equal ones", BIG, [template("a", 16), template("b", 16)], "add one node of template a"),
    ("several for a group", GANG, [template("t", 4)], "add 2 nodes of template t"),
    ("not so many to be had", GANG, [template("t", 4, maximum=1)], None),
]


@pytest.mark.parametrize("request_, templates, expected", [row[1:] for row in CASES], ids=[row[0] for row in CASES])
def test_what_to_buy(request_: Request, templates: list[NodeTemplate], expected: str | None) -> None:
    cluster = Cluster([Node("n", {"cpu": 4})])
    before = fingerprint(cluster.snapshot)
    found = purchase(cluster.snapshot, cluster.policy, request_, templates)
    assert (None if found is None else str(found)) == expected
    assert fingerprint(cluster.snapshot) == before, "nothing is bought by asking"


def test_names_that_are_taken_do_not_stand_in_the_way() -> None:
    cluster = Cluster([Node("big-0", {"cpu": 1})])
    found = purchase(cluster.snapshot, cluster.policy, BIG, [template("big", 16)])
    assert found is not None
    assert found.as_json() == {"template": "big", "count": 1}
