"""How many leaves an interval of values stands for, those that do not occur included.

An interval is made of values that occur. Where it holds all that occur of a group of the hierarchy,
it stands for every declared leaf of that group, as the group's own label would; of several groups
with the same values, the smallest counts. Bands, dates and two flat values declare no leaf beyond
those that occur, and there it is simply the number of values.

So an interval never stands for fewer leaves than its parts together, and for no more than a level
of the hierarchy that shows the same rows alike.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.level_table import LevelTable

Whole = NDArray[np.int64]


class IntervalLeaves:
    """Counts by groups: each group adds what it declares beyond the groups inside it.

    ``low`` is the finest level that may be shown: a value never counts for less than its group
    there. A group lies in one interval if its first and its last value in the order do.
    """

    def __init__(self, table: LevelTable, low: int = 0) -> None:
        order = np.arange(table.leaves, dtype=np.int32) if table.order is None else table.order
        first: list[NDArray[np.int32]] = []
        last: list[NDArray[np.int32]] = []
        adds: list[Whole] = []
        below = np.zeros(table.leaves, dtype=np.int64)  # what each leaf's group so far stands for
        for level in range(low, table.height + 1):
            codes = table.codes[order, level]
            found, begins = np.unique(codes, return_index=True)
            ends = len(codes) - 1 - np.unique(codes[::-1], return_index=True)[1]
            under = table.leaves_under[level][found]
            inside, grown = _parts(codes, found, below, table.codes[order, max(low, level - 1)])
            new = grown if level > low else np.ones(len(found), dtype=np.bool_)
            first.append(order[begins[new]])
            last.append(order[ends[new]])
            adds.append((under - inside)[new])
            now = np.where(new, under, inside)
            below = now[np.searchsorted(found, codes)]
        self.first, self.last = np.concatenate(first), np.concatenate(last)
        self.adds = np.concatenate(adds)

    def inside(self, of: Whole) -> Whole:
        """(intervals,) leaves that each stands for, from the interval of each leaf."""
        at = of[self.first]
        whole = at == of[self.last]
        counted = np.bincount(
            at[whole], weights=self.adds[whole], minlength=int(of.max(initial=0)) + 1
        )
        return np.maximum(counted, 1).astype(np.int64)


def _parts(
    codes: NDArray[np.int32], found: NDArray[np.int32], below: Whole, finer: NDArray[np.int32]
) -> tuple[Whole, NDArray[np.bool_]]:
    """For each group, the leaves its parts stand for together, and whether there are several."""
    _, one = np.unique(finer, return_index=True)  # a leaf of each part
    group = np.searchsorted(found, codes[one])
    inside = np.bincount(group, weights=below[one], minlength=len(found)).astype(np.int64)
    return inside, np.bincount(group, minlength=len(found)) > 1
