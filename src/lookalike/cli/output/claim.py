"""How good a result is, in words no stronger than what is known."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rich.text import Text

from lookalike.cli.output import layout as show
from lookalike.solution.solution import UNKNOWN_GAP

if TYPE_CHECKING:
    from lookalike.cost.metric import Metric
    from lookalike.solution.solution import Solution


def claim(status: str, gap: float, sentence: str) -> Text:
    """The claim, with what it comes to in front."""
    if status == "optimal":
        return _after("As good as can be: ", "bold green", sentence)
    if status == "unmet":
        return _after("Not safe: ", "bold red", sentence)
    if gap < UNKNOWN_GAP:
        return _after("Good, and how good is known: ", "bold yellow", sentence)
    return _after(
        "It meets the policy; how good it is, is not known: ",
        "bold yellow",
        "no bound was proved that is worth the name, so another recoding might lose far less. "
        "More time for the search (--seconds, --checks) would help, or fewer levels to search "
        "(levels in the policy), or an exact algorithm (--by flash) if this was none.",
    )


def best_so_far(solution: Solution, metric: Metric) -> str:
    """What an interrupted search had found: status, gap, cost and bound, in the metric's words."""
    gap, cost = solution.gap, solution.cost
    assert cost is not None
    known = f", gap {show.percent(gap)}" if math.isfinite(gap) else ""
    bound = metric.sentence(solution.bound) if gap < UNKNOWN_GAP else "none that is worth the name"
    return (
        f"the best so far is kept ({solution.status}{known})\n"
        f"  cost: {metric.sentence(cost)}\n  bound: {bound}"
    )


def _after(head: str, style: str, sentence: str) -> Text:
    return Text(head, style=style).append(sentence, style="not bold default")
