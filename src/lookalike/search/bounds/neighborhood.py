"""The nearest groups of each group: those in whose company its rows lose least."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from lookalike.search.bounds.cell_layout import CellLayout, Floats, Whole
from lookalike.search.interruption import interruptible

if TYPE_CHECKING:
    from lookalike.search.bounds.nearest_rows_kernels import Neighbors

SAMPLE = 256  # groups, from which it is estimated what each value loses


class Neighborhood:
    """Groups in the order in which they are compared; their numbers here are places in it.

    Columns that tell most about a pair come first, and groups that agree in these are close.
    """

    def __init__(self, layout: CellLayout) -> None:
        groups = len(layout.rows)
        sample = np.random.default_rng(0).integers(0, max(1, groups), min(groups, SAMPLE))
        lost, mean = np.zeros(groups), np.zeros(len(layout.at))
        for a, leaf in enumerate(layout.leaf):
            of_column = _mean_losses(layout, a, leaf[sample])[leaf]
            mean[a] = of_column.mean() if groups else 0.0
            lost += of_column
        columns = np.argsort(-mean, kind="stable")
        by_cost = layout._replace(
            leaf=layout.leaf[columns], at=layout.at[columns], levels=layout.levels[columns]
        )
        self.group = np.lexsort(by_cost.leaf[::-1])  # (places,)
        self.layout = by_cost.take(self.group)
        self.mean_loss: Floats = lost[self.group]  # (places,) with a row of the sample

    def sort(self, order: Whole) -> None:
        """Put the groups in another order, given by their places."""
        self.group, self.layout = self.group[order], self.layout.take(order)
        self.mean_loss = self.mean_loss[order]

    def places(self) -> Whole:
        """(groups,) the place of each group."""
        place = np.empty_like(self.group)
        place[self.group] = np.arange(len(place))
        return place

    def begin(self, asked: Whole, neighbors: int) -> Neighbors:
        """Room for the neighbors of the groups that are asked for."""
        from lookalike.search.bounds.nearest_rows_kernels import Neighbors  # late: loads numba

        shape = len(asked), neighbors
        return Neighbors(np.full(shape, -1, dtype=np.int32), np.full(shape, np.inf))

    def search(
        self,
        asked: Whole,
        part: Whole | None,
        found: Neighbors,
        done: Whole,
        check_limits: Callable[[], None],
    ) -> None:
        """Find them. ``done[0]`` counts the finished ones, also if a limit ends the search.

        ``part`` (places, 2) is where the others are with which a group is compared; None: all.
        """
        from lookalike.search.bounds.nearest_rows_kernels import find_neighbors  # late

        if part is None:
            part = np.tile(np.array([0, len(self.group)]), (len(self.group), 1))
        interruptible(check_limits, find_neighbors, self.layout, asked, part, found, done)


def _mean_losses(layout: CellLayout, a: int, sample: Whole) -> Floats:
    """(leaves,) what a cell of each value loses with a cell of the sample, on average."""
    leaves = 1 + int(layout.leaf[a].max(initial=-1))
    lost = np.full((leaves, len(sample)), np.inf)
    for start in layout.at[a, : layout.levels[a]].tolist():
        label, loss = layout.label[start : start + leaves], layout.loss[start : start + leaves]
        alike = label[:, None] == label[sample]
        lost = np.where(alike, np.minimum(lost, loss[:, None]), lost)
    apart = np.isinf(lost)
    return np.asarray(np.where(apart, lost[~apart].max(initial=0.0), lost).mean(axis=1))
