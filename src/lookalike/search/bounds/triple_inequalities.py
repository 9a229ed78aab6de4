"""Cuts by threes: of three rows, no two classes can each hold two.

A linear program over sets likes to take three sets by halves, {a, b}, {b, c} and {a, c}. That at
most one set with two of a, b and c is taken forbids it. Such constraints raise the bound of the
linear program, over sets that are all written down, and rule sets out that come near no longer.
"""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from lookalike.search.bounds.dual_prices import Charged
from lookalike.search.bounds.row_sets import RowSets
from lookalike.search.bounds.set_partitioning import Program
from lookalike.solution.proof import Charges

Whole = NDArray[np.int64]
Floats = NDArray[np.float64]
ROUNDS = 20
AT_ONCE = 80  # threes added in a round
FIRST = 0.1  # of the reach: sets that lack less begin
MORE = 5_000  # sets added at once
EPS = 1e-6


class ThreeCuts:
    """The linear program over written-down sets, with cuts. Costs are what sets *lack*."""

    def __init__(
        self, rows: Whole, limit: int, sets: RowSets, charged: Charged, reach: float
    ) -> None:
        self.rows, self.limit, self.sets, self.charged = rows, limit, sets, charged
        self.lack = sets.cost - sets.charged(charged.each, charged.out)
        self.program = Program(rows, limit)
        self.threes: list[tuple[int, int, int]] = []
        self.hit: list[Whole] = []  # of each three, the sets that hold two of it
        self.used: list[int] = []  # the sets in the program
        self.is_used = np.zeros(len(sets), dtype=np.bool_)
        order = np.argsort(sets.group, kind="stable")
        self._holding = np.split(
            sets.of[order], np.searchsorted(sets.group[order], np.arange(1, len(rows)))
        )
        self._add(np.flatnonzero(self.lack <= FIRST * reach))
        self.each, self.out, self.more = np.zeros(len(rows)), 0.0, np.zeros(0)
        self.bound = 0.0

    def run(self) -> None:
        """Until no three is cut any more."""
        for _ in range(ROUNDS):
            amounts = self._solve()
            if amounts is None or not self._cut(amounts):
                return

    def still_lacks(self) -> Floats:
        """(sets,) by how much each costs more than it is charged now."""
        lack = self.lack - self.sets.charged(self.each, self.out)
        for sets, more in zip(self.hit, self.more.tolist(), strict=True):
            lack[sets] += more
        return lack

    def charges(self) -> Charges:
        """For the proof: all charges, of which those before are a part."""
        return Charges(
            self.charged.each + self.each,
            self.charged.out + self.out,
            np.array(self.threes, dtype=np.int64).reshape(-1, 3),
            self.more,
        )

    def _solve(self) -> Floats | None:
        """Amounts of the sets in the program, once no set outside it is overcharged.

        None if the sets cannot hold all rows.
        """
        groups = len(self.rows)
        while True:
            cost, prices, amounts = self.program.solve()
            if len(prices) != groups + 1 + len(self.threes) or not np.isfinite(cost):
                return None
            before = self.each, self.out, self.more
            self.each, self.out = prices[:groups], max(0.0, -float(prices[groups]))
            self.more = np.maximum(0.0, -prices[groups + 1 :])
            lack = self.still_lacks()
            worst = np.flatnonzero((lack < -EPS * 1e-3) & ~self.is_used)
            if not len(worst):
                self.bound = float(self.each @ self.rows) - self.out * self.limit - self.more.sum()
                return amounts
            self.each, self.out, self.more = before
            self._add(worst[np.argsort(lack[worst], kind="stable")][:MORE])

    def _add(self, which: Whole) -> None:
        hits = [np.zeros(0, dtype=np.int64) for _ in which]
        if self.threes:
            place = np.full(len(self.sets), -1, dtype=np.int64)
            place[which] = np.arange(len(which))
            by_set: list[list[int]] = [[] for _ in which]
            for three, sets in enumerate(self.hit):
                for at in place[sets][place[sets] >= 0].tolist():
                    by_set[at].append(three)
            hits = [np.array(some, dtype=np.int64) for some in by_set]
        self.program.add(self.sets.take(which), self.lack[which], hits)
        self.used += which.tolist()
        self.is_used[which] = True

    def _cut(self, amounts: Floats) -> bool:
        """Forbid what the program does by halves; False if it does nothing of the kind."""
        halves = np.flatnonzero((amounts > EPS) & (amounts < 1 - EPS))
        part = self.sets.take(np.array(self.used, dtype=np.int64)[halves])
        single = self.rows[part.group] == 1
        names, place = np.unique(part.group[single], return_inverse=True)
        holds = np.zeros((len(names), len(halves)), dtype=np.bool_)
        holds[place, part.of[single]] = True
        share = amounts[halves]
        together = (holds * share) @ holds.T
        found = []
        for i in range(len(names)):
            near = np.flatnonzero(together[i, i + 1 :] > EPS) + i + 1
            for j, m in itertools.combinations(near.tolist(), 2):
                if together[j, m] > EPS:
                    two = holds[i].astype(int) + holds[j] + holds[m] >= 2
                    if (over := float(two @ share)) > 1 + 1e-4:
                        found.append((-over, int(names[i]), int(names[j]), int(names[m])))
        new = [three for _, *three in sorted(found)[:AT_ONCE] if tuple(three) not in self.threes]
        at = np.full(len(self.sets), -1, dtype=np.int64)
        at[self.used] = np.arange(len(self.used))
        for a, b, c in new:
            held, times = np.unique(
                np.concatenate([self._holding[a], self._holding[b], self._holding[c]]),
                return_counts=True,
            )
            two_of = held[times >= 2]
            self.threes.append((a, b, c))
            self.hit.append(two_of)
            self.program.at_most_one(at[two_of][at[two_of] >= 0])
        self.more = np.append(self.more, np.zeros(len(new)))
        return bool(new)
