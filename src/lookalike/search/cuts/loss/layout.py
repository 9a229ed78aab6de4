"""A problem laid out for searching cuts by loss or entropy: what a row loses in each interval.

With both metrics, a released row loses Σ over columns of g(its interval) − h(its value); a
suppressed row loses g(everything) instead of g(its interval). The sum of all h is the same for all
recodings. So a row *pays* g, or in full, and the constant is subtracted at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lookalike.cost.interval_leaves import IntervalLeaves
from lookalike.problem.problem import Problem
from lookalike.search.cuts.k_optimize_arrays import IN, OUT, State
from lookalike.search.cuts.k_optimize_layout import CutInstance, lay_out, long_places

Floats: TypeAlias = NDArray[np.float64]
Whole: TypeAlias = NDArray[np.int64]
Segments = Sequence[tuple[Whole, Whole]]  # a column: places of cuts in or open, and which are in

MAX_INTERVALS = 1 << 24  # of a column


class Intervals(NamedTuple):
    """Intervals of the long column, sorted."""

    begin: Whole  # (intervals,) as numbers of places
    end: Whole  # (intervals,)
    loses: Floats  # (intervals,) what a row loses in each

    def take(self, which: Whole) -> Intervals:
        """Some of them."""
        return Intervals(self.begin[which], self.end[which], self.loses[which])


class Terms(NamedTuple):
    """How classes are priced."""

    k: int
    limit: int  # rows that may be suppressed
    full: float  # what a suppressed row pays


@dataclass(frozen=True, slots=True, eq=False)
class LossInstance:
    """The cuts and counts of a ``CutInstance``, and what intervals cost, over all rows."""

    cuts: CutInstance
    lose: tuple[Floats, ...]  # a branching column: (values + 1, values + 1) g of (i, j), or inf
    terms: Terms
    constant: float  # the h of all rows
    before: Floats  # (profiles, places) rows before each place of the long column
    intervals: Intervals

    def segments(self, state: State) -> Segments:
        """Where the columns may be cut at a node; both ends of a column count as in."""
        table, segments = self.cuts.table, []
        for first, width in zip(table.first.tolist(), table.width.tolist(), strict=True):
            own = np.full(width + 1, IN, dtype=np.int8)
            own[1:-1] = state[first : first + width - 1]
            places = np.flatnonzero(own != OUT)
            segments.append((places, np.flatnonzero(own[places] == IN)))
        return segments

    def cost(self, paid: float) -> float:
        return (paid - self.constant) / self.cuts.table.rows

    def payment(self, cost: float) -> float:
        """What all rows pay together at this cost."""
        return cost * self.cuts.table.rows + self.constant


def lay_out_losses(problem: Problem, long: int | None = None) -> LossInstance:
    """Everything that the kernels need to know of a problem."""
    cuts = lay_out(problem, long)
    losses = _by_leaves if problem.policy.metric.name == "loss" else _by_bits
    lose, full, constant = [], 0.0, 0.0
    for a in range(len(problem.names)):
        weight = float(problem.ground.weights[a])
        g, full_g, h = losses(problem, a)
        lose.append(np.where(long_places(cuts.space, a)[1], np.inf, weight * g))
        full += weight * full_g
        constant += weight * h
    own = lose.pop(cuts.long)
    places = cuts.places
    begin, end = np.triu_indices(len(places), k=1)
    loses = own[places[begin], places[end]]
    allowed = np.flatnonzero(np.isfinite(loses))
    return LossInstance(
        cuts,
        tuple(lose),
        Terms(cuts.table.k, cuts.table.limit, full),
        constant,
        np.ascontiguousarray(cuts.table.rows_before[:, places], dtype=np.float64),
        Intervals(begin.astype(np.int64), end.astype(np.int64), loses).take(allowed),
    )


def too_wide(problem: Problem) -> str | None:
    """Why the intervals of some column would not fit in memory, in a sentence; None if they do."""
    for table in problem.tables:
        if (table.leaves + 1) ** 2 > MAX_INTERVALS:
            return (
                f"{table.name} has {table.leaves:,} values, and so too many intervals for this "
                "metric; group or round the values first"
            )
    return None


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
    full = float(np.log2(max(1, problem.rows)))
    return g, full, float((held * np.log2(np.maximum(held, 1))).sum())
