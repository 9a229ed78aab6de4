"""From a solution to an edit: which labels go back into the engine, and which rows stay behind."""

from __future__ import annotations

import numpy as np

from lookalike.problem.problem import Problem
from lookalike.solution.recoding import Levels
from lookalike.solution.solution import Solution
from lookalike.tables.table import Edit, Relabel


def plan(problem: Problem, solution: Solution, columns: tuple[str, ...]) -> Edit:
    """The edit that turns the original, with these columns, into the release."""
    recoding = solution.recoding
    if not isinstance(recoding, Levels):
        raise ValueError("only a solution with a recoding can be released")
    levels = np.array(recoding.levels, dtype=np.int64)
    classes = problem.classes(recoding.levels)
    broken = problem.broken(classes)
    relabel = {}
    for name, table, values, level in zip(
        recoding.names, problem.tables, problem.counts.values, recoding.levels, strict=True
    ):
        relabel[name] = Relabel(
            values, table.codes[:, level], table.labels[level] if level else None
        )
    suppressed = int(classes.sizes[broken].sum())
    dropped = set(problem.policy.identifiers)
    return Edit(
        columns=tuple(name for name in columns if name not in dropped),
        relabel=relabel,
        suppressed=problem.encoded.codes(levels, classes.member[broken]),
        star=problem.policy.conventions.suppressed == "star",
        rows_kept=problem.rows - suppressed,
        rows_suppressed=suppressed,
    )
