"""``DefinedMetric``: the base class of metrics of other packages, given by their definition.

Search and verifier both use the definition, on tables that each counts with code of its own. The
only lower bounds are those that the definition states, so the verifier can derive them too.
"""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
from numpy.typing import NDArray

from lookalike.cost.metric import Costing, CountedCells, CountedNode, Metric, NodeCost, TableFacts
from lookalike.cost.recoded_table import RecodedTable, Whole


class DefinedMetric(Metric):
    """A metric that is defined on a recoded table in plain counts."""

    __slots__ = ()

    @abstractmethod
    def cost(self, recoded: RecodedTable) -> float:
        """What a recoded table costs: a number from 0 up; infinite where it is not defined."""

    def floor(self, recoded: RecodedTable) -> float:
        """What every coarser full-domain recoding costs at least, whatever it suppresses."""
        return 0.0

    def on(self, facts: TableFacts) -> Costing:
        return DefinedCosting(self, facts)


class DefinedCosting(Costing):
    """A metric's own ``cost`` and ``floor``, applied to one table.

    *Base.* The metric's ``floor``, and 0 before any count: a cost is never negative. *Extra.* None:
    0. The verifier derives the same bounds, so nothing is claimed that it cannot check.
    """

    def __init__(self, metric: DefinedMetric, facts: TableFacts) -> None:
        self.metric, self.facts = metric, facts
        self.prior = facts.constant_bound(0.0)

    def node(self, counted: CountedNode) -> NodeCost:
        kept = ~counted.broken
        of = np.where(kept, np.cumsum(kept) - 1, -1)
        leaf = counted.encoded.leaf[counted.classes.member]
        levels = np.tile(counted.levels, (len(of), 1))
        recoded = self._recoded(leaf, counted.sizes, of, levels)
        return NodeCost(self.metric.cost(recoded), self.metric.floor(recoded), self.prior)

    def cells(self, counted: CountedCells) -> float:
        levels = counted.levels.astype(np.int64)
        return self.metric.cost(self._recoded(counted.leaf, counted.rows, counted.of, levels))

    def _recoded(
        self, leaf: NDArray[np.int32], rows: Whole, of: Whole, levels: Whole
    ) -> RecodedTable:
        tables = self.facts.tables
        heights = np.array([table.height for table in tables])
        levels = np.where(of[:, None] < 0, heights, levels)
        leaves = np.ones_like(levels)
        for a, table in enumerate(tables):
            for level in np.unique(levels[:, a]).tolist():
                there = levels[:, a] == level
                codes = table.codes[leaf[there, a], level]
                leaves[there, a] = table.leaves_under[level][codes]
        declared = np.array([table.declared for table in tables])
        return RecodedTable(
            self.facts.rows, self.facts.smallest, self.facts.weights, heights, declared, rows, of,
            levels, leaves,
        )  # fmt: skip
