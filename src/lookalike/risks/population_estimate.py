"""Estimate how many people are unique in the population, from its size alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.privacy.estimators import pitman, zayatz


@dataclass(frozen=True, slots=True)
class PopulationUniques:
    """Estimates of the number of people who are unique in the population."""

    population: int  # people
    zayatz: float
    pitman: float
    ceiling: float  # unique rows / sampling fraction: as if all were unique in the population

    @property
    def shares(self) -> tuple[float, float]:
        """The estimates of Zayatz and Pitman, as shares of the population."""
        people = max(1, self.population)
        return self.zayatz / people, self.pitman / people


def estimate(sizes: NDArray[np.int64], population: int) -> PopulationUniques:
    """Estimate from the class sizes of the table, a random sample of the population."""
    rows, unique = int(sizes.sum()), int((sizes == 1).sum())
    ceiling = unique * population / rows if rows else 0.0
    return PopulationUniques(
        population, zayatz(sizes, population), pitman(sizes, population), ceiling
    )
