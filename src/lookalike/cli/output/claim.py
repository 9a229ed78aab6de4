"""How good a result is: its status, its claim, and what was found when a search was interrupted."""

from __future__ import annotations

import math

from rich.console import RenderableType
from rich.text import Text

import lookalike as la
from lookalike import api
from lookalike.cli.output import layout as show
from lookalike.words import claim_heading

STYLES = {"optimal": "bold green", "unmet": "bold red"}
NO_LOWER_BOUND = (
    "another recoding might cost far less. More search time (--seconds, --checks), fewer levels "
    "(levels in the policy) or an exact algorithm (--by flash) could help."
)


def claim(status: str, gap: float, sentence: str) -> Text:
    """The claim, after the status in a few words."""
    gap_known = gap < api.UNKNOWN_GAP
    if status == "feasible" and not gap_known:
        sentence = NO_LOWER_BOUND
    heading = f"{claim_heading(status, gap_known=gap_known)}: "
    return show.led(heading, STYLES.get(status, "bold yellow"), sentence)


def cell_changes(problem: api.Problem, solution: la.Solution) -> list[RenderableType]:
    """What happened to the cells, where those of a column go different ways."""
    recoding = solution.recoding
    if recoding is None or (applied := problem.apply(recoding)).uniform:
        return []
    from lookalike.cli.output.cell_changes import section

    return section(applied.changes())


def best_so_far(solution: la.Solution, metric: api.Metric) -> str:
    """What an interrupted search had found: status, gap, cost and bound, in the metric's words."""
    gap, cost = solution.gap, solution.cost
    assert cost is not None
    known = f", gap {show.percent(gap)}" if math.isfinite(gap) else ""
    bound = metric.sentence(solution.bound) if gap < api.UNKNOWN_GAP else "none that is useful"
    return (
        f"the best result so far is saved ({solution.status}{known})\n"
        f"  cost: {metric.sentence(cost)}\n  lower bound: {bound}"
    )
