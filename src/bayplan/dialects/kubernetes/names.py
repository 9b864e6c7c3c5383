"""Names of objects, and who owns them."""

from __future__ import annotations

from typing import Final

from bayplan.dialects.kubernetes.labels import is_dns_label, is_dns_subdomain
from bayplan.dialects.kubernetes.reading import At
from bayplan.model import syntax
from bayplan.model.workload import DEFAULT_NAMESPACE

OWNER: Final = "bayplan.dev/owner"
"""The annotation that names the owner of a pod that was written from the model, where there is no uid to refer to."""

GIVEN_SPREAD: Final = "bayplan.dev/spread"
"""The annotation, with the value "default", that says: the spread is the one which the scheduler gives to pods without."""


def object_name(at: At, otherwise: str = "", *, server: bool = False) -> str:
    """The name in the metadata of an object. The API server is stricter than the scheduler."""
    metadata = at / "metadata"
    metadata.mapping()
    name = (metadata / "name").text() or otherwise
    fault = f"{name[:80]!r} is not a name" if server and not is_dns_subdomain(name) else syntax.name_fault(name)
    if not name:
        (metadata / "name").mistake("the name is missing")
    elif fault:
        (metadata / "name").mistake(fault, "lower-case letters, digits, '-' and '.', at most 253")
    return name


def namespace(at: At, *, server: bool = False) -> str:
    name = (at / "metadata" / "namespace").text() or DEFAULT_NAMESPACE
    if not is_dns_label(name) if server else syntax.name_fault(name):
        (at / "metadata" / "namespace").mistake(f"{name[:80]!r} is not a namespace", "lower-case letters, digits and '-'")
        return DEFAULT_NAMESPACE
    return name


def owner(at: At) -> str:
    """`ReplicaSet/web-5d4f`: the controller of an object, "" where it has none."""
    for one in (at / "metadata" / "ownerReferences").items():
        if (one / "controller").value is True:
            return f"{(one / 'kind').text()}/{(one / 'name').text()}"
    return (at / "metadata" / "annotations").text_map().get(OWNER, "")
