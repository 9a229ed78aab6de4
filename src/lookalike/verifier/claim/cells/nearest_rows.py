"""Check the nearest-rows bound: no row has k − 1 others with whom it would pay less than its price.

A class of a row contains k − 1 other rows. With each of them the row shares a label in every
column, so it loses at least what it would lose in a class with the costliest of them alone. If
fewer than k − 1 others would cost it less than its price, it pays its price in every class. A
suppressed row loses everything. The proof lists a price for each group of equal rows. A price that
fails counts as what the row loses at the finest levels, so the prices of a forged proof prove
nothing that is not true.
"""

from __future__ import annotations

import math

import numpy as np

from lookalike.verifier.claim.cells.support_bound import CellLayout, Floats

MAX_PAIRS = 1 << 32  # of groups; the search compares no more


def nearest_rows_bound(layout: CellLayout, prices: Floats) -> float:
    """No cell-level recoding costs less, for the whole table; −∞ if that cannot be checked."""
    if not np.isfinite(prices).all() or not len(prices):
        return -math.inf
    least = np.zeros(len(prices))
    for a, leaf in enumerate(layout.leaf):
        least += layout.loss[a, : layout.levels[a], leaf].min(axis=1)
    prices = np.minimum(prices, layout.full)
    if layout.stars_alone:
        prices = np.minimum(prices, layout.coarsest)
    priced = np.flatnonzero(prices > least)
    if len(priced) * len(prices) > MAX_PAIRS:
        return -math.inf
    if len(priced):
        from lookalike.verifier.claim.cells.nearest_rows_kernels import holds  # late: loads numba

        valid = holds(layout, _telling_first(layout), priced, prices)
        least[priced[valid]] = prices[priced[valid]]
    return float(least @ layout.rows)


def _telling_first(layout: CellLayout) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """(columns,) the columns by how often neighbors in the list of groups differ, at any level."""
    differ = [
        sum(
            int((shown[1:] != shown[:-1]).sum())
            for shown in layout.label[a, : layout.levels[a]][:, leaf]
        )
        for a, leaf in enumerate(layout.leaf)
    ]
    return np.argsort(-np.array(differ), kind="stable").astype(np.int64)
