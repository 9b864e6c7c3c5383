"""Images: those a pod's containers run, and those a node has already.

An image without a tag is `latest`. A container without an image counts, too, unless none has one.
"""

from __future__ import annotations

import json
import sys
from typing import Final

from bayplan.dialects.kubernetes.reading import At

GIVEN: Final = "bayplan.dev/images"
"""The annotation with a list of images, where the containers of a pod that was written from the model have others."""


def of_pod(pod: At) -> tuple[str, ...]:
    """One image per container, init containers first."""
    given = (pod / "metadata" / "annotations" / GIVEN).value
    if isinstance(given, str):
        return _given(pod / "metadata" / "annotations" / GIVEN, given)
    spec = pod / "spec"
    containers = (*(spec / "initContainers").items(), *(spec / "containers").items())
    found = [(one / "image").text() for one in containers]
    return tuple(map(tagged, found)) if any(found) else ()


def _given(at: At, text: str) -> tuple[str, ...]:
    try:
        listed = json.loads(text)
    except (ValueError, RecursionError):
        listed = None
    if isinstance(listed, list) and all(isinstance(one, str) for one in listed):
        return tuple(listed)
    at.mistake("expected a list of images in JSON", '["web:v1"]')
    return ()


def of_node(node: At) -> dict[str, int]:
    """The size of every image, by all its names."""
    found: dict[str, int] = {}
    listed = (node / "status" / "images").value
    if not listed:
        return found
    for one in listed if isinstance(listed, list) else ():
        # Nodes have dozens of images each: the plain ones are taken without ceremony.
        plain = type(one) is dict and type(one.get("sizeBytes")) is int and type(one.get("names")) is list
        if not plain or one["sizeBytes"] < 0 or not all(type(name) is str for name in one["names"]):
            return _checked(node / "status" / "images")
        for name in one["names"]:
            found[sys.intern(name)] = one["sizeBytes"]  # every node has the same names
    return found if isinstance(listed, list) else _checked(node / "status" / "images")


def _checked(images: At) -> dict[str, int]:
    found: dict[str, int] = {}
    for one in images.items():
        size = (one / "sizeBytes").whole(0, 0)
        for name in (one / "names").texts():
            found[name] = size
    return found


def tagged(image: str) -> str:
    return image if image.rfind(":") > image.rfind("/") else f"{image}:latest"
