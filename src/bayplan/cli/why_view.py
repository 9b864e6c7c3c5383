"""An explanation on the screen. The data is the engine's; only its layout is made here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

from bayplan.cli import kube_view, screen
from bayplan.cli.scores_view import rule_and_topic, show_scores, signed
from bayplan.engine.explain import View
from bayplan.engine.explanation import Explanation
from bayplan.engine.preempt import Preemption
from bayplan.engine.scores import Parts
from bayplan.model.decision import No, Reason, Status


@dataclass(frozen=True, slots=True)
class Answer:
    """What was asked, and all there is to say."""

    asked: str
    found: list[Explanation]
    """One for a workload or a waiting group, one for each member of a placed group."""
    preemption: Preemption | None
    node: str | None
    every_node: bool
    kube: bool = False
    """Was it asked about objects of Kubernetes?"""


def show_answer(answer: Answer, out: Console) -> None:
    for number, one in enumerate(answer.found):
        if number:
            out.print()
        show(one, out, answer.node)
        if answer.kube and one.chosen is None and not one.feasible:
            kube_view.show_message(one, out)
        if answer.every_node:
            show_scores(one, out)
            (kube_view.show_refusals if answer.kube else show_refusals)(one, out)
    show_preemption(answer.preemption, out)


def show(one: Explanation, out: Console, node: str | None = None) -> None:
    out.print(headline(one))
    if one.note:
        out.print(screen.indented(Text(one.note)))
    if node is not None:
        show_node(one, node, out)
        return
    if one.chosen is None:
        _show_counts(one, "What keeps the nodes out", out)
        _show_nearest(one, out)
        for number, fallback in enumerate(one.earlier, start=1):
            _show_alternative(fallback, f"Fallback {number} finds nothing either", out)
        return
    _show_score(one, out)
    for number, earlier in enumerate(one.earlier):
        _show_alternative(earlier, f"Fallback {number} finds nothing" if number else "As asked for, nothing fits", out)
    _show_counts(one, "Out of the question", out)


def headline(one: Explanation) -> Text:
    if one.group and one.chosen is None:
        return _headline_of_group(one)
    name = Text(one.workload, screen.TITLE)
    fits = f"{one.feasible:,} of {_nodes(one)} fit"
    if one.chosen is not None:
        by = f" by fallback {one.fallback}" if one.fallback else ""
        score = "" if one.score is None else f"score {one.score:.3f}, "
        return name.append_text(Text.assemble(" is on ", (one.chosen, screen.GOOD), f"{by}: {score}{fits} (policy {one.policy})"))
    if one.status is Status.IMPOSSIBLE:
        fate = Text.assemble((" can never be placed", screen.BAD), f": none of {_nodes(one)} will ever do")
    elif one.feasible:
        fate = Text.assemble((" is pending", screen.WAITING), f", but now {fits}")
    else:
        fate = Text.assemble((" is pending", screen.WAITING), f": none of {_nodes(one)} fits now")
    return name.append_text(fate).append(f" (policy {one.policy})")


def _headline_of_group(one: Explanation) -> Text:
    """It is the group that waits; the member that finds no node is what it waits for."""
    name = Text.assemble("group ", (one.group or "", screen.TITLE))
    if one.feasible:
        fate = Text.assemble((" is pending", screen.WAITING), ", but now it fits")
    elif one.status is Status.IMPOSSIBLE:
        fate = Text.assemble((" can never be placed", screen.BAD), f": for {one.workload} none of {_nodes(one)} will ever do")
    else:
        fate = Text.assemble((" is pending", screen.WAITING), f": {one.workload} fits on none of {_nodes(one)} now")
    return name.append_text(fate).append(f" (policy {one.policy})")


def _nodes(one: Explanation) -> str:
    return screen.count(one.total, "node")


def _show_score(one: Explanation, out: Console) -> None:
    nodes = [name for name in (one.chosen, one.runner_up) if name is not None]
    table = screen.table("SCORE BY RULE", *nodes, right=tuple(nodes))
    for part in one.parts:
        table.add_row(rule_and_topic(part.rule, part.topic), *map(signed, (part.chosen, part.runner_up)[: len(nodes)]))
    table.add_row(Text("sum", screen.TITLE), *map(signed, (one.score, one.runner_up_score)[: len(nodes)]))
    out.print(screen.indented(table))
    if one.runner_up is None:
        out.print(screen.indented(Text("No other node fitted.", screen.QUIET)))
    elif one.score == one.runner_up_score:
        out.print(screen.indented(Text("A tie: equal nodes are taken in a fixed order, which --seed changes.", screen.QUIET)))


def _show_alternative(one: Explanation, title: str, out: Console) -> None:
    _show_counts(one, f"{title}{f' ({one.note})' if one.note else ''}", out)


def _show_counts(one: Explanation, title: str, out: Console) -> None:
    if not one.counts:
        return
    out.print()
    out.print(f"{title}, {one.assumption()}:" if one.assumed else f"{title}:")
    table = screen.table("NODES", "RULE", "", "FOR EXAMPLE", right=("NODES",))
    for count in one.counts:
        node, _, sentence = count.example.partition(" ")
        table.add_row(f"{count.nodes:,}", count.rule, _no(count.no), Text.assemble((node, screen.NAME), f" {sentence}"))
    out.print(screen.indented(table))


def _no(no: No) -> Text:
    return Text(str(no), screen.BAD if no is No.NEVER else screen.WAITING)


def _show_nearest(one: Explanation, out: Console) -> None:
    if one.nearest:
        out.print()
        out.print("Nearest misses:")
        table = screen.table("NODE", "WHAT IS MISSING")
        for miss in one.nearest:
            table.add_row(Text(miss.node, screen.NAME), _sentences(miss.reasons))
        out.print(screen.indented(table))
    if one.change is not None:
        out.print()
        label = "Smallest change" + ("" if one.change.proven else " (advice; not tried)")
        out.print(Text.assemble((f"{label}: ", screen.TITLE), str(one.change)))
    if one.purchase is not None:
        if one.change is None:
            out.print()
        out.print(Text.assemble(("Or: " if one.change else "Smallest change: ", screen.TITLE), str(one.purchase)))


def _sentences(reasons: Sequence[Reason]) -> Text:
    text = Text()
    for number, one in enumerate(reasons):
        text.append("; " if number else "").append(one.sentence, screen.BAD if one.no is No.NEVER else screen.WAITING)
    return text


def show_node(one: Explanation, node: str, out: Console) -> None:
    """Why not this node: its reasons, or the points it had less."""
    reasons = one.node(node)
    if reasons:
        out.print(Text.assemble((node, screen.NAME), " does not do:"))
        for reason in reasons:
            out.print(screen.indented(Text.assemble(_no(reason.no), f"  {reason.rule}: {reason.sentence}")))
        return
    if node == one.chosen:
        out.print(Text.assemble((node, screen.NAME), " is where it is."))
        _show_score(one, out)
        return
    if one.chosen is None:
        out.print(Text.assemble((node, screen.NAME), " would do."))
        return
    parts = beside(one, node)
    behind = (
        ", but has the lower score:" if parts[-1][1] > parts[-1][2] else ", with the same score; a tie goes by a fixed order:"
    )
    out.print(Text.assemble((node, screen.NAME), f" would do{behind}"))
    table = screen.table("SCORE BY RULE", one.chosen, node, right=(one.chosen, node))
    for rule, chosen, other in parts:
        table.add_row(rule, signed(chosen), signed(other))
    out.print(screen.indented(table))


def beside(one: Explanation, node: str) -> list[tuple[str, float, float]]:
    """Score by rule on the chosen node and on another one that would do, with the sums at the end."""
    view = one.view
    assert isinstance(view, View)
    query = view.query()
    here, there = (query.snapshot.row(name) for name in (one.chosen or "", node))
    split = Parts(query)
    pairs = zip(split.of(here), split.of(there), strict=True)
    parts = [(rule_and_topic(rule, topic), own, other) for (rule, topic, own), (_, _, other) in pairs if own or other]
    return [*parts, ("sum", sum(part[1] for part in parts), sum(part[2] for part in parts))]


def show_refusals(one: Explanation, out: Console) -> None:
    refused = [(name, reasons) for name, reasons in one.nodes() if reasons]
    if not refused:
        return
    out.print()
    out.print("Why the others do not fit:" if one.feasible else "Why they do not fit, node by node:")
    table = screen.table("NODE", "REASONS")
    for name, reasons in refused:
        table.add_row(Text(name, screen.NAME), _sentences(reasons))
    out.print(screen.indented(table))


def show_preemption(plan: Preemption | None, out: Console) -> None:
    if plan is not None:
        out.print()
        out.print(Text.assemble(("Who would have to go: ", screen.TITLE), f"{plan}. Nobody is evicted by asking."))


def as_json(answer: Answer) -> dict[str, object]:
    explained = []
    for one in answer.found:
        data = one.as_json(answer.every_node)
        if answer.kube and one.chosen is None and not one.feasible:
            data["kube_scheduler_says"] = kube_view.message_of(one)
        if answer.node is not None:
            data["asked_node"] = {"node": answer.node, "reasons": [reason.as_json() for reason in one.node(answer.node)]}
        explained.append(data)
    plan = None if answer.preemption is None else answer.preemption.as_json()
    return {"asked": answer.asked, "explanations": explained, "preemption": plan}
