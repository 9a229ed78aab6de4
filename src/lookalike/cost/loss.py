"""Generalized loss: how many original values a released value could stand for (Iyengar 2002)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from lookalike.cost.column_metric import Aggregate, IntervalLoss, MarginalCosting
from lookalike.cost.interval_leaves import IntervalLeaves
from lookalike.cost.metric import Costing, Floats, Metric, TableFacts
from lookalike.counts.level_table import LevelTable


@dataclass(frozen=True, slots=True)
class Loss(Metric):
    """Per attribute the mean over rows of (leaves under the value − 1) / (leaves − 1).

    Leaves are those of the declared hierarchy, whether or not they occur in the table. A suppressed
    row loses 1 in every attribute. ``interval_leaves.py`` counts the leaves of an interval of cuts.

    Parameters
    ----------
    aggregate : {"mean", "geometric"}
        How the losses L_a of the attributes are combined: by the weighted mean, or as in ARX by
        (Π (1 + L_a))^(1/n) − 1, with weights as exponents.

    Raises
    ------
    ValueError
        If ``aggregate`` is neither.

    Examples
    --------
    >>> import lookalike as la
    >>> la.Loss().sentence(0.25)
    'loss 0.2500 (0 is the original table, 1 is nothing but *)'
    """

    aggregate: Aggregate = "mean"

    def __post_init__(self) -> None:
        if self.aggregate not in ("mean", "geometric"):
            raise ValueError(f"aggregate is {self.aggregate!r}; use 'mean' or 'geometric'")

    @property
    def name(self) -> str:
        return "loss" if self.aggregate == "mean" else "loss-geometric"

    @classmethod
    def from_policy(cls, name: str, value: object = None) -> Metric:
        return cls("geometric" if name == "loss-geometric" else "mean")

    def on(self, facts: TableFacts) -> Costing:
        losses = [_cells(table) for table in facts.tables]
        full = [np.ones(table.leaves) for table in facts.tables]
        counts = zip(facts.tables, facts.low, strict=True)
        by_interval = [_by_interval(table, low) for table, low in counts]
        return MarginalCosting(facts, losses, full, self.aggregate, by_interval)

    def sentence(self, cost: float) -> str:
        how = "" if self.aggregate == "mean" else ", combined by a geometric mean over columns"
        return f"loss {cost:.4f}{how} (0 is the original table, 1 is nothing but *)"


def _cells(table: LevelTable) -> Floats:
    spread = max(1, table.declared - 1)
    columns = [
        (under[table.codes[:, level]] - 1) / spread
        for level, under in enumerate(table.leaves_under)
    ]
    return np.stack(columns, axis=1).astype(np.float64).reshape(table.codes.shape)


def _by_interval(table: LevelTable, low: int) -> IntervalLoss:
    spread = max(1, table.declared - 1)
    leaves = cache(lambda: IntervalLeaves(table, low))  # needed by cuts only

    def lost(of: NDArray[np.int64]) -> tuple[Floats, Floats]:
        each = (leaves().inside(of) - 1) / spread
        return each[of], 1 - each

    return lost
