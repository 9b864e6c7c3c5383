"""Entries of `workloads` and `groups` into the model."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from bayplan.dialects.native import schema, selectors, strategies, taints
from bayplan.dialects.native.names import Names
from bayplan.dialects.source.report import Report, Spot
from bayplan.model import resources, syntax
from bayplan.model.group import Group, Strategy
from bayplan.model.neighbours import ALL, NODE, Apart, Namespaces, Near, Spread
from bayplan.model.workload import Fallback, Preference, Workload

R = TypeVar("R")


class Reader:
    """Turns entries into workloads and groups. Mistakes go to the report; what has any is left out."""

    def __init__(self, names: Names, report: Report):
        self._names = names
        self._report = report

    def workloads(self, entry: schema.WorkloadEntry, spot: Spot) -> list[Workload]:
        """The workload, or the `replicas` workloads, of one entry."""
        if entry.on is not None:
            self._names.mention(entry.on, spot / "on", surely=True)
            if entry.replicas is not None:
                self._report.add(
                    spot / "replicas", "replicas cannot all run on one node already", "list them one by one, each with its 'on'"
                )
        found = self._copies(entry, spot, self._fallbacks(entry.fallbacks, spot / "fallbacks"))
        self._names.claim("workload", (one.id for one in found), spot)
        return found

    def group(self, entry: schema.GroupEntry, spot: Spot) -> Group | None:
        """The group; its alternatives may use the same names, as only one of them is placed."""
        self._names.claim("group", (entry.name,), spot)
        members = self._members(entry.members, spot / "members")
        ways = [self._way(entry, members, one, spot / "fallbacks" / i) for i, one in enumerate(entry.fallbacks)]
        main = self._group(entry.name, members, entry.strategy, entry.by, spot, [one for one in ways if one is not None])
        used = dict.fromkeys(member.id for one in (main, *ways) if one is not None for member in one.members)
        self._names.claim("workload", used, spot)
        return main if None not in ways else None

    def _way(
        self, entry: schema.GroupEntry, members: list[Workload], other: schema.GroupFallbackEntry, spot: Spot
    ) -> Group | None:
        if other.members is not None:
            members = self._members(other.members, spot / "members")
        return self._group(entry.name, members, other.strategy or entry.strategy, other.by or entry.by, spot)

    def _group(
        self, name: str, members: list[Workload], strategy: str, by: str, spot: Spot, fallbacks: Iterable[Group] = ()
    ) -> Group | None:
        if not members and spot.value.get("members") != []:
            return None  # the members have mistakes, which are reported
        given = (name, tuple(members), Strategy(strategy), _key(by), tuple(fallbacks))
        return self._report.build(spot, f"group {name!r}", Group, *given)

    def _members(self, entries: list[schema.MemberEntry], spot: Spot) -> list[Workload]:
        found: list[Workload] = []
        seen: set[str] = set()
        for i, entry in enumerate(entries):
            copies = self._copies(entry, spot / i)
            ids = [one.id for one in copies]
            if again := next((one for one in ids if one in seen), None):
                self._report.add(spot / i / "name", f"two members are called {again!r}")
            else:
                seen.update(ids)
                found += copies
        return found

    def _copies(self, entry: schema.MemberEntry, spot: Spot, fallbacks: tuple[Fallback, ...] = ()) -> list[Workload]:
        """The workload of an entry as often as it says."""
        conditions = self._conditions(entry, spot)
        named = self._names.expand(entry.name, entry.replicas, spot)
        about: dict[str, Any] = {name: getattr(entry, name) for name in _ABOUT}
        if entry.packing is not None:
            about["packing"] = strategies.read(entry.packing, spot / "packing", self._report)
        first = self._report.build(spot, f"workload {entry.name!r}", Workload, fallbacks=fallbacks, **about, **conditions)
        if first is None or not named:
            return []
        if fault := syntax.name_fault(named[-1]):  # the name is short enough, but not with its number
            self._report.add(spot / "name", fault)
        return [first] if entry.replicas is None else [first.named(name) for name in named]

    def _fallbacks(self, entries: list[schema.FallbackEntry], spot: Spot) -> tuple[Fallback, ...]:
        return tuple(Fallback(**self._conditions(one, spot / i)) for i, one in enumerate(entries))

    def _conditions(self, entry: schema.Conditions, spot: Spot) -> dict[str, Any]:
        """What the entry says, by the model's field names; what it does not say is left out."""
        found: dict[str, Any] = {}
        if entry.requests is not None:
            amounts = self._report.build(spot / "requests", "", resources.requests, entry.requests)
            found |= {} if amounts is None else {"requests": amounts}
        if entry.selector is not None:
            found["selector"] = selectors.parse(entry.selector, spot / "selector", self._report)
        if entry.nodes is not None:
            for i, node in enumerate(entry.nodes):
                self._names.mention(node, spot / "nodes" / i, surely=False)
            found["nodes"] = frozenset(entry.nodes)
        for name, written, read in (
            ("prefer", entry.prefer, self._preference),
            ("tolerate", entry.tolerate, lambda one, at: taints.toleration(one, at, self._report)),
            ("near", entry.near, self._near),
            ("apart", entry.apart, self._apart),
            ("spread", entry.spread, self._spread),
        ):
            if written is not None:
                found[_MODEL_NAMES.get(name, name)] = _each(written, read, spot / name)
        return found

    def _preference(self, entry: schema.PreferenceEntry, spot: Spot) -> Preference:
        return Preference(selectors.parse(entry.selector, spot / "selector", self._report), entry.weight)

    def _near(self, entry: schema.NearEntry, spot: Spot) -> Near | None:
        by = (entry.by,) if isinstance(entry.by, str) else tuple(entry.by)
        given = self._common(entry, spot) | {"by": tuple(map(_key, by)), "first_may_start": entry.first_may_start}
        terms = _each(entry.terms or [], self._near_term, spot / "terms")
        return self._report.build(spot, "near", Near, weight=entry.weight, terms=terms, **given)

    def _near_term(self, entry: schema.NearTermEntry, spot: Spot) -> Near | None:
        return self._report.build(spot, "near", Near, by=_key(entry.by), **self._common(entry, spot))

    def _apart(self, entry: schema.ApartEntry, spot: Spot) -> Apart | None:
        given = self._common(entry, spot) | {"by": _key(entry.by), "at_most": entry.at_most}
        return self._report.build(spot, "apart", Apart, weight=entry.weight, **given)

    def _spread(self, entry: schema.SpreadEntry, spot: Spot) -> Spread | None:
        given = self._common(entry, spot) | {"by": _key(entry.by)} | {name: getattr(entry, name) for name in _SPREAD}
        return self._report.build(spot, "spread", Spread, weight=entry.weight, **given)

    def _common(self, entry: schema.Peers, spot: Spot) -> dict[str, Any]:
        namespaces: Namespaces = None
        if entry.namespaces is not None:
            given = [entry.namespaces] if isinstance(entry.namespaces, str) else entry.namespaces
            namespaces = ALL if given == [ALL] else frozenset(given)
            for i, one in enumerate(given):
                if one == ALL and len(given) > 1:
                    self._report.add(spot / "namespaces" / i, "'*' means every namespace and must stand alone")
                elif one != ALL and (fault := syntax.name_fault(one)):
                    self._report.add(spot / "namespaces" / i, fault)
        peers = selectors.parse(entry.peers, spot / "peers", self._report, of_nodes=False)
        return {"peers": peers, "namespaces": namespaces}


_ABOUT = ("name", "labels", "namespace", "priority", "owner", "queue", "images")
_SPREAD = ("max_skew", "min_domains", "honour_taints", "honour_selector", "on_allowed", "may_lack")
_MODEL_NAMES = {"prefer": "preferences", "tolerate": "tolerations"}


def _each(entries: list[Any], read: Callable[[Any, Spot], R | None], spot: Spot) -> tuple[R, ...]:
    found = (read(entry, spot / i) for i, entry in enumerate(entries))
    return tuple(one for one in found if one is not None)


def _key(written: str) -> str:
    return NODE if written == "node" else written
