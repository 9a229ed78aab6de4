"""What useful means: the protocol of a metric, and the two-sided bound that every metric gives.

Costs are minimized. Over the lattice of full-domain recodings each metric works with a *score*,
of which its cost is a non-decreasing function (``Costing.value``), and bounds the score of every
node v it has not counted, from nodes it has:

    score(v) ≥ base(u) + extra(w)        for every counted u ≤ v ≤ w

``base`` is what a coarser recoding cannot undo: lookalikes stay lookalikes. ``extra`` is what a
finer recoding cannot save: a row *lost* at w is suppressed at every v below it. If all rules grow,
as k-anonymity does, that is every row suppressed at w, because its class only gets smaller; else it
is the rows of classes that no rule could be kept with, however they were split. Each metric file
argues its own two halves, for any rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.classes import Classes
from lookalike.counts.kernel_layout import Encoded
from lookalike.counts.level_table import LevelTable

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """What a metric may know before any recoding is chosen."""

    tables: tuple[LevelTable, ...]
    marginals: tuple[NDArray[np.int64], ...]  # per attribute: rows that hold each leaf
    weights: Floats  # (attributes,), sum 1
    rows: int
    smallest: int  # no released class is smaller (k)
    low: tuple[int, ...]  # per attribute: the finest level that the policy allows
    grows: bool = True  # are rows suppressed at a node suppressed at every finer one?

    @property
    def levels(self) -> int:
        """Levels of the tallest hierarchy: the width of the per-attribute matrices."""
        return max(table.height for table in self.tables) + 1


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """One node of the lattice after counting: what a metric reads its cost from."""

    encoded: Encoded
    levels: NDArray[np.int64]
    classes: Classes
    broken: NDArray[np.bool_]  # (classes,) not released
    suppressed: int  # rows in broken classes
    lost: NDArray[np.bool_]  # (classes,) those of them not released at any finer node either

    @property
    def lost_rows(self) -> int:
        return self.suppressed if self.lost is self.broken else int(self.sizes[self.lost].sum())

    @property
    def sizes(self) -> NDArray[np.int64]:
        return self.classes.sizes

    @property
    def labels(self) -> NDArray[np.int64] | None:
        """(classes, values of the class column), if it is counted."""
        return self.classes.labels


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """What one counted node tells: its own cost, and its halves of the bound."""

    cost: float
    base: float  # holds for every coarser node; −inf if it adds nothing to the prior
    extra: Floats  # (attributes, levels); summed over its levels it holds for every finer node


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """A cell-level recoding after counting: what a metric reads its cost from."""

    leaf: NDArray[np.int32]  # (pieces, attributes)
    rows: NDArray[np.int64]  # (pieces,)
    levels: NDArray[np.int16]  # (pieces, attributes), below 0 where the row is left out
    of: NDArray[np.int64]  # (pieces,) the class, −1 where left out
    sizes: NDArray[np.int64]  # (classes,)
    labels: NDArray[np.int64] | None  # (classes, values of the class column), if they can be told
    suppressed: int


@dataclass(frozen=True, slots=True, eq=False)
class Intervals:
    """A recoding by cuts after counting: what a metric reads its cost from."""

    of: tuple[NDArray[np.int64], ...]  # per attribute (leaves,): the interval of each leaf
    classes: Classes
    broken: NDArray[np.bool_]  # (classes,) not released
    gone: NDArray[np.int32]  # (broken classes, attributes) the intervals they lie in
    suppressed: int  # rows in broken classes

    @property
    def kept(self) -> NDArray[np.int64]:
        """(released classes,) their sizes"""
        return self.classes.sizes[~self.broken]


class Costing(Protocol):
    """A metric bound to one table."""

    @property
    def prior(self) -> Floats:
        """(attributes, levels); summed over its levels, a node's base before any counting."""
        ...

    @property
    def foreseen(self) -> bool:
        """Is the prior already the whole base, so that only suppression is left to count?"""
        ...

    def read(self, counted: Counted) -> Reading: ...

    def cells(self, pieces: Pieces) -> float:
        """What a cell-level recoding costs; infinite if the metric cannot tell."""
        ...

    def cuts(self, intervals: Intervals) -> float:
        """What a recoding by cuts costs; infinite if the metric cannot tell.

        Never below ``value`` of the prior at the policy's finest levels. Where levels are cuts, the
        cuts of a node cost no more than the node, so a bound on cuts holds for nodes too.
        """
        ...

    def value(self, score: float) -> float:
        """Cost from score, non-decreasing."""
        ...

    def score(self, cost: float) -> float:
        """The least score that costs at least this: nodes below it could still be cheaper."""
        ...


@runtime_checkable
class Metric(Protocol):
    """What a policy asks to be kept small."""

    @property
    def name(self) -> str:
        """As a policy file writes it."""
        ...

    @property
    def class_column(self) -> str | None:
        """The column whose labels the metric needs counted, if any."""
        ...

    def on(self, ground: Ground) -> Costing: ...

    def sentence(self, cost: float) -> str:
        """The cost in words, as the certificate prints it."""
        ...


def flat(value: float, ground: Ground) -> Floats:
    """A bound that is the same at every node, in the per-attribute form."""
    matrix = np.zeros((len(ground.tables), ground.levels))
    matrix[0] = value
    return matrix
