"""Complementary suppression: nobody is left out alone (Datafly's step 4; Sweeney 2002, Fig. 8).

If rows are suppressed but fewer than k, whoever knows which of the people are missing learns too
much. So rows of classes that could be released join them: from one class with rows to spare if
there is such a class, else the smallest class whole.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lookalike.problem.cells import alike_over, cell_map
from lookalike.problem.problem import Problem
from lookalike.search.climbing import way_up
from lookalike.search.run import Run
from lookalike.solution.recoding import GONE, CellMap

Whole = NDArray[np.int64]


def complement(run: Run) -> None:
    """Datafly's climb, until a node meets the policy with those who join counted in."""
    problem = run.problem
    for node in way_up(problem):
        of, sizes = _counted(problem, node)
        gone = sizes < problem.smallest
        if not problem.may_suppress(int(sizes[gone].sum())):
            run.mind_limits()
            run.checks += 1
            continue
        joining = _joining(sizes, gone, problem.smallest)
        if joining is not None and run.offer(_recoded(problem, node, of, gone, joining)).meets:
            return


def _counted(problem: Problem, node: tuple[int, ...]) -> tuple[Whole, Whole]:
    """The class of each group at a node, and their sizes."""
    codes = [
        table.codes[problem.counts.codes[:, a], level]
        for a, (table, level) in enumerate(zip(problem.tables, node, strict=True))
    ]
    of = alike_over(np.stack(codes, axis=1))
    return of, np.bincount(of, weights=problem.counts.counts).astype(np.int64)


def _joining(sizes: Whole, gone: NDArray[np.bool_], k: int) -> tuple[int, int] | None:
    """A class and how many of its rows join the suppressed; None if no class can."""
    suppressed = int(sizes[gone].sum())
    if not suppressed or suppressed >= k:
        return (-1, 0)
    lacking = k - suppressed
    spare = np.flatnonzero(~gone & (sizes - lacking >= k))
    if len(spare):
        return int(spare[np.argmax(sizes[spare])]), lacking
    kept = np.flatnonzero(~gone)
    if not len(kept):
        return None
    smallest = int(kept[np.argmin(sizes[kept])])
    return smallest, int(sizes[smallest])


def _recoded(
    problem: Problem,
    node: tuple[int, ...],
    of: Whole,
    gone: NDArray[np.bool_],
    joining: tuple[int, int],
) -> CellMap:
    """The node as a cell map, with the suppressed and those who join them left out."""
    rows = problem.counts.counts
    out = np.where(gone[of], rows, 0)
    chosen, lacking = joining
    for group in np.flatnonzero(of == chosen).tolist():
        taken = min(lacking, int(rows[group]))
        out[group] = taken
        lacking -= taken
    stay, leave = np.flatnonzero(rows > out), np.flatnonzero(out)
    levels = np.tile(np.array(node, dtype=np.int16), (len(stay), 1))
    none = np.full((len(leave), len(node)), GONE, dtype=np.int16)
    return cell_map(
        problem,
        np.concatenate([stay, leave]),
        np.concatenate([(rows - out)[stay], out[leave]]),
        np.concatenate([levels, none]),
    )
