"""Height: how many generalization steps were taken, all columns together (Samarati 2001)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from lookalike.cost.metric import Counted, Ground, Intervals, Pieces, Reading, flat


@dataclass(frozen=True, slots=True)
class Height:
    """The sum of the levels. Weights and suppressed rows do not count.

    *Base.* Known for every node without counting. *Extra.* None: 0.
    """

    @property
    def name(self) -> str:
        return "height"

    @property
    def class_column(self) -> None:
        return None

    def on(self, ground: Ground) -> HeightCosting:
        return HeightCosting(ground)

    def sentence(self, cost: float) -> str:
        return f"height {cost:.0f} (generalization steps over all columns)"


class HeightCosting:
    def __init__(self, ground: Ground) -> None:
        self.prior = np.tile(np.arange(ground.levels, dtype=float), (len(ground.tables), 1))
        self.foreseen = True
        self._none = flat(0.0, ground)

    def read(self, counted: Counted) -> Reading:
        return Reading(float(counted.levels.sum()), -np.inf, self._none)

    def cells(self, pieces: Pieces) -> float:
        return math.inf  # steps of whole columns: cells take steps of their own

    def cuts(self, intervals: Intervals) -> float:
        return math.inf  # intervals are not on levels of a hierarchy

    def value(self, score: float) -> float:
        return score

    def score(self, cost: float) -> float:
        return cost
