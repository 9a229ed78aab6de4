"""What was found of one requirement on a released table, in a sentence with its measure."""

from __future__ import annotations

import numpy as np

from lookalike.privacy.average_risk import AverageRisk
from lookalike.privacy.population_uniqueness import PopulationUniqueness
from lookalike.privacy.requirement import Requirement
from lookalike.verifier.finding import Finding
from lookalike.verifier.requirements.definitions import judge, known
from lookalike.verifier.requirements.population_uniqueness import population_uniques
from lookalike.verifier.requirements.sensitive_counts import Flags, Held
from lookalike.verifier.requirements.suppression import kept_as_a_whole
from lookalike.verifier.supplied_definitions import supplied_note

MEASURES = {  # what is measured, in the class that is worst off, and whether more is worse
    "maximum risk": ("the smallest class has {:,.0f} rows", False),
    "distinct l-diversity": ("the least diverse class has {:,.0f} values", False),
    "entropy l-diversity": ("the least diverse class is as uncertain as {:.4g} values", False),
    "recursive (c,l)-diversity": ("the least diverse class needs a c above {:.4g}", True),
    "(α,k)-anonymity": ("the most frequent value of a class has a share of {:.4g}", True),
    "β-likeness": ("the largest gain in a class is {:.4g}", True),
    "δ-disclosure privacy": ("the largest logarithm in a class is {:.4g}", True),
    "t-closeness": ("the farthest class is at {:.4g}", True),
    "k-map": ("the rarest class fits {:,.0f} people", False),
    "δ-presence": ("the highest chance is {:.4g}", True),
}


def finding_of(rule: Requirement, held: Held, apart: Flags | None, over: str) -> Finding:
    """``apart`` are classes that the rule is not about: rows starred throughout, if so agreed."""
    if not known(rule):
        sentence = f"The verifier cannot check: {rule.sentence()}."
        return Finding(rule.name, False, sentence)
    judged = judge(rule, held, int(held.sizes.sum()))
    about = np.ones(len(held), dtype=bool) if apart is None else ~apart
    bad = judged.broken & about
    everybody = held.sizes > 0
    holds = not bad.any() and kept_as_a_whole(rule, held, everybody)
    if holds:
        sentence = f"{rule.sentence()}{over}"
    elif bad.any():
        classes, rows = int(bad.sum()), int(held.sizes[bad].sum())
        sentence = (
            f"{classes:,} class{'es' if classes > 1 else ''} with {rows:,} "
            f"row{'s' if rows > 1 else ''} break{'' if classes > 1 else 's'} this{over}: "
            f"{rule.sentence()}"
        )
    else:
        sentence = f"Not kept{over}: {rule.sentence()}"
    measured = _measured(rule, held, about)
    return Finding(rule.name, holds, f"{sentence}; {measured}.{supplied_note([rule])}")


def _measured(rule: Requirement, held: Held, about: Flags) -> str:
    """The measure of the class that is worst off, or of the table."""
    if not held.sizes.sum():
        return "the table is empty"
    if isinstance(rule, AverageRisk):
        return f"it is {len(held) / int(held.sizes.sum()):.4g}"
    if isinstance(rule, PopulationUniqueness):
        uniques = population_uniques(rule.estimator, held.sizes, rule.population)
        return f"the estimate is {uniques / rule.population:.4g}"
    measure = judge(rule, held, int(held.sizes.sum())).measure[about]
    if not len(measure):
        return "there is no class to look at"
    if rule.name not in MEASURES:
        return f"{len(measure):,} classes were checked"
    words, more_is_worse = MEASURES[rule.name]
    worst = float(measure.max() if more_is_worse else measure.min())
    return words.format(round(worst, 9))
