"""A recoding applied to a problem: the questions that every kind of recoding answers.

``Problem.apply`` picks the class by the recoding's space: ``levels.py``, ``cuts.py`` or
``cells.py``. It is the only place that does.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lookalike.cost.metric import Floats
from lookalike.counts.classes import Classes
from lookalike.counts.level_table import TOP
from lookalike.problem.evaluation import Evaluation
from lookalike.problem.group_ids import is_among
from lookalike.problem.recodings.cell_changes import Change
from lookalike.solution.recoding import Recoding, ShownColumn
from lookalike.tables.table import ColumnRecoding, Edit

if TYPE_CHECKING:
    from lookalike.problem.problem import Problem

Whole = NDArray[np.int64]


class AppliedRecoding(ABC):
    """One recoding of a problem's table. Columns are given by their place among the names."""

    recoding: Recoding

    def __init__(self, problem: Problem, recoding: Recoding) -> None:
        self.problem = problem
        self.recoding = recoding

    @property
    @abstractmethod
    def evaluation(self) -> Evaluation:
        """Does it meet the policy, and what does it cost?"""

    @abstractmethod
    def column_costs(self) -> Floats | None:
        """(columns,) what each column adds to the cost, suppressed rows included; None if the
        metric is not a sum over columns.
        """

    @property
    @abstractmethod
    def class_sizes(self) -> Whole:
        """(classes,) the rows of each released class."""

    @property
    def kept(self) -> int:
        """Rows that are not suppressed."""
        return self.problem.rows - self.evaluation.suppressed

    @property
    def uniform(self) -> bool:
        """Do all cells of a column change by the same amount?"""
        return False

    def fits(self) -> bool:
        """Is it a recoding of this table? One that was read from a file may not be."""
        return self.recoding.names == self.problem.names and self._fits()

    @abstractmethod
    def _fits(self) -> bool:
        """The same, given that the columns are those of the problem."""

    @abstractmethod
    def stars(self) -> int:
        """Released cells that show only ``*``."""

    @abstractmethod
    def changes(self) -> tuple[Change, ...]:
        """How far the released cells of each column moved toward ``*``."""

    @abstractmethod
    def descriptions(self) -> tuple[str, ...]:
        """What each column shows, in words."""

    @abstractmethod
    def rows_by_level(self, a: int) -> Sequence[int] | None:
        """Released rows at each level of a column's hierarchy; None if it does not show levels."""

    @abstractmethod
    def usual_level(self, a: int) -> int | None:
        """The level that a column shows, or that half of its released cells reach; None if it does
        not show levels.
        """

    @property
    def columns(self) -> tuple[ShownColumn, ...]:
        """What each column shows, or would show if all its cells were at the usual level."""
        levels = [self.usual_level(a) or 0 for a in range(len(self.problem.names))]
        return tuple(
            ShownColumn(table.codes[:, level], table.labels[level] if level else None)
            for table, level in zip(self.problem.tables, levels, strict=True)
        )

    @abstractmethod
    def suppressed_by_group(self) -> Whole:
        """(groups,) suppressed rows of each group of equal rows."""

    @abstractmethod
    def released_by_value(self, a: int, level: int | None) -> tuple[Whole, int]:
        """(values,) released rows of each value of a column that show ``level`` or a finer one;
        and how many rows show a coarser one.
        """

    def edit(self, columns: Sequence[str]) -> Edit:
        """How to turn the original, which has these columns, into the release."""
        identifiers = self.problem.policy.identifiers
        return self._edit(tuple(name for name in columns if name not in identifiers))

    @abstractmethod
    def _edit(self, columns: tuple[str, ...]) -> Edit:
        """The same, with the columns of the release."""


@dataclass(frozen=True, slots=True, eq=False)
class CountedClasses:
    """The classes of a recoding of whole columns, and which of them may not be released."""

    classes: Classes
    broken: NDArray[np.bool_]  # (classes,) not released
    broken_codes: NDArray[np.int32]  # (broken classes, columns) what they show


class AppliedColumns(AppliedRecoding):
    """A recoding of whole columns: a value shows the same wherever it is released."""

    @property
    @abstractmethod
    def counted(self) -> CountedClasses:
        """Its classes."""

    @property
    def class_sizes(self) -> Whole:
        return self.counted.classes.sizes[~self.counted.broken]

    def stars(self) -> int:
        return self.kept * sum(column.labels == (TOP,) for column in self.columns)

    def suppressed_by_group(self) -> Whole:
        counts = self.problem.counts
        return np.where(self.is_suppressed(counts.codes), counts.counts, 0)

    def is_suppressed(self, values: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
        """(tuples,) which tuples of values are suppressed; a value is given by its number."""
        columns = [column.codes[values[:, a]] for a, column in enumerate(self.columns)]
        return is_among(np.stack(columns, axis=1), self.counted.broken_codes)

    def released_by_value(self, a: int, level: int | None) -> tuple[Whole, int]:
        lost = self.problem.rows_by_value(a, self.suppressed_by_group())
        return self.problem.counts.marginal(a) - lost, 0

    def _edit(self, columns: tuple[str, ...]) -> Edit:
        problem, counted = self.problem, self.counted
        suppressed = int(counted.classes.sizes[counted.broken].sum())
        shown = zip(problem.names, problem.counts.values, self.columns, strict=True)
        return Edit(
            columns=columns,
            recodings={
                name: ColumnRecoding(values, column.codes, column.labels)
                for name, values, column in shown
            },
            suppressed=counted.broken_codes,
            star=problem.policy.conventions.suppressed == "star",
            rows_kept=problem.rows - suppressed,
            rows_suppressed=suppressed,
        )
