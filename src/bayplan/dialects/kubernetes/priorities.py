"""Priorities as PriorityClasses: the API server refuses a bare number in a pod."""

from __future__ import annotations

from typing import Any, Final

from bayplan.dialects.kubernetes.pods import SYSTEM_CLASSES
from bayplan.errors import Unsupported

HIGHEST: Final = 1_000_000_000
"""Of a class that users may make."""


def class_name(priority: int) -> str:
    for name, value in SYSTEM_CLASSES.items():
        if value == priority:
            return name
    if priority > HIGHEST:
        raise Unsupported(f"the priority {priority}: at most {HIGHEST:,}")
    return f"bayplan-{priority}" if priority >= 0 else f"bayplan-minus-{-priority}"


def write_class(priority: int) -> dict[str, Any] | None:
    """The class of a priority; None where there is one already."""
    name = class_name(priority)
    if name in SYSTEM_CLASSES or not priority:
        return None
    return {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": priority}
