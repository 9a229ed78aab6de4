"""Population uniqueness: a limit on how many people are estimated to be unique in the population.

The table is a sample; a row that is unique in it need not be unique in the population. Estimated by
Pitman's model (Hoshino 2001) or by Zayatz's (1991); ARX offers both.
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
    """Estimated unique people / ``population`` ≤ ``share``.

    It limits the table as a whole, by an estimate. It neither grows nor is monotone, so it is
    checked at every node. Combine it with k-anonymity, which leaves no unique row in the table.

    Parameters
    ----------
    share : float
        The largest estimated share of unique people, from 0 to 1.
    population : int
        People in the population from which the table was drawn.
    estimator : {"pitman", "zayatz"}
        The estimator to use.

    Raises
    ------
    TypeError, ValueError
        If a number or the estimator is not as described.

    Examples
    --------
    >>> import lookalike as la
    >>> print(la.PopulationUniqueness(0.001, 1_000_000).sentence())
    population uniqueness 0.001: an estimated share of at most 0.001 of the population of
    1,000,000 people is unique (Pitman's estimator, from the released rows)
    """

    share: float
    population: int
    estimator: Estimator = "pitman"

    key = "population_uniqueness"
    required_keys = ("share", "population")
    optional_keys = ("estimator",)
    example = "population_uniqueness = { share = 0.001, population = 1000000 }"
    once = True

    name: ClassVar[str] = "population uniqueness"
    table_wide: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_number("the share of population uniques", self.share, 0, 1, low_allowed=True)
        check_whole("the population", self.population, 1)
        if self.estimator not in ("pitman", "zayatz"):
            raise ValueError("the estimator is not known; use pitman or zayatz")

    def met(self, classes: Classes, kept: Flags) -> bool:
        sizes = classes.sizes[kept]
        return self.estimate(sizes[sizes > 0]) <= (self.share + ROUNDING) * self.population

    def estimate(self, sizes: NDArray[np.int64]) -> float:
        """The expected number of people who are unique in the population.

        Parameters
        ----------
        sizes : array of int
            The sizes of the classes of the table.

        Returns
        -------
        float
        """
        from lookalike.privacy import estimators

        if not len(sizes):
            return 0.0
        estimate = estimators.pitman if self.estimator == "pitman" else estimators.zayatz
        return float(estimate(sizes, self.population))

    def rows_fault(self, rows: int) -> str | None:
        if rows <= self.population:
            return None
        return f"a population of {self.population:,} is smaller than a table of {rows:,}"

    def sentence(self) -> str:
        return (
            f"population uniqueness {self.share:g}: an estimated share of at most {self.share:g} "
            f"of the population of {self.population:,} people is unique "
            f"({self.estimator.capitalize()}'s estimator, from the released rows)"
        )
