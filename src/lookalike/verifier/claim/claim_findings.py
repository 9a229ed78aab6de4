"""The findings that the rooms of the claim share: on the cost, and on the lower bound."""

from __future__ import annotations

import math

from lookalike.policy.policy import Policy
from lookalike.solution.solution import Solution, Status
from lookalike.verifier.finding import Finding
from lookalike.verifier.supplied_definitions import claim_note

ROUNDING = 1e-9  # relative


def cost_finding(
    policy: Policy, solution: Solution, cost: float, suppressed: int, classes: int, *, meets: bool
) -> Finding:
    """Does the solution claim the cost, suppressed rows and classes that were recomputed here?"""
    assert solution.cost is not None
    agrees = (
        meets
        and suppressed == solution.suppressed
        and classes == solution.classes
        and solution.metric == policy.metric.name
        and math.isclose(cost, solution.cost, rel_tol=ROUNDING, abs_tol=ROUNDING)
    )
    if agrees:
        sentence = f"Recomputed: {policy.metric.sentence(cost)}.{claim_note(policy)}"
        return Finding("cost", True, sentence)
    return Finding(
        "cost",
        False,
        "Cost, suppressed rows, number of classes or requirements are not as the solution claims.",
    )


def bound_check(solution: Solution) -> str:
    """The name of the check of the lower bound: of an optimal solution it is the optimality."""
    return "optimality" if solution.status is Status.OPTIMAL else "bound"


def claimed_bound(solution: Solution) -> float:
    """No recoding that meets the policy costs less than this, if the claim is true."""
    claimed = solution.cost if solution.status is Status.OPTIMAL else solution.bound
    assert claimed is not None
    return claimed


def less_rounding(claimed: float) -> float:
    """A claim, lowered by as much as rounding may have raised it."""
    return claimed - ROUNDING * max(1.0, abs(claimed)) if math.isfinite(claimed) else claimed


def bound_finding(policy: Policy, solution: Solution, lower_bound: float) -> Finding:
    """Is the bound that was computed here as high as the claim?"""
    if lower_bound < less_rounding(claimed_bound(solution)):
        return refuted_bound(solution, "a recoding that it leaves open could be cheaper")
    return Finding(bound_check(solution), True, solution.claim() + claim_note(policy))


def refuted_bound(solution: Solution, reason: str) -> Finding:
    """The proof fails."""
    sentence = f"The proof does not prove the claim: {reason}."
    return Finding(bound_check(solution), False, sentence, "solve the problem again")
