"""Does the claim on a certificate follow from the cost and the bound beside it?

Whether these two are true is not seen without the original.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from lookalike.policy.requirement_names import requirements_from
from lookalike.solution.recoding import Space
from lookalike.solution.solution import Status, feasible_claim, gap_between, optimal_claim
from lookalike.verifier.certificate.certificate import rounded
from lookalike.verifier.claim.guarantee import guaranteed, times_the_fewest
from lookalike.verifier.finding import Finding

Content = Mapping[str, Any]
ROUNDING = 1e-9


def claim_follows(content: Content) -> Finding:
    """Status, gap and sentence, worked out once more."""
    if _claimed(content):
        sentence = "The claim follows from its cost and its bound, which are not checked here."
        return Finding("claim", True, sentence)
    return Finding("claim", False, "The claim does not follow from its own cost and bound.")


def _claimed(content: Content) -> bool:
    claim = content["claim"]
    status, cost, bound, said = (claim.get(one) for one in ("status", "cost", "bound", "sentence"))
    bound = -math.inf if bound is None else bound
    metric, spaces = claim.get("metric"), [str(space) for space in Space]
    if not (
        claim.get("space") in spaces
        and (claim["space"] == Space.CUTS) == ("cuts" in content["conventions"])
        and (claim["space"] != Space.CUTS or content.get("model") is None)
        and _number(cost)
        and _number(bound)
        and isinstance(said, str)
        and _guaranteed(claim, content)
    ):
        return False
    space = Space(claim["space"])
    if status == Status.OPTIMAL:
        same = math.isclose(cost, bound, rel_tol=ROUNDING, abs_tol=ROUNDING)
        proved = f"{optimal_claim(space, metric)}; this is proved by "
        return same and claim.get("gap") == 0 and said.startswith(proved)
    gap = gap_between(cost, bound)
    return (
        status == Status.FEASIBLE
        and bound <= cost + ROUNDING * max(1.0, abs(cost))
        and claim.get("gap") == rounded(gap)
        and said == feasible_claim(space, metric, bound, gap)
    )


def _guaranteed(claim: Content, content: Content) -> bool:
    """Is the guarantee of a theorem, if one is given, the one for this k?"""
    given = claim.get("guarantee")
    if given is None:
        return True
    k = max((rule.smallest for rule in requirements_from(content["require"])), default=2)
    shown = isinstance(given, dict) and given.get("follows_from_bound") is True
    near = claim["cost"] <= times_the_fewest(k) * (claim["bound"] or 0) * (1 + ROUNDING)
    return (
        claim.get("algorithm") == "meyerson-williams"
        and given == guaranteed(k, shown=shown)
        and (not shown or (claim.get("metric") == "precision" and near))
    )


def _number(given: object) -> bool:
    return isinstance(given, int | float) and not isinstance(given, bool)
