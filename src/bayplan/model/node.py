"""Nodes: what they offer, what they say of themselves, whom they repel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from bayplan.errors import ConfigError, Problem, wrong
from bayplan.model import resources, syntax
from bayplan.model.frozen import FrozenMap
from bayplan.model.resources import UNIT, Resources


class Effect(StrEnum):
    """What a taint does to work that does not tolerate it."""

    NO_SCHEDULE = "NoSchedule"
    PREFER_NO_SCHEDULE = "PreferNoSchedule"
    NO_EXECUTE = "NoExecute"


NO_IMAGES: Final[FrozenMap[int]] = FrozenMap()


@dataclass(frozen=True, slots=True, order=True)
class Taint:
    """A mark that keeps work away unless it tolerates the mark."""

    key: str
    value: str = ""
    effect: Effect = Effect.NO_SCHEDULE

    def __post_init__(self) -> None:
        object.__setattr__(self, "effect", Effect(self.effect))
        if fault := syntax.key_fault(self.key) or syntax.value_fault(self.value):
            raise wrong(fault, "taint")

    def __str__(self) -> str:
        return f"{self.key}={self.value}:{self.effect}" if self.value else f"{self.key}:{self.effect}"


@dataclass(frozen=True, slots=True)
class Device:
    """One indivisible piece of hardware, such as a GPU. A request below 1 takes a share of *one*
    device; a request of n takes n that are wholly free."""

    resource: str
    id: str


@dataclass(frozen=True, slots=True)
class Node:
    """`Node("n1", {"cpu": 8, "memory": "32Gi"}, labels={"zone": "a"}, devices={"gpu": 4})`

    `capacity` takes quantities; `devices` takes counts or `Device`s, and their number becomes
    capacity. A resource without devices is one divisible pool. A cordoned node takes no new work.
    """

    name: str
    capacity: Resources = field(default_factory=Resources)
    labels: FrozenMap[str] = field(default_factory=FrozenMap)
    taints: tuple[Taint, ...] = ()
    devices: tuple[Device, ...] = ()
    cordoned: bool = False
    images: FrozenMap[int] = NO_IMAGES
    """Images that are there already, and their sizes in bytes."""

    def __init__(
        self,
        name: str,
        capacity: Mapping[str, resources.Quantity] | None = None,
        labels: Mapping[str, str] | None = None,
        taints: tuple[Taint, ...] | list[Taint] = (),
        devices: Mapping[str, int] | tuple[Device, ...] | list[Device] = (),
        cordoned: bool = False,
        images: Mapping[str, int] = NO_IMAGES,
    ):
        if not isinstance(name, str):
            raise wrong(f"{name!r} is not the name of a node", "node")
        problems = [Problem(fault, "name")] if (fault := syntax.name_fault(name)) else []
        labels = {} if labels is None else labels
        if not isinstance(labels, Mapping):
            raise wrong(f"{labels!r} is not a mapping of keys to values", f"node {name!r}.labels")
        problems += syntax.label_problems(labels)
        problems += [Problem(f"{one!r} is not a Taint", "taints") for one in taints if not isinstance(one, Taint)]
        pieces = _devices(devices, problems)
        amounts = _capacity(capacity or {}, pieces, problems)
        if problems:
            raise ConfigError(problem.under(f"node {name!r}") for problem in problems)
        set_field = object.__setattr__
        set_field(self, "name", name)
        set_field(self, "capacity", amounts)
        set_field(self, "labels", labels if isinstance(labels, FrozenMap) else FrozenMap(labels))
        set_field(self, "taints", tuple(sorted(taints)))
        set_field(self, "devices", pieces)
        set_field(self, "cordoned", bool(cordoned))
        set_field(self, "images", images if isinstance(images, FrozenMap) else FrozenMap(images))


def _devices(devices: Mapping[str, int] | tuple[Device, ...] | list[Device], problems: list[Problem]) -> tuple[Device, ...]:
    if not isinstance(devices, Mapping):
        pieces = tuple(sorted(devices, key=lambda d: d.resource))
        for piece in pieces:
            if not resources.is_name(piece.resource) or resources.in_bytes(piece.resource):
                problems.append(
                    Problem(f"{piece.resource!r} cannot be a device", "devices", "a resource that is counted, like gpu")
                )
        if len(set(pieces)) < len(pieces):
            problems.append(Problem("two devices have the same resource and id", "devices"))
        return pieces
    for resource, count in devices.items():
        if not resources.is_name(resource) or resources.in_bytes(resource):
            problems.append(
                Problem(f"{resource!r} cannot be a device", f"devices.{resource}", "a resource that is counted, like gpu")
            )
        if not isinstance(count, int) or isinstance(count, bool) or not 0 <= count <= 1024:
            problems.append(
                Problem(f"{count!r} is not a number of devices", f"devices.{resource}", "a whole number, at most 1024")
            )
    return tuple(Device(r, str(i)) for r in sorted(devices) for i in range(devices[r])) if not problems else ()


def _capacity(quantities: Mapping[str, resources.Quantity], devices: tuple[Device, ...], problems: list[Problem]) -> Resources:
    try:
        amounts = dict(resources.offers(quantities))
    except ConfigError as error:
        problems.extend(problem.under("capacity") for problem in error.problems)
        return Resources()
    for resource in dict.fromkeys(device.resource for device in devices):
        count = sum(device.resource == resource for device in devices) * UNIT
        if amounts.setdefault(resource, count) != count:
            found = resources.render(resource, amounts[resource])
            problems.append(Problem(f"capacity says {found} but {count // UNIT} devices are listed", f"capacity.{resource}"))
    return Resources(amounts)


@dataclass(frozen=True, slots=True)
class NodeTemplate:
    """A node that could be bought: `node` is what one would look like (its name is a prefix)."""

    name: str
    node: Node
    minimum: int = 0
    maximum: int | None = None
    price: float = 0.0

    def __post_init__(self) -> None:
        if self.minimum < 0 or (self.maximum is not None and self.maximum < self.minimum):
            raise wrong(f"minimum {self.minimum} and maximum {self.maximum} do not fit together", f"template {self.name!r}")
        if not 0 <= self.price < float("inf"):
            raise wrong(f"{self.price!r} is not a price", f"template {self.name!r}.price")
