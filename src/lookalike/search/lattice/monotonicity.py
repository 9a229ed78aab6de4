"""May a search conclude from one node that coarser ones meet the policy too, and finer ones not?"""

from __future__ import annotations

from lookalike.problem.problem import Problem


def not_monotone(problem: Problem) -> str | None:
    """Why it may not, in a sentence; None if it may."""
    for rule in problem.policy.require:
        if not rule.monotone:
            return (
                f"{rule.name} may hold at a node and not at a coarser one, and it concludes from "
                "one to the other; use flash"
            )
        if not rule.grows and problem.allowance:
            return (
                f"with rows to suppress, {rule.name} may need fewer of them at a node than at a "
                "coarser one, and it concludes from one to the other; use flash, or suppress = 0"
            )
    conventions = problem.policy.conventions
    if conventions.suppressed == "star" and conventions.stars == "own" and problem.allowance:
        return (
            "starred rows must have lookalikes among themselves, so that a finer recoding with "
            "more of them may be allowed where a coarser one is not"
        )
    return None
