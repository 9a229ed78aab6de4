"""How often each value of a sensitive column occurs in each class, as sparse entries.

There is one entry for each value that occurs in a class. A column of a thousand salaries over ten
thousand classes has at most as many entries as the table has rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.level_table import Value

Whole = NDArray[np.int64]
DENSE_CELLS = 1 << 16  # a matrix of so few cells is always faster than sorting the entries


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """Entries sorted by class, and within a class by value."""

    values: tuple[Value, ...]  # distinct values of the column, in the whole table
    of: Whole  # (entries,) which class
    code: Whole  # (entries,) which value
    count: Whole  # (entries,) how many rows
    total: Whole  # (values,) rows of the release that hold each value
    fewest: int  # rows that any release has at least, since suppression is limited

    def merged(self, into: NDArray[np.integer], classes: int) -> Spread:
        """The same over coarser classes; ``into`` is the coarser class of each class."""
        of, code, count = tally(into[self.of], self.code, self.count, classes, len(self.values))
        return replace(self, of=of, code=code, count=count)

    def only(self, flags: NDArray[np.bool_]) -> Spread:
        """The entries of the flagged classes."""
        flagged = flags[self.of]
        return replace(
            self, of=self.of[flagged], code=self.code[flagged], count=self.count[flagged]
        )

    def among(self, kept: NDArray[np.bool_]) -> Spread:
        """The same, to be compared with a release of the kept classes."""
        there = kept[self.of]
        total = np.bincount(
            self.code[there], weights=self.count[there], minlength=len(self.values)
        ).astype(np.int64)
        return replace(self, total=total)

    def distinct(self, classes: int) -> Whole:
        """(classes,) how many different values each class has."""
        return np.bincount(self.of, minlength=classes)

    def summed(self, each: NDArray[np.floating], classes: int) -> NDArray[np.float64]:
        """(classes,) the sum over the entries of each class."""
        return np.bincount(self.of, weights=each, minlength=classes).astype(np.float64)

    def most(self, each: NDArray[np.floating], classes: int) -> NDArray[np.float64]:
        """(classes,) the largest among the entries of each class; −∞ if it has none."""
        largest = np.full(classes, -np.inf)
        np.maximum.at(largest, self.of, each)
        return largest

    @property
    def known(self) -> NDArray[np.float64]:
        """(values,) the share of each value in the release."""
        return self.total / max(1, int(self.total.sum()))


def tally(
    of: NDArray[np.integer], code: NDArray[np.integer], count: Whole, classes: int, values: int
) -> tuple[Whole, Whole, Whole]:
    """Add up entries of the same class and value; sorted by class and value."""
    key = of.astype(np.int64) * values + code
    if classes * values <= max(DENSE_CELLS, 8 * len(key)):
        held = np.bincount(key, weights=count, minlength=classes * values)
        key = np.flatnonzero(held)
        return key // max(1, values), key % max(1, values), held[key].astype(np.int64)
    order = np.argsort(key, kind="stable")
    key = key[order]
    first = np.flatnonzero(np.diff(key, prepend=-1))
    summed = np.add.reduceat(count[order], first) if len(first) else count[:0]
    return key[first] // values, key[first] % values, summed.astype(np.int64)
