"""Components: rows that can become alike at all, because their coarsest labels are equal.

For searches that put rows into classes without a lattice. They work component by component, on
groups in canonical order, so that ties do not depend on the engine that has counted.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lookalike.problem.group_ids import group_ids
from lookalike.problem.problem import Problem
from lookalike.search.bounds.cell_layout import CellLayout, Whole, lay_out
from lookalike.search.bounds.row_sets import Partition
from lookalike.search.cells.cell_algorithm import CellAlgorithm
from lookalike.search.cells.class_merging import merge_until_safe, why_not_judged
from lookalike.search.cells.lattice_greedy import released
from lookalike.search.run import Run

MAX_TUPLES = 60_000  # distinct tuples that are compared pairwise


class Component(NamedTuple):
    """Groups that can become alike, with at least k rows together."""

    group: Whole  # (groups,) in canonical order
    rows: Whole  # (groups,)
    leaf: NDArray[np.int32]  # (groups, columns)
    cell: Whole  # (groups, columns) where the leaf of each cell starts in the layout's arrays


class Clustering(CellAlgorithm):
    """A search that compares pairs of rows, and splits groups of equal rows.

    If more is required than a number of rows, groups become whole again, and classes are merged.
    """

    __slots__ = ()
    any_requirement = True

    @abstractmethod
    def clusters(self, layout: CellLayout, component: Component, run: Run) -> Partition:
        """The classes of one component."""

    def why_unsuitable(self, problem: Problem) -> str | None:
        groups = problem.counts.groups
        if groups > MAX_TUPLES:
            return (
                f"it compares all pairs of distinct tuples, at most {MAX_TUPLES:,} of them, and "
                f"there are {groups:,}; use lattice-greedy or mondrian"
            )
        if problem.policy.metric.class_column is not None:
            return "it splits groups of equal rows, and then CM cannot be computed from counts"
        return why_not_judged(problem)

    def search(self, run: Run) -> None:
        """Offer the classes of all components, if the rest may be suppressed."""
        problem = run.problem
        layout = lay_out(problem)
        components = _components(problem, layout)
        if problem.may_suppress(problem.rows - sum(int(one.rows.sum()) for one in components)):
            parts = [(one, self.clusters(layout, one, run)) for one in components]
            partition = merge_until_safe(layout, _joined(layout, parts), run)
            if problem.may_suppress(int(partition.rows[partition.of < 0].sum())):
                run.offer(released(problem, layout, partition))


def _components(problem: Problem, layout: CellLayout) -> list[Component]:
    """Components with fewer than k rows are left out: they cannot be released."""
    order = problem.canonical
    of = group_ids(layout.labels_at(layout.levels - 1)[order])
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
