"""May a search conclude from one node that coarser ones meet the policy too, and finer ones not?"""

from __future__ import annotations

from lookalike.problem.problem import Problem


def not_monotone(problem: Problem) -> str | None:
    """Why it may not, in a sentence; None if it may."""
    if not all(rule.monotone for rule in problem.policy.require):
        return "a requirement is not monotone, so one node says nothing about coarser ones"
    conventions = problem.policy.conventions
    if conventions.suppressed == "star" and conventions.stars == "own" and problem.allowance:
        return (
            "starred rows must have lookalikes among themselves, so that a finer recoding with "
            "more of them may be allowed where a coarser one is not"
        )
    return None
