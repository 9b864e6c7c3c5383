"""The public names: all listed, sorted, real, and nothing else."""

from __future__ import annotations

import subprocess
import sys
import types

import bayplan


def test_all_is_sorted_and_complete() -> None:
    names = bayplan.__all__
    assert names == sorted(set(names), key=lambda name: (not name.isupper(), not name[0].isupper(), name))
    public = {name for name, value in vars(bayplan).items() if not name.startswith("_") and not isinstance(value, types.ModuleType)}
    assert public == set(names), "nothing leaks, nothing is missing"


def test_star_import_gives_exactly_these() -> None:
    space: dict[str, object] = {}
    exec("from bayplan import *", space)
    assert set(space) - {"__builtins__"} == set(bayplan.__all__)


def test_every_public_class_and_function_says_what_it_is() -> None:
    undocumented = [name for name in bayplan.__all__ if isinstance(getattr(bayplan, name), type | types.FunctionType) and not getattr(bayplan, name).__doc__]
    assert undocumented == []


def test_the_model_needs_no_numpy() -> None:
    code = "import sys; import bayplan.model.workload, bayplan.model.node, bayplan.model.decision; sys.exit('numpy' in sys.modules)"
    # The package's own __init__ opens the engine, so the model is loaded from beside it.
    stub = "import sys, types, pathlib; p = types.ModuleType('bayplan'); p.__path__ = [sys.argv[1]]; sys.modules['bayplan'] = p; "
    assert subprocess.run([sys.executable, "-c", stub + code, str(bayplan.__path__[0])], check=False).returncode == 0
