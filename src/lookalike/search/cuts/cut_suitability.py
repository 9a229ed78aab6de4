"""What no search over cuts can work with."""

from __future__ import annotations

from lookalike.problem.problem import Problem
from lookalike.problem.recodings.cut_space import why_not_cut

BY_CLASS = ("discernibility", "classification")
BY_ROW = ("loss", "entropy")  # they add up row by row and column by column

NO_BOUND = {
    "loss-geometric": "a mean of logarithms does not add up row by row",
    "precision": "an interval does not have a level",
    "height": "an interval does not have a level",
    "class-size": "the number of classes cannot be computed interval by interval",
}
USE = "use discernibility, or classification with a class column"


def no_cuts(problem: Problem) -> str | None:
    """What no search over cuts for DM or CM can work with, in a sentence."""
    metric = problem.policy.metric.name
    if metric not in BY_CLASS:
        return f"it needs a metric that depends only on classes, and {metric} does not; {USE}"
    return no_table_to_cut(problem)


def no_bound(problem: Problem) -> str | None:
    """What an exact search over cuts cannot work with either, in a sentence."""
    metric = problem.policy.metric.name
    if metric not in BY_CLASS + BY_ROW:
        why = NO_BOUND.get(metric)
        because = f": {why}" if why else ""
        return f"it has no bound for {metric} over cuts{because}; {USE}, loss or entropy"
    return no_table_to_cut(problem)


def no_table_to_cut(problem: Problem) -> str | None:
    """What no search over cuts can work with, for any metric."""
    conventions = problem.policy.conventions
    if not problem.one_set:
        return "it takes one set of columns for linking, and the policy has several"
    if conventions.suppressed == "star" and conventions.stars == "own" and problem.allowance:
        return (
            "starred rows must be none or at least k, which it cannot take into account; use "
            'suppressed = "drop" or stars = "wildcard" under conventions, or suppress = 0'
        )
    if not problem.rows:
        return "the table has no rows"
    return why_not_cut(problem)
