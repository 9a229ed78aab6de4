"""The finding on one requirement: whether a table meets it, in a sentence with its measure."""

from __future__ import annotations

import numpy as np

from lookalike.privacy.requirement import Requirement
from lookalike.verifier.finding import Finding
from lookalike.verifier.requirements.definitions import (
    Floats,
    can_judge,
    judge,
    table_measure,
    table_wide_met,
)
from lookalike.verifier.requirements.sensitive_counts import CountedClasses, Flags
from lookalike.verifier.supplied_definitions import supplied_note

MEASURES = {  # by requirement: the measure of its worst class, and whether a larger one is worse
    "maximum risk": ("the smallest class has {:,.0f} rows", False),
    "distinct l-diversity": ("the least diverse class has {:,.0f} values", False),
    "entropy l-diversity": ("the least diverse class is as uncertain as {:.4g} values", False),
    "recursive (c,l)-diversity": ("the least diverse class needs a c above {:.4g}", True),
    "(α,k)-anonymity": ("the most frequent value of a class has a share of {:.4g}", True),
    "β-likeness": ("the largest gain in a class is {:.4g}", True),
    "δ-disclosure privacy": ("the largest log-ratio in a class is {:.4g}", True),
    "t-closeness": ("the largest distance of a class is {:.4g}", True),
    "k-map": ("the rarest class matches {:,.0f} people", False),
    "δ-presence": ("the highest chance is {:.4g}", True),
}
TABLE_MEASURES = {
    "average risk": "the average risk is {:.4g}",
    "population uniqueness": "the estimate is {:.4g}",
}


def requirement_finding(
    rule: Requirement, classes: CountedClasses, exempt: Flags | None, over: str
) -> Finding:
    """``exempt`` classes are not judged: rows that are all ``*``, where ``*`` is a wildcard.

    ``over`` names the columns, if there are several sets of them.
    """
    if not can_judge(rule):
        return Finding(rule.name, False, f"The verifier cannot check: {rule.sentence()}.")
    rows = int(classes.sizes.sum())
    judgement = judge(rule, classes, rows)
    judged = np.ones(len(classes), dtype=bool) if exempt is None else ~exempt
    measure = judgement.measure[judged]
    measured = _measured(rule, classes, measure) if rows else "the table is empty"
    broken = judgement.broken & judged
    holds = not broken.any() and table_wide_met(rule, classes, classes.sizes > 0)
    if holds:
        sentence = f"{rule.sentence()}{over}"
    elif broken.any():
        count, broken_rows = int(broken.sum()), int(classes.sizes[broken].sum())
        sentence = (
            f"{count:,} class{'es' if count > 1 else ''} with {broken_rows:,} "
            f"row{'s' if broken_rows > 1 else ''} break{'' if count > 1 else 's'} this{over}: "
            f"{rule.sentence()}"
        )
    else:
        sentence = f"Not met{over}: {rule.sentence()}"
    return Finding(rule.name, holds, f"{sentence}; {measured}.{supplied_note([rule])}")


def _measured(rule: Requirement, classes: CountedClasses, measure: Floats) -> str:
    """The measure of the worst class, or of the table."""
    if (measured := table_measure(rule, classes.sizes)) is not None:
        return TABLE_MEASURES[rule.name].format(measured[0])
    if not len(measure):
        return "there is no class to check"
    if rule.name not in MEASURES:
        return f"{len(measure):,} classes were checked"
    sentence, larger_is_worse = MEASURES[rule.name]
    worst = float(measure.max() if larger_is_worse else measure.min())
    return sentence.format(round(worst, 9))
