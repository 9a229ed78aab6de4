"""How many leaves an interval of values stands for, including leaves that do not occur.

An interval consists of values that occur. If it contains all values that occur of a group of the
hierarchy, it stands for every declared leaf of that group, as the label of the group does; among
several groups with the same values, the smallest counts. Bands, dates and flat hierarchies declare
no leaves beyond those that occur, so there it is the number of values.

So an interval stands for at least as many leaves as its parts together, and for at most as many as
a level of the hierarchy that shows the same rows alike.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.level_table import LevelTable

Whole = NDArray[np.int64]


class IntervalLeaves:
    """Counts leaves by groups: each group adds the leaves it declares beyond the groups inside it.

    ``low`` is the finest level that may be shown: a value counts at least as much as its group
    there. A group is inside an interval if its first and its last value in the order are.
    """

    def __init__(self, table: LevelTable, low: int = 0) -> None:
        order = np.arange(table.leaves, dtype=np.int32) if table.order is None else table.order
        first: list[NDArray[np.int32]] = []
        last: list[NDArray[np.int32]] = []
        adds: list[Whole] = []
        below = np.zeros(table.leaves, dtype=np.int64)  # leaves of each leaf's group so far
        for level in range(low, table.height + 1):
            codes = table.codes[order, level]
            groups, begins = np.unique(codes, return_index=True)
            ends = len(codes) - 1 - np.unique(codes[::-1], return_index=True)[1]
            under = table.leaves_under[level][groups]
            inside, grown = _parts(codes, groups, below, table.codes[order, max(low, level - 1)])
            new = grown if level > low else np.ones(len(groups), dtype=np.bool_)
            first.append(order[begins[new]])
            last.append(order[ends[new]])
            adds.append((under - inside)[new])
            now = np.where(new, under, inside)
            below = now[np.searchsorted(groups, codes)]
        self.first, self.last = np.concatenate(first), np.concatenate(last)
        self.adds = np.concatenate(adds)

    def inside(self, of: Whole) -> Whole:
        """(intervals,) leaves of each interval; ``of`` is the interval of each leaf."""
        at = of[self.first]
        whole = at == of[self.last]
        counted = np.bincount(
            at[whole], weights=self.adds[whole], minlength=int(of.max(initial=0)) + 1
        )
        return np.maximum(counted, 1).astype(np.int64)


def _parts(
    codes: NDArray[np.int32], groups: NDArray[np.int32], below: Whole, finer: NDArray[np.int32]
) -> tuple[Whole, NDArray[np.bool_]]:
    """For each group, the leaves of its parts together, and whether there are several parts."""
    _, leaf = np.unique(finer, return_index=True)  # a leaf of each part
    group = np.searchsorted(groups, codes[leaf])
    inside = np.bincount(group, weights=below[leaf], minlength=len(groups)).astype(np.int64)
    return inside, np.bincount(group, minlength=len(groups)) > 1
