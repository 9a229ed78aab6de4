"""A problem laid out for searching cell by cell: labels and prices of every level, in flat arrays.

Cells that show the same label are alike, whatever level each of them is on. So a cell is priced at
the cheapest level on which it shows a label. A label must not mean one thing on one level and
another on the next, though: ``clear`` tells whether, of the values that show a label, all do on the
highest level that has it. Only then is a class of a lattice node all that can be released alike.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.cost.column_metric import MarginalCosting
from lookalike.cost.precision import Precision
from lookalike.problem.problem import Problem

Whole = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Groups of equal rows, and what each cell may show. Columns are in the problem's order.

    ``label`` and ``price`` hold one entry a leaf, those of column a's t-th level from ``at[a, t]``
    on. Prices are weighed and for one row.
    """

    leaf: NDArray[np.int32]  # (columns, groups)
    rows: Whole  # (groups,)
    k: int
    at: Whole  # (columns, turns)
    many: Whole  # (columns,) levels that a cell may have
    level: Whole  # (columns, turns) which levels these are, from the finest up
    lowest: Whole  # like label: the cheapest turn that shows the same label
    label: Whole
    price: Floats
    full: Floats  # (groups,) of a row that is left out
    alone: bool  # a row starred throughout needs no lookalikes

    @property
    def nodes(self) -> int:
        return math.prod(self.many.tolist())

    @property
    def coarsest(self) -> Floats:
        """(groups,) what a row pays at the coarsest levels."""
        paid = np.zeros(len(self.rows))
        for a, many in enumerate(self.many):
            paid += self.price[self.at[a, many - 1] + self.leaf[a]]
        return paid

    @property
    def at_most(self) -> Floats:
        """(groups,) what a row pays that nobody looks like, if it may."""
        return np.minimum(self.full, self.coarsest) if self.alone else self.full


def levels_of_cells(problem: Problem) -> list[list[int]]:
    """The levels that a cell of each column may have: ``*`` always, where cells are suppressed."""
    stars = problem.policy.model is not None and problem.policy.model.suppress == "cell"
    return [
        sorted({*range(low, high + 1), *([table.height] if stars else [])})
        for low, high, table in zip(problem.low, problem.high, problem.tables, strict=True)
    ]


def lay_out(problem: Problem, weights: Floats | None = None) -> Layout:
    """By the problem's own metric if that adds up cell by cell, else by precision.

    ``weights`` stand in for the policy's, for searches that change them.
    """
    costing = problem.costing
    if not isinstance(costing, MarginalCosting):
        costing = Precision().on(problem.ground)
        assert isinstance(costing, MarginalCosting)
    weights = problem.ground.weights if weights is None else weights
    levels = levels_of_cells(problem)
    most = max(map(len, levels))
    at, level = np.zeros((2, len(levels), most), dtype=np.int64)
    labels, prices, lowest, length = [], [], [], 0
    full = np.zeros(problem.counts.groups)
    for a, allowed in enumerate(levels):
        level[a, : len(allowed)] = allowed
        shown = problem.label_numbers[a][allowed]
        price = weights[a] * costing.loss[a][:, allowed].T
        turn = _cheapest(shown, price)
        full += weights[a] * costing.full[a][problem.counts.codes[:, a]]
        for t in range(len(allowed)):
            at[a, t] = length
            labels.append(shown[t])
            lowest.append(turn[t])
            prices.append(np.take_along_axis(price, turn[t][None], axis=0)[0])
            length += len(shown[t])
    return Layout(
        leaf=np.ascontiguousarray(problem.counts.codes.T, dtype=np.int32),
        rows=problem.counts.counts.astype(np.int64),
        k=problem.smallest,
        at=at,
        many=np.array(list(map(len, levels)), dtype=np.int64),
        level=level,
        lowest=np.concatenate(lowest),
        label=np.concatenate(labels),
        price=np.concatenate(prices),
        full=full,
        alone=problem.policy.conventions.stars == "wildcard"
        and all(t.height in allowed for t, allowed in zip(problem.tables, levels, strict=True)),
    )


def _cheapest(shown: Whole, price: Floats) -> Whole:
    """(levels, leaves) of the levels on which a leaf shows the same label, the cheapest."""
    turn = np.empty_like(shown)
    for t in range(len(shown)):
        same = shown == shown[t]
        turn[t] = np.argmin(np.where(same, price, np.inf), axis=0)
    return turn


def clear(problem: Problem) -> bool:
    """Does every label mean the same, or less, on lower levels?"""
    for numbers, allowed in zip(problem.label_numbers, levels_of_cells(problem), strict=True):
        shown = numbers[allowed]
        highest = np.zeros(int(shown.max(initial=0)) + 1, dtype=np.int64)
        for turn, labels in enumerate(shown):
            highest[labels] = turn
        for labels in shown:
            if (np.take_along_axis(shown, highest[labels][None], axis=0)[0] != labels).any():
                return False
    return True
