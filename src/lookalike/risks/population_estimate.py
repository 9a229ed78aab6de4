"""How many of the population are one of a kind, estimated where only its size is known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.privacy.estimators import pitman, zayatz


@dataclass(frozen=True, slots=True)
class Uniques:
    """Estimates of the number of people who are unique in a population of so many."""

    population: int
    zayatz: float
    pitman: float
    ceiling: float  # unique rows over the sampling fraction: as if all were unique there too

    @property
    def shares(self) -> tuple[float, float]:
        """Zayatz's and Pitman's as shares of the population."""
        people = max(1, self.population)
        return self.zayatz / people, self.pitman / people


def estimate(sizes: NDArray[np.int64], population: int) -> Uniques:
    """From the class sizes of the table, taken for a random sample of the population."""
    rows, alone = int(sizes.sum()), int((sizes == 1).sum())
    ceiling = alone * population / rows if rows else 0.0
    return Uniques(population, zayatz(sizes, population), pitman(sizes, population), ceiling)
