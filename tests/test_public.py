"""The public names: all listed, sorted, real, and nothing else; and NumPy waits until it is needed."""

from __future__ import annotations

import os
import subprocess
import sys
import types
from pathlib import Path

import pytest

import bayplan


def test_all_is_sorted_and_nothing_leaks() -> None:
    names = bayplan.__all__
    assert names == sorted(set(names), key=lambda name: (not name.isupper(), not name[0].isupper(), name))
    assert set(dir(bayplan)) == set(names)


def test_star_import_gives_exactly_these() -> None:
    space: dict[str, object] = {}
    exec("from bayplan import *", space)
    assert set(space) - {"__builtins__"} == set(bayplan.__all__)


def test_unknown_names_are_not_there() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Clutser'"):
        _ = bayplan.Clutser  # type: ignore[attr-defined]


def test_every_public_class_and_function_says_what_it_is() -> None:
    public = {name: getattr(bayplan, name) for name in bayplan.__all__}
    silent = [name for name, value in public.items() if isinstance(value, type | types.FunctionType) and not value.__doc__]
    assert silent == []


def test_the_model_needs_no_numpy() -> None:
    code = "import sys; from bayplan import Workload, Node, Selector, Decision, ConfigError; sys.exit('numpy' in sys.modules)"
    environment = {**os.environ, "PYTHONPATH": str(Path(bayplan.__path__[0]).parent)}
    assert subprocess.run([sys.executable, "-c", code], check=False, env=environment).returncode == 0
