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
from lookalike.problem.problem import Problem
from lookalike.registry import METRICS
from lookalike.report.number_format import number, sentence
from lookalike.report.subject import Subject
from lookalike.solution.solution import UNKNOWN_GAP
from lookalike.words import METRICS as METRIC_TERMS
from lookalike.words import claim_heading


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


def quality(content: Mapping[str, Any], metric: Metric | None = None) -> Quality:
    """From the content of the certificate; ``metric`` if its name is not enough."""
    claim = content["claim"]
    cost, gap = claim["cost"], claim["gap"]
    metric = metric or _by_name(claim["metric"])
    if cost is None:
        words = ""
    elif metric is None:
        words = f"{claim['metric']} cost {number(cost)}"
    else:
        words = metric.sentence(cost)
    gap_known = gap is not None and gap < UNKNOWN_GAP
    return Quality(
        claim["metric"],
        _meaning(claim["metric"]),
        sentence(words),
        "not known" if cost is None else number(cost),
        number(claim["bound"]) if gap_known and claim["bound"] is not None else "not known",
        f"{gap:.2%}" if gap_known else "not known",
        claim["status"],
        claim_heading(claim["status"], gap_known=gap_known),
        claim["sentence"],
        claim.get("guarantee", {}).get("sentence", ""),
    )


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
