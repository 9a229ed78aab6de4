"""A cell map applied to a problem: every cell may be at a level of its own."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from lookalike.cost.metric import CountedCells, Floats
from lookalike.counts.level_table import LevelTable
from lookalike.problem.evaluation import Evaluation
from lookalike.problem.group_ids import group_ids
from lookalike.problem.recodings.applied_recoding import AppliedRecoding, Whole
from lookalike.problem.recodings.cell_changes import Change, column_change
from lookalike.problem.recodings.cell_evaluation import (
    evaluate_cells,
    label_numbers,
    released_classes,
)
from lookalike.problem.recodings.class_interval_labels import show_intervals
from lookalike.problem.recodings.class_intervals import class_ends
from lookalike.solution.recoding import CellMap
from lookalike.tables.table import ColumnRecoding, Edit, Split


class AppliedCells(AppliedRecoding):
    """Pieces of groups of equal rows, counted on the problem."""

    recoding: CellMap

    @cached_property
    def evaluation(self) -> Evaluation:
        return evaluate_cells(self.problem, self.recoding)

    def column_costs(self) -> Floats | None:
        problem, pieces = self.problem, self.recoding
        leaf = problem.counts.codes[problem.canonical[pieces.group]]
        shown = label_numbers(problem, leaf, pieces.levels)
        of, sizes = released_classes(group_ids(shown), pieces)
        suppressed = int(pieces.rows[pieces.gone].sum())
        return problem.costing.split(
            CountedCells(leaf, pieces.rows, pieces.levels, of, sizes, None, suppressed)
        )

    @property
    def class_sizes(self) -> Whole:
        leaf = self.problem.counts.codes[self.problem.canonical[self.recoding.group]]
        shown = label_numbers(self.problem, leaf, self.recoding.levels)
        return released_classes(group_ids(shown), self.recoding)[1]

    def _fits(self) -> bool:
        problem, pieces = self.problem, self.recoding
        if (pieces.group >= problem.counts.groups).any():
            return False
        held = np.zeros(problem.counts.groups, dtype=np.int64)
        np.add.at(held, pieces.group, pieces.rows)
        return np.array_equal(held, problem.counts.counts[problem.canonical]) and bool(
            (pieces.levels <= self._heights()).all()
        )

    def _heights(self) -> Whole:
        return np.array([table.height for table in self.problem.tables])

    def stars(self) -> int:
        rows = self.recoding.rows * ~self.recoding.gone
        return int(rows @ (self.recoding.levels == self._heights()).sum(axis=1))

    def changes(self) -> tuple[Change, ...]:
        pieces = self.recoding
        kept = ~pieces.gone
        shown_as_intervals = class_ends(self.problem, pieces)
        changes = []
        for a, table in enumerate(self.problem.tables):
            distance = pieces.levels[:, a] / table.height
            if (ends := shown_as_intervals.get(table.name)) is not None:
                width = (ends.last - ends.first)[ends.of] / max(1, ends.known - 1)
                distance = np.where(ends.shown, width, distance)
            changes.append(column_change(table.name, distance[kept], pieces.rows[kept]))
        return tuple(changes)

    def descriptions(self) -> tuple[str, ...]:
        return tuple(self._in_words(a) for a in range(len(self.problem.names)))

    def _in_words(self, a: int) -> str:
        hierarchy = self.problem.policy.hierarchies[self.problem.names[a]]
        return "; ".join(
            f"{'1 row' if rows == 1 else f'{rows:,} rows'} {hierarchy.describe(level)}"
            for level, rows in enumerate(self.rows_by_level(a))
            if rows
        )

    def rows_by_level(self, a: int) -> list[int]:
        kept, height = ~self.recoding.gone, self.problem.tables[a].height
        rows = np.bincount(self.recoding.levels[kept, a], self.recoding.rows[kept], height + 1)
        return [int(count) for count in rows]

    def usual_level(self, a: int) -> int:
        """The finest level that half of the released cells reach; below ``*`` if any cell is."""
        rows = np.array(self.rows_by_level(a))
        reached = np.cumsum(rows)
        usual = int(np.argmax(2 * reached >= reached[-1]))
        below = np.nonzero(rows[:-1])[0]
        return int(below[-1]) if usual == len(rows) - 1 and len(below) else usual

    def suppressed_by_group(self) -> Whole:
        pieces, gone = self.recoding, self.recoding.gone
        suppressed = np.zeros(self.problem.counts.groups, dtype=np.int64)
        np.add.at(suppressed, self.problem.canonical[pieces.group[gone]], pieces.rows[gone])
        return suppressed

    def released_by_value(self, a: int, level: int | None) -> tuple[Whole, int]:
        problem, pieces = self.problem, self.recoding
        assert level is not None
        value = problem.counts.codes[problem.canonical[pieces.group], a]
        kept = ~pieces.gone
        fine = kept & (pieces.levels[:, a] <= level)
        rows = np.bincount(value[fine], pieces.rows[fine], problem.tables[a].leaves)
        return rows.astype(np.int64), int(pieces.rows[kept & ~fine].sum())

    def _edit(self, columns: tuple[str, ...]) -> Edit:
        problem, pieces, gone = self.problem, self.recoding, self.recoding.gone
        tuples = problem.counts.codes[problem.canonical]
        recodings: dict[str, ColumnRecoding] = {}
        labels: dict[str, tuple[str | None, ...] | None] = {}
        own: dict[str, NDArray[np.bool_]] = {}
        for a, table in enumerate(problem.tables):
            leaf = tuples[pieces.group, a]
            level = np.where(gone, 0, pieces.levels[:, a])
            recodings[table.name] = ColumnRecoding(
                problem.counts.values[a], table.codes[:, 0], None
            )
            own[table.name] = level == 0
            labels[table.name] = None if own[table.name].all() else _labels(table, leaf, level)
        show_intervals(problem, pieces, labels, own)
        suppressed = int(pieces.rows[gone].sum())
        return Edit(
            columns=columns,
            recodings=recodings,
            suppressed=np.zeros((0, len(recodings)), dtype=np.int32),
            star=problem.policy.conventions.suppressed == "star" and suppressed > 0,
            rows_kept=problem.rows - suppressed,
            rows_suppressed=suppressed,
            split=Split(tuples, pieces.group, pieces.rows, gone, labels, own),
        )


def _labels(
    table: LevelTable, leaf: NDArray[np.int32], level: NDArray[np.int16]
) -> tuple[str | None, ...]:
    """The label of each piece."""
    codes = table.codes[leaf, level].tolist()
    return tuple(table.labels[at][code] for at, code in zip(level.tolist(), codes, strict=True))
