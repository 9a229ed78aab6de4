"""What a class costs, and what it costs at least further down (Bayardo and Agrawal 2005, 3.3, 5.2).

Further down the tree classes are split, never merged, and whoever is suppressed stays so. So for a
node with head H and allset A, the sum over the classes of A of

    what their rows cost if suppressed        where H suppresses them,
    ``at_least``                              where it does not,

is at most what any node below it costs: the paper's LB_DM and LB_CM.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]


class PrintedCost(Protocol):
    """Of classes, by their rows and those rows that have the most frequent label."""

    @property
    def of_suppressed(self) -> int:
        """What one suppressed row costs."""
        ...

    def released(self, rows: Whole, majority: Whole) -> Whole:
        """What classes of k rows or more cost."""
        ...

    def at_least(self, rows: Whole, majority: Whole) -> Whole:
        """What the rows of an allset's classes, of any size, cost at least while H keeps them."""
        ...

    def liberal(self, best: float) -> bool:
        """May a cut go that splits off parts under k only, if just cheaper than best is wanted?"""
        ...


@dataclass(frozen=True, slots=True)
class PrintedDM:
    """Σ|E|² over released classes, |D| for each suppressed row."""

    table: int  # rows of the table, |D|
    k: int

    @property
    def of_suppressed(self) -> int:
        return self.table

    def released(self, rows: Whole, majority: Whole) -> Whole:
        return rows * rows

    def at_least(self, rows: Whole, majority: Whole) -> Whole:
        """A row pays for its class, which holds that of the allset, and k rows."""
        return rows * np.maximum(rows, self.k)

    def liberal(self, best: float) -> bool:
        """Not always, as is printed (5.3), but if k + 2√best ≤ |D|.

        Let a class of n rows lose a < k of them. That pays if a·|D| + (n − a)² < n², which is
        |D| < 2(n − a) + a. If the whole costs no more than best, n − a ≤ √best.
        """
        room = self.table - self.k
        return room >= 0 and 4 * best <= room * room


@dataclass(frozen=True, slots=True)
class PrintedCM:
    """Rows of a minority in their released class, and suppressed rows."""

    @property
    def of_suppressed(self) -> int:
        return 1

    def released(self, rows: Whole, majority: Whole) -> Whole:
        return rows - majority

    def at_least(self, rows: Whole, majority: Whole) -> Whole:
        """Merging classes frees no minority row (claim 5.3)."""
        return rows - majority

    def liberal(self, best: float) -> bool:
        """Always: losing rows frees no more minority rows than are lost."""
        return True
