"""Information loss: the metric of the policy with its lower bound, and other metrics."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lookalike.cost.metric import Metric
from lookalike.errors import LookalikeError
from lookalike.policy.metric_names import metric_from
from lookalike.problem.column_costs import costliest_columns
from lookalike.problem.problem import Problem
from lookalike.registry import METRICS
from lookalike.report.number_format import number, sentence
from lookalike.report.subject import Subject
from lookalike.solution.solution import UNKNOWN_GAP, Solution, Status
from lookalike.words import METRICS as METRIC_TERMS
from lookalike.words import claim_heading

PRIVATE = "in the internal edition"  # a number that depends on suppressed rows


@dataclass(frozen=True, slots=True)
class OtherMetric:
    """The value of another metric."""

    name: str
    meaning: str
    words: str  # the value in a sentence


@dataclass(frozen=True, slots=True)
class Quality:
    """Cost, lower bound and gap by the metric of the policy, and the claim."""

    metric: str
    meaning: str
    words: str
    cost: str
    bound: str
    gap: str
    status: str
    head: str  # the claim in a few words
    claim: str
    guarantee: str
    others: tuple[OtherMetric, ...] = ()
    costliest: str = ""  # the columns that cost most, in a sentence


def quality(
    content: Mapping[str, Any], metric: Metric | None = None, solution: Solution | None = None
) -> Quality:
    """From the content of the certificate; ``metric`` if its name is not enough.

    With the ``solution``, from its numbers: the certificate leaves out those that depend on
    suppressed rows.
    """
    claim = content["claim"] | ({} if solution is None else _whole_claim(solution))
    cost, gap = claim.get("cost"), claim.get("gap")
    private = "bound_by" not in claim
    metric = metric or _by_name(claim["metric"])
    if cost is None:
        words = ""
    elif metric is None:
        words = f"{claim['metric']} cost {number(cost)}"
    else:
        words = metric.sentence(cost)
    optimal = claim["status"] == Status.OPTIMAL
    gap = 0.0 if optimal else gap
    gap_known = gap is not None and gap < UNKNOWN_GAP
    bound = cost if optimal else claim.get("bound")
    not_shown = PRIVATE if private else "not known"
    head = claim_heading(claim["status"], gap_known=gap_known)
    return Quality(
        claim["metric"],
        _meaning(claim["metric"]),
        sentence(words),
        not_shown if cost is None else number(cost),
        number(bound) if gap_known and bound is not None else not_shown,
        f"{gap:.2%}" if gap is not None and gap_known else not_shown,
        claim["status"],
        f"Meets the policy; the gap is {PRIVATE}" if private and not optimal else head,
        claim["sentence"],
        claim.get("guarantee", {}).get("sentence", ""),
    )


def _whole_claim(solution: Solution) -> dict[str, Any]:
    """As the certificate of a release without suppressed rows has it."""
    bound = solution.bound if math.isfinite(solution.bound) else None
    return {
        "status": str(solution.status),
        "sentence": solution.claim(),
        "cost": solution.cost,
        "bound": bound,
        "gap": solution.gap,
        "bound_by": str(solution.proof.basis),
    }


def other_metrics(subject: Subject) -> tuple[OtherMetric, ...]:
    """The other metrics of the same release, where they apply."""
    others = []
    for name, kind in METRICS.usable().items():
        if name == subject.policy.metric.name or kind.parameter:
            continue
        metric: Metric = kind.from_policy(name)
        cost = _cost(subject, metric)
        words = "does not apply to this recoding" if cost is None else metric.sentence(cost)
        others.append(OtherMetric(name, _meaning(name), sentence(words)))
    return tuple(others)


def costliest(subject: Subject) -> str:
    """The columns that cost most, in a sentence; empty if the metric is not a sum over columns."""
    return costliest_columns(subject.problem, subject.recoding).sentence


def _cost(subject: Subject, metric: Metric) -> float | None:
    problem: Problem = subject.problem
    if metric.needs_one_set and not problem.one_set:
        return None  # it needs classes over all columns, but the policy has several sets
    recoding = subject.recoding
    priced = copy.copy(problem.in_memory(recoding))
    priced.costing = metric.on(problem.ground)
    try:
        cost = priced.evaluate(recoding).cost
    except (LookalikeError, NotImplementedError):
        return None
    return cost if math.isfinite(cost) else None


def _meaning(name: str) -> str:
    if name in METRIC_TERMS:
        return METRIC_TERMS[name].meaning
    kind: type[Metric] | None = METRICS.usable().get(name)
    return sentence(kind.meaning) if kind else ""


def _by_name(name: str) -> Metric | None:
    try:
        return metric_from(name)
    except LookalikeError:
        return None  # a metric that needs a column
