"""How the values of a kept column spread over the classes, sparse: what rules on sensitive columns
read.

An entry for each value that occurs in a class. A column of a thousand salaries over ten thousand
classes has no more entries than the table has rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.level_table import Value

Whole = NDArray[np.int64]
DENSE = 1 << 16  # cells of a matrix that are always cheaper to fill than entries are to sort


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """Entries class by class, and in each class value by value."""

    values: tuple[Value, ...]  # distinct values of the column, in the whole table
    of: Whole  # (entries,) which class
    code: Whole  # (entries,) which value
    count: Whole  # (entries,) how many rows
    total: Whole  # (values,) rows of the release that hold each: what is known before one looks
    fewest: int  # rows that any release has at least: no more may be suppressed

    def merged(self, into: NDArray[np.integer], classes: int) -> Spread:
        """The same over coarser classes; ``into`` is the class of each of these."""
        of, code, count = tally(into[self.of], self.code, self.count, classes, len(self.values))
        return replace(self, of=of, code=code, count=count)

    def among(self, kept: NDArray[np.bool_]) -> Spread:
        """Held against a release of these classes alone."""
        there = kept[self.of]
        total = np.bincount(
            self.code[there], weights=self.count[there], minlength=len(self.values)
        ).astype(np.int64)
        return replace(self, total=total)

    def distinct(self, classes: int) -> Whole:
        """(classes,) how many different values."""
        return np.bincount(self.of, minlength=classes)

    def summed(self, each: NDArray[np.floating], classes: int) -> NDArray[np.float64]:
        """(classes,) the sum over the entries of each."""
        return np.bincount(self.of, weights=each, minlength=classes).astype(np.float64)

    def most(self, each: NDArray[np.floating], classes: int) -> NDArray[np.float64]:
        """(classes,) the largest among the entries of each; −∞ where there is none."""
        found = np.full(classes, -np.inf)
        np.maximum.at(found, self.of, each)
        return found

    @property
    def known(self) -> NDArray[np.float64]:
        """(values,) the share of each value in the release."""
        shares: NDArray[np.float64] = self.total / max(1, int(self.total.sum()))
        return shares


def tally(
    of: NDArray[np.integer], code: NDArray[np.integer], count: Whole, classes: int, values: int
) -> tuple[Whole, Whole, Whole]:
    """Entries of the same class and value put together, class by class."""
    key = of.astype(np.int64) * values + code
    if classes * values <= max(DENSE, 8 * len(key)):
        held = np.bincount(key, weights=count, minlength=classes * values)
        key = np.flatnonzero(held)
        return key // max(1, values), key % max(1, values), held[key].astype(np.int64)
    order = np.argsort(key, kind="stable")
    key = key[order]
    first = np.flatnonzero(np.diff(key, prepend=-1))
    summed = np.add.reduceat(count[order], first) if len(first) else count[:0]
    return key[first] // values, key[first] % values, summed.astype(np.int64)
