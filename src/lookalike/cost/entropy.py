"""Non-uniform entropy: bits needed to guess the original value of a cell back from the release.

De Waal and Willenborg 1999; Gionis and Tassa 2007.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.cost.column_metric import Lost, MarginalCosting
from lookalike.cost.metric import Costing, Floats, Ground


@dataclass(frozen=True, slots=True)
class Entropy:
    """Per cell −log₂(rows with the original value / rows whose value is released the same).

    Counts are those of the whole original column. A suppressed cell could be any row's value:
    −log₂(rows with the original value / all rows). Mean over rows, weighted mean over attributes.
    """

    @property
    def name(self) -> str:
        return "entropy"

    @property
    def class_column(self) -> None:
        return None

    def on(self, ground: Ground) -> Costing:
        losses, full = [], []
        for table, counts in zip(ground.tables, ground.marginals, strict=True):
            held = np.maximum(counts, 1).astype(np.float64)
            cells = np.zeros(table.codes.shape)
            for level, labels in enumerate(table.labels):
                column = table.codes[:, level]
                alike = np.bincount(column, weights=counts, minlength=len(labels))[column]
                cells[:, level] = np.log2(np.maximum(alike, 1) / held)
            losses.append(cells)
            most: Floats = np.log2(max(1, ground.rows) / held)
            full.append(most)
        by_interval = [_by_interval(counts, ground.rows) for counts in ground.marginals]
        return MarginalCosting(ground, losses, full, by_interval=by_interval)

    def sentence(self, cost: float) -> str:
        return f"non-uniform entropy {cost:.4f} bits a cell (0 is the original table)"


def _by_interval(counts: NDArray[np.int64], rows: int) -> Lost:
    held = np.maximum(counts, 1).astype(np.float64)

    def lost(of: NDArray[np.int64]) -> tuple[Floats, Floats]:
        alike = np.maximum(np.bincount(of, weights=counts), 1)
        return np.log2(alike[of] / held), np.log2(max(1, rows) / alike)

    return lost
