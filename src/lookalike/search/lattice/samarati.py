"""Samarati: binary search on the height of the lattice for the lowest recoding that meets k.

Samarati 2001, as told by the survey (Saroha 2014, section 3.3), its slip mended: the lower half of
the heights ends at ⌈h/2⌉, not ⌈h/4⌉.
"""

from __future__ import annotations

from dataclasses import dataclass

from lookalike.problem.evaluation import Evaluation
from lookalike.problem.problem import Problem
from lookalike.search.algorithm import Algorithm
from lookalike.search.algorithm_options import flag, word
from lookalike.search.lattice.height_search import (
    PREFERENCES,
    Preference,
    at_height,
    lowest,
    no_heights,
    prefer,
)
from lookalike.search.option_checks import check_flag, check_word
from lookalike.search.run import Run
from lookalike.solution.recoding import Space


@dataclass(frozen=True, slots=True)
class Samarati(Algorithm):
    """Exact in the height; whether its node is also the cheapest, the bound tells.

    ``preference`` picks among the nodes of the least height: the metric's cost, the least absolute
    or relative distance, the most classes (distribution), the fewest suppressed rows. With
    ``every`` all k-minimal generalizations are found, at greater heights too, and it picks among
    those.
    """

    preference: Preference = "least-cost"
    every: bool = False
    name = "samarati"
    space = Space.FULL_DOMAIN
    options = (flag("every"), word("preference"))
    promise = (
        "Samarati's algorithm meets the policy with the fewest generalization steps possible "
        "(the least height of the lattice)."
    )

    def __post_init__(self) -> None:
        check_word("Samarati(preference=...)", self.preference, PREFERENCES)
        check_flag("Samarati(every=...)", self.every)

    def why_unsuitable(self, problem: Problem) -> str | None:
        return no_heights(problem)

    def search(self, run: Run) -> None:
        if not run.check(run.problem.high).meets:
            return
        minimal = lowest(run, sum(run.problem.high))
        if self.every:
            minimal = _all_minimal(run, minimal)
        prefer(run, minimal, self.preference)


def _all_minimal(run: Run, lowest: list[Evaluation]) -> list[Evaluation]:
    """k-minimal nodes at every height: those that meet the policy, above no other that does."""
    minimal = list(lowest)
    top = sum(run.problem.high)
    for height in range(sum(lowest[0].levels) + 1, top + 1):
        for node in at_height(run.problem, height):
            if any(_finer(one.levels, node) for one in minimal):
                continue
            if (found := run.check(node)).meets:
                minimal.append(found)
    return minimal


def _finer(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    return all(a <= b for a, b in zip(one, other, strict=True))
