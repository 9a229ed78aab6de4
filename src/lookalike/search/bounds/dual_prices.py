"""Dual prices: a lower bound for cell-level recodings, by linear programming (LB3).

Give every row a price, so that no set of k rows or more that can be one class is priced higher than
it costs. Then no recoding costs less than all prices together. The best prices are the dual prices
of a linear program over all such sets. These are far too many to write down, so sets are added when
they are found to be overpriced, until none is (column generation).

Prices that are too high can always be repaired: the excess of a set, divided by k, is subtracted
from every row that could be in the set.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lookalike.search.bounds.cell_layout import CellLayout, Floats
from lookalike.search.bounds.row_sets import FoundSets, Partition, RowSets, suppressed_rows
from lookalike.search.bounds.set_partitioning import Program
from lookalike.search.bounds.support_bound import least_losses
from lookalike.search.interruption import interruptible, unlimited
from lookalike.search.run import Run

MAX_FOUND = 1 << 17  # sets that a kernel returns at once
MAX_ADDED = 2_000  # sets added at once, or as many as there are groups
OLD_SHARE = 0.5  # of the best prices so far, in the prices that are tried next
TOLERANCE = 1e-9


@dataclass(slots=True, eq=False)
class RepairedPrices:
    """Prices by which no set is overpriced; ``bound`` is their sum, for the whole table."""

    per_row: Floats
    suppression: float  # of a suppressed row, beyond its own price
    bound: float


class Pricing:
    """Finds sets that are overpriced."""

    def __init__(
        self, layout: CellLayout, limit: int, check_limits: Callable[[], None] = unlimited
    ) -> None:
        self.layout = layout
        self.limit = limit
        self.check_limits = check_limits
        self.sorted = layout.few_values_first()

    def capped(self, per_row: Floats, suppression: float) -> Floats:
        """No row is priced higher than its suppression costs."""
        return np.minimum(per_row, self.layout.full + suppression) if self.limit else per_row

    def repaired(self, per_row: Floats, suppression: float) -> tuple[RepairedPrices, RowSets]:
        """Valid prices from any prices; and the sets that were overpriced, the worst first."""
        from lookalike.search.bounds.dual_prices_kernels import overpriced  # late: loads numba

        prices = self.capped(per_row, suppression)
        over, excess = np.zeros(len(prices)), np.zeros(MAX_FOUND)
        found = FoundSets.begin(MAX_FOUND)
        given = self.sorted, prices, over, excess, found
        count = interruptible(self.check_limits, overpriced, *given)
        worst = np.argsort(-excess[:count], kind="stable")[: max(MAX_ADDED, len(prices))]
        valid = prices - over
        bound = float(valid @ self.layout.rows) - suppression * self.limit
        sets = self.sets(found, int(count)).take(np.sort(worst))
        return RepairedPrices(valid, suppression, bound), sets

    def near(self, prices: RepairedPrices, reach: float, max_sets: int) -> RowSets | None:
        """Every set whose reduced cost is at most ``reach``, single suppressed rows included; None
        if there are more than ``max_sets``.
        """
        from lookalike.search.bounds.dual_prices_kernels import within_reach  # late: loads numba

        found = FoundSets.begin(max_sets)
        given = self.sorted, prices.per_row, reach, found
        count = interruptible(self.check_limits, within_reach, *given)
        if count < 0:
            return None
        sets = self.sets(found, int(count))
        if self.limit:
            single = suppressed_rows(self.layout.full)
            reduced = single.reduced_costs(prices.per_row, prices.suppression)
            sets = sets.join(single.take(np.flatnonzero(reduced <= reach)))
        return sets

    def sets(self, found: FoundSets, count: int) -> RowSets:
        """The first sets that were written, with their costs."""
        from lookalike.search.bounds.dual_prices_kernels import costs  # late: loads numba

        start = np.concatenate([[0], np.cumsum(found.length[:count])]).astype(np.int64)
        group, size = found.group[: start[-1]].copy(), found.size[: start[-1]].copy()
        cost = costs(self.layout, start, group, size)
        return RowSets(start, group, size, cost, np.zeros(len(cost), dtype=np.bool_))


class ColumnGeneration:
    """The linear program over the sets found so far, and the best prices."""

    def __init__(
        self,
        layout: CellLayout,
        limit: int,
        begin: Partition,
        check_limits: Callable[[], None] = unlimited,
    ) -> None:
        self.pricing = Pricing(layout, limit, check_limits)
        self.program = Program(layout.rows, limit)
        self.known: set[bytes] = set()
        self.sets = suppressed_rows(layout.full[:0])  # none yet
        if limit:
            self._add(suppressed_rows(layout.full))
        self._add(self._classes(begin))
        per_row = self.pricing.capped(least_losses(layout, check_limits), 0.0)
        self.best = RepairedPrices(per_row, 0.0, float(per_row @ layout.rows))

    def run(self, run: Run) -> None:
        """Add sets until none is overpriced."""
        while True:
            run.mind_limits()
            cost, prices, _ = self.program.solve(run.mind_limits)
            groups = len(self.best.per_row)
            per_row, suppression = prices[:groups], max(0.0, -float(prices[groups]))
            if cost - self.best.bound <= TOLERANCE * max(1.0, cost):
                return
            added = 0
            for old in (OLD_SHARE, 0.0):
                tried, overpriced = self.pricing.repaired(
                    old * self.best.per_row + (1 - old) * per_row,
                    old * self.best.suppression + (1 - old) * suppression,
                )
                if tried.bound > self.best.bound:
                    self.best = tried
                added = self._add(overpriced)
                if added:
                    break
            run.looked()
            if not added:
                return

    def _add(self, sets: RowSets) -> int:
        """Add the sets that are new; returns how many."""
        fresh = []
        for s in range(len(sets)):
            entries = slice(int(sets.start[s]), int(sets.start[s + 1]))
            order = np.argsort(sets.group[entries], kind="stable")
            key = np.stack([sets.group[entries][order], sets.size[entries][order]]).tobytes()
            key += b"suppressed" if sets.suppressed[s] else b""
            if key not in self.known:
                self.known.add(key)
                fresh.append(s)
        new = sets.take(np.array(fresh, dtype=np.int64))
        self.program.add(new, new.cost)
        self.sets = self.sets.join(new)
        return len(fresh)

    def _classes(self, begin: Partition) -> RowSets:
        """The classes of a partition, as sets."""
        kept = np.flatnonzero(begin.of >= 0)
        order = kept[np.argsort(begin.of[kept], kind="stable")]
        length = np.bincount(begin.of[kept])
        classes = FoundSets(length, begin.group[order], begin.rows[order])
        return self.pricing.sets(classes, len(length))
