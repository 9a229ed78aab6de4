"""Whether the verifier accepts what a solution claims."""

from __future__ import annotations

from typing import Any

from lookalike.verifier.claim.optimality import check_claim
from lookalike.verifier.counted_original import CountedOriginal
from lookalike.verifier.finding import Finding


def refused_claims(problem: Any, solution: Any) -> list[Finding]:
    """The findings on cost and bound that do not hold; none if the claim is verified."""
    original = CountedOriginal(problem.counts, problem.tables, problem.policy)
    return [finding for finding in check_claim(original, solution) if not finding.holds]
