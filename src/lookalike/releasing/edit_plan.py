"""From a solution to an edit: which labels go back into the engine, and which rows stay behind."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.level_table import LevelTable
from lookalike.problem.cell_evaluation import levels_by_cell
from lookalike.problem.cut_evaluation import count_cuts
from lookalike.problem.problem import Problem
from lookalike.releasing.class_intervals import tell_intervals
from lookalike.solution.recoding import CellMap, Cuts, Levels
from lookalike.solution.solution import Solution
from lookalike.tables.table import ColumnRecoding, Edit, Split


def plan(problem: Problem, solution: Solution, columns: tuple[str, ...]) -> Edit:
    """The edit that turns the original, with these columns, into the release."""
    dropped = set(problem.policy.identifiers)
    released = tuple(name for name in columns if name not in dropped)
    if isinstance(solution.recoding, CellMap):
        return _by_cell(problem, solution.recoding, released)
    if isinstance(solution.recoding, Cuts):
        return _by_cuts(problem, solution.recoding, released)
    if isinstance(solution.recoding, Levels):
        if problem.policy.intervals:
            return _by_cell(problem, levels_by_cell(problem, solution.recoding), released)
        return _by_column(problem, solution.recoding, released)
    raise ValueError("only a solution with a recoding can be released")


def _by_column(problem: Problem, recoding: Levels, columns: tuple[str, ...]) -> Edit:
    levels = np.array(recoding.levels, dtype=np.int64)
    held = problem.held(recoding.levels)
    classes = held.classes(recoding.levels)
    broken = held.broken(classes, recoding.levels)
    recodings = {}
    for name, table, values, level in zip(
        recoding.names, problem.tables, problem.counts.values, recoding.levels, strict=True
    ):
        recodings[name] = ColumnRecoding(
            values, table.codes[:, level], table.labels[level] if level else None
        )
    suppressed = int(classes.sizes[broken].sum())
    return Edit(
        columns=columns,
        recodings=recodings,
        suppressed=held.encoded.codes(levels, classes.member[broken]),
        star=problem.policy.conventions.suppressed == "star",
        rows_kept=problem.rows - suppressed,
        rows_suppressed=suppressed,
    )


def _by_cuts(problem: Problem, recoding: Cuts, columns: tuple[str, ...]) -> Edit:
    counted = count_cuts(problem, recoding)
    suppressed = int(counted.classes.sizes[counted.broken].sum())
    shown = zip(recoding.names, problem.counts.values, problem.shown(recoding), strict=True)
    return Edit(
        columns=columns,
        recodings={
            name: ColumnRecoding(values, one.of.astype(np.int32), one.labels)
            for name, values, one in shown
        },
        suppressed=counted.gone,
        star=problem.policy.conventions.suppressed == "star",
        rows_kept=problem.rows - suppressed,
        rows_suppressed=suppressed,
    )


def _by_cell(problem: Problem, recoding: CellMap, columns: tuple[str, ...]) -> Edit:
    tuples = problem.counts.codes[problem.canonical]
    gone = recoding.gone
    recodings: dict[str, ColumnRecoding] = {}
    labels: dict[str, tuple[str | None, ...] | None] = {}
    own: dict[str, NDArray[np.bool_]] = {}
    for a, (name, table) in enumerate(zip(recoding.names, problem.tables, strict=True)):
        leaf = tuples[recoding.group, a]
        level = np.where(gone, 0, recoding.levels[:, a])
        recodings[name] = ColumnRecoding(problem.counts.values[a], table.codes[:, 0], None)
        own[name] = level == 0
        labels[name] = None if own[name].all() else _labels(table, leaf, level)
    tell_intervals(problem, recoding, labels, own)
    suppressed = int(recoding.rows[gone].sum())
    return Edit(
        columns=columns,
        recodings=recodings,
        suppressed=np.zeros((0, len(recodings)), dtype=np.int32),
        star=problem.policy.conventions.suppressed == "star" and suppressed > 0,
        rows_kept=problem.rows - suppressed,
        rows_suppressed=suppressed,
        split=Split(tuples, recoding.group, recoding.rows, gone, labels, own),
    )


def _labels(
    table: LevelTable, leaf: NDArray[np.int32], level: NDArray[np.int16]
) -> tuple[str | None, ...]:
    """The label of each piece."""
    codes = table.codes[leaf, level].tolist()
    return tuple(table.labels[at][code] for at, code in zip(level.tolist(), codes, strict=True))
