"""Complementary suppression: if any rows are suppressed, at least k are (Sweeney 2002, Fig. 8).

If fewer than k rows are suppressed, an outsider who knows which people are missing learns too much.
So rows of other classes are suppressed too: from one class that has enough rows to spare, if there
is one, otherwise the smallest class as a whole. With several sets of columns, rows are taken only
if every set can spare them. Rows that are then left with too few lookalikes are suppressed as well.
This is step 4 of Datafly.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lookalike.problem.group_ids import group_ids
from lookalike.problem.problem import Problem
from lookalike.problem.recodings.cell_evaluation import Whole, cell_map
from lookalike.search.bounds.datafly_climb import datafly_path
from lookalike.search.node_labels import class_sizes, codes_at
from lookalike.search.run import Run
from lookalike.solution.recoding import GONE, CellMap


def complementary_search(run: Run) -> None:
    """Datafly's climb, until a node meets the policy with complementary suppression."""
    problem = run.problem
    for node in datafly_path(problem):
        classes, sets = _classes(problem, node)
        kept = _safe(problem.counts.counts.copy(), sets, problem.smallest)
        if not problem.may_suppress(problem.rows - int(kept.sum())):
            run.mind_limits()
            run.checks += 1
            continue
        kept = _complemented(problem.counts.counts, kept, classes, sets, problem.smallest)
        if run.offer(_cell_map(problem, node, kept)).meets:
            return


def _classes(problem: Problem, node: tuple[int, ...]) -> tuple[Whole, list[Whole]]:
    """The class of each group at a node, over all columns and over each set of them."""
    codes = codes_at(problem, node)
    return group_ids(codes), [group_ids(codes[:, columns]) for columns in problem.sets]


def _safe(kept: Whole, sets: Sequence[Whole], k: int) -> Whole:
    """(groups,) the rows that are kept, without those that have too few lookalikes over a set."""
    before = -1
    while (now := int(kept.sum())) != before:
        before = now
        for of in sets:
            kept[class_sizes(of, kept) < k] = 0
    return kept


def _complemented(rows: Whole, kept: Whole, classes: Whole, sets: Sequence[Whole], k: int) -> Whole:
    """(groups,) the rows that are kept, once none or at least k of the rows are suppressed."""
    while 0 < (lacking := k - int((rows - kept).sum())) < k and kept.any():
        sizes = np.bincount(classes, weights=kept).astype(np.int64)
        can_spare = sizes[classes] >= lacking
        for of in sets:
            can_spare &= class_sizes(of, kept) - lacking >= k
        spare = np.unique(classes[can_spare])
        if len(spare):
            largest = int(spare[np.argmax(sizes[spare])])
            for group in np.flatnonzero(classes == largest).tolist():
                taken = min(lacking, int(kept[group]))
                kept[group] -= taken
                lacking -= taken
            return kept
        filled = np.flatnonzero(sizes)
        kept[classes == filled[np.argmin(sizes[filled])]] = 0
        kept = _safe(kept, sets, k)
    return kept


def _cell_map(problem: Problem, node: tuple[int, ...], kept: Whole) -> CellMap:
    """The node as a cell map, with all rows that are not kept suppressed."""
    suppressed = problem.counts.counts - kept
    stay, gone = np.flatnonzero(kept), np.flatnonzero(suppressed)
    rows = np.concatenate([kept[stay], suppressed[gone]])
    levels = np.full((len(rows), len(node)), GONE, dtype=np.int16)
    levels[: len(stay)] = node
    return cell_map(problem, np.concatenate([stay, gone]), rows, levels)
