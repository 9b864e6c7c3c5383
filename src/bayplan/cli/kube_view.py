"""Explanations in the words of kube-scheduler: which plugin refuses a node, and the message it would print."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from bayplan.cli import screen
from bayplan.dialects.kubernetes import messages
from bayplan.engine.explanation import Explanation
from bayplan.model.decision import No


def message_of(one: Explanation) -> str:
    return messages.fit_error(reasons for _, reasons in one.nodes())


def show_message(one: Explanation, out: Console) -> None:
    out.print()
    out.print(Text.assemble(("kube-scheduler would say: ", screen.TITLE), message_of(one)))


def show_refusals(one: Explanation, out: Console) -> None:
    """Every plugin that refuses a node, in the order in which they are asked, with the numbers."""
    refused = [(name, reasons) for name, reasons in one.nodes() if reasons]
    if not refused:
        return
    out.print()
    out.print("Why the others do not fit (kube-scheduler notes only the first plugin of each):")
    table = screen.table("NODE", "PLUGIN", "REASON")
    for name, reasons in refused:
        node = name
        for reason in sorted(reasons, key=lambda one: messages.order(messages.plugin_of(one))):
            style = screen.BAD if reason.no is No.NEVER else screen.WAITING
            table.add_row(Text(node, screen.NAME), messages.plugin_of(reason), Text(reason.sentence, style))
            node = ""
    out.print(screen.indented(table))
