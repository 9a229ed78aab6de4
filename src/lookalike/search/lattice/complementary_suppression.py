"""Complementary suppression: nobody is left out alone (Datafly's step 4; Sweeney 2002, Fig. 8).

If rows are suppressed but fewer than k, whoever knows which of the people are missing learns too
much. So rows of classes that could be released join them: from one class with rows to spare if
there is such a class, else the smallest class whole. With several sets of columns, rows are spared
only if every set can spare them, and whom the others leave alone over some set goes too.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lookalike.problem.group_ids import group_ids
from lookalike.problem.problem import Problem
from lookalike.problem.recodings.cell_evaluation import cell_map
from lookalike.search.bounds.datafly_climb import way_up
from lookalike.search.run import Run
from lookalike.solution.recoding import GONE, CellMap

Whole = NDArray[np.int64]


def complement(run: Run) -> None:
    """Datafly's climb, until a node meets the policy with those who join counted in."""
    problem = run.problem
    for node in way_up(problem):
        alike, sets = _alike(problem, node)
        stay = _safe(problem.counts.counts.copy(), sets, problem.smallest)
        if not problem.may_suppress(problem.rows - int(stay.sum())):
            run.mind_limits()
            run.checks += 1
            continue
        stay = _joined(problem.counts.counts, stay, alike, sets, problem.smallest)
        if run.offer(_recoded(problem, node, stay)).meets:
            return


def _alike(problem: Problem, node: tuple[int, ...]) -> tuple[Whole, list[Whole]]:
    """The class of each group at a node, over all columns and over each set of them."""
    codes = np.stack(
        [
            table.codes[problem.counts.codes[:, a], level]
            for a, (table, level) in enumerate(zip(problem.tables, node, strict=True))
        ],
        axis=1,
    )
    return group_ids(codes), [group_ids(codes[:, columns]) for columns in problem.sets]


def _safe(stay: Whole, sets: Sequence[Whole], k: int) -> Whole:
    """(groups,) the rows that stay, once those are out who stand out over some set."""
    before = -1
    while (now := int(stay.sum())) != before:
        before = now
        for of in sets:
            stay[_held(of, stay) < k] = 0
    return stay


def _joined(rows: Whole, stay: Whole, alike: Whole, sets: Sequence[Whole], k: int) -> Whole:
    """(groups,) the rows that stay, once k of the table's rows are out, or none of them is."""
    while 0 < (lacking := k - int((rows - stay).sum())) < k and stay.any():
        sizes = np.bincount(alike, weights=stay).astype(np.int64)
        can_spare = sizes[alike] >= lacking
        for of in sets:
            can_spare &= _held(of, stay) - lacking >= k
        spare = np.unique(alike[can_spare])
        if len(spare):
            largest = int(spare[np.argmax(sizes[spare])])
            for group in np.flatnonzero(alike == largest).tolist():
                taken = min(lacking, int(stay[group]))
                stay[group] -= taken
                lacking -= taken
            return stay
        kept = np.flatnonzero(sizes)
        stay[alike == kept[np.argmin(sizes[kept])]] = 0
        stay = _safe(stay, sets, k)
    return stay


def _held(of: Whole, stay: Whole) -> Whole:
    """(groups,) how many rows that stay are alike with each group's."""
    held: Whole = np.bincount(of, weights=stay).astype(np.int64)[of]
    return held


def _recoded(problem: Problem, node: tuple[int, ...], stay: Whole) -> CellMap:
    """The node as a cell map, with the others left out."""
    out = problem.counts.counts - stay
    kept, gone = np.flatnonzero(stay), np.flatnonzero(out)
    levels = np.tile(np.array(node, dtype=np.int16), (len(kept), 1))
    none = np.full((len(gone), len(node)), GONE, dtype=np.int16)
    return cell_map(
        problem,
        np.concatenate([kept, gone]),
        np.concatenate([stay[kept], out[gone]]),
        np.concatenate([levels, none]),
    )
