"""Plans: immutable sequences of decisions, made late where there are many."""

from bayplan import Cluster, Decision, Node, Plan, Workload
from bayplan.model.decision import Status

A = Decision("a", Status.PLACED, "n1")
B = Decision("b", Status.PENDING)


def test_a_plan_is_a_sequence():
    plan = Plan([A, B])
    assert (len(plan), plan[0], plan[-1], list(plan), B in plan) == (2, A, B, [A, B], True)
    assert (plan.placed, plan.pending, plan.assignments) == ((A,), (B,), {"a": "n1"})


def test_a_plan_made_late_is_made_once_and_equals_one_made_at_once():
    calls = []

    def make():
        calls.append(1)
        return [A, B]

    plan = Plan.later(2, make)
    assert (len(plan), calls) == (2, [])
    assert plan == Plan((A, B))
    assert hash(plan) == hash(Plan((A, B)))
    assert plan[1] is B
    assert calls == [1]


def test_decisions_looked_at_late_say_what_was_decided_then():
    cluster = Cluster([Node("n1", {"cpu": 100}), Node("n2", {"cpu": 1})], policy="pack")
    plan = cluster.place(Workload("web", {"cpu": 1}).copies(102))
    cluster.remove("n1")
    cluster.remove("n2")
    cluster.add(Node("n3", {"cpu": 1}))
    nodes = [one.node for one in plan]
    assert (nodes.count("n1"), nodes.count("n2"), nodes.count(None)) == (100, 1, 1)
    assert [one.version for one in plan] == list(range(plan[0].version, plan[0].version + 102))
