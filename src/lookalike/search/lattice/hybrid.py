"""Hybrid: Datafly's climb gives a roof, Samarati's binary search finishes below it.

The survey's proposal (Saroha 2014, section 4.0.1): Datafly is to give the lower and upper limits of
the height. The node it ends at meets the policy, so the least height is at most its own. A lower
limit it cannot give: that its nodes below do not meet the policy says nothing of others as low.
"""

from __future__ import annotations

from dataclasses import dataclass

from lookalike.problem.problem import Problem
from lookalike.search.algorithm import Algorithm
from lookalike.search.algorithm_options import word
from lookalike.search.bounds.datafly_climb import climb_by_distinct_values
from lookalike.search.lattice.height_search import (
    PREFERENCES,
    Preference,
    lowest,
    no_heights,
    prefer,
)
from lookalike.search.option_checks import check_word
from lookalike.search.run import Run
from lookalike.solution.recoding import Space


@dataclass(frozen=True, slots=True)
class Hybrid(Algorithm):
    """Exact in the height, as Samarati."""

    preference: Preference = "least-cost"
    name = "hybrid"
    space = Space.FULL_DOMAIN
    options = (word("preference"),)
    promise = (
        "The hybrid meets the policy with the fewest generalization steps possible, as Samarati's "
        "algorithm does."
    )

    def __post_init__(self) -> None:
        check_word("Hybrid(preference=...)", self.preference, PREFERENCES)

    def why_unsuitable(self, problem: Problem) -> str | None:
        return no_heights(problem)

    def search(self, run: Run) -> None:
        roof = climb_by_distinct_values(run)
        if roof is not None:
            prefer(run, lowest(run, sum(roof.levels)), self.preference)
