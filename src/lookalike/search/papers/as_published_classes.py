"""Equivalence classes, kept up to date as cuts come and go (Bayardo and Agrawal 2005, section 6).

Loads numba: import late. Values are numbered over all columns, as in the paper's Figure 1: column
by column, each in its order. A cut is known by the value that it puts first in an interval.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

Whole = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Stretches:
    """Groups listed so that every class is one stretch of the list (the paper's Figure 4)."""

    order: Whole  # (groups,)
    ends: Whole  # (classes,) where each class ends, rising
    rows: Whole  # (classes,)
    majority: Whole  # (classes,) rows of its most frequent label


@dataclass(frozen=True, slots=True, eq=False)
class Splits:
    """What adding each cut of the tail would do to the head's released classes. All (tail,)."""

    classes: Whole  # that it splits
    squares: Whole  # the change of Σ|E|²
    one_kept: Whole  # splits of which a part, or both, has k rows
    both_kept: Whole  # splits of which both parts do
    lost: Whole  # rows that fall into parts under k
    charge: Whole  # what is charged, of the allset's classes, for these rows


class HeadClasses:
    """The classes induced by the head, split and merged again in place (6.2).

    A split moves groups within the stretch of their class only, and the right part becomes the
    last class. So merging, in reverse, gives the stretch of the last class back to the class it was
    split from, which ``source`` remembers: the paper's stack of pairs.

    A class under k is suppressed, here and under any further cuts, and so is never split.
    """

    def __init__(
        self,
        ranks: NDArray[np.int32],  # (groups, columns) the place of each value in its column's order
        labels: Whole,  # (groups, labels) rows with each class label; one column if it is all one
        column: NDArray[np.int32],  # (cuts,)
        place: NDArray[np.int32],  # (cuts,)
        k: int,
    ) -> None:
        groups, columns = ranks.shape
        values = np.bincount(column, minlength=columns) + 1  # in each column
        first = np.concatenate([[0], np.cumsum(values)[:-1]])
        self.values = np.ascontiguousarray((ranks + first).T)  # (columns, groups)
        self.labels = labels
        self.column = column
        self.at = first[column] + place  # (cuts,) the value that a cut puts first
        self.alphabet = int(values.sum())
        self.k = k
        self.number = min(1, groups)
        self.order = np.arange(groups)
        self.begin, self.end, self.rows, self.source = np.zeros((4, max(1, groups)), dtype=np.int64)
        self.end[0], self.rows[0] = groups, labels.sum()
        self._before: list[int] = []  # how many classes there were before each split

    def split(self, cut: int) -> None:
        """Category 1: the classes once a cut is added to the head."""
        self._before.append(self.number)
        self.number = _split(
            self.order, self.begin, self.end, self.rows, self.source, self.number,
            self.labels, self.values[self.column[cut]], self.at[cut], self.k,
        )  # fmt: skip

    def merge(self) -> None:
        """Take the last cut back."""
        before = self._before.pop()
        for last in range(self.number - 1, before - 1, -1):
            source = self.source[last]
            self.end[source] = self.end[last]
            self.rows[source] += self.rows[last]
        self.number = before

    @property
    def suppressed(self) -> int:
        """Rows in classes under k."""
        rows = self.rows[: self.number]
        return int(rows[rows < self.k].sum())

    def released(self) -> Stretches:
        """The head's classes of k rows or more."""
        order, ends = _released(self.order, self.begin, self.end, self.rows, self.number, self.k)
        return Stretches(order, ends, *_tally(order, ends, self.labels))

    def allset(self, head: Stretches, cuts: Whole) -> Stretches:
        """Category 3: the released classes once all of these cuts are added, in the same order.

        Each class is sorted by its intervals, column by column, and demarcated anew.
        """
        order, ends = head.order, head.ends
        interval = self._intervals(cuts)
        for column in np.unique(self.column[cuts]):
            order, ends = _demarcate(order, ends, self.values[column], interval, len(cuts) + 1)
        return Stretches(order, ends, *_tally(order, ends, self.labels))

    def splits(self, head: Stretches, allset: Stretches, charge: Whole, cuts: Whole) -> Splits:
        """Category 2: what each cut would split, without splitting it (6.3).

        The allset's classes are handled whole, as no cut of the tail splits one.
        """
        found = _splits(
            self.values[:, allset.order[allset.ends - 1]],  # one group of each class
            self._intervals(cuts), allset.rows, charge,
            np.searchsorted(allset.ends, head.ends, side="right"), head.rows, self.k, len(cuts),
        )  # fmt: skip
        return Splits(*found[:, np.argsort(np.argsort(cuts))])

    def _intervals(self, cuts: Whole) -> Whole:
        """(values,) the number of the interval into which these cuts put each value.

        Numbered over all columns: the n-th cut is between the intervals n and n + 1.
        """
        starts = np.zeros(self.alphabet, dtype=np.int64)
        starts[self.at[cuts]] = 1
        return np.cumsum(starts)


@njit(cache=True, nogil=True)
def _split(order, begin, end, rows, source, number, labels, values, at, k):  # type: ignore[no-untyped-def]
    """Split every released class into the groups before a value and the rest."""
    last = number
    for c in range(number):
        if rows[c] < k:
            continue
        middle, right = begin[c], end[c]
        while middle < right:
            if values[order[middle]] < at:
                middle += 1
            else:
                right -= 1
                order[middle], order[right] = order[right], order[middle]
        if begin[c] < middle < end[c]:
            begin[last], end[last], source[last] = middle, end[c], c
            end[c] = middle
            rows[last] = 0
            for i in range(begin[last], end[last]):
                rows[last] += labels[order[i]].sum()
            rows[c] -= rows[last]
            last += 1
    return last


@njit(cache=True, nogil=True)
def _released(order, begin, end, rows, number, k):  # type: ignore[no-untyped-def]
    """The stretches of classes of k rows or more, put together."""
    kept, ends = np.empty_like(order), np.empty(number, np.int64)
    groups, classes = 0, 0
    for c in range(number):
        if rows[c] >= k:
            for i in range(begin[c], end[c]):
                kept[groups] = order[i]
                groups += 1
            ends[classes] = groups
            classes += 1
    return kept[:groups], ends[:classes]


@njit(cache=True, nogil=True)
def _tally(order, ends, labels):  # type: ignore[no-untyped-def]
    """The rows of each class, and those of its most frequent label."""
    rows, majority = np.zeros(len(ends), np.int64), np.zeros(len(ends), np.int64)
    held = np.empty(labels.shape[1], np.int64)
    begin = 0
    for c in range(len(ends)):
        held[:] = 0
        for i in range(begin, ends[c]):
            for label in range(len(held)):
                held[label] += labels[order[i], label]
        rows[c], majority[c] = held.sum(), held.max()
        begin = ends[c]
    return rows, majority


@njit(cache=True, nogil=True)
def _demarcate(order, ends, values, interval, intervals):  # type: ignore[no-untyped-def]
    """Sort every class by the intervals of one column, by counting, and mark where they end."""
    sorted_, marks = np.empty_like(order), np.empty(len(order), np.int64)
    count = np.zeros(intervals + 1, np.int64)
    begin, classes = 0, 0
    for end in ends:
        low, high = intervals, 0
        for i in range(begin, end):
            here = interval[values[order[i]]]
            low, high = min(low, here), max(high, here)
            count[here + 1] += 1
        count[low] = begin
        for here in range(low, high + 1):  # from how many there are to where they begin
            if count[here + 1] > 0:
                marks[classes] = count[here] + count[here + 1]
                classes += 1
            count[here + 1] += count[here]
        for i in range(begin, end):
            here = interval[values[order[i]]]
            sorted_[count[here]] = order[i]
            count[here] += 1
        count[low : high + 2] = 0
        begin = end
    return sorted_, marks[:classes]


@njit(cache=True, nogil=True)
def _splits(values, interval, rows, charge, ends, sizes, k, cuts):  # type: ignore[no-untyped-def]
    """For each cut: the rows of the Splits, above."""
    found = np.zeros((6, cuts), np.int64)
    held, charged = np.zeros(cuts + 1, np.int64), np.zeros(cuts + 1, np.int64)
    begin = 0
    for c in range(len(ends)):
        for a in range(len(values)):
            low, high, total = cuts, 0, 0
            for i in range(begin, ends[c]):
                here = interval[values[a, i]]
                low, high = min(low, here), max(high, here)
                held[here] += rows[i]
                charged[here] += charge[i]
                total += charge[i]
            left, left_charge = 0, 0
            for cut in range(low, high):
                left += held[cut]
                left_charge += charged[cut]
                right = sizes[c] - left
                found[0, cut] += 1
                found[1, cut] -= 2 * left * right
                found[2, cut] += left >= k or right >= k
                found[3, cut] += left >= k and right >= k
                if left < k:
                    found[4, cut] += left
                    found[5, cut] += left_charge
                if right < k:
                    found[4, cut] += right
                    found[5, cut] += total - left_charge
            held[low : high + 1] = 0
            charged[low : high + 1] = 0
        begin = ends[c]
    return found
