"""Charges: a bound for cell-level recodings, by linear programming (LB3).

Charge every row something, so that no set of k rows or more that can be released alike is charged
more than that costs. Then no recoding costs less than all charges together. The best charges are
the prices of a linear program over all such sets, which are far too many to write down: sets are
added as they are found to be overcharged, until none is.

Charges that are too high are mended at any time: what a set is overcharged, divided by k, is taken
off every row that could be in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.search.bounds.cell_layout import Layout
from lookalike.search.bounds.row_sets import Partition, RowSets, rows_left_out
from lookalike.search.bounds.set_partitioning import Program
from lookalike.search.bounds.support_bound import least_by_support
from lookalike.search.run import Run

Whole = NDArray[np.int64]
Floats = NDArray[np.float64]
ROOM = 1 << 17  # sets told at once
MORE = 2_000  # sets added at once, or as many as there are groups
OLD = 0.5  # how much of the best charges so far is kept in those that are tried next
CLOSE = 1e-9


@dataclass(slots=True, eq=False)
class Charged:
    """The best charges so far, mended: ``bound`` is what they come to, for the whole table."""

    each: Floats
    out: float
    bound: float


class Pricing:
    """Finds sets that are charged too much."""

    def __init__(self, layout: Layout, limit: int) -> None:
        self.layout = layout
        self.limit = limit
        values = [len(np.unique(leaf)) for leaf in layout.leaf]
        self.order = np.argsort(values, kind="stable")

    def arrays(self) -> tuple[Any, ...]:
        layout, order = self.layout, self.order
        return (
            layout.leaf[order], layout.rows, layout.label, layout.price, layout.at[order],
            layout.many[order],
        )  # fmt: skip

    def capped(self, each: Floats, out: float) -> Floats:
        """No row is charged more than it pays alone."""
        return np.minimum(each, self.layout.full + out) if self.limit else each

    def mended(self, each: Floats, out: float) -> tuple[Charged, RowSets]:
        """Charges that hold, from any; and sets that were charged too much, the worst first."""
        from lookalike.search.bounds.dual_prices_kernels import overcharged  # late: loads numba

        layout = self.layout
        each = self.capped(each, out)
        over, most = np.zeros(len(each)), np.zeros(ROOM)
        entries = np.zeros((2, 4 * ROOM), dtype=np.int64)
        column = np.zeros((ROOM, 2), dtype=np.int64)
        kernel: Any = overcharged
        told = kernel(*self.arrays(), layout.k, each, over, most, entries[0], entries[1], column)
        worst = np.argsort(-most[:told], kind="stable")[: max(MORE, len(each))]
        found = self.sets(column[:told], entries).take(np.sort(worst))
        mended = each - over
        bound = float(mended @ layout.rows) - out * self.limit
        return Charged(mended, out, bound), found

    def near(self, charged: Charged, reach: float, most: int) -> RowSets | None:
        """Every set that is charged at most so much less than it costs; None if they are too many.

        Also single rows, left out.
        """
        from lookalike.search.bounds.dual_prices_kernels import within_reach  # late: loads numba

        layout = self.layout
        entries = np.zeros((2, 4 * most), dtype=np.int64)
        column = np.zeros((most, 2), dtype=np.int64)
        kernel: Any = within_reach
        told = kernel(*self.arrays(), layout.k, charged.each, reach, entries[0], entries[1], column)
        if told < 0:
            return None
        found = self.sets(column[:told], entries)
        if self.limit:
            single = rows_left_out(layout.full)
            lack = single.cost - single.charged(charged.each, charged.out)
            found = found.join(single.take(np.flatnonzero(lack <= reach)))
        return found

    def sets(self, column: Whole, entries: Whole) -> RowSets:
        """Sets as the kernels tell them, with what they cost."""
        from lookalike.search.bounds.dual_prices_kernels import costs  # late: loads numba

        length = column[:, 1]
        start = np.concatenate([[0], np.cumsum(length)]).astype(np.int64)
        used = entries[:, : int(start[-1])]
        layout = self.layout
        cost = costs(layout.leaf, layout.label, layout.price, layout.at, start, used[0], used[1])
        return RowSets(
            start, used[0].copy(), used[1].copy(), cost, np.zeros(len(cost), dtype=np.bool_)
        )


class Generation:
    """Column generation: the linear program over the sets found so far, and the best charges."""

    def __init__(self, layout: Layout, limit: int, begin: Partition) -> None:
        self.pricing = Pricing(layout, limit)
        self.program = Program(layout.rows, limit)
        self.known: set[bytes] = set()
        self.sets = RowSets.none()
        if limit:
            self._add(rows_left_out(layout.full))
        self._add(self._classes(begin))
        each = self.pricing.capped(least_by_support(layout), 0.0)
        self.best = Charged(each, 0.0, float(each @ layout.rows))

    def run(self, run: Run, until: float) -> bool:
        """Until no set is charged too much (True), or the bound has reached ``until``."""
        while True:
            run.mind_limits()
            cost, prices, _ = self.program.solve(run.mind_limits)
            groups = len(self.best.each)
            each, out = prices[:groups], max(0.0, -float(prices[groups]))
            if cost - self.best.bound <= CLOSE * max(1.0, cost):
                return True
            added = 0
            for old in (OLD, 0.0):
                between = old * self.best.each + (1 - old) * each
                tried, found = self.pricing.mended(between, old * self.best.out + (1 - old) * out)
                if tried.bound > self.best.bound:
                    self.best = tried
                added = self._add(found)
                if added:
                    break
            run.looked()
            if not added or self.best.bound >= until:
                return not added

    def _add(self, sets: RowSets) -> int:
        """Those that are new."""
        fresh = []
        for s in range(len(sets)):
            entries = slice(int(sets.start[s]), int(sets.start[s + 1]))
            order = np.argsort(sets.group[entries], kind="stable")
            key = np.stack([sets.group[entries][order], sets.size[entries][order]]).tobytes()
            key += b"out" if sets.out[s] else b""
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
        start = np.concatenate([[0], np.cumsum(length)]).astype(np.int64)
        column = np.stack([start[:-1], length], axis=1)
        return self.pricing.sets(column, np.stack([begin.group[order], begin.rows[order]]))
