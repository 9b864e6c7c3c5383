"""Host ports as labels that keep pods apart.

A pod with host port 80/TCP carries the label `hostport.bayplan.dev/tcp-80`, whose value is the address it listens on, and
stays apart, by node, from pods whose address for that port overlaps: any at all for 0.0.0.0, else the same or 0.0.0.0.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from typing import Final

from bayplan.dialects.kubernetes.reading import At
from bayplan.model import labels as algebra
from bayplan.model import syntax
from bayplan.model.neighbours import ALL, NODE, Apart
from bayplan.model.selector import Selector

PREFIX: Final = "hostport.bayplan.dev/"
EVERY_ADDRESS: Final = "0.0.0.0"
PROTOCOLS: Final = ("TCP", "UDP", "SCTP")
_PORT: Final = frozenset(("name", "hostPort", "containerPort", "protocol", "hostIP"))


def labels_of(spec: At, *, server: bool) -> dict[str, str]:
    """The label of every host port. One label holds one address: several addresses for one port count as every one."""
    found: dict[str, str] = {}
    sidecars = (one for one in (spec / "initContainers").items() if (one / "restartPolicy").value == "Always")
    on_host = server and (spec / "hostNetwork").value is True
    for container in (*(spec / "containers").items(), *sidecars):
        for port in (container / "ports").items():
            port.known(_PORT)
            number = (port / "hostPort").whole(0, 0, 65535)
            if not number and on_host:  # the API server fills it in
                number = (port / "containerPort").whole(0, 0, 65535)
            if number:
                key = f"{PREFIX}{_protocol(port).lower()}-{number}"
                address = _address(port)
                if found.setdefault(key, address) != address:
                    if EVERY_ADDRESS not in (found[key], address):
                        port.note(f"host port {number} on several addresses is taken to be on every address")
                    found[key] = EVERY_ADDRESS
    return found


def aparts(labels: Mapping[str, str]) -> list[Apart]:
    """From whom a pod with such labels stays apart."""
    return [apart(key, value) for key, value in sorted(labels.items()) if key.startswith(PREFIX)]


def apart(key: str, address: str) -> Apart:
    values = algebra.EXISTS if address == EVERY_ADDRESS else algebra.in_(address, EVERY_ADDRESS)
    return Apart(Selector.of({key: values}), NODE, ALL)


def _protocol(port: At) -> str:
    return (port / "protocol").word(PROTOCOLS, "TCP") if (port / "protocol").value else "TCP"


def _address(port: At) -> str:
    """A label value: an IPv6 address has colons, which labels may not have."""
    text = (port / "hostIP").text() or EVERY_ADDRESS
    if not syntax.value_fault(text):
        return text
    try:
        ipaddress.ip_address(text)
    except ValueError:
        (port / "hostIP").mistake(f"{text!r} is not an IP address")
        return EVERY_ADDRESS
    return f"ip6.{text.replace(':', '_').replace('%', '-')}.6"


def written_address(value: str) -> str:
    """The address that a label value stands for."""
    return value[4:-2].replace("_", ":").replace("-", "%") if value.startswith("ip6.") else value
