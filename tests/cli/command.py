"""Runs a command within the process, in an empty directory, on files given as text."""

from __future__ import annotations

import contextlib
import json
import tempfile
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from bayplan.cli.app import app

FITS = """
nodes: [{name: n1, capacity: {cpu: 4}, labels: {zone: a}}, {name: n2, capacity: {cpu: 4}, taints: ["x:NoSchedule"]}]
templates: [{name: big, maximum: 2, capacity: {cpu: 16}}]
workloads: [{name: web, replicas: 2, requests: {cpu: 1}}, {name: old, "on": n1, requests: {cpu: 1}}]
"""
WAITS = FITS + "groups: [{name: gang, strategy: STRICT_SPREAD, members: [{name: m, replicas: 2, requests: {cpu: 1}}]}]\n"
HOPELESS = FITS.replace("cpu: 1}}, {name: old", "cpu: 9}}, {name: old")
WRONG = FITS.replace("cpu: 4}", "cpu: lots}").replace("replicas: 2", "replicas: -2")
CROWDED = FITS.replace('"on": n1, requests: {cpu: 1}', '"on": n1, requests: {cpu: 5}')


class Outcome:
    def __init__(self, code: int, out: str, err: str):
        self.code, self.out, self.err = code, out, err

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def bayplan(*words: str, **files: str) -> Outcome:
    """Run a command. Keywords are files: `fits=...` becomes fits.yaml, `my_conf=...` my.conf."""
    runner = CliRunner(env={"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"})
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for name, text in files.items():
            file = f"{name.removesuffix('_conf')}.conf" if name.endswith("_conf") else f"{name}.yaml"
            Path(file).write_text(text, encoding="utf-8")
        ran = runner.invoke(app, list(words))
    assert ran.exception is None or isinstance(ran.exception, SystemExit), ran.exception
    assert "Traceback" not in ran.stderr
    return Outcome(ran.exit_code, ran.stdout, ran.stderr)
