"""Lattice greedy: from cheap lattice nodes to dear ones, release whoever has k lookalikes there.

A heuristic for cell-level recoding. The nodes of the lattice are visited by what they cost; at each
one the rows that are still without a class are grouped by what they would show, and every group of
k rows or more becomes a class.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.cost.column_metric import MarginalCosting
from lookalike.problem.group_ids import group_ids
from lookalike.problem.problem import Problem
from lookalike.problem.recodings.cell_evaluation import cell_map
from lookalike.search.algorithm import Algorithm
from lookalike.search.bounds.cell_layout import Layout, lay_out
from lookalike.search.bounds.row_sets import Partition
from lookalike.search.jit_warmup import search_small_problem
from lookalike.search.run import Run
from lookalike.solution.recoding import GONE, Space

MANY = 1 << 18  # nodes to visit
AT_ONCE = 256  # nodes between two looks at the limits
WORD = 1 << 62
ROUNDS = 3  # of weighing columns anew, where losses multiply
Whole = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class LatticeGreedy(Algorithm):
    """The default at scale: fast, and close to the best that is known.

    A class is closed only if the rows left over are none or at least k, so that the rest can be
    released too. Each class shows the lowest labels that its rows share. Where losses of columns
    multiply (geometric mean), columns are weighed anew by what the last round lost in them.
    """

    name = "lattice-greedy"
    space = Space.CELL_LEVEL

    def why_unsuitable(self, problem: Problem) -> str | None:
        nodes = lay_out(problem).nodes
        if nodes > MANY:
            return (
                f"the lattice has {nodes:,} nodes, more than the {MANY:,} it can visit; use "
                "mondrian, or set the finest levels of some columns higher"
            )
        return None

    def compile_kernels(self, problem: Problem) -> None:
        search_small_problem(type(self))

    def search(self, run: Run) -> None:
        problem = run.problem
        costing = problem.costing
        geometric = isinstance(costing, MarginalCosting) and costing.geometric
        weights = problem.ground.weights
        for _ in range(ROUNDS if geometric else 1):
            layout = lay_out(problem, weights)
            found = greedy(layout, run)
            if not problem.may_suppress(int(found.rows[found.of < 0].sum())):
                return
            levels = lowest_levels(layout, found)
            run.offer(cell_map(problem, found.group, found.rows, levels))
            if isinstance(costing, MarginalCosting) and costing.geometric:
                lost = _lost(problem, costing, found, levels)
                weights = problem.ground.weights / (1 + lost)


def greedy(layout: Layout, run: Run | None = None) -> Partition:
    """Visit every node, cheapest first, until all rows that can be released are in a class."""
    from lookalike.search.cells.lattice_greedy_kernels import close  # late: loads numba

    groups = len(layout.rows)
    nodes = _by_price(layout)
    top = layout.many - 1
    ends = group_ids(_shown(layout, top))  # rows of different ends can never be alike
    room = np.bincount(ends, weights=layout.rows).astype(np.int64)
    of = np.full(groups, -1, dtype=np.int64)
    left = np.where(room[ends] >= layout.k, layout.rows, 0)
    still = np.flatnonzero(left)
    width, word = _words(layout)
    classes = 0
    for start in range(0, len(nodes), AT_ONCE):
        if run is not None:
            run.mind_limits()
        classes, count = close(
            layout.leaf, layout.label, layout.at, width, word, nodes[start : start + AT_ONCE],
            layout.k, left, ends, room, still, of, classes,
        )  # fmt: skip
        still = still[:count]
        if not count:
            break
    return Partition(np.arange(groups), layout.rows, of)


def lowest_levels(layout: Layout, found: Partition) -> NDArray[np.int16]:
    """(pieces, columns) of the lowest labels that each class shares; each cell on its cheapest."""
    from lookalike.search.cells.lattice_greedy_kernels import share  # late: loads numba

    turns = share(
        layout.leaf, layout.label, layout.at, layout.many, found.group, found.of,
        int(found.of.max(initial=-1)) + 1,
    )  # fmt: skip
    levels = np.full((len(found.of), len(layout.at)), GONE, dtype=np.int16)
    kept = found.of >= 0
    for a in range(len(layout.at)):
        turn = turns[found.of[kept], a]
        lowest = layout.lowest[layout.at[a, turn] + layout.leaf[a, found.group[kept]]]
        levels[kept, a] = layout.level[a, lowest]
    return levels


def _lost(
    problem: Problem, costing: MarginalCosting, found: Partition, levels: NDArray[np.int16]
) -> NDArray[np.float64]:
    """(columns,) the mean loss of a released row."""
    kept = found.of >= 0
    leaf, rows = problem.counts.codes[found.group[kept]], found.rows[kept]
    lost = [
        loss[leaf[:, a], levels[kept, a]] @ rows / problem.rows
        for a, loss in enumerate(costing.loss)
    ]
    return np.array(lost)


def _by_price(layout: Layout) -> Whole:
    """(nodes, columns) by what the whole table would pay there; ties by the sum of levels."""
    nodes = np.array(list(itertools.product(*map(range, layout.many.tolist()))), dtype=np.int64)
    price = np.zeros(len(nodes))
    for a, many in enumerate(layout.many):
        paid = [
            float(layout.price[layout.at[a, turn] + layout.leaf[a]] @ layout.rows)
            for turn in range(many)
        ]
        price += np.array(paid)[nodes[:, a]]
    return nodes[np.lexsort((nodes.sum(axis=1), np.round(price, 6)))]


def _words(layout: Layout) -> tuple[Whole, Whole]:
    """(columns,) how many labels each has, and into which word its label goes, of 62 bits each."""
    width: list[int] = []
    word: list[int] = []
    used = 1
    for a, many in enumerate(layout.many):
        labels = [layout.label[layout.at[a, turn] + layout.leaf[a]] for turn in range(many)]
        wide = 1 + max(int(some.max(initial=0)) for some in labels)
        fits = used * wide < WORD
        word.append(0 if not word else word[-1] + (not fits))
        used = used * wide if fits else wide
        width.append(wide)
    return np.array(width, dtype=np.int64), np.array(word, dtype=np.int64)


def _shown(layout: Layout, node: Whole) -> Whole:
    """(groups, columns) labels at a node."""
    return np.stack(
        [layout.label[layout.at[a, turn] + layout.leaf[a]] for a, turn in enumerate(node)], axis=1
    )
