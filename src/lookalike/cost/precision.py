"""Prec, Sweeney's precision: how far each cell is generalized (2002, definition 5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lookalike.cost.column_metric import MarginalCosting
from lookalike.cost.metric import Costing, Metric, TableFacts


@dataclass(frozen=True, slots=True)
class Precision(Metric):
    """Cost is 1 − Prec, the mean over cells of level / height, with the policy's weights.

    A suppressed row stays in |PT| with level = height in every cell, so each of its cells costs 1.

    Examples
    --------
    >>> import lookalike as la
    >>> la.Precision().sentence(0.25)
    'Prec 0.7500 (1 is the original table, 0 is nothing but *)'
    """

    name: ClassVar[str] = "precision"

    def on(self, facts: TableFacts) -> Costing:
        losses = [
            np.broadcast_to(np.arange(table.height + 1) / table.height, table.codes.shape)
            for table in facts.tables
        ]
        return MarginalCosting(facts, losses, [np.ones(table.leaves) for table in facts.tables])

    def sentence(self, cost: float) -> str:
        return f"Prec {1 - cost:.4f} (1 is the original table, 0 is nothing but *)"
