"""What no search over cuts can work with."""

from __future__ import annotations

from lookalike.problem.cuts import unordered
from lookalike.problem.problem import Problem

METRICS = ("discernibility", "classification")


def no_cuts(problem: Problem) -> str | None:
    """What no search over cuts for DM or CM can work with, in a sentence."""
    conventions = problem.policy.conventions
    metric = problem.policy.metric.name
    if metric not in METRICS:
        return (
            f"it has no bound for {metric} over cuts; use discernibility, or classification with a "
            "class column"
        )
    if not problem.one_set:
        return "it keeps one quasi-identifier safe, and the policy links by several"
    if conventions.suppressed == "star" and conventions.stars == "own" and problem.allowance:
        return (
            "suppressed rows that stay must be none or many, which it does not search for; use "
            'suppressed = "drop" or stars = "wildcard" under conventions, or suppress = 0'
        )
    if not problem.rows:
        return "the table has no rows"
    return unordered(problem)
