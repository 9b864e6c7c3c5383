"""nodeSelector and node affinity as selectors over nodes.

    fits = nodeSelector AND (term OR term ...) AND the scheduler's addedAffinity

A term is an AND of labels (matchExpressions) and of the node's name (matchFields). An empty term matches nothing, and so
does an empty list of terms. The scheduler parses required terms one by one: a wrong one never matches, the others still
can. Preferred terms, and all terms of the scheduler's own arguments, have to be right.
"""

from __future__ import annotations

from typing import Final

from bayplan.dialects.kubernetes import labels
from bayplan.dialects.kubernetes.context import Context
from bayplan.dialects.kubernetes.labels import NODE_WORDS, Requirement
from bayplan.dialects.kubernetes.reading import At, Remarks
from bayplan.model import labels as algebra
from bayplan.model.selector import EVERYTHING, NODE_NAME, NOWHERE, Selector
from bayplan.model.workload import Preference

REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED: Final = "preferredDuringSchedulingIgnoredDuringExecution"
HEAVIEST: Final = 100
BROKEN: Final = "preferred terms that cannot be parsed; the scheduler fails on them"
_EXPRESSION: Final = frozenset(("key", "operator", "values"))


def selector(spec: At, context: Context) -> Selector:
    """The nodes a pod may use."""
    pairs = (spec / "nodeSelector").text_map()
    found = Selector.of(dict(pairs)) if pairs else EVERYTHING
    affinity = spec / "affinity" / "nodeAffinity"
    affinity.known((REQUIRED, PREFERRED))
    if affinity / REQUIRED:
        found &= required(affinity / REQUIRED, lazily=not context.server)
    added = At(context.added_affinity or {}, spec.remarks, ("addedAffinity",))
    return found & required(added / REQUIRED, lazily=False) if added / REQUIRED else found


def preferences(spec: At, context: Context) -> tuple[Preference, ...]:
    """What the scheduler adds, then what the pod prefers; the order does not matter to the sum."""
    added = At(context.added_affinity or {}, spec.remarks, ("addedAffinity",))
    own = spec / "affinity" / "nodeAffinity" / PREFERRED
    of_scheduler = preferred(added / PREFERRED, context)
    if context.server:
        return (*of_scheduler, *preferred(own, context))
    aside = Remarks()
    of_pod = preferred(At(own.value, aside, own.path), context)
    if aside.mistakes:
        own.note(f"{BROKEN}: {aside.mistakes[0].message}")
        return ()
    return (*of_scheduler, *of_pod)


def required(at: At, *, lazily: bool) -> Selector:
    """The OR of the terms of a node selector."""
    at.known(("nodeSelectorTerms",))
    terms = at / "nodeSelectorTerms"
    if not lazily and not terms.value:
        terms.mistake("at least one term is needed", "leave nodeAffinity out to allow every node")
    found = NOWHERE
    for one in terms.items():
        found |= _lazy_term(one) if lazily else term(one)
    return found


def preferred(at: At, context: Context) -> list[Preference]:
    """A weight of 0 and an empty preference say nothing, and are not even parsed."""
    found = []
    for one in at.items():
        one.known(("weight", "preference"))
        lowest = 1 if context.server else 0
        weight = (one / "weight").whole(lowest, lowest, HEAVIEST)
        if context.server and not one / "weight":
            one.mistake("the weight is missing", f"1 to {HEAVIEST}")
        said = (one / "preference").mapping()
        if weight and (said.get("matchExpressions") or said.get("matchFields")):
            found.append(Preference(term(one / "preference"), weight / 100))
    return found


def _lazy_term(at: At) -> Selector:
    """A term with a mistake never matches; the scheduler says nothing, here it is a note."""
    aside = Remarks()
    found = term(At(at.value, aside, at.path))
    for mistake in aside.mistakes:
        At(None, at.remarks, mistake.path).note(f"this term never matches: {mistake.message}", mistake.hint)
    return NOWHERE if aside.mistakes else found


def term(at: At) -> Selector:
    """One term, strictly: whatever is wrong with it is a mistake."""
    at.known(("matchExpressions", "matchFields"))
    said = at.mapping()
    if not said.get("matchExpressions") and not said.get("matchFields"):
        return NOWHERE
    found = EVERYTHING
    for one in (at / "matchExpressions").items():
        found &= labels.selector([checked(one, expression(one))])
    for one in (at / "matchFields").items():
        found &= _field(one)
    return found


def expression(at: At, words: dict[str, str] | None = None) -> Requirement:
    """A requirement on a label, with the operators of node selectors or with other `words`."""
    at.known(_EXPRESSION)
    known = NODE_WORDS if words is None else words
    if not at.mapping().get("operator"):
        (at / "operator").mistake("the operator is missing", f"one of {', '.join(known)}")
        return Requirement((at / "key").text(), "")
    operator = (at / "operator").word(known, "")
    return Requirement((at / "key").text(), known.get(operator, ""), (at / "values").texts())


def checked(at: At, requirement: Requirement) -> Requirement:
    """The requirement; what is wrong with it is said."""
    for where, message in requirement.faults():
        field, _, rest = where.partition("[")
        if field == "operator":
            continue  # said already, with what was written
        index = rest.partition("]")[0]
        (at / field / int(index) if index.isdecimal() else at / field).mistake(message)
    return requirement


def _field(at: At) -> Selector:
    """A requirement on a field. There is one field, and one value."""
    at.known(_EXPRESSION)
    key, values = (at / "key").text(), (at / "values").texts()
    operator = (at / "operator").word(("In", "NotIn"), "")
    if not operator:
        return NOWHERE
    if key != "metadata.name":
        (at / "key").mistake(f"{key!r} is not a field", "metadata.name")
        return NOWHERE
    if len(values) != 1:
        (at / "values").mistake(f"exactly one value is needed, found {len(values)}", "write one term per name")
        return NOWHERE
    return Selector.of({NODE_NAME: algebra.in_(*values) if operator == "In" else algebra.not_in(*values)})
