"""What every node scores, rule by rule and resource by resource, as a table."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from bayplan.cli import screen
from bayplan.engine.explanation import Explanation


def show_scores(one: Explanation, out: Console) -> None:
    """The nodes that fit, the best first."""
    fitting = [score for score in one.scores() if score.fits]
    if not fitting:
        return
    rules = [rule_and_topic(rule, topic) for rule, topic, _ in fitting[0].parts]
    table = screen.table("NODE", "SCORE", *rules, right=("SCORE", *rules))
    for score in fitting:
        chosen = screen.GOOD if score.node == one.chosen else screen.NAME
        table.add_row(Text(score.node, chosen), signed(score.score), *(signed(number) for _, _, number in score.parts))
    out.print()
    out.print("What the nodes that fit would score:")
    out.print(screen.indented(table))


def rule_and_topic(rule: str, topic: str) -> str:
    return f"{rule}: {topic}" if topic else rule


def signed(score: float | None) -> str:
    return "" if score is None else f"{round(score, 3) + 0.0:+.3f}"  # adding 0.0 turns -0.0 into 0.0
