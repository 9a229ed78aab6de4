"""Sets of rows that may become classes, one after another in flat arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lookalike.search.bounds.cell_layout import Floats, Whole


class Partition(NamedTuple):
    """Rows in classes: pieces of groups of equal rows, each in one class."""

    group: Whole  # (pieces,)
    rows: Whole  # (pieces,)
    of: Whole  # (pieces,) the class, −1 where suppressed


@dataclass(frozen=True, slots=True, eq=False)
class RowSets:
    """Set s holds ``size[i]`` rows of ``group[i]`` for i from ``start[s]`` to before the next."""

    start: Whole  # (sets + 1,)
    group: Whole  # (entries,)
    size: Whole  # (entries,)
    cost: Floats  # (sets,) if its rows are one class, or suppressed
    suppressed: NDArray[np.bool_]  # (sets,) one row each, suppressed

    def __len__(self) -> int:
        return len(self.cost)

    @property
    def of(self) -> Whole:
        """(entries,) the set of each entry"""
        return np.repeat(np.arange(len(self)), np.diff(self.start))

    def prices(self, per_row: Floats, suppression: float) -> Floats:
        """(sets,) the price of each, from the dual prices of its rows."""
        of_rows = np.bincount(self.of, self.size * per_row[self.group], len(self))
        prices: Floats = of_rows - suppression * self.suppressed
        return prices

    def reduced_costs(self, per_row: Floats, suppression: float) -> Floats:
        """(sets,) how much more each costs than its price."""
        return self.cost - self.prices(per_row, suppression)

    def take(self, which: Whole) -> RowSets:
        """Some of them."""
        length = np.diff(self.start)[which]
        start = np.concatenate([[0], np.cumsum(length)])
        entry = np.repeat(self.start[which] - start[:-1], length) + np.arange(int(start[-1]))
        return RowSets(
            start, self.group[entry], self.size[entry], self.cost[which], self.suppressed[which]
        )

    def join(self, other: RowSets) -> RowSets:
        """These sets and others."""
        return RowSets(
            np.concatenate([self.start, self.start[-1] + other.start[1:]]),
            np.concatenate([self.group, other.group]),
            np.concatenate([self.size, other.size]),
            np.concatenate([self.cost, other.cost]),
            np.concatenate([self.suppressed, other.suppressed]),
        )


class FoundSets(NamedTuple):
    """Space for sets that compiled code writes, one after another: at most 2k − 1 rows each."""

    length: Whole  # (sets,) how many entries each has
    group: Whole  # (entries,)
    size: Whole  # (entries,)

    @staticmethod
    def begin(max_sets: int) -> FoundSets:
        """Not written to yet."""
        return FoundSets(
            np.zeros(max_sets, dtype=np.int64), *np.zeros((2, 4 * max_sets), dtype=np.int64)
        )


def suppressed_rows(full: Floats) -> RowSets:
    """One row of every group, suppressed."""
    groups = len(full)
    each = np.arange(groups, dtype=np.int64)
    return RowSets(
        np.arange(groups + 1, dtype=np.int64),
        each,
        np.ones(groups, dtype=np.int64),
        full.copy(),
        np.ones(groups, dtype=np.bool_),
    )


def partition_of(sets: RowSets, taken: Whole) -> Partition:
    """The sets that are taken, as classes; a set taken twice is one class with twice the rows."""
    which = np.flatnonzero(taken)
    chosen = sets.take(which)
    of = np.where(chosen.suppressed, -1, np.arange(len(chosen)))[chosen.of]
    return Partition(chosen.group, chosen.size * taken[which][chosen.of], of)
