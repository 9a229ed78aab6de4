"""How good a result is: its status, its claim, and what was found when a search was interrupted."""

from __future__ import annotations

import math

from rich.console import RenderableType
from rich.text import Text

import lookalike as la
from lookalike import api
from lookalike.cli.output import layout as show
from lookalike.cli.terminal.safe_text import clean
from lookalike.words import claim_heading

STYLES = {"optimal": "bold green", "unmet": "bold red"}
NO_LOWER_BOUND = (
    "another recoding might cost far less. More search time (--seconds, --checks) or fewer levels "
    "(levels in the policy) could help."
)
EXACT_SEARCH = " So could an exact search (--by branch-and-bound)."


def claim(solution: la.Solution) -> Text:
    """The claim, after the status in a few words."""
    status, gap_known = solution.status, solution.gap < api.UNKNOWN_GAP
    unbounded = status == "feasible" and not gap_known
    heading = f"{claim_heading(status, gap_known=gap_known)}: "
    sentence = _no_lower_bound(solution) if unbounded else solution.claim()
    return show.led(heading, STYLES.get(status, "bold yellow"), sentence)


def _no_lower_bound(solution: la.Solution) -> str:
    """What could help where no useful lower bound is known."""
    exact = solution.algorithm in (la.Flash.name, la.BranchAndBound.name)
    can_be_exact = solution.space is la.Space.FULL_DOMAIN and not exact
    return NO_LOWER_BOUND + (EXACT_SEARCH if can_be_exact else "")


def quality(
    solution: la.Solution, problem: api.Problem, *notes: str | None
) -> list[RenderableType]:
    """The section on the cost and the claim, with further notes if there are any."""
    cost = problem.policy.metric.sentence(0.0 if solution.cost is None else solution.cost)
    parts: list[RenderableType] = [Text(f"{cost[0].upper()}{cost[1:]}."), claim(solution)]
    if solution.recoding is not None:
        costliest = api.costliest_columns(problem, solution.recoding).sentence
        parts += [Text(clean(costliest))] if costliest else []
    parts += [show.dim(note) for note in notes if note]
    return show.section("Quality", *parts)


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
