"""Merge classes until every class meets all requirements, for searches that form them by size.

A search by size alone leaves some classes that break a requirement, for example l-diversity. Each
of these is merged with the class with which the fewest details are lost, and all classes are judged
again, until none breaks a requirement. Merging two classes that meet l-diversity, t-closeness or
the like gives one that meets it too, so nothing is undone. Groups of equal rows stay whole, because
only counts are known: not which of their rows has which sensitive value.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lookalike.problem.group_ids import group_ids
from lookalike.problem.problem import Problem
from lookalike.problem.recodings.cell_evaluation import classes_of
from lookalike.search.bounds.cell_layout import CellLayout, Floats, Whole
from lookalike.search.bounds.row_sets import Partition
from lookalike.search.run import Run


def why_not_judged(problem: Problem) -> str | None:
    """Why classes cannot be judged one by one; None if they can."""
    wide = next((rule.name for rule in problem.policy.require if rule.table_wide), None)
    return wide and f"it judges single classes, but {wide} is about the whole table; use flash"


def merge_until_safe(layout: CellLayout, partition: Partition, run: Run) -> Partition:
    """The partition with whole groups, and every class merged that breaks a requirement.

    Classes that can be merged with no other one are suppressed.
    """
    problem = run.problem
    if problem.policy.by_size:
        return partition
    of = _class_of_groups(layout, partition)
    while True:
        run.mind_limits()
        unsafe = _unsafe(problem, layout, of)
        if not unsafe.any():
            return Partition(np.arange(len(of)), layout.rows, of)
        of = _merge(layout, of, unsafe)


def _class_of_groups(layout: CellLayout, partition: Partition) -> Whole:
    """(groups,) for each group the class that has most of its rows, −1 where suppressed."""
    order = np.lexsort((partition.of, partition.rows, partition.group))
    last = np.append(partition.group[order][1:] != partition.group[order][:-1], True)
    of = np.full(len(layout.rows), -1, dtype=np.int64)
    of[partition.group[order][last]] = partition.of[order][last]
    return _numbered(of)


def _numbered(of: Whole) -> Whole:
    """Classes numbered from 0 without gaps; −1 stays."""
    kept = of >= 0
    numbered = of.copy()
    numbered[kept] = np.unique(of[kept], return_inverse=True)[1].reshape(-1)
    return numbered


def _unsafe(problem: Problem, layout: CellLayout, of: Whole) -> NDArray[np.bool_]:
    """(classes,) which break a requirement."""
    gone = of < 0
    group = np.arange(len(of))
    classes = classes_of(problem, np.where(gone, 0, of), group, layout.rows, gone)
    if not len(classes) or gone.all():
        return np.zeros(0, dtype=np.bool_)
    return np.asarray(problem.rules.unsafe(classes)[: int(of.max()) + 1])


def _merge(layout: CellLayout, of: Whole, unsafe: NDArray[np.bool_]) -> Whole:
    """Merge each unsafe class once with its best partner; suppress those without one."""
    shown = _Shown(layout, of)
    into = np.arange(len(unsafe))
    changed = np.zeros(len(unsafe), dtype=np.bool_)  # in this round: to be judged again first
    for c in sorted(np.flatnonzero(unsafe).tolist(), key=lambda c: int(shown.rows[c])):
        if changed[c]:
            continue
        partner = shown.partner(c)
        if partner is None:
            into[c] = -1
            continue
        into[c] = partner
        changed[[c, partner]] = True
        shown.join(c, partner)
    return _numbered(np.where(of < 0, -1, into[of]))


class _Shown:
    """What each class shows: one of its groups, and a level for each column."""

    def __init__(self, layout: CellLayout, of: Whole) -> None:
        from lookalike.search.cells.lattice_greedy_kernels import shared_levels  # late: numba

        classes = int(of.max(initial=-1)) + 1
        groups = np.arange(len(of))
        self.layout = layout
        self.levels = shared_levels(layout, Partition(groups, layout.rows, of), classes)
        self.head = np.zeros(classes, dtype=np.int64)
        kept = np.flatnonzero(of >= 0)
        self.head[of[kept][::-1]] = kept[::-1]
        self.rows = np.bincount(of[kept], layout.rows[kept], classes).astype(np.int64)
        self.component = group_ids(layout.labels_at(layout.levels - 1))[self.head]
        self.lost = self._lost(self.levels, self.head)
        self.open = np.ones(classes, dtype=np.bool_)

    def partner(self, c: int) -> int | None:
        """The class with which class ``c`` loses least; None if it is alone in its component."""
        others = np.flatnonzero(self.open & (self.component == self.component[c]))
        others = others[others != c]
        if not len(others):
            return None
        after = self._lost(self._common(c, others), self.head[others])
        rows = self.rows[c] + self.rows[others]
        more = rows * after - self.rows[c] * self.lost[c] - self.rows[others] * self.lost[others]
        return int(others[np.argmin(more)])

    def join(self, c: int, partner: int) -> None:
        """Class ``c`` becomes a part of its partner."""
        both = np.array([partner])
        self.levels[partner] = self._common(c, both)[0]
        self.lost[partner] = self._lost(self.levels[both], self.head[both])[0]
        self.rows[partner] += self.rows[c]
        self.open[c] = False

    def _common(self, c: int, others: Whole) -> Whole:
        """(others, columns) the lowest levels at which each looks like class ``c``."""
        layout = self.layout
        levels = np.maximum(self.levels[c], self.levels[others])
        for a, leaf in enumerate(layout.leaf):
            own, theirs = leaf[self.head[c]], leaf[self.head[others]]
            for level in range(int(layout.levels[a]) - 1):
                start = layout.at[a, level]
                apart = layout.label[start + own] != layout.label[start + theirs]
                levels[apart & (levels[:, a] == level), a] += 1
        return np.asarray(levels)

    def _lost(self, levels: Whole, head: Whole) -> Floats:
        """(classes,) what one row loses at these levels."""
        layout = self.layout
        columns = np.arange(len(layout.leaf))
        at: Floats = layout.loss[layout.at[columns, levels] + layout.leaf[:, head].T].sum(axis=1)
        return at
