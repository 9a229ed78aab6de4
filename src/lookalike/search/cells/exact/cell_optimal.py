"""The cheapest cell-level recoding, exact: dual prices, then all classes near them, then a choice.

The linear program over all possible classes gives dual prices and a bound
(``bounds/dual_prices.py``). A recoding that costs less than the best known consists of classes
whose reduced costs sum to less than the gap. So every class with a larger reduced cost is ruled
out. The others are listed, triple inequalities rule out more of them, and HiGHS chooses from the
rest. The verifier does all of this again with its own code.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from lookalike.cost.column_metric import MarginalCosting
from lookalike.problem.problem import Problem
from lookalike.problem.recodings.cell_evaluation import cell_map
from lookalike.search.algorithm import Algorithm
from lookalike.search.bounds.cell_layout import Layout, clear, lay_out
from lookalike.search.bounds.dual_prices import ColumnGeneration
from lookalike.search.bounds.row_sets import Partition, RowSets, partition_of
from lookalike.search.bounds.set_partitioning import choose_whole
from lookalike.search.bounds.triple_inequalities import TripleInequalities
from lookalike.search.cells.lattice_greedy import LatticeGreedy, greedy, lowest_levels
from lookalike.search.run import Run
from lookalike.solution.proof import By, DualPrices
from lookalike.solution.recoding import Space

WITHIN_A_MINUTE = {2: 400, 3: 100}  # rows, by k
AT_LEAST = 40  # rows, for any other k
SHARES = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)  # of the gap: classes nearer come first
MOST = 1 << 20  # classes written down
POOL = 5.0  # seconds to choose from the classes that the linear program has found
TIE = 1e-7
CLOSE = 1e-6  # costs of the whole table closer than this are equal, to HiGHS too
FINE = 1 << 20  # costs are whole multiples of a unit if one so small is found
Whole = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class CellOptimal(Algorithm):
    """Exact on some hundred rows; on more, or at a limit, the best found, with bound and gap."""

    name = "cell-optimal"
    space = Space.CELL_LEVEL
    exact = True

    def why_unsuitable(self, problem: Problem) -> str | None:
        costing = problem.costing
        if not isinstance(costing, MarginalCosting) or costing.geometric:
            return "it needs a metric that adds up cell by cell: precision, loss or entropy"
        conventions = problem.policy.conventions
        if conventions.suppressed == "star" and conventions.stars == "own" and problem.allowance:
            return (
                "suppressed rows that stay must be none or many, which it does not search for; use "
                'suppressed = "drop" under conventions, or suppress = 0'
            )
        if conventions.stars == "wildcard":
            return (
                "rows starred throughout need no lookalikes if * is a wildcard, which it does not "
                'search for; use stars = "own" under conventions'
            )
        if not clear(problem):
            return "a label means one thing on one level and another on the next: name them apart"
        return LatticeGreedy().why_unsuitable(problem)

    def endless(self, problem: Problem) -> str | None:
        """Why it should not be started without a limit of time, in a sentence."""
        if problem.rows <= WITHIN_A_MINUTE.get(problem.smallest, AT_LEAST):
            return None
        return (
            f"{problem.rows:,} rows are more than it solves in a minute; with a limit of time it "
            "shows how far it gets"
        )

    def search(self, run: Run) -> None:
        _Search(run).go()


class _EnoughError(Exception):
    """Chosen long enough."""


class _Search:
    """One run. Costs here are for the whole table, not the mean row."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.problem = run.problem
        self.layout = lay_out(run.problem)
        self.limit = min(run.problem.allowance, max(0, run.problem.rows - 1))
        self.unit = _unit(self.layout, run.problem.rows)
        self.rows = max(1, run.problem.rows)

    def go(self) -> None:
        begin = greedy(self.layout, self.run)
        if not self.problem.may_suppress(int(begin.rows[begin.of < 0].sum())):
            return
        self._offer(begin)
        self.generation = ColumnGeneration(self.layout, self.limit, begin)
        self._prove()
        try:
            self.generation.run(self.run, math.inf)
        finally:
            self._prove()
        self._choose(self.generation.sets, POOL)
        for share in SHARES:
            if self._gap < -TIE:
                self.run.prove(self.run.cost, By.ENUMERATION)  # nothing is cheaper by a unit
            if self._gap < -TIE or self._exhaust(share):
                return

    @property
    def _gap(self) -> float:
        """The sum of reduced costs that a cheaper recoding may have."""
        best = self.generation.best
        return self.run.cost * self.rows - max(self.unit, CLOSE) - best.bound

    def _prove(self) -> None:
        best = self.generation.best
        per_row = best.per_row[self.problem.canonical]
        self.run.prices = (DualPrices(per_row, best.suppression),)
        bound = best.bound
        if self.unit:
            bound = self.unit * math.ceil(bound / self.unit - 1e-6)
        self.run.prove(bound / self.rows, By.DUAL_PRICES)

    def _exhaust(self, share: float) -> bool:
        """Choose among all classes within a share of the gap; True if nothing cheaper is left."""
        generation, run = self.generation, self.run
        reach = share * max(0.0, self._gap)
        sets = generation.pricing.near(generation.best, reach + TIE, MOST)
        run.mind_limits()
        if sets is None:
            return False
        program = TripleInequalities(self.layout.rows, self.limit, sets, generation.best, reach)
        program.run()
        run.mind_limits()
        reduced = program.reduced_costs()
        bound = generation.best.bound + program.bound
        room = run.cost * self.rows - max(self.unit, CLOSE) - bound
        left = sets.take(np.flatnonzero(reduced <= room + TIE))
        if not self._choose(left, math.inf) or self._gap > reach + TIE:
            return False
        prices = program.dual_prices()
        canonical = self.problem.canonical
        place = np.empty(len(canonical), dtype=np.int64)
        place[canonical] = np.arange(len(canonical))
        second = DualPrices(
            prices.per_row[canonical],
            prices.suppression,
            place[prices.triples],
            prices.triple_prices,
        )
        run.prices = (run.prices[0], second)
        run.prove(run.cost, By.ENUMERATION)
        return True

    def _choose(self, sets: RowSets, seconds: float) -> bool:
        """The best whole choice from some sets; True if it was found out.

        HiGHS gets the cost of a set minus the prices of its rows, which is the same sum less for
        every choice. The price of suppression is not subtracted: choices differ in it.
        """
        run, best = self.run, self.generation.best
        beyond = sets.reduced_costs(best.per_row, 0.0)
        until = run.seconds + seconds

        def mind() -> None:
            run.mind_limits()
            if run.seconds > until:
                raise _EnoughError

        found = choose_whole(self.layout.rows, self.limit, sets, beyond, 0.9 * self.unit, mind)
        if found.taken is not None:
            self._offer(partition_of(sets, found.taken))
        if found.stopped is not None and not isinstance(found.stopped, _EnoughError):
            raise found.stopped
        return found.ended

    def _offer(self, found: Partition) -> None:
        levels = lowest_levels(self.layout, found)
        self.run.count(cell_map(self.problem, found.group, found.rows, levels))


def _unit(layout: Layout, rows: int) -> float:
    """Every cost is a whole multiple of this; 0 if nothing such is found."""
    prices = np.unique(np.append(layout.price, layout.full))
    if not len(prices) or prices[-1] <= 0:
        return 0.0
    scale = 1
    top = float(prices[-1])
    for price in prices.tolist():
        share = Fraction(price / top).limit_denominator(FINE)
        if abs(float(share) - price / top) > 1e-12:
            return 0.0
        scale = math.lcm(scale, share.denominator)
        if scale * rows > FINE * FINE:
            return 0.0
    return top / scale
