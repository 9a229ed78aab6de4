"""Population uniqueness: how many people are likely to be one of a kind in the population.

The table is a sample; who is unique in it need not be so among all. Estimated by Pitman's model
(Hoshino 2001) or by Zayatz's (1991), as ARX offers both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.classes import Classes
from lookalike.privacy.requirement import ROUNDING, Flags, Requirement, check_number, check_whole

Estimator = Literal["pitman", "zayatz"]


@dataclass(frozen=True, slots=True)
class PopulationUniqueness(Requirement):
    """Estimated population uniques / ``population`` ≤ ``share``.

    About the table as a whole, and an estimate: neither grows nor is monotone, so it is judged node
    by node. Combine it with k-anonymity, which leaves no sample unique at all.
    """

    share: float
    population: int  # people
    estimator: Estimator = "pitman"

    name: ClassVar[str] = "population uniqueness"
    whole: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_number("the share of population uniques", self.share, 0, 1, least=True)
        check_whole("the population", self.population, 1)
        if self.estimator not in ("pitman", "zayatz"):
            raise ValueError("the estimator is not known; use pitman or zayatz")

    def met(self, classes: Classes, kept: Flags) -> bool:
        sizes = classes.sizes[kept]
        return self.estimate(sizes[sizes > 0]) <= (self.share + ROUNDING) * self.population

    def estimate(self, sizes: NDArray[np.int64]) -> float:
        """The expected number of people who are one of a kind in the population."""
        from lookalike.privacy import estimators

        if not len(sizes):
            return 0.0
        estimate = estimators.pitman if self.estimator == "pitman" else estimators.zayatz
        return float(estimate(sizes, self.population))

    def sentence(self) -> str:
        return (
            f"population uniqueness {self.share:g}: of {self.population:,} people, an estimated "
            f"share of at most {self.share:g} is one of a kind ({self.estimator.capitalize()}'s "
            "estimator, from the released rows)"
        )
