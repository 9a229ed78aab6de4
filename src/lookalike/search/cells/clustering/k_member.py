"""Greedy k-member clustering: grow classes of k rows, each time by the row that costs least.

A heuristic for cell-level recoding (Byun, Kamra, Bertino and Li 2007).
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
class KMember(Algorithm):
    """Every class begins with the row farthest from the last class.

    Then the row joins that adds least to what the class costs, until there are k; the first of
    equals in canonical order. When fewer than k rows are left over, each joins the class to whose
    cost it adds least. The cost of a class is what its rows pay for the lowest labels they share.

    Rows come with their equals, who add no more than they do. With the first row come all of them,
    even beyond k, where the paper would stop: they cost nothing there. The paper measures from the
    last row that joined, and begins at random; here it is the last class, and the first row.
    """

    name = "k-member"
    space = Space.CELL_LEVEL
    promise = "k-member clustering meets the policy. It does not promise a low cost."

    def why_unsuitable(self, problem: Problem) -> str | None:
        return no_pairs(problem)

    def compile_kernels(self, problem: Problem) -> None:
        search_small_problem(type(self))

    def search(self, run: Run) -> None:
        offer_by_end(run, _members)


def _members(layout: Layout, end: End, run: Run) -> Partition:
    from lookalike.search.cells.clustering.k_member_kernels import close, join  # late: loads numba

    groups, columns = end.leaf.shape  # every class uses up a group, so there are no more classes
    label, price, at, many = layout.label, layout.price, layout.at, layout.many
    first = np.empty((groups, columns), dtype=np.int32)
    turn = np.empty((groups, columns), dtype=np.int64)
    paid = np.empty((groups, *at.shape))
    rise = np.empty(len(label))
    group, rows, of = np.empty((3, 2 * groups), dtype=np.int64)
    left, still, room = end.rows.copy(), np.arange(groups), int(end.rows.sum())
    classes = pieces = 0
    while room >= layout.k:
        run.mind_limits()
        count, room, pieces = close(
            end.leaf, end.cell, label, price, at, many, layout.k, left, still, room,
            classes, first, turn, paid, rise, group, rows, of, pieces,
        )  # fmt: skip
        still = still[:count]
        classes += 1
    pieces = join(
        end.leaf, label, price, at, many, left, still,
        classes, first, turn, paid, group, rows, of, pieces,
    )  # fmt: skip
    return Partition(group[:pieces], rows[:pieces], of[:pieces])
