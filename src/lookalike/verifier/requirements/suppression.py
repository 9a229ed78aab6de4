"""Which classes may not be released, by the verifier's own judgement of each requirement."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from lookalike.policy.policy import Policy
from lookalike.verifier.requirements.definitions import Judgement, judge
from lookalike.verifier.requirements.sensitive_counts import CountedClasses, Flags, Whole


def broken_classes(policy: Policy, classes: CountedClasses, sets: Sequence[Whole]) -> Flags:
    """Classes that break a requirement over a set of columns, or do so once others are suppressed.

    ``sets`` is, for each set of columns, the class over it of each of the ``classes``.
    """
    dropped = policy.conventions.suppressed == "drop"
    return _until_stable(policy, classes, sets, lambda judgement: judgement.broken, dropped=dropped)


def hopeless_classes(policy: Policy, classes: CountedClasses, sets: Sequence[Whole]) -> Flags:
    """Classes whose rows are suppressed at every finer node, whatever else is suppressed."""
    return _until_stable(policy, classes, sets, lambda judgement: judgement.hopeless, dropped=False)


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
            gone = gone | np.logical_or.reduce([flags(each) for each in judgements])[of]
    return gone
