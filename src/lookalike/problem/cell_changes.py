"""Which cells changed, and how far: how many rows of a column went how much of the way to ``*``.

In a hierarchy the way is counted in levels; where intervals show, in values that they span.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lookalike.problem.cell_evaluation import levels_by_cell
from lookalike.problem.class_intervals import class_ends
from lookalike.problem.cut_evaluation import count_cuts
from lookalike.solution.recoding import CellMap, Cuts, Levels, Recoding

if TYPE_CHECKING:
    from lookalike.problem.problem import Problem


@dataclass(frozen=True, slots=True)
class Change:
    """The released cells of one column, from those as they were (0) to those hidden (1)."""

    column: str
    steps: tuple[tuple[float, int], ...]  # (share of the way to *, rows), rising

    @property
    def rows(self) -> int:
        return sum(rows for _, rows in self.steps)

    @property
    def changed(self) -> int:
        """Cells that are not as they were."""
        return sum(rows for far, rows in self.steps if far > 0)

    @property
    def mean(self) -> float:
        """How far its cells went on average; 0 for a column without rows."""
        return sum(far * rows for far, rows in self.steps) / max(1, self.rows)


def changes(problem: Problem, recoding: Recoding) -> tuple[Change, ...]:
    """One a quasi-identifier; rows that were left out are not counted."""
    if isinstance(recoding, Cuts):
        return _cut_changes(problem, recoding)
    if isinstance(recoding, CellMap) or problem.policy.intervals:
        return _cell_changes(problem, recoding)
    kept = problem.rows - problem.evaluate(recoding.levels).suppressed
    return tuple(
        Change(name, ((level / max(1, table.height), kept),))
        for name, level, table in zip(recoding.names, recoding.levels, problem.tables, strict=True)
    )


def _cell_changes(problem: Problem, recoding: CellMap | Levels) -> tuple[Change, ...]:
    by_cell = recoding if isinstance(recoding, CellMap) else levels_by_cell(problem, recoding)
    told = class_ends(problem, by_cell)
    kept = ~by_cell.gone
    found = []
    for a, (name, table) in enumerate(zip(by_cell.names, problem.tables, strict=True)):
        far = by_cell.levels[:, a] / max(1, table.height)
        if name in told:
            ends = told[name]
            width = (ends.last - ends.first)[ends.of] / max(1, ends.known - 1)
            far = np.where(ends.told, width, far)
        found.append(_change(name, far[kept], by_cell.rows[kept]))
    return tuple(found)


def _change(name: str, far: NDArray[np.float64], rows: NDArray[np.int64]) -> Change:
    shares, at = np.unique(far, return_inverse=True)
    held = np.bincount(at.reshape(-1), rows).astype(int)
    return Change(name, tuple(zip(shares.tolist(), held.tolist(), strict=True)))


def _cut_changes(problem: Problem, recoding: Cuts) -> tuple[Change, ...]:
    counted = count_cuts(problem, recoding)
    kept = ~counted.broken
    member, sizes = counted.classes.member[kept], counted.classes.sizes[kept]
    found = []
    for a, column in enumerate(problem.shown(recoding)):
        held = np.bincount(column.of)
        of = column.of[problem.encoded.leaf[member, a]]
        far = (held - 1) / max(1, len(column.of) - 1)
        found.append(_change(recoding.names[a], far[of], sizes))
    return tuple(found)
