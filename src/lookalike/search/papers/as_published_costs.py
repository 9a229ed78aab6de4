"""The cost of a class, and its lower bound further down (Bayardo and Agrawal 2005, 3.3, 5.2).

Further down the tree classes are split, never merged, and suppressed rows stay suppressed. So for a
node with head H and allset A, the sum over the classes of A of

    what their rows cost if suppressed        where H suppresses them,
    ``at_least``                              where it does not,

is at most what any node below it costs: the paper's LB_DM and LB_CM.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class PublishedDM:
    """Σ|E|² over released classes, |D| for each suppressed row.

    Classes are given by their rows and the rows that have the most frequent label.
    """

    table: int  # rows of the table, |D|
    k: int

    @property
    def of_suppressed(self) -> int:
        """What one suppressed row costs."""
        return self.table

    def released(self, rows: Whole, majority: Whole) -> Whole:
        """The cost of classes with k or more rows."""
        return rows * rows

    def at_least(self, rows: Whole, majority: Whole) -> Whole:
        """The least cost of the rows of an allset's classes, of any size, that H releases.

        A row costs the size of its class, which contains that of the allset, and has k rows.
        """
        return rows * np.maximum(rows, self.k)

    def liberal(self, best: float) -> bool:
        """May a cut be removed that only splits off parts smaller than k, if ``best`` is known?

        Not always, as the paper says (5.3), but if k + 2√best ≤ |D|.

        Let a class of n rows lose a < k of them. That lowers the cost if a·|D| + (n − a)² < n²,
        which is |D| < 2(n − a) + a. If the recoding costs no more than best, n − a ≤ √best.
        """
        rest = self.table - self.k
        return rest >= 0 and 4 * best <= rest * rest


@dataclass(frozen=True, slots=True)
class PublishedCM:
    """Rows of a minority in their released class, and suppressed rows; see ``PublishedDM``."""

    of_suppressed = 1

    def released(self, rows: Whole, majority: Whole) -> Whole:
        return rows - majority

    def at_least(self, rows: Whole, majority: Whole) -> Whole:
        """Merging classes does not reduce their minority rows (claim 5.3)."""
        return rows - majority

    def liberal(self, best: float) -> bool:
        """Always: a class that loses rows loses at most as many minority rows."""
        return True


PublishedCost = PublishedDM | PublishedCM
