"""A pod's own strategies, from its annotations."""

from __future__ import annotations

import pytest

from bayplan import Cluster, ConfigError, Node, ResourceStrategy, Workload
from bayplan.dialects import volcano
from bayplan.engine.spec import build
from bayplan.errors import Problem


def annotations(kind: str | None, weight: str | None) -> dict[str, str]:
    both = {"volcano.sh/resource-strategy-scoring-type": kind, "volcano.sh/resource-strategy-weight": weight}
    return {key: value for key, value in both.items() if value is not None}


MOST = "MostAllocated"
PODS = [
    # type, weight, lenient, what strict says (None: the same as lenient)
    (None, None, None, None),
    ("", None, None, None),
    (MOST, '{"cpu": 2, "g": 1}', (ResourceStrategy("cpu", "most", 2), ResourceStrategy("g", "most", 1)), None),
    ("LeastAllocated", ' {"cpu": 1} ', (ResourceStrategy("cpu", "least", 1),), None),
    (None, '{"cpu": 5}', None, "ignores it"),
    (MOST, None, (), "missing beside"),
    (MOST, "", (), "missing beside"),
    ("mostallocated", '{"cpu": 1}', (), "did you mean 'MostAllocated'"),
    (MOST, "cpu=1", (), "not JSON"),
    (MOST, "[1]", (), "not a JSON object"),
    (MOST, "3", (), "not a JSON object"),
    (MOST, "null", (), "null"),
    (MOST, '{"cpu": 1.5}', (), "1.5 is not a whole number"),
    (MOST, '{"cpu": 2.0}', (), "2.0 is not a whole number"),
    (MOST, '{"cpu": 1e2}', (), "1e2 is not a whole number"),
    (MOST, '{"cpu": NaN}', (), "not a whole number"),
    (MOST, '{"cpu": "2"}', (), "not a whole number"),
    (MOST, '{"cpu": true}', (), "not a whole number"),
    (MOST, '{"cpu": {"a": 1}}', (), "not a whole number"),
    (MOST, '{"cpu": 9223372036854775808}', (), "not a whole number"),
    (MOST, '{"cpu": null, "g": 1}', (ResourceStrategy("g", "most", 1),), "null"),
    (MOST, '{"cpu": 0, "g": 1}', (ResourceStrategy("g", "most", 1),), "0 is not a weight"),
    (MOST, '{"cpu": -1}', (ResourceStrategy("cpu", "most", -1),), "-1 is not a weight"),
    (MOST, '{"nvidia.com/*": 1}', (), "patterns work only"),
    (MOST, '{"cpu": 1, "cpu": 2}', (ResourceStrategy("cpu", "most", 2),), "given twice"),
    (MOST, "[" * 100_000, (), "not JSON"),
]


@pytest.mark.parametrize("kind, weight, lenient, fault", PODS)
def test_annotations(
    kind: str | None, weight: str | None, lenient: tuple[ResourceStrategy, ...] | None, fault: str | None
) -> None:
    given = annotations(kind, weight)
    noted: list[Problem] = []
    assert volcano.strategies_of_pod(given, "lenient", noted) == lenient
    if fault is None:
        assert volcano.strategies_of_pod(given) == lenient
        assert noted == []
    else:
        with pytest.raises(ConfigError) as caught:
            volcano.strategies_of_pod(given)
        assert fault in str(caught.value)
        assert "annotations.volcano.sh/" in str(caught.value)
        assert tuple(noted) == caught.value.problems


def test_strategies_of_a_pod_speak_to_resource_strategy_fit_only() -> None:
    own = volcano.strategies_of_pod(annotations("LeastAllocated", '{"cpu": 1}'))
    text = "{actions: allocate, tiers: [{plugins: [{name: binpack}, {name: resource-strategy-fit}]}]}"
    planned = Cluster([Node("n", {"cpu": 4})], policy=build(volcano.loads(text).policy))
    (score,) = planned.why(Workload("w", {"cpu": 1}, packing=own)).scores()
    assert score.of("binpack") == 25.0
    assert score.of("resource-strategy-fit") == 750.0
    (other,) = planned.why(Workload("w", {"cpu": 1}, packing=())).scores()
    assert (other.of("binpack"), other.of("resource-strategy-fit")) == (25.0, 0.0)
