"""Compiled: does each price hold? One row is compared with all others, some of them at a time."""
# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lookalike.jit import helper, kernel
from lookalike.verifier.claim.cells.support_bound import CellLayout, Floats, Whole

TOGETHER = 128  # others that are compared at a time
TIE = 1e-11


@kernel
def holds(layout: CellLayout, order: Whole, priced: Whole, prices: Floats) -> NDArray[np.bool_]:
    """(priced,) do fewer than k rows, with its own group, cost a row less than its price?"""
    leaf = np.empty(layout.leaf.shape, np.int32)
    for c in range(len(order)):
        leaf[c] = layout.leaf[order[c]]
    lost = np.empty((len(order), layout.label.shape[2]))
    total = np.empty(TOGETHER)
    answers = np.empty(len(priced), np.bool_)
    for i in range(len(priced)):
        g = priced[i]
        for c in range(len(order)):
            lose_with(layout, order[c], g, lost[c])
        answers[i] = cheaper_rows(layout, leaf, lost, g, prices[g] - TIE, total) < layout.k
    return answers


@helper
def lose_with(layout: CellLayout, a, g, lost):
    """Into ``lost`` (leaves,): what a row of group g loses in a column, to share a label."""
    own = layout.leaf[a, g]
    lost[:] = np.inf
    for level in range(layout.levels[a]):
        label, price = layout.label[a, level], layout.loss[a, level, own]
        for other in range(len(lost)):
            if label[other] == label[own] and price < lost[other]:
                lost[other] = price


@helper
def cheaper_rows(layout: CellLayout, leaf, lost, g, price, total):
    """The rows with whom a row of group g loses less than its price, at most k; itself included."""
    columns, groups = leaf.shape
    rows = layout.rows[g]
    for first in range(0, groups, TOGETHER):
        size = min(TOGETHER, groups - first)
        total[:size] = 0.0
        for c in range(columns):
            if c % 4 == 0 and c > 0 and total[:size].min() >= price:
                break
            column, values = lost[c], leaf[c, first : first + size]
            for i in range(size):
                total[i] += column[values[i]]
        for i in range(size):
            if total[i] < price and first + i != g:
                rows += layout.rows[first + i]
                if rows >= layout.k:
                    return rows
    return rows
