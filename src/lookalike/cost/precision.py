"""Prec, Sweeney's precision: how far up its hierarchy each cell was moved (2002, definition 5)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lookalike.cost.column_metric import MarginalCosting
from lookalike.cost.metric import Costing, Ground


@dataclass(frozen=True, slots=True)
class Precision:
    """Cost is 1 − Prec, the mean over cells of level / height, with the policy's weights.

    A suppressed row stays in |PT| with level = height in every cell, so each of its cells costs 1.
    """

    @property
    def name(self) -> str:
        return "precision"

    @property
    def class_column(self) -> None:
        return None

    def on(self, ground: Ground) -> Costing:
        losses = [
            np.broadcast_to(np.arange(table.height + 1) / table.height, table.codes.shape)
            for table in ground.tables
        ]
        return MarginalCosting(ground, losses, [np.ones(table.leaves) for table in ground.tables])

    def sentence(self, cost: float) -> str:
        return f"Prec {1 - cost:.4f} (1 is the original table, 0 is nothing but *)"
