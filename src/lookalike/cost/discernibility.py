"""DM, the discernibility metric: how many rows each row cannot be told from.

Bayardo and Agrawal 2005.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lookalike.cost.metric import Counted, Ground, Intervals, Pieces, Reading, flat


@dataclass(frozen=True, slots=True)
class Discernibility:
    """Σ over released classes of |E|², plus |D| for each suppressed row.

    A row of a class under k pays |D| too, if it is shown all the same: as the metric is defined,
    that is as good as suppressed. Only a system that does not keep k shows such rows.

    *Base.* At a coarser node a row released at u lies in a class at least as large as at u, and
    pays that size, or |D| if it is suppressed there; a row suppressed at u pays at least k if it is
    released, and |D| ≥ k if it is not. So base(u) = Σ_released |E|² + k · suppressed(u).

    *Extra.* A row lost at w pays |D| at every v ≤ w. It is suppressed at u ≤ v too, where base(u)
    counted it with k: extra(w) = (|D| − k) · lost(w).
    """

    @property
    def name(self) -> str:
        return "discernibility"

    @property
    def class_column(self) -> None:
        return None

    def on(self, ground: Ground) -> DiscernibilityCosting:
        return DiscernibilityCosting(ground)

    def sentence(self, cost: float) -> str:
        return f"discernibility {cost:,.0f} (pairs of rows that cannot be told apart)"


class DiscernibilityCosting:
    def __init__(self, ground: Ground) -> None:
        self.ground = ground
        self.rows = float(ground.rows)
        self.least = float(min(ground.smallest, ground.rows))  # what any row pays at least
        self.prior = flat(self.rows * self.least, ground)
        self.foreseen = False

    def read(self, counted: Counted) -> Reading:
        kept = counted.sizes[~counted.broken].astype(np.float64)
        squares = float(kept @ kept)
        return Reading(
            squares + self.rows * counted.suppressed,
            squares + self.least * counted.suppressed,
            flat((self.rows - self.least) * counted.lost_rows, self.ground),
        )

    def cells(self, pieces: Pieces) -> float:
        sizes = pieces.sizes.astype(np.float64)
        pays = np.where(sizes < self.ground.smallest, self.rows, sizes)
        return float(sizes @ pays) + self.rows * pieces.suppressed

    def cuts(self, intervals: Intervals) -> float:
        kept = intervals.kept.astype(np.float64)
        return float(kept @ kept) + self.rows * intervals.suppressed

    def value(self, score: float) -> float:
        return score

    def score(self, cost: float) -> float:
        return cost
