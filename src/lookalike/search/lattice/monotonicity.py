"""Whether the policy is monotone: if a node meets it, all coarser nodes do."""

from __future__ import annotations

from lookalike.problem.problem import Problem


def why_not_monotone(problem: Problem) -> str | None:
    """A sentence on why the policy is not monotone; None if it is."""
    for rule in problem.policy.require:
        if not rule.monotone:
            return (
                f"a node may meet {rule.name} while a higher one does not, but this algorithm "
                "relies on the opposite; use flash"
            )
        if not rule.grows and problem.allowance:
            return (
                f"with suppression, a node may need fewer suppressed rows for {rule.name} than a "
                "higher one, but this algorithm relies on the opposite; use flash, or set "
                "suppress = 0"
            )
    conventions = problem.policy.conventions
    if conventions.suppressed == "star" and conventions.stars == "own" and problem.allowance:
        return (
            "starred rows must have lookalikes among themselves, so a more precise recoding with "
            "more starred rows may meet the policy while a less precise one does not; use flash"
        )
    return None
