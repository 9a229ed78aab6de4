"""What the release cost in quality: the policy's own metric with its bound, others for context."""

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


@dataclass(frozen=True, slots=True)
class Measured:
    """One metric's word on the release."""

    name: str
    meaning: str
    words: str  # the value, as the metric says it


@dataclass(frozen=True, slots=True)
class Quality:
    """Cost, bound and gap of what was asked to be kept small, and the claim."""

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
    others: tuple[Measured, ...] = ()


def quality(content: Mapping[str, Any], metric: Metric | None = None) -> Quality:
    """From the certificate alone; ``metric`` if its name does not say all."""
    claim = content["claim"]
    cost = claim["cost"]
    gap = claim["gap"]
    known = metric or _by_name(claim["metric"])
    if cost is None:
        words = ""
    elif known is None:
        words = f"{claim['metric']} cost {number(cost)}"
    else:
        words = known.sentence(cost)
    useful = gap is not None and gap < UNKNOWN_GAP
    return Quality(
        claim["metric"],
        _meaning(claim["metric"]),
        sentence(words),
        "not known" if cost is None else number(cost),
        number(claim["bound"]) if useful and claim["bound"] is not None else "none worth the name",
        f"{gap:.2%}" if useful else "not known",
        claim["status"],
        _head(claim["status"], useful),
        claim["sentence"],
        claim.get("guarantee", {}).get("sentence", ""),
    )


def other_metrics(subject: Subject) -> tuple[Measured, ...]:
    """What the other metrics say of the same release, where they can say anything."""
    found = []
    for name, kind in METRICS.usable().items():
        if name == subject.policy.metric.name or kind.parameter:
            continue
        metric: Metric = kind.from_policy(name)
        cost = _cost(subject, metric)
        words = "cannot be told of this recoding" if cost is None else metric.sentence(cost)
        found.append(Measured(name, _meaning(name), sentence(words)))
    return tuple(found)


def _cost(subject: Subject, metric: Metric) -> float | None:
    problem: Problem = subject.problem
    if metric.needs_one_set and not problem.one_set:
        return None  # it speaks of classes over all columns, and the policy of sets
    recoding = subject.recoding
    other = copy.copy(problem.in_memory(recoding))
    other.costing = metric.on(problem.ground)
    try:
        cost = other.evaluate(recoding).cost
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
        return None  # one that needs a column


def _head(status: str, useful: bool) -> str:
    if status == "optimal":
        return "As good as can be"
    return "Good, and how good is known" if useful else "It meets the policy; how good is not known"
