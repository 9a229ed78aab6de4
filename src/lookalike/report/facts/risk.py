"""The risk of being recognized, before and after the release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.level_table import TOP
from lookalike.report.subject import Subject
from lookalike.risks.attacker_models import THRESHOLD
from lookalike.risks.table_risk import Bar, Risk, measure_counts
from lookalike.tables.table import Table


@dataclass(frozen=True, slots=True)
class SetRisk:
    """The risk over one set of columns; ``before`` is None where it is not known."""

    columns: tuple[str, ...]
    before: Risk | None
    after: Risk


@dataclass(frozen=True, slots=True)
class RiskFacts:
    """The risk over each set of columns of the policy, and over all columns together."""

    sets: tuple[SetRisk, ...]
    threshold: float
    required: float | None  # the highest risk that the policy allows: one over k
    fully_starred: int = 0  # rows of nothing but *, not counted if a star is a wildcard
    together: bool = False  # is the last set all columns, for which the policy promises nothing?

    @property
    def main(self) -> SetRisk:
        return self.sets[0]


def risk_facts(subject: Subject) -> RiskFacts:
    """Risk before (initial) and after (residual)."""
    policy = subject.policy
    column_sets, together = _column_sets(policy.sets, policy.names)
    wildcard = policy.conventions.stars == "wildcard"
    sets, fully_starred = [], 0
    for names in column_sets:
        after, fully_starred = _after(subject, names, wildcard)
        sets.append(SetRisk(names, _before(subject, names), after))
    required = 1 / subject.problem.smallest if subject.problem.smallest > 1 else None
    return RiskFacts(tuple(sets), THRESHOLD, required, fully_starred, together)


def residual_risk(
    released: Table, linking: Sequence[Sequence[str]], names: Sequence[str], k: int, stars: str
) -> RiskFacts:
    """The risk after, from the release alone."""
    column_sets, together = _column_sets([tuple(columns) for columns in linking], tuple(names))
    sets, fully_starred = [], 0
    for columns in column_sets:
        counts, fully_starred = _without_stars(released.count_groups(columns), stars == "wildcard")
        sets.append(SetRisk(columns, None, measure_counts(counts)))
    return RiskFacts(tuple(sets), THRESHOLD, 1 / k if k > 1 else None, fully_starred, together)


def _column_sets(
    sets: Sequence[tuple[str, ...]], names: tuple[str, ...]
) -> tuple[list[tuple[str, ...]], bool]:
    """The sets of the policy, and all columns together if no set has them all."""
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
    counts, fully_starred = _without_stars(subject.released.count_groups(names), wildcard)
    return measure_counts(counts), fully_starred


def _from_classes(subject: Subject) -> Risk:
    """From the class sizes, which are in memory even if the tuples of a large table are not."""
    sizes = subject.applied.class_sizes
    if subject.starred and subject.solution.suppressed:
        sizes = np.append(sizes, subject.solution.suppressed)
    codes = np.arange(len(sizes), dtype=np.int32)[:, None]
    classes = FrequencySet(("classes",), (tuple(range(len(sizes))),), codes, sizes)
    return replace(measure_counts(classes), names=subject.problem.names)


def _without_stars(counts: FrequencySet, wildcard: bool) -> tuple[FrequencySet, int]:
    """Without the rows of nothing but stars, if a star is a wildcard; and how many they are."""
    if not wildcard or not counts.groups:
        return counts, 0
    starred = np.ones(counts.groups, dtype=np.bool_)
    for a, values in enumerate(counts.values):
        starred &= np.array([value == TOP for value in values], np.bool_)[counts.codes[:, a]]
    codes, rows = counts.codes[~starred], counts.counts[~starred]
    return FrequencySet(counts.names, counts.values, codes, rows), int(counts.counts[starred].sum())


def size_label(bar: Bar) -> str:
    """``unique``, ``3–4``, ``100 or more``."""
    if bar.most is None:
        return f"{bar.least} or more"
    if bar.least == 1:
        return "unique"
    return str(bar.least) if bar.most == bar.least else f"{bar.least}–{bar.most}"
