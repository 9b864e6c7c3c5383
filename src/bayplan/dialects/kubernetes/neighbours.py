"""Pod affinity, pod anti-affinity and topology spread.

Required affinity terms are joint: one resident must match all of them, so they become one `Near` over the AND of their
selectors, with a domain of every topology key. Terms of anti-affinity are separate. An absent labelSelector matches nothing.

Spread counts pods of the own namespace that are not terminating; with an absent or empty selector it counts nobody.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from bayplan.dialects.kubernetes import labels
from bayplan.dialects.kubernetes.context import AFFINITY_KEYS, Context
from bayplan.dialects.kubernetes.labels import WORDS
from bayplan.dialects.kubernetes.names import GIVEN_SPREAD
from bayplan.dialects.kubernetes.node_affinity import HEAVIEST, PREFERRED, REQUIRED, checked, expression
from bayplan.dialects.kubernetes.reading import At
from bayplan.model import labels as algebra
from bayplan.model import syntax
from bayplan.model.neighbours import ALL, Apart, Namespaces, Near, Spread
from bayplan.model.selector import EVERYTHING, NOWHERE, Selector

TERMINATING: Final = "bayplan.dev/terminating"
"""The label of a pod that is being deleted."""
NO_KEY: Final = "bayplan.dev/no-topology"
"""To the scheduler a missing topologyKey is the key of a label that no node has."""
STAYING: Final = Selector.of({TERMINATING: algebra.ABSENT_ONLY})
_SELECTOR: Final = frozenset(("matchLabels", "matchExpressions"))
_TERM: Final = frozenset(
    ("labelSelector", "namespaces", "topologyKey", "namespaceSelector", "matchLabelKeys", "mismatchLabelKeys")
)
_SPREAD: Final = frozenset(
    (
        "maxSkew", "minDomains", "topologyKey", "whenUnsatisfiable", "labelSelector", "matchLabelKeys",
        "nodeAffinityPolicy", "nodeTaintsPolicy",
    )
)  # fmt: skip
Labels = Mapping[str, str]
Terms = tuple[Selector, str, Namespaces]
"""Peers, topology key, namespaces."""


class Neighbours:
    """Reads the conditions between pods of one pod."""

    def __init__(self, namespace: str, own: Labels, context: Context):
        self.namespace = namespace
        self.own = own
        self.context = context

    # --- affinity -----------------------------------------------------------------------------

    def near(self, affinity: At) -> list[Near]:
        """One joint rule for the required terms, then a wish per preferred term."""
        terms = list(self._required(affinity))
        found = [_joint(terms)] if terms else []
        return found + [Near(*term, weight=weight) for term, weight in self._preferred(affinity)]

    def apart(self, affinity: At) -> list[Apart]:
        found = [Apart(*term) for term in self._required(affinity)]
        return found + [Apart(*term, weight=weight) for term, weight in self._preferred(affinity)]

    def _required(self, affinity: At) -> Iterator[Terms]:
        affinity.known((REQUIRED, PREFERRED))
        for one in (affinity / REQUIRED).items():
            term = self._term(one)
            if term is not None:
                yield term

    def _preferred(self, affinity: At) -> Iterator[tuple[Terms, float]]:
        for one in (affinity / PREFERRED).items():
            one.known(("weight", "podAffinityTerm"))
            if not one / "weight":
                one.mistake("the weight is missing", f"1 to {HEAVIEST}")
            weight = (one / "weight").whole(1, 0 if not self.context.server else 1, HEAVIEST)
            term = self._term(one / "podAffinityTerm")
            if term is not None and weight:
                yield term, weight / 100

    def _term(self, at: At) -> Terms | None:
        at.known(_TERM)
        key = topology_key(at, server=self.context.server)
        if key is None:
            return None
        peers = label_selector(at / "labelSelector")
        if self.context.server and self.context.version >= AFFINITY_KEYS and at / "labelSelector":
            peers &= self._merged(at / "matchLabelKeys", wanted=True)
            peers &= self._merged(at / "mismatchLabelKeys", wanted=False)
        return peers, key, self._namespaces(at)

    def _merged(self, keys: At, *, wanted: bool) -> Selector:
        """The labels that have to be as the pod's own are (or must not be); keys it does not have are left out."""
        alike = {key: self.own[key] for key in keys.texts() if key in self.own}
        return Selector.of({key: algebra.in_(value) if wanted else algebra.not_in(value) for key, value in alike.items()})

    def _namespaces(self, at: At) -> Namespaces:
        """`namespaces`, and those that `namespaceSelector` matches; where both are absent, the pod's own."""
        listed = frozenset((at / "namespaces").texts())
        by_labels = at / "namespaceSelector"
        if not by_labels:
            return listed or frozenset((self.namespace,))
        selector = label_selector(by_labels)
        if selector.always:
            return ALL
        known = self.context.namespaces
        return listed | {name for name, its_labels in known.items() if selector.matches(its_labels)}

    # --- spread -------------------------------------------------------------------------------

    def spread(self, pod: At) -> list[Spread]:
        constraints = pod / "spec" / "topologySpreadConstraints"
        found: list[Spread] = []
        if constraints.value:
            seen: set[tuple[Any, Any]] = set()
            given = (pod / "metadata" / "annotations" / GIVEN_SPREAD).value == "default"
            for one in constraints.items():
                twice = ((one / "topologyKey").value, (one / "whenUnsatisfiable").value)
                if self.context.server and all(isinstance(part, str) for part in twice):
                    if twice in seen:
                        one.mistake(f"there is a constraint with {twice[1]} over {twice[0]!r} already")
                    seen.add(twice)
                made = self._spread(one)
                found += [replace(made, may_lack=given) if given else made] if made else []
        elif self.context.spread_defaults and self.context.deduce is not None:
            peers = self.context.deduce(pod.mapping())
            for number, default in enumerate(self.context.spread_defaults if peers else ()):
                made = self._spread(At(default, constraints.remarks, ("defaultConstraints", number)), peers)
                if made is not None and self.context.system_spread:
                    made = replace(made, may_lack=True)
                found += [made] if made else []
        return found

    def _spread(self, at: At, deduced: Selector | None = None) -> Spread | None:
        at.known(_SPREAD)
        key = topology_key(at, server=self.context.server)
        skew = (at / "maxSkew").whole(0, 1, 2**31 - 1)
        if not at / "maxSkew":
            at.mistake("maxSkew is missing", "1 or more")
        hard = (at / "whenUnsatisfiable").word(("DoNotSchedule", "ScheduleAnyway"), "") == "DoNotSchedule"
        domains = (at / "minDomains").whole(1, 1, 2**31 - 1)
        if self.context.server and at / "minDomains" and not hard:
            (at / "minDomains").mistake("minDomains goes with whenUnsatisfiable: DoNotSchedule only")
        taints, nodes = (
            (at / policy).word(("Honor", "Ignore"), default) == "Honor"
            for policy, default in (("nodeTaintsPolicy", "Ignore"), ("nodeAffinityPolicy", "Honor"))
        )
        peers = deduced if deduced is not None else self._counted(at)
        if key is None or skew < 1:
            return None
        return Spread(
            peers & STAYING, key, {self.namespace}, None if hard else 1.0, skew, domains,
            honour_taints=taints, honour_selector=nodes, on_allowed=True,
        )  # fmt: skip

    def _counted(self, at: At) -> Selector:
        """Who is counted. A selector that is empty, even after the merge of labels, counts nobody."""
        if not at / "labelSelector":
            if (at / "matchLabelKeys").value and self.context.server:
                (at / "matchLabelKeys").mistake("matchLabelKeys needs a labelSelector")
            return NOWHERE
        peers = label_selector(at / "labelSelector") & self._merged(at / "matchLabelKeys", wanted=True)
        return NOWHERE if peers.always else peers


def _joint(terms: list[Terms]) -> Near:
    """What one resident must match, for all terms at once."""
    peers, namespaces = EVERYTHING, ALL
    common: Namespaces = ALL
    for selector, _, spaces in terms:
        peers &= selector
        common = spaces if common == namespaces else common if spaces == namespaces else common & spaces  # type: ignore[operator]
    keys = tuple(dict.fromkeys(key for _, key, _ in terms))
    return Near(peers, keys, common, first_may_start=True, terms=[Near(*term) for term in terms])


def topology_key(at: At, *, server: bool) -> str | None:
    key = (at / "topologyKey").text()
    if not key and not server:
        return NO_KEY
    fault = syntax.key_fault(key) if key else "the topologyKey is missing"
    if fault:
        (at / "topologyKey").mistake(fault, "the key of a node label, like topology.kubernetes.io/zone")
        return None
    return key


def label_selector(at: At) -> Selector:
    """A LabelSelector; absent matches nothing, empty matches everything."""
    if not at:
        return NOWHERE
    at.known(_SELECTOR)
    found = []
    for key, value in (at / "matchLabels").text_map().items():
        found.append(checked_pair(at / "matchLabels", key, value))
    for one in (at / "matchExpressions").items():
        found.append(checked(one, expression(one, WORDS)))
    return labels.selector(found) if found else EVERYTHING


def checked_pair(at: At, key: str, value: str) -> labels.Requirement:
    made = labels.Requirement(key, "=", (value,))
    for _, message in made.faults():
        (at / key).mistake(message)
    return made
