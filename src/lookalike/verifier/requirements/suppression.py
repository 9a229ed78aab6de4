"""Which classes may not be released, by the verifier's own judgement of each requirement."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from lookalike.policy.policy import Policy
from lookalike.privacy.average_risk import AverageRisk
from lookalike.privacy.defined_requirement import DefinedRequirement
from lookalike.privacy.delta_presence import DeltaPresence
from lookalike.privacy.population_uniqueness import PopulationUniqueness
from lookalike.privacy.requirement import Requirement
from lookalike.verifier.requirements.definitions import ROUNDING, Judgement, judge
from lookalike.verifier.requirements.population_uniqueness import population_uniques
from lookalike.verifier.requirements.sensitive_counts import CountedClasses, Flags, Whole


def broken_classes(policy: Policy, classes: CountedClasses, sets: Sequence[Whole]) -> Flags:
    """Classes that break a requirement over a set of columns, or do so once others are suppressed.

    ``sets`` is, for each set of columns, the class over it of each of the ``classes``.
    """
    dropped = policy.conventions.suppressed == "drop"
    return _until_stable(policy, classes, sets, lambda one: one.broken, dropped=dropped)


def hopeless_classes(policy: Policy, classes: CountedClasses, sets: Sequence[Whole]) -> Flags:
    """Classes whose rows are suppressed at every finer node, whatever else is suppressed."""
    return _until_stable(policy, classes, sets, lambda one: one.hopeless, dropped=False)


def _until_stable(
    policy: Policy,
    classes: CountedClasses,
    sets: Sequence[Whole],
    flags: Callable[[Judgement], Flags],
    *,
    dropped: bool,
) -> Flags:
    """Suppress the flagged classes and judge the rest again, until none is flagged over any set."""
    rows = int(classes.sizes.sum())
    may_go = policy.allowance(rows) if policy.conventions.suppressed == "drop" else 0
    gone = np.zeros(len(classes), dtype=bool)
    before = -1
    while before != int(gone.sum()):
        before = int(gone.sum())
        for of in sets:
            left = classes.without(gone, dropped=dropped).merged(of)
            judgements = [judge(rule, left, rows - may_go) for rule in policy.require]
            gone = gone | np.logical_or.reduce([flags(one) for one in judgements])[of]
    return gone


def table_wide_met(rule: Requirement, classes: CountedClasses, kept: Flags) -> bool:
    """Does a release of the kept classes meet the table-wide part of the requirement?"""
    rows = int(classes.sizes[kept].sum())
    if isinstance(rule, AverageRisk):
        return rows == 0 or int(kept.sum()) / rows <= rule.risk + ROUNDING
    if isinstance(rule, DefinedRequirement):
        return rule.met_by(classes.sizes[kept].tolist())
    if isinstance(rule, PopulationUniqueness):
        uniques = population_uniques(rule.estimator, classes.sizes[kept], rule.population)
        return uniques / rule.population <= rule.share + ROUNDING
    if isinstance(rule, DeltaPresence) and rule.least > ROUNDING:
        assert classes.population is not None
        return classes.outside + int(classes.population[~kept].sum()) == 0
    return True
