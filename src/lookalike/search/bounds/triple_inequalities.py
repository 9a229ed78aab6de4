"""Triple inequalities: no two classes can both hold two of the same three rows.

A linear program over sets often takes half of each of {a, b}, {b, c} and {a, c}. The inequality
"at most one set that holds two of a, b and c" forbids this. Such inequalities raise the bound of
the linear program over a given list of sets, and so rule out more of these sets.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np

from lookalike.search.bounds.cell_layout import Floats, Whole
from lookalike.search.bounds.dual_prices import RepairedPrices
from lookalike.search.bounds.row_sets import RowSets
from lookalike.search.bounds.set_partitioning import Program
from lookalike.solution.proof import DualPrices

MAX_ROUNDS = 20
MAX_NEW_TRIPLES = 80  # in a round
FIRST_SHARE = 0.1  # of the reach: sets of smaller reduced cost are in the first program
MAX_ADDED = 5_000  # sets added at once
ROUNDING = 1e-6


class TripleInequalities:
    """The linear program over given sets, with triple inequalities. Costs are reduced costs."""

    def __init__(
        self, rows: Whole, limit: int, sets: RowSets, prices: RepairedPrices, reach: float
    ) -> None:
        self.rows, self.limit, self.sets, self.prices = rows, limit, sets, prices
        self.costs = sets.reduced_costs(prices.per_row, prices.suppression)
        self.program = Program(rows, limit)
        self.triples: list[tuple[int, int, int]] = []
        self.hit: list[Whole] = []  # for each triple, the sets that hold two of it
        self.used: list[int] = []  # the sets in the program
        self.is_used = np.zeros(len(sets), dtype=np.bool_)
        order = np.argsort(sets.group, kind="stable")
        self._holding = np.split(
            sets.of[order], np.searchsorted(sets.group[order], np.arange(1, len(rows)))
        )
        self._add(np.flatnonzero(self.costs <= FIRST_SHARE * reach))
        self.per_row, self.suppression = np.zeros(len(rows)), 0.0
        self.triple_prices = np.zeros(0)
        self.bound = 0.0

    def run(self, check_limits: Callable[[], None]) -> None:
        """Until no triple inequality is violated; what ``check_limits`` raises ends it."""
        for _ in range(MAX_ROUNDS):
            amounts = self._solve(check_limits)
            if amounts is None or not self._add_triples(amounts, check_limits):
                return

    def reduced_costs(self) -> Floats:
        """(sets,) how much more each costs than its price, triples included."""
        reduced = self.costs - self.sets.prices(self.per_row, self.suppression)
        for sets, price in zip(self.hit, self.triple_prices.tolist(), strict=True):
            reduced[sets] += price
        return reduced

    def dual_prices(self, order: Whole) -> DualPrices:
        """For the proof: the prices that it began with, and those of this program.

        ``order`` is the order in which the proof lists the groups.
        """
        return DualPrices(
            (self.prices.per_row + self.per_row)[order],
            self.prices.suppression + self.suppression,
            np.argsort(order)[np.array(self.triples, dtype=np.int64).reshape(-1, 3)],
            self.triple_prices,
        )

    def _solve(self, check_limits: Callable[[], None]) -> Floats | None:
        """Amounts of the sets in the program, once no set outside it is overpriced.

        None if the sets cannot hold all rows.
        """
        groups = len(self.rows)
        while True:
            cost, prices, amounts = self.program.solve(check_limits)
            if len(prices) != groups + 1 + len(self.triples) or not np.isfinite(cost):
                return None
            before = self.per_row, self.suppression, self.triple_prices
            self.per_row, self.suppression = prices[:groups], max(0.0, -float(prices[groups]))
            self.triple_prices = np.maximum(0.0, -prices[groups + 1 :])
            reduced = self.reduced_costs()
            worst = np.flatnonzero((reduced < -ROUNDING * 1e-3) & ~self.is_used)
            if not len(worst):
                bound = float(self.per_row @ self.rows) - self.suppression * self.limit
                self.bound = bound - self.triple_prices.sum()
                return amounts
            self.per_row, self.suppression, self.triple_prices = before
            self._add(worst[np.argsort(reduced[worst], kind="stable")][:MAX_ADDED])

    def _add(self, which: Whole) -> None:
        """Add some sets to the program."""
        places = self._places(which)
        hits = [places(sets) for sets in self.hit]
        self.program.add(self.sets.take(which), self.costs[which], hits)
        self.used += which.tolist()
        self.is_used[which] = True

    def _places(self, which: Sequence[int] | Whole) -> Callable[[Whole], Whole]:
        """A function from sets to the places in ``which`` of those that are there."""
        place = np.full(len(self.sets), -1, dtype=np.int64)
        place[which] = np.arange(len(which))
        return lambda sets: place[sets][place[sets] >= 0]

    def _add_triples(self, amounts: Floats, check_limits: Callable[[], None]) -> bool:
        """Add inequalities that these amounts violate; False if there are none."""
        halves = np.flatnonzero((amounts > ROUNDING) & (amounts < 1 - ROUNDING))
        part = self.sets.take(np.array(self.used, dtype=np.int64)[halves])
        single = self.rows[part.group] == 1
        names, place = np.unique(part.group[single], return_inverse=True)
        holds = np.zeros((len(names), len(halves)), dtype=np.bool_)
        holds[place, part.of[single]] = True
        share = amounts[halves]
        together = (holds * share) @ holds.T
        violated = []
        for i in range(len(names)):
            check_limits()
            near = np.flatnonzero(together[i, i + 1 :] > ROUNDING) + i + 1
            for j, m in itertools.combinations(near.tolist(), 2):
                if together[j, m] > ROUNDING:
                    two = holds[i].astype(int) + holds[j] + holds[m] >= 2
                    if (total := float(two @ share)) > 1 + 1e-4:
                        violated.append((-total, int(names[i]), int(names[j]), int(names[m])))
        worst = [(a, b, c) for _, a, b, c in sorted(violated)[:MAX_NEW_TRIPLES]]
        new = [triple for triple in worst if triple not in self.triples]
        places = self._places(self.used)
        for triple in new:
            sets, times = np.unique(
                np.concatenate([self._holding[group] for group in triple]), return_counts=True
            )
            two_of = sets[times >= 2]
            self.triples.append(triple)
            self.hit.append(two_of)
            self.program.at_most_one(places(two_of))
        self.triple_prices = np.append(self.triple_prices, np.zeros(len(new)))
        return bool(new)
