"""MDAV: classes of k rows, from the outermost rows inwards, each with the rows nearest to it.

A heuristic for cell-level recoding: microaggregation by the maximum distance to an average vector
(Domingo-Ferrer and Torra 2005), with distances from hierarchies.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lookalike.problem.problem import Problem
from lookalike.search.algorithm import Algorithm
from lookalike.search.bounds.cell_layout import CellLayout
from lookalike.search.bounds.row_sets import Partition
from lookalike.search.cells.components import Component, offer_by_component, why_no_clustering
from lookalike.search.jit_warmup import search_small_problem
from lookalike.search.run import Run
from lookalike.solution.recoding import Space


@dataclass(frozen=True, slots=True)
class Mdav(Algorithm):
    """Heuristic over cell-level recodings: classes of k rows from the outermost rows inwards.

    The row farthest from the center and the k − 1 rows nearest to it become a class; then the row
    farthest from that one, with its nearest; then again from the center of the rest, until fewer
    than 2k rows are left over: the last class. The distance of two rows is what they would pay
    together for the lowest labels they share; among equals, the first in canonical order counts.

    The center has, in each column, the value that is nearest to the remaining rows on average, of
    those they hold: the counterpart of the mean of numbers. The most frequent value would be
    simpler, but in a column of many values it shows little about where the rows are.

    All rows equal to the outermost row join it, even beyond k, as long as k rows remain: they cost
    nothing there.

    References
    ----------
    Domingo-Ferrer and Torra 2005. Ordinal, continuous and heterogeneous k-anonymity through
    microaggregation.

    Examples
    --------
    >>> import lookalike as la, pyarrow as pa
    >>> table = pa.table({"age": [31, 34, 37, 52, 55, 58]})
    >>> policy = la.Policy(quasi_identifiers={"age": la.bands(10, 20)}, require=la.KAnonymity(3))
    >>> la.solve(la.prepare(table, policy), la.Mdav())
    <Solution: optimal, cell-level, mdav, cost 0.333333>
    """

    name = "mdav"
    space = Space.CELL_LEVEL
    promise = "MDAV meets the policy. It does not promise a low cost."

    def why_unsuitable(self, problem: Problem) -> str | None:
        return why_no_clustering(problem)

    def compile_kernels(self, problem: Problem) -> None:
        search_small_problem(type(self))

    def search(self, run: Run) -> None:
        offer_by_component(run, _clusters)


def _clusters(layout: CellLayout, component: Component, run: Run) -> Partition:
    from lookalike.search.cells.clustering.mdav_kernels import centre, close  # late: loads numba

    groups, columns = component.leaf.shape
    label, loss, at, levels = layout.label, layout.loss, layout.at, layout.levels
    start, first = np.empty((2, columns), dtype=np.int32)
    level, lost = np.empty(columns, dtype=np.int64), np.empty(at.shape)
    rise, mean = np.empty((2, len(label)))
    count_of = np.zeros(len(label), dtype=np.int64)
    np.add.at(count_of, component.cell, component.rows[:, None])
    group, rows, of = np.empty((3, 2 * groups), dtype=np.int64)
    left, still, remaining = component.rows.copy(), np.arange(groups), int(component.rows.sum())
    classes = pieces = 0
    while remaining >= 2 * layout.k:
        run.mind_limits()
        if classes % 2 == 0:
            centre(
                component.leaf, component.cell, label, loss, at, levels, still, count_of, mean,
                start,
            )  # fmt: skip
        count, remaining, pieces = close(
            component.leaf, component.cell, label, loss, at, levels, layout.k, left, still,
            count_of, remaining, start, first, level, lost, rise, group, rows, of, pieces, classes,
        )  # fmt: skip
        still = still[:count]
        classes += 1
    return Partition(
        np.concatenate([group[:pieces], still]),
        np.concatenate([rows[:pieces], left[still]]),
        np.concatenate([of[:pieces], np.full(len(still), classes)]),
    )
