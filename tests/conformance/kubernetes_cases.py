"""The schema of the Kubernetes folder: a file has `cases`, each with an id like `quantity/007`.

A case is judged by its own `kind`; one without is of the kind before the '/' of its id. Rows that expect a refusal of the
plugin's arguments are of the kind `plugin_arguments`, whatever else the file is about; other rows about plugins need a
`cluster`.
"""

from __future__ import annotations

from typing import Any

from tests.conformance.registry import READERS, Case, Suite

ARGUMENTS = "plugin_arguments"
CLUSTER = "cluster"


def suites(name: str, data: Any) -> list[Suite] | None:
    if not isinstance(data, dict):
        return None
    if "transcribed_total" in data and "cases" not in data:
        return []  # the table of contents of the folder
    if not isinstance(data.get("cases"), list):
        return None
    title = name.removesuffix(".json")
    shared = {key: data[key] for key in ("weights", "fitStrategies") if key in data}
    return [
        Suite(
            title, title, "", tuple(_kinded({**shared, **one} if isinstance(one, dict) else one, title) for one in data["cases"])
        )
    ]


def _kinded(case: Any, title: str) -> Case:
    if not isinstance(case, dict):
        return case  # the runner says what is wrong with it
    named = {"name": case.get("id", "?"), **case}
    if isinstance(case.get("expect"), dict) and "argsError" in case["expect"]:
        return {**named, "kind": ARGUMENTS}
    if "plugin" in case or "fitStrategy" in case:
        return {**named, "kind": CLUSTER}
    return {"kind": str(case.get("id", title)).partition("/")[0], **named}


READERS.append(suites)
