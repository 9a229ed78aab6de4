"""Metrics that are sums over cells: what a column loses depends on that column alone.

Let ``loss[a][leaf, l]`` be what a cell loses at level l and ``full[a][leaf]`` what it loses when
its row is suppressed. Both are given by the metric; ``loss`` never falls with l and never exceeds
``full``. Per attribute the mean over rows is

    L_a(v) + D_a(v),   L_a(v) = mean of loss[a][·, v_a],   D_a(v) = (1/N) Σ_suppressed (full − loss)

*Base.* L_a depends on the marginal counts only, so it is known for every node before counting, and
never falls as levels rise.

*Extra.* Rows suppressed at w are suppressed at every v ≤ w, so D_a(v) ≥ (1/N) Σ over those rows of
full − loss at v_a. Which leaf a row of a broken class holds is not looked up again: the smallest
value over the leaves under the class's code replaces it. At v = w that is exact, because in all our
metrics full − loss at a level depends on the code alone. So it also gives the cost of w itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from lookalike.cost.metric import (
    Costing,
    Counted,
    CountedCells,
    CountedIntervals,
    CountedNode,
    Floats,
    NodeCost,
    TableFacts,
)
from lookalike.counts.kernel_layout import Prices

Aggregate = Literal["mean", "geometric"]

# From the interval of each leaf to what a cell of each leaf loses, and what suppression would add
# in each interval. In all our metrics the latter does not depend on the leaf.
IntervalLoss = Callable[[NDArray[np.int64]], tuple[Floats, Floats]]


class MarginalCosting(Costing):
    """A metric that is a sum over cells, applied to one table."""

    prior_is_base = True

    def __init__(
        self,
        facts: TableFacts,
        loss: Sequence[Floats],  # per attribute (leaves, levels)
        full: Sequence[Floats],  # per attribute (leaves,)
        aggregate: Aggregate = "mean",
        by_interval: Sequence[IntervalLoss] = (),  # per attribute; (): no cost for intervals
    ) -> None:
        self.rows = max(1, facts.rows)
        self.marginals = facts.marginals
        self.by_interval = by_interval
        self.weights = facts.weights[:, None]
        self.geometric = aggregate == "geometric"
        self.loss, self.full = loss, full
        self.mean = np.zeros((len(facts.tables), facts.levels))
        tables: list[Floats] = []  # smallest full − loss under each code, at each finer level
        offset = np.zeros((len(facts.tables), facts.levels), dtype=np.int64)
        at = 0
        for a, table in enumerate(facts.tables):
            counts = facts.marginals[a]
            self.mean[a, : table.height + 1] = (counts @ loss[a]) / self.rows
            gain = full[a][:, None] - loss[a]
            for level, labels in enumerate(table.labels):
                least = _least(table.codes[:, level], len(labels), gain[:, : level + 1], counts)
                tables.append(least.reshape(-1))
                offset[a, level] = at
                at += least.size
        self.rise = Prices(np.concatenate(tables), offset)
        self.prior = self._score(self.mean)

    def _score(self, lost: Floats) -> Floats:
        scaled: Floats = np.log1p(lost) if self.geometric else lost
        return self.weights * scaled

    def node(self, counted: CountedNode) -> NodeCost:
        from lookalike.counts.counting_kernels import weigh  # late: loads numba

        levels = counted.levels
        rise = weigh(counted.encoded, counted.classes, levels, counted.broken, self.rise)
        extra = self._score(self.mean + rise / self.rows) - self.prior
        score = (self.prior + extra)[np.arange(len(levels)), levels].sum()
        if counted.lost is not counted.broken:
            rise = weigh(counted.encoded, counted.classes, levels, counted.lost, self.rise)
            extra = self._score(self.mean + rise / self.rows) - self.prior
        return NodeCost(self.value(float(score)), -np.inf, extra)

    def cells(self, counted: CountedCells) -> float:
        return self.value(float(self._score(self._lost_by_cells(counted)).sum()))

    def cuts(self, counted: CountedIntervals) -> float:
        if not self.by_interval:
            return math.inf
        return self.value(float(self._score(self._lost_by_cuts(counted)).sum()))

    def split(self, counted: Counted) -> Floats | None:
        if self.geometric:
            return None
        if isinstance(counted, CountedNode):
            return self._split_node(counted)
        if isinstance(counted, CountedCells):
            return self._score(self._lost_by_cells(counted))[:, 0]
        return self._score(self._lost_by_cuts(counted))[:, 0] if self.by_interval else None

    def _split_node(self, counted: CountedNode) -> Floats:
        from lookalike.counts.counting_kernels import weigh  # late: loads numba

        levels = counted.levels
        rise = weigh(counted.encoded, counted.classes, levels, counted.broken, self.rise)
        columns: Floats = self._score(self.mean + rise / self.rows)[np.arange(len(levels)), levels]
        return columns

    def _lost_by_cells(self, counted: CountedCells) -> Floats:
        """(attributes, 1) the mean over rows of what each column loses."""
        lost = np.zeros((len(self.loss), 1))
        gone = counted.of < 0
        rows = counted.rows.astype(np.float64)
        for a, (loss, full) in enumerate(zip(self.loss, self.full, strict=True)):
            leaf = counted.leaf[:, a]
            each = np.where(gone, full[leaf], loss[leaf, np.maximum(counted.levels[:, a], 0)])
            lost[a, 0] = float((rows * each).sum()) / self.rows
        return lost

    def _lost_by_cuts(self, counted: CountedIntervals) -> Floats:
        """The same for intervals."""
        lost = np.zeros((len(self.by_interval), 1))
        sizes = counted.classes.sizes[counted.broken]
        for a, (interval_loss, of) in enumerate(zip(self.by_interval, counted.of, strict=True)):
            each, added = interval_loss(of)
            gone = np.bincount(counted.gone[:, a], weights=sizes, minlength=len(added))
            # fsum: the same sum in whatever order an engine lists the values
            paid = math.fsum((self.marginals[a] * each).tolist() + (gone * added).tolist())
            lost[a, 0] = paid / self.rows
        return lost

    def value(self, score: float) -> float:
        return math.expm1(score) if self.geometric else score

    def score(self, cost: float) -> float:
        return math.log1p(cost) if self.geometric else cost


def _least(codes: NDArray[np.int32], width: int, gain: Floats, counts: NDArray[np.int64]) -> Floats:
    """(codes, levels): the smallest gain under each code, over leaves that some row holds."""
    least = np.full((gain.shape[1], width), np.inf)
    held = counts > 0
    for level, gained in enumerate(gain[held].T):  # numpy is slow on rows and fast on numbers
        np.minimum.at(least[level], codes[held], gained)
    return np.where(np.isinf(least), 0.0, least).T
