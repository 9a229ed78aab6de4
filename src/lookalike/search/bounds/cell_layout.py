"""A problem in flat arrays for cell-level searches: the label and the loss of each value and level.

Cells with the same label are alike, whatever their levels are. So a cell is priced at the cheapest
level on which it shows a label. Some searches also need nested labels: of the values that show a
label on some level, all must show it on the highest level that has it. Only then is a class of a
lattice node all that can be released alike.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lookalike.cost.column_metric import MarginalCosting
from lookalike.cost.precision import Precision
from lookalike.problem.problem import Problem

Whole = NDArray[np.int64]
Floats = NDArray[np.float64]


class CellLayout(NamedTuple):
    """Groups of equal rows, and what each cell may show. Columns are in the problem's order.

    The levels that a cell may have are numbered from the finest up. ``label``, ``loss`` and
    ``cheapest`` have one entry for each leaf; those of column a's i-th level start at ``at[a, i]``.
    Compiled code takes it as it is.
    """

    leaf: NDArray[np.int32]  # (columns, groups)
    rows: Whole  # (groups,)
    k: int
    at: Whole  # (columns, levels)
    levels: Whole  # (columns,) how many levels a cell may have
    allowed: Whole  # (columns, levels) which levels of the hierarchy these are
    cheapest: Whole  # (entries,) the cheapest level that shows the same label
    label: Whole  # (entries,)
    loss: Floats  # (entries,) of one row, weighted
    full: Floats  # (groups,) lost by a suppressed row
    stars_alone: bool  # rows that are all * need no lookalikes

    @property
    def nodes(self) -> int:
        """The size of the lattice of these levels."""
        return math.prod(self.levels.tolist())

    def take(self, group: Whole) -> CellLayout:
        """Only these groups, in this order."""
        return self._replace(
            leaf=np.ascontiguousarray(self.leaf[:, group]),
            rows=self.rows[group],
            full=self.full[group],
        )

    def few_values_first(self) -> CellLayout:
        """Its columns sorted by their number of values: then large parts are split last."""
        order = np.argsort([len(np.unique(leaves)) for leaves in self.leaf], kind="stable")
        return self._replace(leaf=self.leaf[order], at=self.at[order], levels=self.levels[order])

    def labels_at(self, node: Whole) -> Whole:
        """(groups, columns) what the groups show at a node."""
        start = self.at[np.arange(len(node)), node]
        return np.asarray(self.label[start + self.leaf.T])

    def cheapest_levels(self, levels: Whole, group: Whole) -> Whole:
        """(pieces, columns) the cheapest hierarchy levels with the same labels as ``levels``."""
        columns = np.arange(len(self.at))
        cheapest = self.cheapest[self.at[columns, levels] + self.leaf[:, group].T]
        return np.asarray(self.allowed[columns, cheapest])

    @property
    def without_lookalikes(self) -> Floats:
        """(groups,) what a row loses that has no lookalikes: all, or ``*`` in every column."""
        if not self.stars_alone:
            return self.full
        coarsest = np.zeros(len(self.rows))
        for a, levels in enumerate(self.levels):
            coarsest += self.loss[self.at[a, levels - 1] + self.leaf[a]]
        return np.minimum(self.full, coarsest)


def levels_of_cells(problem: Problem) -> list[list[int]]:
    """The levels that a cell of each column may have; always ``*``, where cells are suppressed."""
    stars = problem.policy.model is not None and problem.policy.model.suppress == "cell"
    return [
        sorted({*range(low, high + 1), *([table.height] if stars else [])})
        for low, high, table in zip(problem.low, problem.high, problem.tables, strict=True)
    ]


def cell_losses(problem: Problem) -> MarginalCosting:
    """The problem's own metric if that adds up cell by cell, otherwise precision."""
    costing = problem.costing
    if not isinstance(costing, MarginalCosting):
        costing = Precision().on(problem.ground)
        assert isinstance(costing, MarginalCosting)
    return costing


def lay_out(problem: Problem, weights: Floats | None = None) -> CellLayout:
    """Laid out with the policy's weights of columns, or with others."""
    costing = cell_losses(problem)
    weights = problem.ground.weights if weights is None else weights
    levels = levels_of_cells(problem)
    at, allowed = np.zeros((2, len(levels), max(map(len, levels))), dtype=np.int64)
    labels, losses, cheapest, length = [], [], [], 0
    full = np.zeros(problem.counts.groups)
    for a, own in enumerate(levels):
        allowed[a, : len(own)] = own
        label = problem.label_numbers[a][own]
        loss = weights[a] * costing.loss[a][:, own].T
        full += weights[a] * costing.full[a][problem.counts.codes[:, a]]
        for i in range(len(own)):
            best = np.argmin(np.where(label == label[i], loss, np.inf), axis=0)
            at[a, i] = length
            labels.append(label[i])
            cheapest.append(best)
            losses.append(np.take_along_axis(loss, best[None], axis=0)[0])
            length += len(label[i])
    return CellLayout(
        leaf=np.ascontiguousarray(problem.counts.codes.T, dtype=np.int32),
        rows=problem.counts.counts.astype(np.int64),
        k=problem.smallest,
        at=at,
        levels=np.array(list(map(len, levels)), dtype=np.int64),
        allowed=allowed,
        cheapest=np.concatenate(cheapest),
        label=np.concatenate(labels),
        loss=np.concatenate(losses),
        full=full,
        stars_alone=problem.policy.conventions.stars == "wildcard"
        and all(t.height in own for t, own in zip(problem.tables, levels, strict=True)),
    )


def has_nested_labels(problem: Problem) -> bool:
    """Does every value that shows a label show it on the highest level that has it?"""
    for numbers, allowed in zip(problem.label_numbers, levels_of_cells(problem), strict=True):
        shown = numbers[allowed]
        highest = np.zeros(int(shown.max(initial=0)) + 1, dtype=np.int64)
        for level, labels in enumerate(shown):
            highest[labels] = level
        for labels in shown:
            if (np.take_along_axis(shown, highest[labels][None], axis=0)[0] != labels).any():
                return False
    return True
