"""Which cells changed, and how far: how many rows of a column went how much of the way to ``*``.

In a hierarchy the way is counted in levels; between cuts, in values that an interval holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lookalike.problem.cuts_evaluated import count_cuts
from lookalike.solution.recoding import CellMap, Cuts, Recoding

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
    if isinstance(recoding, CellMap):
        return cell_changes(recoding, [table.height for table in problem.tables])
    if isinstance(recoding, Cuts):
        return _cut_changes(problem, recoding)
    kept = problem.rows - problem.evaluate(recoding.levels).suppressed
    return tuple(
        Change(name, ((level / max(1, table.height), kept),))
        for name, level, table in zip(recoding.names, recoding.levels, problem.tables, strict=True)
    )


def cell_changes(recoding: CellMap, heights: Sequence[int]) -> tuple[Change, ...]:
    kept = ~recoding.gone
    found = []
    for a, (name, height) in enumerate(zip(recoding.names, heights, strict=True)):
        rows = np.bincount(recoding.levels[kept, a], recoding.rows[kept], height + 1).astype(int)
        steps = [(at / max(1, height), count) for at, count in enumerate(rows.tolist()) if count]
        found.append(Change(name, tuple(steps)))
    return tuple(found)


def _cut_changes(problem: Problem, recoding: Cuts) -> tuple[Change, ...]:
    counted = count_cuts(problem, recoding)
    kept = ~counted.broken
    member, sizes = counted.classes.member[kept], counted.classes.sizes[kept]
    found = []
    for a, column in enumerate(problem.shown(recoding)):
        held = np.bincount(column.of)
        of = column.of[problem.encoded.leaf[member, a]]
        far = (held - 1) / max(1, len(column.of) - 1)
        widths, at = np.unique(far[of], return_inverse=True)
        rows = np.bincount(at.reshape(-1), sizes).astype(int)
        found.append(
            Change(recoding.names[a], tuple(zip(widths.tolist(), rows.tolist(), strict=True)))
        )
    return tuple(found)
