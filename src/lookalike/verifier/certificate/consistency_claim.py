"""Check that the claim on a certificate follows from its cost and its bound.

Whether the bound is true cannot be checked without the original. The cost can be, by a metric that
needs only the sizes of the released classes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from lookalike.policy.requirement_names import requirements_from
from lookalike.solution.proof import SENTENCES, By
from lookalike.solution.recoding import Space
from lookalike.solution.solution import Status, gap_between
from lookalike.tables.table import Table
from lookalike.verifier.certificate.certificate import columns_with_role, rounded
from lookalike.verifier.certificate.fields import cost_is_recounted
from lookalike.verifier.certificate.public_claim import claim_sentence
from lookalike.verifier.certificate.sampled import is_sampled
from lookalike.verifier.claim.guarantee import approximation_factor, guarantee_content
from lookalike.verifier.finding import Finding
from lookalike.verifier.requirements.recount import count_classes

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
    suppressed = is_sampled(content) or content["rows"]["suppressed"]
    if not (
        claim["status"] in (Status.OPTIMAL, Status.FEASIBLE)
        and claim["space"] in [str(space) for space in Space]
        and (claim["space"] == Space.CUTS) == ("cuts" in content["conventions"])
        and (claim["space"] != Space.CUTS or content["model"] is None)
        and (suppressed or _numbers_agree(claim))
    ):
        return False
    return claim["sentence"] == claim_sentence(claim) and _guarantee_follows(claim, content)


def _numbers_agree(claim: Content) -> bool:
    """Do cost, bound, gap and proof fit together?"""
    cost, bound, size = claim["cost"], claim["bound"], claim["proof_size"]
    if claim["bound_by"] not in [str(by) for by in By]:
        return False
    if (size is None) != (claim["bound_by"] in SENTENCES):
        return False
    bound = -math.inf if bound is None else bound
    if claim["status"] == Status.OPTIMAL:
        return bool(cost == bound and claim["gap"] == 0)
    below = bound <= cost + ROUNDING * max(1.0, abs(cost))
    return bool(below and claim["gap"] == rounded(gap_between(cost, bound)))


def check_cost(released: Table, content: Content) -> list[Finding]:
    """The cost, where it follows from the released rows or from the levels of the columns."""
    cost = content["claim"].get("cost")
    if not cost_is_recounted(content):
        return []
    if _is_number(cost) and cost == rounded(_recounted(released, content)):
        return [Finding("cost", True, "The cost is that of the released rows.")]
    return [Finding("cost", False, "The cost is not that of the released rows.")]


def _recounted(released: Table, content: Content) -> float | None:
    claim, rows = content["claim"], content["rows"]
    names = columns_with_role(content, "quasi-identifier")
    if claim["metric"] == "height":
        levels = [content["columns"][name].get("level") for name in names]
        return float(sum(levels)) if all(map(_is_number, levels)) else None
    places = [f"c{i}" for i in range(len(names))]
    classes = count_classes(released.distinct_text(names), places)
    sizes = classes.column("count").to_pylist()
    total, suppressed = rows["original"], rows["suppressed"]
    if claim["metric"] == "class-size":
        return float(total / max(1, len(sizes) + (1 if suppressed else 0)))
    rules = requirements_from(content["require"])
    smallest = max((rule.smallest for rule in rules), default=1)
    pairs = sum(size * (size if size >= smallest else total) for size in sizes)
    return float(pairs + total * suppressed)


def _guarantee_follows(claim: Content, content: Content) -> bool:
    """Is the guarantee of a theorem, if the certificate has one, that for this k?"""
    if "guarantee" not in claim:
        return True
    guarantee = claim["guarantee"]
    k = max((rule.smallest for rule in requirements_from(content["require"])), default=2)
    proved = isinstance(guarantee, dict) and guarantee.get("follows_from_bound") is True
    bound = claim.get("bound") or 0
    near = proved and claim["cost"] <= approximation_factor(k) * bound * (1 + ROUNDING)
    return (
        claim.get("algorithm") == "meyerson-williams"
        and guarantee == guarantee_content(k, proved=proved)
        and (not proved or (claim.get("metric") == "precision" and near))
    )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
