"""Which classes may not be released, by the verifier's own judgement of each requirement."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lookalike.policy.policy import Policy
from lookalike.verifier.requirements.definitions import judge
from lookalike.verifier.requirements.sensitive_counts import CountedClasses, Flags, Whole


def broken_classes(
    policy: Policy, classes: CountedClasses, sets: Sequence[Whole], *, hopeless: bool = False
) -> Flags:
    """Classes that break a requirement over a set of columns, or do so once others are suppressed.

    The ``hopeless`` ones are those whose rows are suppressed at every finer node, whatever else is
    suppressed. ``sets`` is, for each set of columns, the class over it of each of the ``classes``.
    """
    drop = policy.conventions.suppressed == "drop"
    rows = int(classes.sizes.sum())
    fewest = rows - policy.allowance(rows) if drop else rows
    gone = np.zeros(len(classes), dtype=bool)
    before = -1
    while before != int(gone.sum()):  # suppress the flagged classes, and judge the rest again
        before = int(gone.sum())
        for of in sets:
            left = classes.without(gone, dropped=drop and not hopeless).merged(of)
            for rule in policy.require:
                judgement = judge(rule, left, fewest)
                gone = gone | (judgement.hopeless if hopeless else judgement.broken)[of]
    return gone
