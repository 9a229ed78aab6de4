"""The nearest groups of each group, by what its rows would lose with them. Compiled; import late.

What a group loses with another one is a sum over columns, so a pair is given up as soon as the sum
is above the costliest neighbor known so far. Groups are compared block by block: a few columns at a
time for the whole block, in single precision, until few pairs are left. These are computed exactly.
"""
# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lookalike.jit import helper, kernel
from lookalike.search.bounds.cell_layout import CellLayout, Floats, Whole

BLOCK = 512  # groups
COLUMNS = 4  # of a block at a time
FEW = 4  # pairs are few if they are at most 1/4 of a block
SINGLE = 1.00001  # single precision is not better than this


class Neighbors(NamedTuple):
    """For each group that was asked for: its nearest others, the nearest first."""

    group: NDArray[np.int32]  # (asked, neighbors) −1 where there are no more
    loss: Floats  # (asked, neighbors) what a row of the asked group loses with it


class Scratch(NamedTuple):
    """Room to compare one group with a block of others."""

    leaves: Whole  # (columns,)
    loss: Floats  # (columns, leaves) what the group loses in a column with each value
    single: NDArray[np.float32]  # the same in single precision
    sum: NDArray[np.float32]  # (block,)
    open: Whole  # (block,) the pairs that are not given up


@kernel
def find_neighbors(
    layout: CellLayout, asked: Whole, part: Whole, neighbors: Neighbors, done: Whole, halt: Whole
) -> None:
    """The neighbors of some groups; ``done[0]`` counts the groups that it has finished.

    Group g is compared with the groups from ``part[g, 0]`` to before ``part[g, 1]``.
    It ends early once ``halt[0]`` is set.
    """
    columns = len(layout.leaf)
    leaves = np.zeros(columns, np.int64)
    for a in range(columns):
        leaves[a] = 1 + layout.leaf[a].max()
    scratch = Scratch(
        leaves, np.empty((columns, leaves.max())), np.empty((columns, leaves.max()), np.float32),
        np.empty(BLOCK, np.float32), np.empty(BLOCK, np.int64),
    )  # fmt: skip
    while done[0] < len(asked) and not halt[0]:
        i = done[0]
        v = asked[i]
        _price_values(layout, v, scratch)
        _visit_blocks(layout, v, part[v], neighbors.group[i], neighbors.loss[i], scratch)
        done[0] = i + 1


@helper
def _price_values(layout: CellLayout, v, scratch: Scratch):
    """What a row of a group loses in a class with each value of each column."""
    for a in range(len(layout.leaf)):
        loss, own = scratch.loss[a, : scratch.leaves[a]], layout.leaf[a, v]
        loss[:] = np.inf
        for level in range(layout.levels[a]):
            start = layout.at[a, level]
            label, price = layout.label[start + own], layout.loss[start + own]
            for u in range(len(loss)):
                if layout.label[start + u] == label and price < loss[u]:
                    loss[u] = price
        for u in range(len(loss)):
            scratch.single[a, u] = loss[u]


@helper
def _visit_blocks(layout: CellLayout, v, part, near, near_loss, scratch: Scratch):
    """Compare a group with all blocks of its part, its own block first, then those around it."""
    near[:] = -1
    near_loss[:] = np.inf
    begin, end = part
    blocks = (end - begin + BLOCK - 1) // BLOCK
    own = (v - begin) // BLOCK
    for step in range(2 * blocks):
        b = own - (step + 1) // 2 if step % 2 else own + step // 2
        if 0 <= b < blocks:
            first = begin + b * BLOCK
            _compare(layout, v, first, min(end, first + BLOCK), near, near_loss, scratch)


@helper
def _compare(layout: CellLayout, v, first, behind, near, near_loss, scratch: Scratch):
    """Compare a group with one block, and remember the nearest."""
    columns, size, last = len(layout.leaf), behind - first, len(near) - 1
    limit = np.float32(near_loss[last] * SINGLE)
    a, count = _add_columns(layout, first, size, limit, scratch)
    for j in range(count):
        i = scratch.open[j]
        u, lost, c = first + i, scratch.sum[i], a
        while c < columns and lost <= limit:
            lost += scratch.single[c, layout.leaf[c, u]]
            c += 1
        if lost > limit or u == v:
            continue
        exact = 0.0
        for c in range(columns):
            exact += scratch.loss[c, layout.leaf[c, u]]
        if exact < near_loss[last]:
            _remember(u, exact, near, near_loss)
            limit = np.float32(near_loss[last] * SINGLE)


@helper
def _add_columns(layout: CellLayout, first, size, limit, scratch: Scratch):
    """Add up columns for a block until few pairs are left. Returns how many columns and pairs."""
    columns, total = len(layout.leaf), scratch.sum[:size]
    total[:] = 0
    a, count = 0, size
    while a < columns and count * FEW > size:
        until = min(columns, a + COLUMNS)
        while a < until:
            prices, leaf = scratch.single[a], layout.leaf[a, first : first + size]
            for i in range(size):
                total[i] += prices[leaf[i]]
            a += 1
        count = 0
        for i in range(size):
            count += total[i] <= limit
    count = 0
    for i in range(size):
        if total[i] <= limit:
            scratch.open[count] = i
            count += 1
    return a, count


@helper
def _remember(u, lost, near, near_loss):
    """Insert a neighbor in order; the last one goes."""
    i = len(near) - 1
    while i > 0 and near_loss[i - 1] > lost:
        near[i], near_loss[i] = near[i - 1], near_loss[i - 1]
        i -= 1
    near[i], near_loss[i] = u, lost
