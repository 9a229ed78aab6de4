"""Which classes may not be released, by the verifier's own judgement of every rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from lookalike.policy.policy import Policy
from lookalike.privacy.average_risk import AverageRisk
from lookalike.privacy.defined_requirement import DefinedRequirement
from lookalike.privacy.delta_presence import DeltaPresence
from lookalike.privacy.population_uniqueness import PopulationUniqueness
from lookalike.privacy.requirement import Requirement
from lookalike.verifier.requirements.definitions import SLACK, judge
from lookalike.verifier.requirements.population_uniqueness import population_uniques
from lookalike.verifier.requirements.sensitive_counts import Flags, Held, Whole


def must_go(policy: Policy, held: Held, sets: Sequence[Whole], stays: int) -> Flags:
    """Classes that break a rule over a set of columns, or do so once those are gone.

    ``sets`` is the class of each class over each set of columns.
    """
    dropped = policy.conventions.suppressed == "drop"

    def bad(left: Held) -> Flags:
        return _any(judge(rule, left, stays).broken for rule in policy.require)

    return _gone(held, sets, bad, dropped=dropped)


def never_released(policy: Policy, held: Held, sets: Sequence[Whole], stays: int) -> Flags:
    """Classes whose rows no finer recoding releases either."""

    def bad(left: Held) -> Flags:
        return _any(judge(rule, left, stays).lost for rule in policy.require)

    return _gone(held, sets, bad, dropped=False)


def _gone(
    held: Held, sets: Sequence[Whole], bad: Callable[[Held], Flags], *, dropped: bool
) -> Flags:
    """Look at what is left until nothing there is bad over any set."""
    gone = np.zeros(len(held), dtype=bool)
    before = -1
    while before != int(gone.sum()):
        before = int(gone.sum())
        for alike in sets:
            gone = gone | bad(held.emptied(gone, dropped=dropped).joined(alike))[alike]
    return gone


def _any(flags: Iterable[Flags]) -> Flags:
    found: Flags = np.logical_or.reduce(list(flags))
    return found


def kept_as_a_whole(rule: Requirement, held: Held, kept: Flags) -> bool:
    """What a rule asks of the release as a whole, if it does."""
    rows, classes = int(held.sizes[kept].sum()), int(kept.sum())
    if isinstance(rule, DefinedRequirement):
        return rule.met_by(held.sizes[kept].tolist())
    if isinstance(rule, AverageRisk):
        return rows == 0 or classes / rows <= rule.risk + SLACK
    if isinstance(rule, PopulationUniqueness):
        sizes = held.sizes[kept]
        uniques = population_uniques(rule.estimator, sizes, rule.population)
        return uniques / rule.population <= rule.share + SLACK
    if isinstance(rule, DeltaPresence) and rule.least > SLACK:
        assert held.people is not None
        return held.others + int(held.people[~kept].sum()) == 0
    return True
