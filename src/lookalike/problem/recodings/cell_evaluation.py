"""Count a cell map: its equivalence classes, its cost, and whether it meets the policy.

Cells look alike if their labels are equal, even if a hierarchy has the label on two levels.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lookalike.cost.metric import CountedCells
from lookalike.counts.classes import Classes
from lookalike.counts.frequency_set import Histogram
from lookalike.counts.kernel_layout import spread_over
from lookalike.counts.level_table import LevelTable
from lookalike.problem.evaluation import Evaluation
from lookalike.problem.group_ids import group_ids
from lookalike.solution.recoding import GONE, CellMap

if TYPE_CHECKING:
    from lookalike.problem.problem import Problem

Whole = NDArray[np.int64]


def cell_map(problem: Problem, group: Whole, rows: Whole, levels: NDArray[np.int16]) -> CellMap:
    """A cell map from pieces whose groups are numbered as in the problem's counts."""
    place = np.empty(problem.counts.groups, dtype=np.int64)
    place[problem.canonical] = np.arange(problem.counts.groups)
    number = place[group]
    same = group_ids(np.column_stack([number, levels + 1]))  # by group, then by levels
    _, first = np.unique(same, return_index=True)
    held = np.bincount(same, weights=rows).astype(np.int64)
    return CellMap(problem.names, number[first], held, levels[first].astype(np.int16))


def evaluate_cells(problem: Problem, recoding: CellMap) -> Evaluation:
    """Count a cell map and judge it."""
    group = problem.canonical[recoding.group]
    leaf = problem.counts.codes[group]
    gone = recoding.gone
    shown = label_numbers(problem, leaf, recoding.levels)
    suppressed = int(recoding.rows[gone].sum())
    of = group_ids(shown)
    starred = fully_starred(problem, shown)
    conventions = problem.policy.conventions
    apart = conventions.stars == "wildcard" or (suppressed and conventions.suppressed == "star")
    judged = not problem.policy.required_columns or not _splits(recoding)  # else it is not known
    meets = judged and problem.may_suppress(suppressed)
    for columns in problem.sets if meets else ():
        over = of if problem.one_set else group_ids(shown[:, columns])
        classes = classes_of(problem, over, group, recoding.rows, gone)
        broken = problem.rules.unsafe(classes)[over]
        if apart:
            broken &= ~starred  # fully starred rows are judged with the suppressed ones, below
        kept = classes.sizes > 0
        meets = meets and not broken[~gone].any() and problem.rules.met(classes, kept)
    if meets and suppressed:
        alone = np.where(gone | starred, 0, 1)
        together = classes_of(problem, alone, group, recoding.rows, np.zeros_like(gone))
        meets = problem.starred_are_safe(together.only(np.arange(len(together)) == 0))
    of_kept, sizes = released_classes(of, recoding)
    labels = _labels(problem, recoding, of_kept, len(sizes))
    cost = problem.costing.cells(
        CountedCells(leaf, recoding.rows, recoding.levels, of_kept, sizes, labels, suppressed)
    )
    return Evaluation(recoding, bool(meets), suppressed, len(sizes), cost)


def released_classes(of: Whole, recoding: CellMap) -> tuple[Whole, Whole]:
    """(pieces,) the released class of each piece, −1 if suppressed; (classes,) their rows.

    ``of`` is the class of each piece by its labels.
    """
    held = np.bincount(of, weights=np.where(recoding.gone, 0, recoding.rows)).astype(np.int64)
    number = np.cumsum(held > 0) - 1
    return np.where(recoding.gone, -1, number[of]), held[held > 0]


def label_numbers(
    problem: Problem, leaf: NDArray[np.int32], levels: NDArray[np.int16]
) -> NDArray[np.int64]:
    """(pieces, columns) a number for each released cell: equal where the labels are."""
    columns = [
        number[np.where(levels[:, a] == GONE, len(number) - 1, levels[:, a]), leaf[:, a]]
        for a, number in enumerate(problem.label_numbers)
    ]
    return np.stack(columns, axis=1) if columns else np.zeros(levels.shape, dtype=np.int64)


def numbers(table: LevelTable) -> NDArray[np.int64]:
    """(levels, leaves) the label of each leaf at each level, as a number."""
    known: dict[str | None, int] = {}
    found = np.empty((table.height + 1, table.leaves), dtype=np.int64)
    for level, labels in enumerate(table.labels):
        of_code = np.array([known.setdefault(label, len(known)) for label in labels])
        found[level] = of_code[table.codes[:, level]]
    return found


def classes_of(
    problem: Problem, of: Whole, group: Whole, rows: Whole, gone: NDArray[np.bool_]
) -> Classes:
    """The classes of pieces of whole groups, ``of`` being the class of each, ``gone`` of none."""
    sizes = np.bincount(of, weights=np.where(gone, 0, rows)).astype(np.int64)
    spreads = {}
    for name in problem.policy.required_columns:
        place = np.full(problem.counts.groups, -1, dtype=np.int64)
        place[group] = np.where(gone, -1, of)
        histogram = problem.judged[name]
        stay = place[histogram.group] >= 0
        some = Histogram(
            histogram.values,
            histogram.group[stay],
            histogram.code[stay],
            histogram.count[stay],
        )
        spread = spread_over(some, place, len(sizes), problem.rows)
        if not problem.rules.moving:  # compared with the whole table, including starred rows
            whole = problem.encoded.ground.spreads[name].total
            spread = replace(spread, total=whole)
        spreads[name] = spread
    return Classes(sizes, np.zeros_like(sizes), spreads=spreads)


def _splits(recoding: CellMap) -> bool:
    """Are equal rows released differently? Then the engine decides which value goes where."""
    return bool((np.bincount(recoding.group) > 1).any())


def fully_starred(problem: Problem, shown: Whole) -> NDArray[np.bool_]:
    """Which pieces show ``*`` in every column."""
    flags = np.ones(len(shown), dtype=np.bool_)
    for a, number in enumerate(problem.label_numbers):
        flags &= shown[:, a] == number[-1].max(initial=-1)
    return flags


def _labels(
    problem: Problem, recoding: CellMap, of: Whole, classes: int
) -> NDArray[np.int64] | None:
    """(classes, values) of the metric's class column; None if counts do not determine it.

    The engine decides which rows of a split group go to which piece.
    """
    column = problem.policy.metric.class_column
    if column is None:
        return None
    histogram = problem.counts.sensitive[column].dense(problem.counts.groups)
    of_group = histogram[problem.canonical]
    pieces = np.bincount(recoding.group, minlength=len(of_group))
    if ((pieces > 1) & ((of_group > 0).sum(axis=1) > 1)).any():
        return None
    table = np.zeros((classes, histogram.shape[1]), dtype=np.int64)
    kept = of >= 0
    share = of_group[recoding.group]
    share = np.where(share > 0, np.minimum(share, recoding.rows[:, None]), 0)
    np.add.at(table, of[kept], share[kept])
    return table
