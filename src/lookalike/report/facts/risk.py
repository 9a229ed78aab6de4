"""How exposed people are, before and after: three attackers, and how many rows look alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.level_table import TOP
from lookalike.report.subject import Subject
from lookalike.risks.attacker_models import THRESHOLD, attack
from lookalike.risks.table_risk import Bar, Risk, measure_counts
from lookalike.tables.table import Table


@dataclass(frozen=True, slots=True)
class SetRisk:
    """Over one set of columns; ``before`` is None where it is not told."""

    columns: tuple[str, ...]
    before: Risk | None
    after: Risk


@dataclass(frozen=True, slots=True)
class RiskFacts:
    """The sets that the policy speaks of, and, if they are several, all columns together."""

    sets: tuple[SetRisk, ...]
    threshold: float
    required: float | None  # the highest risk that the policy allows: one over k
    apart: int = 0  # rows that show nothing but *, which by convention are like nobody
    together: bool = False  # is the last set all columns, of which the policy promises nothing?

    @property
    def main(self) -> SetRisk:
        return self.sets[0]


def risk_facts(subject: Subject) -> RiskFacts:
    """Initial and residual risk."""
    policy = subject.policy
    columns, together = _asked(policy.sets, policy.names)
    wildcard = policy.conventions.stars == "wildcard"
    sets, apart = [], 0
    for names in columns:
        after, apart = _after(subject, names, wildcard)
        sets.append(SetRisk(names, _before(subject, names), after))
    required = 1 / subject.problem.smallest if subject.problem.smallest > 1 else None
    return RiskFacts(tuple(sets), THRESHOLD, required, apart, together)


def residual_risk(
    released: Table, linking: Sequence[Sequence[str]], names: Sequence[str], k: int, stars: str
) -> RiskFacts:
    """What can be told from the release alone."""
    columns, together = _asked([tuple(one) for one in linking], tuple(names))
    sets, apart = [], 0
    for one in columns:
        counts, apart = _without_stars(released.count_groups(one), stars == "wildcard")
        sets.append(SetRisk(one, None, measure_counts(counts)))
    return RiskFacts(tuple(sets), THRESHOLD, 1 / k if k > 1 else None, apart, together)


def _asked(
    sets: Sequence[tuple[str, ...]], names: tuple[str, ...]
) -> tuple[list[tuple[str, ...]], bool]:
    together = len(sets) > 1 or tuple(sets[0]) != tuple(names)
    return [*sets, names] if together else list(sets), together


def _before(subject: Subject, names: tuple[str, ...]) -> Risk | None:
    if not subject.problem.holds_all_tuples:
        return None
    counts = subject.problem.counts
    if names != counts.names:
        counts = subject.eligible.count_groups(names)
    return measure_counts(replace(counts, sensitive={}))


def _after(subject: Subject, names: tuple[str, ...], wildcard: bool) -> tuple[Risk, int]:
    if not subject.problem.holds_all_tuples and names == subject.problem.names and not wildcard:
        return _from_classes(subject), 0
    counts, apart = _without_stars(subject.released.count_groups(names), wildcard)
    return measure_counts(counts), apart


def _from_classes(subject: Subject) -> Risk:
    """From the sizes of the classes, which are in memory when the rows of a large table are not."""
    sizes = subject.applied.class_sizes
    if subject.starred and subject.solution.suppressed:
        sizes = np.append(sizes, subject.solution.suppressed)
    one = FrequencySet(
        ("classes",),
        (tuple(range(len(sizes))),),
        np.arange(len(sizes), dtype=np.int32)[:, None],
        sizes,
    )
    risk = measure_counts(one)
    return replace(risk, names=subject.problem.names, prosecutor=attack(sizes, sizes, THRESHOLD))


def _without_stars(counts: FrequencySet, wildcard: bool) -> tuple[FrequencySet, int]:
    """Rows starred throughout might be anybody, where a star is a wildcard."""
    if not wildcard or not counts.groups:
        return counts, 0
    starred = np.ones(counts.groups, dtype=np.bool_)
    for a, values in enumerate(counts.values):
        is_star = np.array([value == TOP for value in values], dtype=np.bool_)
        starred &= is_star[counts.codes[:, a]]
    left = replace(
        counts,
        codes=counts.codes[~starred],
        counts=counts.counts[~starred],
        sensitive={},
        marginals=None,
    )
    return left, int(counts.counts[starred].sum())


def size_words(bar: Bar) -> str:
    """``alone``, ``3–4``, ``100 or more``."""
    if bar.most is None:
        return f"{bar.least} or more"
    if bar.least == 1:
        return "alone"
    return str(bar.least) if bar.most == bar.least else f"{bar.least}–{bar.most}"
