"""Reads the pods of a shape: those that differ only by their labels share everything else.

Pods of a StatefulSet or an indexed Job each carry a label of their own. Their other conditions are read once, unless
these look at the labels: `matchLabelKeys`, or a spread that is found by the services and controllers that select the pod.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bayplan.dialects.kubernetes.context import Context
from bayplan.dialects.kubernetes.nodes import read_labels
from bayplan.dialects.kubernetes.pods import RESERVED, read_pod
from bayplan.dialects.kubernetes.reading import At, Remarks
from bayplan.dialects.kubernetes.shapes import Kin, Shape
from bayplan.model.frozen import FrozenMap
from bayplan.model.selector import Selector
from bayplan.model.workload import Workload


class PodReader:
    def __init__(self, shape: Shape, context: Context):
        self._shape = shape
        self._context = context
        spec = shape.data.get("spec")
        spread = isinstance(spec, Mapping) and spec.get("topologySpreadConstraints")
        self._deduce = None if spread else context.deduce
        self._known: dict[Selector | None, tuple[Workload, Remarks]] = {}

    def read(self, kin: Kin) -> tuple[Workload | None, Remarks]:
        """The first of some pods that are equal but for their names, or None; and what there is to say about it."""
        pod, name = self._shape.with_labels(kin.labels), kin.pods[0].name
        key = self._deduce(pod) if self._deduce is not None else None
        if key in self._known:
            workload, remarks = self._known[key]
            labels = self._labels(pod, workload)
            if labels is not None:
                return replace(workload, name=name, labels=labels), remarks
        remarks = Remarks()
        found = read_pod(At(pod, remarks), self._context, name)
        if found is not None and not self._shape.looks_at_labels:
            self._known[key] = found, remarks
        return found, remarks

    @staticmethod
    def _labels(pod: dict[str, Any], like: Workload) -> FrozenMap[str] | None:
        """The labels of a pod that is otherwise like another one; None where there is something wrong with them."""
        remarks = Remarks()
        own = read_labels(At(pod, remarks) / "metadata" / "labels")
        if remarks.mistakes or any(key.startswith(RESERVED) for key in own):
            return None
        kept = {key: value for key, value in like.labels.items() if key.startswith(RESERVED)}
        return FrozenMap({**own, **kept})
