"""Generalized loss: how many leaves a released value could stand for (Iyengar 2002)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from lookalike.cost.column_metric import Aggregate, Lost, MarginalCosting
from lookalike.cost.interval_leaves import IntervalLeaves
from lookalike.cost.metric import Costing, Floats, Ground
from lookalike.counts.level_table import LevelTable


@dataclass(frozen=True, slots=True)
class Loss:
    """Per attribute the mean over rows of (leaves under the value − 1) / (leaves − 1).

    Leaves are those of the declared hierarchy, whether or not they occur. A suppressed row loses 1
    in every attribute. Over attributes: ``mean``, the weighted mean; ``geometric``, as ARX
    aggregates, (Π (1 + L_a))^(1/n) − 1, with weights as exponents.

    Of an interval of cuts, ``cost/interval_leaves.py`` counts the leaves.
    """

    aggregate: Aggregate = "mean"

    def __post_init__(self) -> None:
        if self.aggregate not in ("mean", "geometric"):
            raise ValueError(f"aggregate is {self.aggregate!r}; use 'mean' or 'geometric'")

    @property
    def name(self) -> str:
        return "loss" if self.aggregate == "mean" else "loss-geometric"

    @property
    def class_column(self) -> None:
        return None

    def on(self, ground: Ground) -> Costing:
        losses = [_cells(table) for table in ground.tables]
        full = [np.ones(table.leaves) for table in ground.tables]
        counts = zip(ground.tables, ground.low, strict=True)
        by_interval = [_by_interval(table, low) for table, low in counts]
        return MarginalCosting(ground, losses, full, self.aggregate, by_interval)

    def sentence(self, cost: float) -> str:
        how = "" if self.aggregate == "mean" else ", geometric over columns"
        return f"loss {cost:.4f}{how} (0 is the original table, 1 is nothing but *)"


def _cells(table: LevelTable) -> Floats:
    spread = max(1, table.declared - 1)
    columns = [
        (under[table.codes[:, level]] - 1) / spread
        for level, under in enumerate(table.leaves_under)
    ]
    return np.stack(columns, axis=1).astype(np.float64).reshape(table.codes.shape)


def _by_interval(table: LevelTable, low: int) -> Lost:
    spread = max(1, table.declared - 1)
    leaves = cache(lambda: IntervalLeaves(table, low))  # few ask

    def lost(of: NDArray[np.int64]) -> tuple[Floats, Floats]:
        each = (leaves().inside(of) - 1) / spread
        return each[of], 1 - each

    return lost
