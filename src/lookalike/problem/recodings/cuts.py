"""A recoding by cuts applied to a problem: every column's ordered values in intervals.

The kernels of the lattice count intervals too: as the only level of a hierarchy made for this.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from lookalike.cost.metric import CountedIntervals, Floats
from lookalike.counts.kernel_layout import Encoded
from lookalike.counts.level_table import TOP
from lookalike.problem.evaluation import Evaluation
from lookalike.problem.recodings.applied_recoding import AppliedColumns, CountedClasses
from lookalike.problem.recodings.cell_changes import Change, column_change
from lookalike.solution.interval_labels import intervals_in_words, shown_column
from lookalike.solution.recoding import Cuts, ShownColumn


class AppliedCuts(AppliedColumns):
    """Intervals, counted on the problem."""

    recoding: Cuts

    @cached_property
    def intervals(self) -> tuple[NDArray[np.int64], ...]:
        """For each column (values,): the interval of each value."""
        return self.problem.cut_space.intervals(self.recoding)

    @cached_property
    def counted(self) -> CountedClasses:
        from lookalike.counts.counting_kernels import gather  # late: loads numba

        problem, encoded = self.problem, self._encoded()
        only = np.zeros(len(self.intervals), dtype=np.int64)
        classes = gather(encoded, encoded.ground, only)
        codes = encoded.codes(only, classes.member)
        sets = [] if problem.one_set else [codes[:, columns] for columns in problem.sets]
        broken = problem.rules.broken(classes, sets)
        return CountedClasses(classes, broken, codes[broken])

    def _encoded(self) -> Encoded:
        """The problem's counts, with the intervals in place of the levels."""
        starts = np.cumsum([0, *map(len, self.intervals)])[:-1]
        width = np.array(self.recoding.coarseness, dtype=np.int64)
        return replace(
            self.problem.encoded,
            lookup=np.concatenate(self.intervals).astype(np.int32),
            offset=starts.astype(np.int64)[:, None],
            width=width[:, None],
        )

    @cached_property
    def evaluation(self) -> Evaluation:
        problem, counted = self.problem, self.counted
        classes, broken = counted.classes, counted.broken
        suppressed = int(classes.sizes[broken].sum())
        meets = (
            problem.can_be_cut
            and problem.cut_space.holds(self.recoding)
            and problem.may_suppress(suppressed)
            and problem.is_safe_without(classes, broken)
        )
        cost = problem.costing.cuts(self._counted_intervals())
        return Evaluation(self.recoding, meets, suppressed, len(classes) - int(broken.sum()), cost)

    def column_costs(self) -> Floats | None:
        return self.problem.costing.split(self._counted_intervals())

    def _counted_intervals(self) -> CountedIntervals:
        classes, broken = self.counted.classes, self.counted.broken
        suppressed = int(classes.sizes[broken].sum())
        return CountedIntervals(
            self.intervals, classes, broken, self.counted.broken_codes, suppressed
        )

    @cached_property
    def columns(self) -> tuple[ShownColumn, ...]:
        problem, hierarchies = self.problem, self.problem.policy.hierarchies
        bounds = zip(problem.low, problem.high, strict=True)
        columns = zip(
            problem.tables, problem.counts.values, self.recoding.cuts, bounds, strict=True
        )
        return tuple(
            shown_column(table, values, hierarchies[table.name], cuts, allowed)
            for table, values, cuts, allowed in columns
        )

    def _fits(self) -> bool:
        columns = zip(self.recoding.cuts, self.problem.tables, strict=True)
        fits = all(not cuts or cuts[-1] < table.leaves for cuts, table in columns)
        return fits and self.problem.can_be_cut

    def changes(self) -> tuple[Change, ...]:
        classes = self.counted.classes
        member, kept = classes.member[~self.counted.broken], self.class_sizes
        changes = []
        for a, column in enumerate(self.columns):
            spanned = np.bincount(column.codes)
            distance = (spanned - 1) / max(1, len(column.codes) - 1)
            code = column.codes[self.problem.encoded.leaf[member, a]]
            changes.append(column_change(self.problem.names[a], distance[code], kept))
        return tuple(changes)

    def descriptions(self) -> tuple[str, ...]:
        return tuple(_in_words(column) for column in self.columns)

    def rows_by_level(self, a: int) -> None:
        return None

    def usual_level(self, a: int) -> None:
        return None


def _in_words(column: ShownColumn) -> str:
    if column.labels is None:
        return "unchanged"
    return f"suppressed ({TOP})" if column.labels == (TOP,) else intervals_in_words(column.labels)
