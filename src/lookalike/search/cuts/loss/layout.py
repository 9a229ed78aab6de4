"""A problem laid out for searching cuts by loss or entropy: what a row loses in each interval.

With both metrics, a released row loses Σ over columns of g(its interval) − h(its value); a
suppressed row loses g(everything) instead of g(its interval). The sum of all h is the same for all
recodings. So a row *pays* g, or in full, and the constant is subtracted at the end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from lookalike.cost.interval_leaves import IntervalLeaves
from lookalike.problem.problem import Problem
from lookalike.search.cuts.k_optimize_layout import CutInstance, lay_out, long_places

Floats: TypeAlias = NDArray[np.float64]
Whole: TypeAlias = NDArray[np.int64]

MOST = 1 << 24  # intervals of a column


@dataclass(frozen=True, slots=True, eq=False)
class LossInstance:
    """The cuts and counts of a ``CutInstance``, and what intervals cost, over all rows."""

    cuts: CutInstance
    lose: tuple[Floats, ...]  # a branching column: (values + 1, values + 1) g of (i, j), or inf
    full: float  # what a suppressed row pays
    constant: float  # the h of all rows
    before: NDArray[np.float64]  # (profiles, places) rows before each place of the long column
    begin: Whole  # (intervals,) of the long column, as numbers of places, sorted
    end: Whole
    loses: Floats  # (intervals,) g of each

    def cost(self, paid: float) -> float:
        return (paid - self.constant) / self.cuts.table.rows

    def payment(self, cost: float) -> float:
        """What all rows pay together at this cost."""
        return cost * self.cuts.table.rows + self.constant


def lay_out_losses(problem: Problem, long: int | None = None) -> LossInstance:
    """Everything that the kernels need to know of a problem."""
    cuts = lay_out(problem, long)
    lose, full, constant = [], 0.0, 0.0
    for a in range(len(problem.names)):
        weight = float(problem.ground.weights[a])
        g, most, h = _by_leaves(problem, a) if _by_loss(problem) else _by_bits(problem, a)
        lose.append(np.where(long_places(cuts.space, a)[1], np.inf, weight * g))
        full += weight * most
        constant += weight * h
    own = lose.pop(cuts.long)
    places = cuts.places
    begin, end = np.triu_indices(len(places), k=1)
    loses = own[places[begin], places[end]]
    allowed = np.isfinite(loses)
    return LossInstance(
        cuts,
        tuple(lose),
        full,
        constant,
        np.ascontiguousarray(cuts.table.rows_before[:, places], dtype=np.float64),
        begin[allowed].astype(np.int64),
        end[allowed].astype(np.int64),
        loses[allowed],
    )


def too_wide(problem: Problem) -> str | None:
    """Why the intervals of some column would not fit in memory, in a sentence; None if they do."""
    for table in problem.tables:
        if (table.leaves + 1) ** 2 > MOST:
            return (
                f"{table.name} has {table.leaves:,} values, and so too many intervals for this "
                "metric; group or round the values first"
            )
    return None


def _by_loss(problem: Problem) -> bool:
    return problem.policy.metric.name == "loss"


def _by_leaves(problem: Problem, a: int) -> tuple[Floats, float, float]:
    """g by loss, (leaves − 1) / (declared − 1), that of a suppressed row, and no h."""
    table, rank = problem.tables[a], problem.cut_space.rank[a]
    leaves = IntervalLeaves(table, problem.low[a])
    adds = np.zeros((table.leaves + 1, table.leaves + 1))
    np.add.at(adds, (rank[leaves.first], rank[leaves.last] + 1), leaves.adds)
    inside = np.cumsum(np.cumsum(adds[::-1], axis=0)[::-1], axis=1)  # those between i and j
    return (np.maximum(inside, 1.0) - 1.0) / max(1, table.declared - 1), 1.0, 0.0


def _by_bits(problem: Problem, a: int) -> tuple[Floats, float, float]:
    """g by entropy, log₂ of an interval's rows, that of all rows, and the sum of h."""
    held = problem.counts.marginal(a)
    of = np.zeros(len(held) + 1)
    of[1 + problem.cut_space.rank[a]] = held
    rows = np.cumsum(of)
    g = np.log2(np.maximum(rows[None, :] - rows[:, None], 1.0))
    return (
        g,
        float(np.log2(max(1, problem.rows))),
        float((held * np.log2(np.maximum(held, 1))).sum()),
    )
