"""The fields of a pod: which are read, which say nothing about placement, and which do but are not planned here."""

from __future__ import annotations

from typing import Final

from bayplan.dialects.kubernetes.reading import At

READ: Final = frozenset(
    (
        "nodeName", "nodeSelector", "affinity", "tolerations", "topologySpreadConstraints", "containers", "initContainers",
        "overhead", "resources", "priority", "priorityClassName", "preemptionPolicy", "schedulerName", "schedulingGates",
        "hostNetwork", "volumes", "resourceClaims", "runtimeClassName", "schedulingGroup", "workloadRef",
    )
)  # fmt: skip
WITHOUT_EFFECT: Final = frozenset(
    (
        "activeDeadlineSeconds", "automountServiceAccountToken", "dnsConfig", "dnsPolicy", "enableServiceLinks",
        "ephemeralContainers", "hostAliases", "hostIPC", "hostPID", "hostUsers", "hostname", "hostnameOverride",
        "imagePullSecrets", "os", "readinessGates", "restartPolicy", "securityContext", "serviceAccount",
        "serviceAccountName", "setHostnameAsFQDN", "shareProcessNamespace", "subdomain", "terminationGracePeriodSeconds",
    )
)  # fmt: skip
SPEC: Final = READ | WITHOUT_EFFECT
CONTAINER_READ: Final = frozenset(("name", "image", "resources", "ports", "restartPolicy"))
CONTAINER: Final = CONTAINER_READ | frozenset(
    (
        "args", "command", "env", "envFrom", "imagePullPolicy", "lifecycle", "livenessProbe", "readinessProbe",
        "resizePolicy", "restartPolicyRules", "securityContext", "startupProbe", "stdin", "stdinOnce",
        "terminationMessagePath", "terminationMessagePolicy", "tty", "volumeDevices", "volumeMounts", "workingDir",
    )
)  # fmt: skip
POD: Final = frozenset(("apiVersion", "kind", "metadata", "spec", "status"))
PLACING_VOLUMES: Final = frozenset(
    (
        "persistentVolumeClaim", "ephemeral", "csi", "awsElasticBlockStore", "azureDisk", "gcePersistentDisk", "iscsi", "rbd",
        "cinder",
    )
)  # fmt: skip
"""Volumes that a node must be able to reach, attach or share."""


def check(pod: At) -> None:
    """Say what is not known, and what is known but not planned."""
    pod.known(POD, strictly=False)
    spec = pod / "spec"
    spec.known(SPEC, strictly=False)
    (spec / "affinity").known(("nodeAffinity", "podAffinity", "podAntiAffinity"))
    for kind in ("containers", "initContainers"):
        for one in (spec / kind).items():
            one.mapping()
            one.known(CONTAINER, strictly=False)
            (one / "resources").known(("requests", "limits", "claims"))
    _unplanned(spec)


def _unplanned(spec: At) -> None:
    for one in (spec / "volumes").items():
        kinds = sorted(PLACING_VOLUMES & one.mapping().keys())
        if kinds:
            one.note(f"a volume of kind {kinds[0]}: which nodes can have it is not planned")
    if (spec / "resourceClaims").value:
        (spec / "resourceClaims").note("resource claims (DRA): which nodes have such devices is not planned")
    if (spec / "runtimeClassName").value and not spec / "overhead":
        (spec / "runtimeClassName").note("the overhead, nodes and tolerations of a RuntimeClass are not looked up")
    if (spec / "preemptionPolicy").word(("PreemptLowerPriority", "Never"), "PreemptLowerPriority") == "Never":
        (spec / "preemptionPolicy").note("it never preempts others; that is not planned")
