"""Who counts whom: label classes, and what looks at them.

LabelClass   the residents with one namespace and one set of labels, as row -> how many
Watch        somebody asks: how many residents that match these peers are in each domain?
Holders      residents that carry a hard Apart, per domain: they keep matching newcomers away
Admirers     residents that carry a wish to be near or apart, or a hard Near, per domain: some scorers ask them too
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Generic, Protocol, TypeVar

from bayplan.model.frozen import FrozenMap
from bayplan.model.neighbours import ALL, Apart, Namespaces, Near
from bayplan.model.selector import Selector
from bayplan.table.tally import Tally


def resolve(namespaces: Namespaces, own: str) -> Namespaces:
    """The namespaces a constraint of a workload in `own` looks at."""
    return frozenset((own,)) if namespaces is None else namespaces


def covers(namespaces: Namespaces, namespace: str) -> bool:
    return namespaces == ALL or (namespaces is not None and namespace in namespaces)


class LabelClass:
    __slots__ = ("admirers", "id", "labels", "namespace", "repellers", "rows", "watches")

    def __init__(self, number: int, namespace: str, labels: FrozenMap[str]):
        self.id = number
        self.namespace = namespace
        self.labels = labels
        self.rows: dict[int, int] = {}
        self.watches: list[Watch] = []
        self.repellers: list[Holders] = []
        self.admirers: list[Admirers] = []

    @property
    def noticed(self) -> int:
        """How many look at this class: when it grows, what was compiled for the class is out of date."""
        return len(self.repellers) + len(self.admirers)


class Watch:
    __slots__ = ("namespaces", "peers", "tally")

    def __init__(self, peers: Selector, namespaces: Namespaces, tally: Tally):
        self.peers, self.namespaces, self.tally = peers, namespaces, tally

    def matches(self, namespace: str, labels: Mapping[str, str]) -> bool:
        return covers(self.namespaces, namespace) and self.peers.matches(labels)


class Holders:
    """Residents with the same hard Apart. `counts_itself`: the holders match their own peers."""

    __slots__ = ("apart", "counts_itself", "id", "namespaces", "peers", "tally", "watch")

    def __init__(self, number: int, apart: Apart, namespaces: Namespaces, counts_itself: bool, tally: Tally, watch: Watch | None):
        self.id = number
        self.apart, self.peers, self.namespaces = apart, apart.peers, namespaces
        self.counts_itself, self.tally = counts_itself, tally
        self.watch = watch
        """Who matches the peers; only needed when more than one may share a domain."""

    def matches(self, namespace: str, labels: Mapping[str, str]) -> bool:
        return covers(self.namespaces, namespace) and self.peers.matches(labels)


class Admirers:
    """Residents with the same wish about others, or the same hard Near."""

    __slots__ = ("id", "namespaces", "peers", "tally", "term")

    def __init__(self, number: int, term: Near | Apart, namespaces: Namespaces, tally: Tally):
        self.id = number
        self.term, self.peers, self.namespaces, self.tally = term, term.peers, namespaces, tally

    @property
    def by(self) -> str:
        return self.term.by if isinstance(self.term, Apart) else self.term.by[0]

    def matches(self, namespace: str, labels: Mapping[str, str]) -> bool:
        return covers(self.namespaces, namespace) and self.peers.matches(labels)


class _Selecting(Protocol):
    @property
    def peers(self) -> Selector: ...
    def matches(self, namespace: str, labels: Mapping[str, str]) -> bool: ...


S = TypeVar("S", bound=_Selecting)
Pair = tuple[str, str]


def pairs_of(selector: Selector) -> list[Pair] | None:
    """Labels of which a matching class must have one; None when it may have any."""
    found: list[Pair] = []
    for term in selector.terms:
        finite = [(key, values.values) for key, values in term if values.values is not None and not values.absent]
        if not finite:
            return None
        key, listed = min(finite, key=lambda item: len(item[1] or ()))
        found += [(key, value) for value in sorted(listed or ())]
    return found


class Index(Generic[S]):
    """Selecting things by the label pairs they insist on."""

    __slots__ = ("_anywhere", "_by_pair")

    def __init__(self) -> None:
        self._by_pair: dict[Pair, list[S]] = {}
        self._anywhere: list[S] = []

    def add(self, one: S) -> None:
        pairs = pairs_of(one.peers)
        if pairs is None:
            self._anywhere.append(one)
        for pair in pairs or ():
            self._by_pair.setdefault(pair, []).append(one)

    def matching(self, namespace: str, labels: FrozenMap[str]) -> list[S]:
        candidates: dict[int, S] = {id(one): one for one in self._anywhere}
        for pair in labels.items():
            candidates.update((id(one), one) for one in self._by_pair.get(pair, ()))
        return [one for one in candidates.values() if one.matches(namespace, labels)]
