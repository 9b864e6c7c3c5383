"""A bare number is another weight for the preset's own scorer; parameters replace it as a whole."""

from __future__ import annotations

import pytest

from bayplan import ConfigError, Policy
from bayplan.dialects import native
from bayplan.engine.policy import preset
from bayplan.engine.spec import build


def policy(text: str) -> Policy:
    spec = native.loads(text).policy
    assert spec is not None
    return build(spec)


def test_a_bare_number_keeps_the_presets_resources() -> None:
    heavier = policy("policy: {preset: pack, scorers: {packing: 2}}").scorers[0]
    assert (heavier.weight, heavier.resources) == (2.0, preset("pack").scorers[0].resources)  # type: ignore[attr-defined]


def test_parameters_replace_the_scorer() -> None:
    other = policy("policy: {preset: pack, scorers: {packing: {weight: 2, resources: {cpu: least}}}}").scorers[0]
    assert [one.resource for one in other.resources] == ["cpu"]  # type: ignore[attr-defined]


def test_a_filter_that_cannot_be_left_out_is_named_with_its_line() -> None:
    with pytest.raises(ConfigError) as caught:
        policy("policy:\n  filters:\n    fit: false\n")
    assert (caught.value.problems[0].line, caught.value.problems[0].path) == (3, "policy.filters.fit")
