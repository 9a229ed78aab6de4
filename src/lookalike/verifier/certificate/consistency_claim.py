"""Check that the claim on a certificate follows from its cost and its bound.

Whether the cost and the bound are true cannot be checked without the original.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from lookalike.policy.requirement_names import requirements_from
from lookalike.solution.recoding import Space
from lookalike.solution.solution import Status, feasible_claim, gap_between, optimal_claim
from lookalike.verifier.certificate.certificate import rounded
from lookalike.verifier.claim.guarantee import approximation_factor, guarantee_content
from lookalike.verifier.finding import Finding

Content = Mapping[str, Any]
ROUNDING = 1e-9


def check_claim(content: Content) -> Finding:
    """Status, gap and sentence, computed again."""
    if _follows(content):
        sentence = "The claim follows from its cost and its bound, which are not checked here."
        return Finding("claim", True, sentence)
    return Finding("claim", False, "The claim does not follow from its own cost and bound.")


def _follows(content: Content) -> bool:
    claim = content["claim"]
    status, cost, bound, sentence = map(claim.get, ("status", "cost", "bound", "sentence"))
    bound = -math.inf if bound is None else bound
    metric, spaces = claim.get("metric"), [str(space) for space in Space]
    if not (
        claim.get("space") in spaces
        and (claim["space"] == Space.CUTS) == ("cuts" in content["conventions"])
        and (claim["space"] != Space.CUTS or content.get("model") is None)
        and _is_number(cost)
        and _is_number(bound)
        and isinstance(sentence, str)
        and _guarantee_follows(claim, content)
    ):
        return False
    space = Space(claim["space"])
    if status == Status.OPTIMAL:
        same = math.isclose(cost, bound, rel_tol=ROUNDING, abs_tol=ROUNDING)
        proved = f"{optimal_claim(space, metric)}; this is proved by "
        return same and claim.get("gap") == 0 and sentence.startswith(proved)
    gap = gap_between(cost, bound)
    return (
        status == Status.FEASIBLE
        and bound <= cost + ROUNDING * max(1.0, abs(cost))
        and claim.get("gap") == rounded(gap)
        and sentence == feasible_claim(space, metric, bound, gap)
    )


def _guarantee_follows(claim: Content, content: Content) -> bool:
    """Is the guarantee of a theorem, if the certificate has one, that for this k?"""
    guarantee = claim.get("guarantee")
    if guarantee is None:
        return True
    k = max((rule.smallest for rule in requirements_from(content["require"])), default=2)
    proved = isinstance(guarantee, dict) and guarantee.get("follows_from_bound") is True
    near = claim["cost"] <= approximation_factor(k) * (claim["bound"] or 0) * (1 + ROUNDING)
    return (
        claim.get("algorithm") == "meyerson-williams"
        and guarantee == guarantee_content(k, proved=proved)
        and (not proved or (claim.get("metric") == "precision" and near))
    )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
