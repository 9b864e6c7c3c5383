"""The answer to "why?", as data; JSON, terminal and page show the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from bayplan.engine.fixes import Fix
from bayplan.engine.market import Purchase
from bayplan.engine.reasons import Count, Miss
from bayplan.engine.scores import NodeScore
from bayplan.model.decision import Reason, Status

NODES_NAMED = 8


class View(Protocol):
    """Reasons of single nodes, at the version of the decision."""

    def names(self) -> list[str]: ...
    def reasons(self, name: str) -> tuple[Reason, ...]: ...
    def scores(self) -> Iterator[NodeScore]: ...


@dataclass(frozen=True, slots=True)
class ScorePart:
    """One rule's share of the score on the chosen node and on the runner-up."""

    rule: str
    topic: str
    chosen: float
    runner_up: float | None

    def as_json(self) -> dict[str, object]:
        return {"rule": self.rule, "topic": self.topic, "chosen": self.chosen, "runner_up": self.runner_up}


@dataclass(frozen=True, slots=True)
class Explanation:
    """The answer to "why?". `node(name)` and `nodes()` give the reasons of every single node."""

    workload: str
    status: Status
    policy: str
    version: int
    total: int
    feasible: int
    chosen: str | None = None
    score: float | None = None
    runner_up: str | None = None
    runner_up_score: float | None = None
    parts: tuple[ScorePart, ...] = ()
    counts: tuple[Count, ...] = ()
    nearest: tuple[Miss, ...] = ()
    change: Fix | None = None
    purchase: Purchase | None = None
    """Nodes that could be bought with which it would fit."""
    fallback: int = 0
    earlier: tuple[Explanation, ...] = ()
    """The alternatives that came before and found nothing, or all of them when none did."""
    group: str | None = None
    """Of a pending group: its name. `workload` is then the member that found no node."""
    assumed: tuple[tuple[str, str], ...] = ()
    """Members of the group and the nodes on which the reasons assume them to be seated; nothing is placed there."""
    note: str = ""
    view: View | None = None

    def node(self, name: str) -> tuple[Reason, ...]:
        """Why not this node? Empty when it would do."""
        assert self.view is not None
        return self.view.reasons(name)

    def scores(self) -> Iterator[NodeScore]:
        """What every node scores, rule by rule: those that fit first, the best first."""
        assert self.view is not None
        return self.view.scores()

    def nodes(self) -> Iterator[tuple[str, tuple[Reason, ...]]]:
        """Every node with its reasons, in tie order."""
        assert self.view is not None
        for name in self.view.names():
            yield name, self.view.reasons(name)

    def as_json(self, every_node: bool = False) -> dict[str, object]:
        out: dict[str, object] = {
            "workload": self.workload, "status": self.status, "policy": self.policy,
            "nodes": self.total, "feasible": self.feasible,
        }  # fmt: skip
        if self.group:
            out["group"] = self.group
        if self.assumed:
            out["assumed"] = dict(self.assumed)
        if self.note:
            out["note"] = self.note
        if self.chosen is not None:
            out |= {
                "node": self.chosen,
                "score": self.score,
                "runner_up": self.runner_up,
                "runner_up_score": self.runner_up_score,
            }
            out["parts"] = [one.as_json() for one in self.parts]
        if self.fallback:
            out["fallback"] = self.fallback
        out["reasons"] = [one.as_json() for one in self.counts]
        out["nearest"] = [one.as_json() for one in self.nearest]
        out["change"] = None if self.change is None else self.change.as_json()
        if self.purchase is not None:
            out["purchase"] = self.purchase.as_json()
        if self.earlier:
            out["alternatives"] = [one.as_json(every_node) for one in self.earlier]
        if every_node:
            out["every_node"] = {name: [one.as_json() for one in reasons] for name, reasons in self.nodes()}
            out["scores"] = [one.as_json() for one in self.scores() if one.fits]
        return out

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> Iterator[str]:
        """Plain text; the command line shows the same data in colour."""
        yield self._headline()
        for part in self.parts:
            beside = "" if part.runner_up is None else f"  ({self.runner_up}: {part.runner_up:+.4f})"
            yield f"  {part.rule}: {part.topic}: {part.chosen:+.4f}{beside}"
        if self.note:
            yield f"  {self.note}"
        if self.assumed:
            yield f"  {self.assumption()}:"
        for count in self.counts:
            yield f"  {count.nodes} x {count.rule} ({count.no}): {count.example}"
        for miss in self.nearest:
            yield f"  nearest {miss.node}: " + "; ".join(map(str, miss.reasons))
        if self.change is not None:
            yield f"  smallest change: {self.change}"
        if self.purchase is not None:
            yield f"  or {self.purchase}"
        for number, other in enumerate(self.earlier if self.chosen is None else (), start=1):
            yield f"  fallback {number}: {other.note or 'finds nothing either'}"
            yield from (f"    {one.nodes} x {one.rule} ({one.no}): {one.example}" for one in other.counts)

    def _headline(self) -> str:
        if self.chosen is not None:
            score = "" if self.score is None else f"score {self.score:.4f}, "
            return f"{self.workload} is on {self.chosen}: {score}{self.feasible} of {self.total} nodes fit."
        if self.feasible and self.group:
            return f"group {self.group} is pending, but would fit now."
        if self.feasible:
            return f"{self.workload} would fit on {self.feasible} of {self.total} nodes."
        fate = "can never be placed" if self.status is Status.IMPOSSIBLE else "is pending"
        if self.group:
            return f"group {self.group} {fate}: {self.workload} finds none of {self.total} nodes."
        return f"{self.workload} {fate}: none of {self.total} nodes fits."

    def assumption(self) -> str:
        """`assuming the first 3 members seated on a, b x2`"""
        nodes = Counter(node for _, node in self.assumed)
        named = [f"{node} x{times}" if times > 1 else node for node, times in nodes.items()]
        more = f" and {len(named) - NODES_NAMED} more nodes" if len(named) > NODES_NAMED else ""
        members = "first member" if len(self.assumed) == 1 else f"first {len(self.assumed)} members"
        return f"assuming the {members} seated on {', '.join(named[:NODES_NAMED])}{more}"
