"""MDAV: classes of k rows, from the rows farthest out inwards, each with those nearest to it.

A heuristic for cell-level recoding: microaggregation by the maximum distance to an average vector
(Domingo-Ferrer and Torra 2005), with hierarchies to tell distances.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lookalike.problem.problem import Problem
from lookalike.search.algorithm import Algorithm
from lookalike.search.bounds.cell_layout import Layout
from lookalike.search.bounds.row_sets import Partition
from lookalike.search.cells.components import End, no_pairs, offer_by_end
from lookalike.search.jit_warmup import search_small_problem
from lookalike.search.run import Run
from lookalike.solution.recoding import Space


@dataclass(frozen=True, slots=True)
class Mdav(Algorithm):
    """The row farthest from the centre and the k − 1 nearest to it become a class.

    Then the row farthest from that one and the nearest to it, then from the centre of the rest
    again, until fewer than 2k rows are left over: the last class. Two rows are as far apart as they
    would pay together for the lowest labels they share; of equals, the first in canonical order.

    The centre has, in each column, the value that is nearest to the remaining rows on average, of
    those they hold: what the mean is to numbers. The most frequent value would be simpler, but in a
    column of many values it tells little about where the rows are.

    All rows equal to the one farthest out come with it, even beyond k, as long as k rows remain:
    they cost nothing there.
    """

    name = "mdav"
    space = Space.CELL_LEVEL
    promise = "MDAV meets the policy. It does not promise a low cost."

    def why_unsuitable(self, problem: Problem) -> str | None:
        return no_pairs(problem)

    def compile_kernels(self, problem: Problem) -> None:
        search_small_problem(type(self))

    def search(self, run: Run) -> None:
        offer_by_end(run, _inwards)


def _inwards(layout: Layout, end: End, run: Run) -> Partition:
    from lookalike.search.cells.clustering.mdav_kernels import centre, close  # late: loads numba

    groups, columns = end.leaf.shape
    label, price, at, many = layout.label, layout.price, layout.at, layout.many
    start, first = np.empty((2, columns), dtype=np.int32)
    turn, paid = np.empty(columns, dtype=np.int64), np.empty(at.shape)
    rise, mean = np.empty((2, len(label)))
    held = np.zeros(len(label), dtype=np.int64)
    np.add.at(held, end.cell, end.rows[:, None])
    group, rows, of = np.empty((3, 2 * groups), dtype=np.int64)
    left, still, room = end.rows.copy(), np.arange(groups), int(end.rows.sum())
    classes = pieces = 0
    while room >= 2 * layout.k:
        run.mind_limits()
        if classes % 2 == 0:
            centre(end.leaf, end.cell, label, price, at, many, still, held, mean, start)
        count, room, pieces = close(
            end.leaf, end.cell, label, price, at, many, layout.k, left, still, held, room, start,
            first, turn, paid, rise, group, rows, of, pieces, classes,
        )  # fmt: skip
        still = still[:count]
        classes += 1
    return Partition(
        np.concatenate([group[:pieces], still]),
        np.concatenate([rows[:pieces], left[still]]),
        np.concatenate([of[:pieces], np.full(len(still), classes)]),
    )
