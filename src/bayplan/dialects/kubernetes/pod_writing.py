"""A workload as a pod, or Unsupported with the name of what Kubernetes has no words for."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final

from bayplan.dialects.kubernetes import expressions, images, ports
from bayplan.dialects.kubernetes.containers import containers, with_images
from bayplan.dialects.kubernetes.labels import is_dns_label, is_dns_subdomain
from bayplan.dialects.kubernetes.names import GIVEN_SPREAD, OWNER
from bayplan.dialects.kubernetes.neighbours import NO_KEY, STAYING, TERMINATING
from bayplan.dialects.kubernetes.node_affinity import PREFERRED, REQUIRED
from bayplan.dialects.kubernetes.priorities import class_name
from bayplan.errors import Unsupported
from bayplan.model.neighbours import ALL, NODE, Apart, Near, Spread
from bayplan.model.selector import NODE_NAME, Selector
from bayplan.model.tolerations import Match, Toleration
from bayplan.model.workload import Workload

HOSTNAME: Final = "kubernetes.io/hostname"
NO_NAMESPACE: Final = {"matchExpressions": [{"key": "kubernetes.io/metadata.name", "operator": "DoesNotExist"}]}
"""Every namespace has this label, so the selector matches none."""
Written = dict[str, Any]


def write_pod(workload: Workload, node: str = "") -> Written:
    """The pod; `node` is where it runs."""
    what = f"workload {workload.id!r}"
    _refuse(workload, what)
    spec: Written = {"nodeName": node} if node else {}
    spec |= containers(workload.requests, workload.labels)
    metadata = _metadata(workload)
    if not with_images(spec, workload.images):
        metadata.setdefault("annotations", {})[images.GIVEN] = json.dumps(workload.images)
    if workload.priority:
        spec["priorityClassName"] = class_name(workload.priority)
    spec |= _placement(workload, what)
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def _refuse(workload: Workload, what: str) -> None:
    if not is_dns_subdomain(workload.name):
        raise Unsupported(f"{what}: names have lower-case letters, digits, '-' and '.' only")
    if not is_dns_label(workload.namespace):
        raise Unsupported(f"{what}: the namespace {workload.namespace!r}")
    for name in ("fallbacks", "queue"):
        if getattr(workload, name):
            raise Unsupported(f"{what}: {name}")
    if workload.packing is not None:
        raise Unsupported(f"{what}: a packing of its own")


def _metadata(workload: Workload) -> Written:
    found: Written = {"name": workload.name, "namespace": workload.namespace}
    labels = {key: value for key, value in workload.labels.items() if not key.startswith((ports.PREFIX, TERMINATING))}
    if labels:
        found["labels"] = labels
    annotations = {OWNER: workload.owner} if workload.owner else {}
    if any(one.may_lack for one in workload.spread):
        annotations[GIVEN_SPREAD] = "default"
    if annotations:
        found["annotations"] = annotations
    if TERMINATING in workload.labels:
        found["deletionTimestamp"] = "1970-01-01T00:00:00Z"
    return found


def _placement(workload: Workload, what: str) -> Written:
    affinity = {
        "nodeAffinity": _node_affinity(workload, what),
        "podAffinity": _near(workload, what),
        "podAntiAffinity": _apart(workload, what),
    }
    kept = {kind: value for kind, value in affinity.items() if value}
    found: Written = {"affinity": kept} if kept else {}
    if workload.tolerations:
        found["tolerations"] = [_toleration(one) for one in workload.tolerations]
    if workload.spread:
        found["topologySpreadConstraints"] = [_spread(one, workload, what) for one in workload.spread]
    return found


def _node_affinity(workload: Workload, what: str) -> Written:
    selector = workload.node_selector
    found: Written = {}
    if not selector.always:
        found[REQUIRED] = {"nodeSelectorTerms": expressions.node_terms(selector, f"{what}: selector")}
    wishes = []
    for one in workload.preferences:
        terms = [written for term in one.selector.terms for written in expressions.node_term(term, f"{what}: preference")]
        if len(terms) > 1 or one.selector.always:
            raise Unsupported(f"{what}: a preference for {one.selector}")
        wishes.append({"weight": _weight(one.weight, what), "preference": terms[0] if terms else expressions.NEVER})
    return found | ({PREFERRED: wishes} if wishes else {})


def _weight(weight: float, what: str) -> int:
    """Weights are hundredths here, 1 to 100 there."""
    whole = round(weight * 100)
    if not 1 <= whole <= 100 or abs(weight * 100 - whole) > 1e-9:
        raise Unsupported(f"{what}: the weight {weight:g}; 0.01 to 1 in steps of 0.01")
    return whole


def _near(workload: Workload, what: str) -> Written:
    hard = [one for one in workload.near if one.weight is None]
    if len(hard) > 1:
        raise Unsupported(f"{what}: several hard near rules, each met by another workload")
    terms: list[Near] = []
    for one in hard:
        if not one.first_may_start and one.peers.matches(workload.labels):
            raise Unsupported(f"{what}: near its own kind, where the first may not start")
        terms += one.terms or [Near(one.peers, key, one.namespaces) for key in one.by]
    soft = [one for one in workload.near if one.weight is not None]
    return _both([_term(one.peers, one.by[0], one, workload, what) for one in terms], soft, workload, what)


def _apart(workload: Workload, what: str) -> Written:
    from_ports = set(ports.aparts(workload.labels))
    rest = [one for one in workload.apart if one not in from_ports]
    if any(one.at_most != 1 for one in rest):
        raise Unsupported(f"{what}: at most several per domain")
    hard = [_term(one.peers, one.by, one, workload, what) for one in rest if one.weight is None]
    return _both(hard, [one for one in rest if one.weight is not None], workload, what)


def _both(hard: list[Written], soft: Iterable[Near | Apart], workload: Workload, what: str) -> Written:
    found: Written = {REQUIRED: hard} if hard else {}
    wishes = []
    for one in soft:
        key = one.by if isinstance(one.by, str) else one.by[0]
        term = _term(one.peers, key, one, workload, what)
        wishes.append({"weight": _weight(one.weight or 0.0, what), "podAffinityTerm": term})
    return found | ({PREFERRED: wishes} if wishes else {})


def _term(peers: Selector, key: str, one: Near | Apart, workload: Workload, what: str) -> Written:
    found: Written = {"topologyKey": _key(key, what)}
    selector = expressions.label_selector(peers, what)
    if selector is not None:
        found["labelSelector"] = selector
    if one.namespaces == ALL:
        found["namespaceSelector"] = {}
    elif one.namespaces is not None and not one.namespaces:
        found["namespaceSelector"] = dict(NO_NAMESPACE)
    elif one.namespaces not in (None, frozenset((workload.namespace,))):
        found["namespaces"] = sorted(one.namespaces or ())
    return found


def _key(key: str, what: str) -> str:
    if key == NO_KEY:
        raise Unsupported(f"{what}: a rule without a topology key")
    return HOSTNAME if key in (NODE, NODE_NAME) else key


def _toleration(one: Toleration) -> Written:
    found = {"key": one.key, "operator": one.operator.value, "value": one.value}
    if one.operator is Match.EXISTS:
        found["value"] = ""
    found["effect"] = one.effect.value if one.effect else ""
    return {name: value for name, value in found.items() if value}


def _spread(one: Spread, workload: Workload, what: str) -> Written:
    if one.namespaces not in (None, frozenset((workload.namespace,))):
        raise Unsupported(f"{what}: a spread over other namespaces")
    if any(one.may_lack != other.may_lack for other in workload.spread):
        raise Unsupported(f"{what}: spreads some of which put nodes without the label last")
    if one.weight not in (None, 1.0) or (one.weight is not None and one.min_domains != 1):
        raise Unsupported(f"{what}: a spread as a wish of weight {one.weight} over at least {one.min_domains} domains")
    if not one.on_allowed and (one.honour_taints or (one.honour_selector and not workload.node_selector.always)):
        raise Unsupported(f"{what}: a spread that counts workloads on nodes it may not use")
    found: Written = {
        "maxSkew": one.max_skew,
        "topologyKey": _key(one.by, what),
        "whenUnsatisfiable": "DoNotSchedule" if one.weight is None else "ScheduleAnyway",
    }
    selector = expressions.label_selector(_without_staying(one.peers), what)
    if selector is not None:
        if not selector:
            raise Unsupported(f"{what}: a spread that counts everybody")
        found["labelSelector"] = selector
    if one.min_domains != 1:
        found["minDomains"] = one.min_domains
    if one.honour_taints:
        found["nodeTaintsPolicy"] = "Honor"
    if not one.honour_selector:
        found["nodeAffinityPolicy"] = "Ignore"
    return found


def _without_staying(peers: Selector) -> Selector:
    """Kubernetes leaves out who is being deleted without being asked."""
    own = STAYING.terms[0][0]
    return Selector(tuple(tuple(pair for pair in term if pair != own) for term in peers.terms))
