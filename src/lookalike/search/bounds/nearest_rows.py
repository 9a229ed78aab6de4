"""The nearest-rows bound for cell-level recodings, for lattices that are too large to count.

A released row shares its labels with k − 1 other rows. So in each column it shows a label that it
has in common with each of them, and loses at least as much as in a class with its (k − 1)-th
nearest row alone. (Rows are near if the row loses little with them; equal rows are the nearest.) A
suppressed row loses everything, which is never less.

What is known when a limit ends the search is a bound too: rows that were not compared count with
what they lose at the finest levels. Rows that lose most with others are compared first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lookalike.search.bounds.cell_layout import CellLayout, Floats, Whole
from lookalike.search.bounds.geometric_mean import cost_bound
from lookalike.search.bounds.neighborhood import Neighborhood
from lookalike.search.run import Run
from lookalike.solution.proof import By, DualPrices

if TYPE_CHECKING:
    from lookalike.search.bounds.nearest_rows_kernels import Neighbors

MAX_PAIRS = 1 << 32  # of groups that are compared; of larger tables some groups are left out


def prove_nearest_rows(run: Run, layout: CellLayout) -> None:
    """Raise the run's bound, as far as the limits allow. Raises Stopped at a limit.

    The groups of the layout are in canonical order.
    """
    near = Neighborhood(layout)
    asked = np.argsort(-near.mean_loss, kind="stable")
    asked = asked[near.layout.rows[asked] < layout.k]
    asked = asked[: MAX_PAIRS // max(1, len(near.group))]
    found, done = near.begin(asked, layout.k - 1), np.zeros(1, dtype=np.int64)

    def check_limits() -> None:
        run.mind_clock()
        run.tick()

    try:
        near.search(asked, None, found, done, check_limits)
    finally:
        finished = int(done[0])
        prove_prices(run, layout, near, asked[:finished], found)


def prove_prices(
    run: Run, layout: CellLayout, near: Neighborhood, asked: Whole, found: Neighbors
) -> None:
    """Raise the run's bound by the neighbors of the groups ``asked``, the first of ``found``."""
    prices = finest_losses(layout)
    prices[near.group[asked]] = _prices(near.layout, asked, found)
    prices = np.minimum(prices, layout.without_lookalikes)
    bound = cost_bound(run.problem, float(prices @ layout.rows) / max(1, run.problem.rows))
    if bound > run.proved_bound:
        run.prove(bound, By.NEAREST_ROWS)
        run.prices = (DualPrices(prices),)


def finest_losses(layout: CellLayout) -> Floats:
    """(groups,) what a row loses at least, whatever the others are."""
    return np.asarray(
        sum(
            np.minimum.reduce([layout.loss[layout.at[a, level] + leaf] for level in range(levels)])
            for a, (leaf, levels) in enumerate(zip(layout.leaf, layout.levels, strict=True))
        )
    )


def _prices(layout: CellLayout, asked: Whole, found: Neighbors) -> Floats:
    """(asked,) what a row loses with its (k − 1)-th nearest row; infinite if there is none."""
    group, loss = found.group[: len(asked)], found.loss[: len(asked)]
    rows = np.where(group >= 0, layout.rows[group], 0)
    alike = layout.rows[asked, None] + np.cumsum(rows, axis=1)
    enough = (alike >= layout.k) & (group >= 0)
    first = enough.argmax(axis=1)
    prices = loss[np.arange(len(asked)), first]
    return np.asarray(np.where(enough.any(axis=1), prices, np.inf))
