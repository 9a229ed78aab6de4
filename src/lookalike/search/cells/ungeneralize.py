"""Ungeneralize: take the best full-domain recoding, and make each class finer while k holds.

A heuristic. A full-domain node coarsens every cell of a column for the sake of the few rows that
need it. Here each class of lookalikes is tightened to the lowest labels that its rows share, and
split where the parts still have k rows, again and again.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.problem.group_ids import group_ids
from lookalike.problem.problem import Problem
from lookalike.search.algorithm import Algorithm
from lookalike.search.cells.node_coverage import (
    Cover,
    Node,
    any_may_go,
    best_node,
    cell_prices,
    cover,
    labels_at,
    rows_alike,
)
from lookalike.search.jit_warmup import search_small_problem
from lookalike.search.run import Run
from lookalike.solution.recoding import GONE, CellMap, Space

CellLevels = NDArray[np.int16]  # (groups, columns)


@dataclass(frozen=True, slots=True)
class Ungeneralize(Algorithm):
    """Never costs more than the full-domain result it starts from, which it offers first.

    With metrics that add up by cell (Prec, Loss, entropy) no step ever costs more than the one
    before: steps only lower levels of cells, or take rows in that were left out. Every class keeps
    k rows, and equal rows stay together.

    It starts from the cheapest full-domain node under the policy: exact, unless that takes more
    than half of the run's limits or the lattice is too large. Rows that a node leaves out come back
    where k of them look alike at the coarsest levels allowed. So there is a second start, from the
    node that would be cheapest if any number of rows might be left out.
    """

    name = "ungeneralize"
    space = Space.CELL_LEVEL
    promise = (
        "Un-generalization meets the policy and never costs more than the full-domain recoding "
        "that it starts from."
    )

    def why_unsuitable(self, problem: Problem) -> str | None:
        return None

    def compile_kernels(self, problem: Problem) -> None:
        search_small_problem(type(self))

    def search(self, run: Run) -> None:
        problem = run.problem
        node = best_node(run, problem) or problem.high
        start = cover(problem, node)
        run.offer(_cell_map(problem, start, _as_it_is(start, node)))
        self._refine(run, start, node)
        if problem.allowance < problem.rows:
            freer = best_node(run, any_may_go(problem))
            if freer is not None and freer != node:
                self._refine(run, cover(problem, freer), freer)

    def _refine(self, run: Run, start: Cover, node: Node) -> None:
        from lookalike.search.cells.class_refinement_kernels import refine  # late: loads numba

        problem = run.problem
        levels, of = _taken_back(problem, start, node)
        label = np.concatenate([numbers.reshape(-1) for numbers in problem.label_numbers])
        price = np.concatenate([prices.T.reshape(-1) for prices in cell_prices(problem)])
        held = np.zeros(int(label.max(initial=0)) + 1, dtype=np.int64)
        at, low = _offsets(problem), np.array(problem.low)
        order = np.argsort(of, kind="stable")
        for begin, end in _stretches(of[order]):
            run.mind_limits()
            if levels[order[begin], 0] != GONE:
                refine(
                    start.leaf, start.rows, label, price, at, low, problem.smallest,
                    order, begin, end, levels, held,
                )  # fmt: skip
        run.offer(_cell_map(problem, start, levels))


def _as_it_is(start: Cover, node: Node) -> CellLevels:
    """The node itself, rows in classes under k left out."""
    return np.where(start.covered[:, None], np.array(node), GONE).astype(np.int16)


def _taken_back(problem: Problem, start: Cover, node: Node) -> tuple[CellLevels, NDArray[np.int64]]:
    """Levels and classes, where rows left out that look alike at the coarsest levels are back.

    That costs no more than leaving them out. If too few would then be left out to be starred
    safely, none comes back.
    """
    levels = _as_it_is(start, node)
    coarsest = group_ids(labels_at(problem, start.leaf, problem.high))
    company = rows_alike(coarsest, np.where(start.covered, 0, start.rows))
    back = ~start.covered & (company >= problem.smallest)
    if not problem.enough_starred(int(start.rows[~start.covered & ~back].sum())):
        return levels, start.of
    levels[back] = problem.high
    return levels, np.where(back, int(start.of.max(initial=0)) + 1 + coarsest, start.of)


def _cell_map(problem: Problem, start: Cover, levels: CellLevels) -> CellMap:
    return CellMap(problem.names, np.arange(len(start.rows)), start.rows, levels.copy())


def _stretches(of: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Where each class begins and ends, in a list of classes in order."""
    cuts = np.flatnonzero(np.diff(of, prepend=-1, append=-1)).tolist()
    return itertools.pairwise(cuts)


def _offsets(problem: Problem) -> NDArray[np.int64]:
    """(columns, levels) where the labels of each level begin, all columns end to end."""
    offsets = np.zeros((len(problem.tables), problem.ground.levels), dtype=np.int64)
    begin = 0
    for a, table in enumerate(problem.tables):
        for level in range(table.height + 1):
            offsets[a, level] = begin
            begin += table.leaves
    return offsets
