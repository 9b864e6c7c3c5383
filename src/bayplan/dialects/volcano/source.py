"""Where the configuration stands: a file of its own, or a text inside a ConfigMap.

The lines inside a ConfigMap are read as they stand in the file, so that mistakes have the right line and column.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bayplan.dialects.source import text, values
from bayplan.dialects.source.report import Report, Spot
from bayplan.dialects.source.text import Document
from bayplan.errors import Problem

KEY: Final = "volcano-scheduler.conf"
SECTIONS: Final = ("actions", "tiers", "configurations", "metrics")


def configuration(raw: str | bytes, file: str, report: Report) -> Spot | None:
    """The one configuration in a text; None, and mistakes in the report, where there is none or more than one."""
    documents, problems = text.parse(raw, file)
    report.take(problems)
    found = [spot for one in documents if one.data is not None for spot in [_in_document(one, report)] if spot is not None]
    if len(found) > 1:
        report.add(found[1], f"there is a configuration already, at {found[0].source}", "one file, one configuration")
    if not found and not report.problems:
        report.take([Problem("there is no configuration here", file=file, hint=f"expected {', '.join(SECTIONS)}")])
    return found[0] if found else None


def _in_document(document: Document, report: Report) -> Spot | None:
    spot, data = Spot(document), document.data
    if not isinstance(data, Mapping):
        report.add(spot, f"expected a mapping of {', '.join(SECTIONS)}, found {values.found(data)}")
        return None
    if data.get("kind") == "ConfigMap":
        return _in_config_map(spot, report)
    if "kind" in data and "apiVersion" in data:
        return None  # another object of a manifest
    return spot


def _in_config_map(spot: Spot, report: Report) -> Spot | None:
    data = spot.value.get("data")
    keys = [key for key in data if key == KEY or key.endswith(".conf")] if isinstance(data, Mapping) else []
    key = KEY if KEY in keys else keys[0] if len(keys) == 1 else None
    if key is None:
        report.add(spot / "data", f"this ConfigMap has no {KEY!r}", f"data: {{{KEY}: ...}}")
        return None
    inner = spot / "data" / key
    if not isinstance(inner.value, str):
        report.add(inner, f"expected the configuration as text, found {values.found(inner.value)}", "begin it with '|'")
        return None
    documents, problems = _as_it_stands(inner) or text.parse(inner.value, f"{spot.document.file} ({key})")
    report.take(problems)
    if problems:
        return None
    if len(documents) != 1 or not isinstance(documents[0].data, Mapping):
        report.add(inner, f"expected a mapping of {', '.join(SECTIONS)}")
        return None
    return Spot(documents[0])


def _as_it_stands(inner: Spot) -> tuple[list[Document], list[Problem]] | None:
    """A block of text, read with its indentation from where it stands; None where it is written otherwise."""
    outer = inner.document
    line, column = outer.place(inner.path)
    lines = outer.text.splitlines()
    if not lines[line - 1][column - 1 :].startswith("|"):
        return None
    block: list[str] = []
    indent = _indent(next((one for one in lines[line:] if one.strip()), ""))
    for one in lines[line:]:
        if one.strip() and _indent(one) < indent:
            break
        block.append(one)
    if "\n".join(one[indent:] for one in block).strip() != str(inner.value).strip():
        return None
    documents, problems = text.parse("\n" * line + "\n".join(block), outer.file)
    return documents, problems


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
