"""Cell-optimal: the cheapest cell-level recoding, by dual prices and a list of possible classes.

The linear program over all possible classes gives dual prices and a lower bound
(``dual_prices.py``). The classes of a recoding cheaper than the best known have reduced costs that
sum to less than the gap. So every class with a larger reduced cost is ruled out, the others are
listed, triple inequalities rule out more, and HiGHS chooses from the rest. The verifier repeats all
of this with its own code.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from lookalike.cost.column_metric import MarginalCosting
from lookalike.problem.problem import Problem
from lookalike.search.bounds.cell_layout import CellLayout, has_nested_labels, lay_out
from lookalike.search.bounds.dual_prices import ColumnGeneration
from lookalike.search.bounds.row_sets import Partition, RowSets, partition_of
from lookalike.search.bounds.set_partitioning import cheapest_choice
from lookalike.search.bounds.triple_inequalities import TripleInequalities
from lookalike.search.cells.cell_algorithm import CellAlgorithm
from lookalike.search.cells.lattice_greedy import LatticeGreedy, greedy, released
from lookalike.search.run import Run
from lookalike.solution.proof import By, DualPrices

MAX_ROWS = {2: 400, 3: 100}  # by k: solved within a minute
MAX_ROWS_OTHERWISE = 40  # for any other k
SHARES = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)  # of the gap: small reduced costs come first
MAX_CLASSES = 1 << 20  # that are listed
FIRST_CHOICE_SECONDS = 5.0  # to choose from the classes that the linear program has found
ROUNDING = 1e-7
COST_ROUNDING = 1e-6  # costs of the whole table closer than this are equal, to HiGHS too
MAX_DENOMINATOR = 1 << 20  # of losses, when a common step is looked for


@dataclass(frozen=True, slots=True)
class CellOptimal(CellAlgorithm):
    """Exact search for the cheapest cell-level recoding, for tables of some hundred rows.

    For larger tables, or at a limit, it returns the best recoding found, with a lower bound.

    Examples
    --------
    >>> import lookalike as la, pyarrow as pa
    >>> table = pa.table({"age": [31, 34, 37, 52, 55, 58]})
    >>> policy = la.Policy(quasi_identifiers={"age": la.bands(10, 20)}, require=la.KAnonymity(3))
    >>> la.solve(la.prepare(table, policy), la.CellOptimal())
    <Solution: optimal, cell-level, cell-optimal, cost 0.333333>
    """

    name = "cell-optimal"
    exact = True

    def why_unsuitable(self, problem: Problem) -> str | None:
        costing = problem.costing
        if not isinstance(costing, MarginalCosting) or costing.geometric:
            return "it needs a metric that adds up cell by cell: precision, loss or entropy"
        conventions = problem.policy.conventions
        if conventions.suppressed == "star" and conventions.stars == "own" and problem.allowance:
            return (
                "starred rows must be none or at least k, which it cannot take into account; use "
                'suppressed = "drop" under conventions, or suppress = 0'
            )
        if conventions.stars == "wildcard":
            return (
                "if * is a wildcard, rows that are all * need no lookalikes, which it cannot take "
                'into account; use stars = "own" under conventions'
            )
        if not has_nested_labels(problem):
            return "a label has different meanings on two levels; use different labels"
        return LatticeGreedy().why_unsuitable(problem)

    def endless(self, problem: Problem) -> str | None:
        if problem.rows <= MAX_ROWS.get(problem.smallest, MAX_ROWS_OTHERWISE):
            return None
        return (
            f"it may not solve {problem.rows:,} rows within a minute; with a time limit it returns "
            "the best recoding found so far"
        )

    def search(self, run: Run) -> None:
        _Search(run).go()


class _TimeUp(Exception):
    """The time for one choice is over."""


class _Search:
    """One run. Costs here are for the whole table, not the mean row."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.problem = run.problem
        self.layout = lay_out(run.problem)
        self.limit = min(run.problem.allowance, max(0, run.problem.rows - 1))
        self.step = _common_step(self.layout, run.problem.rows)
        self.rows = max(1, run.problem.rows)

    def go(self) -> None:
        begin = greedy(self.layout, self.run)
        if not self.problem.may_suppress(int(begin.rows[begin.of < 0].sum())):
            return
        self._offer(begin)
        self.generation = ColumnGeneration(self.layout, self.limit, begin, self.run.mind_clock)
        self._prove()
        try:
            self.generation.run(self.run)
        finally:
            self._prove()
        self._choose(self.generation.sets, FIRST_CHOICE_SECONDS)
        for share in SHARES:
            if self._gap < -ROUNDING:
                self.run.prove(self.run.cost, By.ENUMERATION)  # nothing is cheaper by a whole step
            if self._gap < -ROUNDING or self._enumerate(share):
                return

    @property
    def _gap(self) -> float:
        """The largest sum of reduced costs of a cheaper recoding."""
        best = self.generation.best
        return self.run.cost * self.rows - max(self.step, COST_ROUNDING) - best.bound

    def _prove(self) -> None:
        best = self.generation.best
        per_row = best.per_row[self.problem.canonical]
        self.run.prices = (DualPrices(per_row, best.suppression),)
        bound = best.bound
        if self.step:
            bound = self.step * math.ceil(bound / self.step - 1e-6)
        self.run.prove(bound / self.rows, By.DUAL_PRICES)

    def _enumerate(self, share: float) -> bool:
        """Choose among all classes within a share of the gap; True if nothing is cheaper."""
        generation, run = self.generation, self.run
        reach = share * max(0.0, self._gap)
        sets = generation.pricing.near(generation.best, reach + ROUNDING, MAX_CLASSES)
        run.mind_limits()
        if sets is None:
            return False
        triples = TripleInequalities(self.layout.rows, self.limit, sets, generation.best, reach)
        triples.run(run.mind_clock)
        run.mind_limits()
        bound = generation.best.bound + triples.bound
        gap = run.cost * self.rows - max(self.step, COST_ROUNDING) - bound
        left = sets.take(np.flatnonzero(triples.reduced_costs() <= gap + ROUNDING))
        if not self._choose(left, math.inf) or self._gap > reach + ROUNDING:
            return False
        run.prices = (run.prices[0], triples.dual_prices(self.problem.canonical))
        run.prove(run.cost, By.ENUMERATION)
        return True

    def _choose(self, sets: RowSets, seconds: float) -> bool:
        """Offer the cheapest choice from some sets; True if it is proved to be that.

        HiGHS sees costs minus the prices of the rows, which differ from costs by the same sum for
        every choice. The price of suppression is left out, because choices differ in it.
        """
        run = self.run
        cost = sets.reduced_costs(self.generation.best.per_row, 0.0)
        until = run.seconds + seconds

        def check_limits() -> None:
            run.mind_limits()
            if run.seconds > until:
                raise _TimeUp

        slack = 0.9 * self.step
        choice = cheapest_choice(self.layout.rows, self.limit, sets, cost, slack, check_limits)
        if choice.taken is not None:
            self._offer(partition_of(sets, choice.taken))
        if choice.stopped is not None and not isinstance(choice.stopped, _TimeUp):
            raise choice.stopped
        return choice.proved

    def _offer(self, partition: Partition) -> None:
        self.run.count(released(self.problem, self.layout, partition))


def _common_step(layout: CellLayout, rows: int) -> float:
    """Every cost is a whole multiple of this; 0 if no such number is found."""
    losses = np.unique(np.append(layout.loss, layout.full))
    if not len(losses) or losses[-1] <= 0:
        return 0.0
    scale = 1
    top = float(losses[-1])
    for loss in losses.tolist():
        share = Fraction(loss / top).limit_denominator(MAX_DENOMINATOR)
        if abs(float(share) - loss / top) > 1e-12:
            return 0.0
        scale = math.lcm(scale, share.denominator)
        if scale * rows > MAX_DENOMINATOR * MAX_DENOMINATOR:
            return 0.0
    return top / scale
