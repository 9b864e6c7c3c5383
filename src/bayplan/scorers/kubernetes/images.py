"""ImageLocality: prefer nodes that have the pod's images already, and images that many nodes have.

sum   = of the pod's images the node has: int(size * nodes that have it / all nodes)
score = 100 * (clamp(sum, 23 MiB, 1000 MiB * containers) - 23 MiB) / (1000 MiB * containers - 23 MiB)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bayplan.model.workload import Workload
from bayplan.table.column import Column
from bayplan.table.forms import Part
from bayplan.table.snapshot import Snapshot
from bayplan.table.terms import Weighs

MIB = 1 << 20
LEAST, MOST = 23 * MIB, 1000 * MIB


@dataclass(frozen=True, slots=True)
class ImageLocality:
    weight: float = 1.0
    name: str = "ImageLocality"
    reads_requests: ClassVar[bool] = False

    def parts(self, snapshot: Snapshot, workload: Workload) -> list[Part]:
        if not workload.images or not snapshot.images:
            return []
        there: Images = snapshot.follow(("images", workload.images), lambda: Images(snapshot, workload.images))
        return [Part(self.name, "images", Weighs(there.column, self.weight), there)]


class Images:
    """The score of every node for a list of images. It changes only with nodes."""

    def __init__(self, snapshot: Snapshot, images: tuple[str, ...]):
        self._snapshot, self._images = snapshot, images
        self.column = Column.of(snapshot.room, np.float64)
        self._node_version = -1

    def catch_up(self) -> None:
        snapshot = self._snapshot
        if self._node_version == snapshot.node_version:
            return
        wanted = set(self._images)
        having = {image: sum(image in there for there in snapshot.images.values()) for image in wanted}
        self.column.data[:] = 0.0
        highest = MOST * len(self._images)
        for row, there in snapshot.images.items():
            found = sum(int(there[one] * (having[one] / len(snapshot.row_of))) for one in self._images if one in there)
            self.column.cell[row] = 100 * (min(max(found, LEAST), highest) - LEAST) // (highest - LEAST)
        self._node_version = snapshot.node_version
