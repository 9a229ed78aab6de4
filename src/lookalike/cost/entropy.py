"""Non-uniform entropy: bits that are needed to guess the original value of a released cell.

De Waal and Willenborg 1999; Gionis and Tassa 2007.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from lookalike.cost.column_metric import IntervalLoss, MarginalCosting
from lookalike.cost.metric import Costing, Floats, Metric, TableFacts


@dataclass(frozen=True, slots=True)
class Entropy(Metric):
    """Per cell −log₂(rows with the original value / rows whose value is released the same).

    Counts are those of the whole original column. A suppressed cell could be any row's value:
    −log₂(rows with the original value / all rows). The cost is the mean over rows and the weighted
    mean over attributes.

    Examples
    --------
    >>> import lookalike as la
    >>> la.Entropy().sentence(1.5)
    'non-uniform entropy 1.5000 bits per cell (0 is the original table)'
    """

    name: ClassVar[str] = "entropy"

    def on(self, facts: TableFacts) -> Costing:
        losses, full = [], []
        for table, counts in zip(facts.tables, facts.marginals, strict=True):
            held = np.maximum(counts, 1).astype(np.float64)
            cells = np.zeros(table.codes.shape)
            for level, labels in enumerate(table.labels):
                column = table.codes[:, level]
                alike = np.bincount(column, weights=counts, minlength=len(labels))[column]
                cells[:, level] = np.log2(np.maximum(alike, 1) / held)
            losses.append(cells)
            full.append(np.asarray(np.log2(max(1, facts.rows) / held)))
        by_interval = [_by_interval(counts, facts.rows) for counts in facts.marginals]
        return MarginalCosting(facts, losses, full, by_interval=by_interval)

    def sentence(self, cost: float) -> str:
        return f"non-uniform entropy {cost:.4f} bits per cell (0 is the original table)"


def _by_interval(counts: NDArray[np.int64], rows: int) -> IntervalLoss:
    held = np.maximum(counts, 1).astype(np.float64)

    def lost(of: NDArray[np.int64]) -> tuple[Floats, Floats]:
        alike = np.maximum(np.bincount(of, weights=counts), 1)
        return np.log2(alike[of] / held), np.log2(max(1, rows) / alike)

    return lost
