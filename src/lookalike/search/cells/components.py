"""Components: rows that can become alike at all, because their coarsest labels are equal.

For searches that put rows into classes without a lattice. They work component by component, on
groups in canonical order, so that ties do not depend on the engine that has counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lookalike.problem.group_ids import group_ids
from lookalike.problem.problem import Problem
from lookalike.problem.recodings.cell_evaluation import cell_map
from lookalike.search.bounds.cell_layout import CellLayout, lay_out
from lookalike.search.bounds.row_sets import Partition
from lookalike.search.cells.lattice_greedy import lowest_levels
from lookalike.search.run import Run

MAX_TUPLES = 60_000  # distinct tuples that are compared pairwise
Whole = NDArray[np.int64]


class Component(NamedTuple):
    """Groups that can become alike, with at least k rows together."""

    group: Whole  # (groups,) in canonical order
    rows: Whole  # (groups,)
    leaf: NDArray[np.int32]  # (groups, columns)
    cell: Whole  # (groups, columns) where the leaf of each cell starts in the layout's arrays


def offer_by_component(run: Run, search: Callable[[CellLayout, Component, Run], Partition]) -> None:
    """Offer the classes that ``search`` finds in each component, if the rest may be suppressed."""
    problem = run.problem
    layout = lay_out(problem)
    components = _components(problem, layout)
    if problem.may_suppress(problem.rows - sum(int(one.rows.sum()) for one in components)):
        parts = [(component, search(layout, component, run)) for component in components]
        partition = _joined(layout, parts)
        levels = lowest_levels(layout, partition)
        run.offer(cell_map(problem, partition.group, partition.rows, levels))


def why_no_clustering(problem: Problem) -> str | None:
    """Why a search that compares pairs and splits groups cannot run; None if it can."""
    groups = problem.counts.groups
    if groups > MAX_TUPLES:
        return (
            f"it compares all pairs of distinct tuples, at most {MAX_TUPLES:,} of them, and there "
            f"are {groups:,}; use lattice-greedy or mondrian"
        )
    if problem.policy.metric.class_column is not None:
        return "it splits groups of equal rows, and then CM cannot be computed from counts"
    return None


def _components(problem: Problem, layout: CellLayout) -> list[Component]:
    """Components with fewer than k rows are left out: they cannot be released."""
    order = problem.canonical
    coarsest = [
        layout.label[layout.at[a, levels - 1] + layout.leaf[a, order]]
        for a, levels in enumerate(layout.levels)
    ]
    of = group_ids(np.stack(coarsest, axis=1))
    sizes = np.bincount(of, weights=layout.rows[order])
    components = []
    for number in np.flatnonzero(sizes >= layout.k):
        group = order[of == number]
        leaf = np.ascontiguousarray(layout.leaf[:, group].T)
        components.append(Component(group, layout.rows[group], leaf, leaf + layout.at[:, 0]))
    return components


def _joined(layout: CellLayout, parts: Iterable[tuple[Component, Partition]]) -> Partition:
    """One partition of all components, which number their groups; other rows are suppressed."""
    left = layout.rows.copy()
    group, rows, of, classes = [], [], [], 0
    for component, part in parts:
        left[component.group] = 0
        group.append(component.group[part.group])
        rows.append(part.rows)
        of.append(classes + part.of)
        classes += int(part.of.max(initial=-1)) + 1
    suppressed = np.flatnonzero(left)
    return Partition(
        np.concatenate([*group, suppressed]),
        np.concatenate([*rows, left[suppressed]]),
        np.concatenate([*of, np.full(len(suppressed), -1)]),
    )
