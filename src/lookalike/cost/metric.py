"""``Metric``: the base class of measures of information loss, and the two-sided bound of each.

Costs are minimized. Over the lattice of full-domain recodings each metric works with a *score*. The
cost is a non-decreasing function of the score (``Costing.value``). A metric bounds the score of
every node v that is not counted yet, from nodes that are:

    score(v) ≥ base(u) + extra(w)        for every counted u ≤ v ≤ w

``base`` is what a coarser recoding cannot undo: lookalikes stay lookalikes. ``extra`` is what a
finer recoding cannot save: a row *lost* at w is suppressed at every v below it. If all requirements
grow, as k-anonymity does, every row suppressed at w is lost, because its class only gets smaller.
Otherwise the lost rows are those of hopeless classes, no part of which meets the requirements. Each
metric file proves its two halves, for any requirements.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.classes import Classes
from lookalike.counts.kernel_layout import Encoded
from lookalike.counts.level_table import LevelTable

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class TableFacts:
    """What a metric knows about a table before any recoding is chosen."""

    tables: tuple[LevelTable, ...]
    marginals: tuple[NDArray[np.int64], ...]  # per attribute (leaves,): rows that hold each leaf
    weights: Floats  # (attributes,), sum 1
    rows: int
    smallest: int  # rows in the smallest class that may be released (k)
    low: tuple[int, ...]  # per attribute: the finest level that the policy allows
    grows: bool = True  # are rows suppressed at a node suppressed at every finer one?

    @property
    def levels(self) -> int:
        """Levels of the tallest hierarchy: the width of matrices (attributes, levels)."""
        return max(table.height for table in self.tables) + 1

    def constant_bound(self, value: float) -> Floats:
        """(attributes, levels) a bound that is the same at every node."""
        matrix = np.zeros((len(self.tables), self.levels))
        matrix[0] = value
        return matrix


@dataclass(frozen=True, slots=True, eq=False)
class CountedNode:
    """A lattice node after counting: what its cost is computed from."""

    encoded: Encoded
    levels: NDArray[np.int64]
    classes: Classes
    broken: NDArray[np.bool_]  # (classes,) not released
    suppressed: int  # rows in broken classes
    lost: NDArray[np.bool_]  # (classes,) broken, and suppressed at every finer node too

    @property
    def lost_rows(self) -> int:
        """Rows in lost classes."""
        return self.suppressed if self.lost is self.broken else int(self.sizes[self.lost].sum())

    @property
    def sizes(self) -> NDArray[np.int64]:
        """(classes,) rows in each class."""
        return self.classes.sizes


@dataclass(frozen=True, slots=True, eq=False)
class NodeCost:
    """The cost of a counted node, and its two halves of the bound."""

    cost: float
    base: float  # holds for every coarser node; −inf if it adds nothing to the prior
    extra: Floats  # (attributes, levels); its sum at the levels of a finer node holds for that node


@dataclass(frozen=True, slots=True, eq=False)
class CountedCells:
    """A cell-level recoding after counting: what its cost is computed from."""

    leaf: NDArray[np.int32]  # (pieces, attributes)
    rows: NDArray[np.int64]  # (pieces,)
    levels: NDArray[np.int16]  # (pieces, attributes), below 0 where the row is suppressed
    of: NDArray[np.int64]  # (pieces,) the class, −1 where suppressed
    sizes: NDArray[np.int64]  # (classes,)
    labels: NDArray[np.int64] | None  # (classes, values of the class column), if known
    suppressed: int


@dataclass(frozen=True, slots=True, eq=False)
class CountedIntervals:
    """A recoding by cuts after counting: what its cost is computed from."""

    of: tuple[NDArray[np.int64], ...]  # per attribute (leaves,): the interval of each leaf
    classes: Classes
    broken: NDArray[np.bool_]  # (classes,) not released
    gone: NDArray[np.int32]  # (broken classes, attributes) the intervals of each
    suppressed: int  # rows in broken classes


Counted = CountedNode | CountedCells | CountedIntervals


class Costing(Protocol):
    """A metric applied to one table.

    Inherit from it. By default, cost and score are the same, and the metric is defined for lattice
    nodes only.
    """

    prior: Floats  # (attributes, levels); its sum at a node's levels is the node's first base
    prior_is_base: bool = False  # is it the whole base, so that only suppression adds?

    def node(self, counted: CountedNode) -> NodeCost:
        """The cost of a lattice node, and its halves of the bound."""

    def released(self, sizes: Whole, labels: Whole | None, suppressed: int) -> float:
        """The cost of released classes of these sizes; infinite if that depends on more."""
        return math.inf

    def cells(self, counted: CountedCells) -> float:
        """The cost of a cell-level recoding; infinite if the metric is not defined for it."""
        return self.released(counted.sizes, counted.labels, counted.suppressed)

    def cuts(self, counted: CountedIntervals) -> float:
        """The cost of a recoding by cuts; infinite if the metric is not defined for it.

        It is never below ``value`` of the prior at the policy's finest levels. Where levels are
        cuts, the cuts of a node cost no more than the node, so a bound on cuts holds for nodes too.
        """
        kept, labels = ~counted.broken, counted.classes.labels
        shown = None if labels is None else labels[kept]
        return self.released(counted.classes.sizes[kept], shown, counted.suppressed)

    def split(self, counted: Counted) -> Floats | None:
        """(attributes,) what each column adds to the cost of a recoding; None if the cost is not a
        sum over columns.
        """
        return None

    def value(self, score: float) -> float:
        """The cost of a score; non-decreasing."""
        return score

    def score(self, cost: float) -> float:
        """The smallest score that costs at least this: nodes with a lower score may cost less."""
        return cost


class Metric(ABC):
    """A measure of information loss, which a policy asks to minimize.

    The verifier computes the built-in metrics with code of its own. A metric of another package
    inherits ``DefinedMetric`` instead.
    """

    __slots__ = ()

    parameter: ClassVar[str] = ""  # the field given in policy files: { name = value }
    meaning: ClassVar[str] = ""  # in a few words, for metrics that the glossary does not have
    needs_one_set: ClassVar[bool] = False  # counts the classes of one set of columns
    for_cells: ClassVar[bool] = True  # defined for recodings cell by cell

    @property
    @abstractmethod
    def name(self) -> str:
        """The name in policy files."""

    @abstractmethod
    def sentence(self, cost: float) -> str:
        """The cost in words, as the certificate prints it."""

    @property
    def class_column(self) -> str | None:
        """The column whose labels the metric needs counted, if any."""
        return None

    @abstractmethod
    def on(self, facts: TableFacts) -> Costing:
        """The metric applied to one table."""

    @classmethod
    def from_policy(cls, name: str, value: Any = None) -> Metric:
        """The metric that a policy file writes as ``name``, or as ``{ name = value }``."""
        return cls(value) if cls.parameter else cls()  # type: ignore[call-arg]

    def to_policy(self) -> object:
        """The inverse of ``from_policy``."""
        return {self.name: getattr(self, self.parameter)} if self.parameter else self.name
