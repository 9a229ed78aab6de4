"""A full-domain recoding applied to a problem: every column at one level of its hierarchy."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from lookalike.cost.metric import CountedNode, Floats
from lookalike.problem.evaluation import Evaluation
from lookalike.problem.recodings.applied_recoding import AppliedColumns, CountedClasses
from lookalike.problem.recodings.cell_changes import Change
from lookalike.solution.recoding import GONE, Levels
from lookalike.tables.table import Edit

if TYPE_CHECKING:
    from lookalike.problem.recodings.cells import AppliedCells


class AppliedLevels(AppliedColumns):
    """One node of the lattice, counted on the problem.

    Where the policy shows the interval of each class, rows with equal values can show different
    intervals, so the table is edited cell by cell.
    """

    recoding: Levels

    @property
    def levels(self) -> tuple[int, ...]:
        return self.recoding.levels

    @cached_property
    def evaluation(self) -> Evaluation:
        return self.problem.evaluate_node(self.levels)

    @cached_property
    def counted(self) -> CountedClasses:
        problem = self.problem.in_memory(self.recoding)
        classes = problem.classes(self.levels)
        broken = problem.broken(classes, self.levels)
        node = np.array(self.levels, dtype=np.int64)
        return CountedClasses(classes, broken, problem.encoded.codes(node, classes.member[broken]))

    def column_costs(self) -> Floats | None:
        problem, counted = self.problem.in_memory(self.recoding), self.counted
        node, broken = np.array(self.levels, dtype=np.int64), counted.broken
        suppressed = int(counted.classes.sizes[broken].sum())
        return problem.costing.split(
            CountedNode(problem.encoded, node, counted.classes, broken, suppressed, broken)
        )

    @property
    def uniform(self) -> bool:
        return not self.problem.policy.interval_columns

    def _fits(self) -> bool:
        tables = self.problem.tables
        return all(level <= t.height for level, t in zip(self.levels, tables, strict=True))

    def changes(self) -> tuple[Change, ...]:
        if not self.uniform:
            return self.as_cells().changes()
        return tuple(
            Change(table.name, ((level / table.height, self.kept),))
            for table, level in zip(self.problem.tables, self.levels, strict=True)
        )

    def descriptions(self) -> tuple[str, ...]:
        policy = self.problem.policy
        columns = zip(self.problem.names, self.levels, strict=True)
        return tuple(policy.hierarchies[name].describe(level) for name, level in columns)

    def rows_by_level(self, a: int) -> list[int]:
        rows = [0] * (self.problem.tables[a].height + 1)
        rows[self.levels[a]] = self.kept
        return rows

    def usual_level(self, a: int) -> int:
        return self.levels[a]

    def as_cells(self) -> AppliedCells:
        """The same recoding as a cell map: every group of equal rows is one piece."""
        from lookalike.problem.recodings.cell_evaluation import cell_map
        from lookalike.problem.recodings.cells import AppliedCells

        problem = self.problem
        levels = np.tile(np.array(self.levels, dtype=np.int16), (problem.counts.groups, 1))
        levels[self.suppressed_by_group() > 0] = GONE
        group = np.arange(problem.counts.groups)
        return AppliedCells(problem, cell_map(problem, group, problem.counts.counts, levels))

    def _edit(self, columns: tuple[str, ...]) -> Edit:
        if not self.uniform:
            return self.as_cells()._edit(columns)
        return super()._edit(columns)
