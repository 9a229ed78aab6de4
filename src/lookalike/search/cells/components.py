"""Which rows may become alike at all: those of one end, which show the same at the coarsest levels.

For searches that put rows into classes without looking at a lattice: they work end by end, on
groups in canonical order, so that the first of equals is the same whatever engine has counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.problem.group_ids import group_ids
from lookalike.problem.problem import Problem
from lookalike.problem.recodings.cell_evaluation import cell_map
from lookalike.search.bounds.cell_layout import Layout, lay_out
from lookalike.search.bounds.row_sets import Partition
from lookalike.search.cells.lattice_greedy import lowest_levels
from lookalike.search.run import Run

MOST = 60_000  # distinct tuples of which every two can be compared
Whole = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class End:
    """Groups that may become alike, of k rows or more together."""

    group: Whole  # (groups,) in canonical order
    rows: Whole
    leaf: NDArray[np.int32]  # (groups, columns)
    cell: Whole  # (groups, columns) where the leaf of each cell begins in the layout's arrays


def offer_by_end(run: Run, grow: Callable[[Layout, End, Run], Partition]) -> None:
    """Offer the classes that a search makes of each end, if the rest may be left out."""
    problem = run.problem
    layout = lay_out(problem)
    all_ends = ends(problem, layout)
    if problem.may_suppress(problem.rows - sum(int(end.rows.sum()) for end in all_ends)):
        found = together(layout, [(end, grow(layout, end, run)) for end in all_ends])
        run.offer(cell_map(problem, found.group, found.rows, lowest_levels(layout, found)))


def no_pairs(problem: Problem) -> str | None:
    """Why a search that compares every two tuples and splits groups cannot run; None if it can."""
    groups = problem.counts.groups
    if groups > MOST:
        return (
            f"it compares every two distinct tuples, which takes too long beyond {MOST:,}, and "
            f"there are {groups:,}; use lattice-greedy or mondrian"
        )
    if problem.policy.metric.class_column is not None:
        return "it splits groups of equal rows, and then CM cannot be told from counts"
    return None


def ends(problem: Problem, layout: Layout) -> list[End]:
    """Those of fewer than k rows are not among them: they cannot be released."""
    order = problem.canonical
    shown = [
        layout.label[layout.at[a, many - 1] + layout.leaf[a, order]]
        for a, many in enumerate(layout.many)
    ]
    of = group_ids(np.stack(shown, axis=1))
    held = np.bincount(of, weights=layout.rows[order])
    return [_end(layout, order[of == end]) for end in np.flatnonzero(held >= layout.k)]


def _end(layout: Layout, group: Whole) -> End:
    leaf = np.ascontiguousarray(layout.leaf[:, group].T)
    return End(group, layout.rows[group], leaf, leaf + layout.at[:, 0])


def together(layout: Layout, found: Iterable[tuple[End, Partition]]) -> Partition:
    """The classes of all ends, found with the groups numbered in each; all others are left out."""
    left = layout.rows.copy()
    group, rows, of, classes = [], [], [], 0
    for end, own in found:
        left[end.group] = 0
        group.append(end.group[own.group])
        rows.append(own.rows)
        of.append(classes + own.of)
        classes += int(own.of.max(initial=-1)) + 1
    out = np.flatnonzero(left)
    return Partition(
        np.concatenate([*group, out]),
        np.concatenate([*rows, left[out]]),
        np.concatenate([*of, np.full(len(out), -1)]),
    )
