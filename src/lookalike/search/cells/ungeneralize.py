"""Ungeneralize: start from the best full-domain recoding, and make each class finer while k holds.

A heuristic. A full-domain node generalizes every cell of a column because a few rows need it. Here
each class is reduced to the lowest labels that its rows share, and split if the parts still have k
rows, repeatedly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.remote_counts import Node
from lookalike.problem.group_ids import group_ids
from lookalike.problem.problem import Problem
from lookalike.search.cells.cell_algorithm import CellAlgorithm
from lookalike.search.cells.node_coverage import (
    Coverage,
    best_node,
    coverage,
    weighted_losses,
    with_free_suppression,
)
from lookalike.search.interruption import interruptible
from lookalike.search.node_labels import class_sizes, labels_at
from lookalike.search.run import Run
from lookalike.solution.recoding import GONE, CellMap

CellLevels = NDArray[np.int16]  # (groups, columns)
LARGE_CLASS = 10_000  # groups; refining fewer takes no time worth an interruption


@dataclass(frozen=True, slots=True)
class Ungeneralize(CellAlgorithm):
    """Heuristic over cell-level recodings: make the classes of a full-domain recoding finer.

    It never costs more than the full-domain result from which it starts, which it offers first.
    With metrics that are sums over cells (precision, loss, entropy) no step costs more than the one
    before: steps only lower the levels of cells, or release rows that were suppressed. Every class
    keeps k rows, and equal rows stay together.

    It starts from the cheapest full-domain node of the policy: found exactly, unless that takes
    more than half of the limits or the lattice is too large. Suppressed rows return where k of them
    look alike at the coarsest levels allowed. So there is a second start, from the node that would
    be cheapest if any number of rows could be suppressed.

    Examples
    --------
    >>> import lookalike as la, pyarrow as pa
    >>> table = pa.table({"age": [31, 34, 37, 52, 55, 58]})
    >>> policy = la.Policy(quasi_identifiers={"age": la.bands(10, 20)}, require=la.KAnonymity(3))
    >>> la.solve(la.prepare(table, policy), la.Ungeneralize())
    <Solution: optimal, cell-level, ungeneralize, cost 0.333333>
    """

    name = "ungeneralize"
    promise = (
        "Un-generalization meets the policy and never costs more than the full-domain recoding "
        "that it starts from."
    )

    def why_unsuitable(self, problem: Problem) -> str | None:
        return None

    def search(self, run: Run) -> None:
        problem = run.problem
        node = best_node(run, problem) or problem.high
        start = coverage(problem, node)
        run.offer(_cell_map(problem, start, _levels_of_node(start, node)))
        self._refine(run, start, node)
        if problem.allowance < problem.rows:
            second = best_node(run, with_free_suppression(problem))
            if second is not None and second != node:
                self._refine(run, coverage(problem, second), second)

    def _refine(self, run: Run, start: Coverage, node: Node) -> None:
        from lookalike.search.cells import class_refinement_kernels as kernels  # late: loads numba

        problem = run.problem
        levels, of = _with_rows_back(problem, start, node)
        label = np.concatenate([numbers.reshape(-1) for numbers in problem.label_numbers])
        loss = np.concatenate([losses.T.reshape(-1) for losses in weighted_losses(problem)])
        scratch = np.zeros(int(label.max(initial=0)) + 1, dtype=np.int64)
        table = kernels.ClassTable(
            start.leaf, start.rows, label, loss, _offsets(problem), np.array(problem.low),
            problem.smallest,
        )  # fmt: skip
        order = np.argsort(of, kind="stable")
        for members in np.split(order, np.flatnonzero(np.diff(of[order])) + 1):
            run.mind_limits()
            if not len(members) or levels[members[0], 0] == GONE:
                continue
            given = table, members, levels, scratch
            if len(members) < LARGE_CLASS:
                kernels.refine(*given, np.zeros(1, dtype=np.int64))
            else:
                interruptible(run.mind_clock, kernels.refine, *given)
        run.offer(_cell_map(problem, start, levels))


def _levels_of_node(start: Coverage, node: Node) -> CellLevels:
    """The node itself, with the rows of classes smaller than k suppressed."""
    return np.where(start.covered[:, None], np.array(node), GONE).astype(np.int16)


def _with_rows_back(
    problem: Problem, start: Coverage, node: Node
) -> tuple[CellLevels, NDArray[np.int64]]:
    """Levels and classes, with suppressed rows released that are alike at the coarsest levels.

    That costs no more than suppressing them. If too few rows would then be suppressed to be starred
    safely, none is released.
    """
    levels = _levels_of_node(start, node)
    coarsest = group_ids(labels_at(problem, start.leaf, problem.high))
    sizes = class_sizes(coarsest, np.where(start.covered, 0, start.rows))
    back = ~start.covered & (sizes >= problem.smallest)
    if not problem.enough_starred(int(start.rows[~start.covered & ~back].sum())):
        return levels, start.of
    levels[back] = problem.high
    return levels, np.where(back, int(start.of.max(initial=0)) + 1 + coarsest, start.of)


def _cell_map(problem: Problem, start: Coverage, levels: CellLevels) -> CellMap:
    return CellMap(problem.names, np.arange(len(start.rows)), start.rows, levels.copy())


def _offsets(problem: Problem) -> NDArray[np.int64]:
    """(columns, levels) where the labels of each level start, all columns one after the other."""
    leaves = np.array([table.leaves for table in problem.tables])
    begin = np.cumsum([0, *(table.leaves * (table.height + 1) for table in problem.tables)])[:-1]
    return begin[:, None] + leaves[:, None] * np.arange(problem.ground.levels)
