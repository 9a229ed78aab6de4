"""How the values of a quasi-identifier are put together, so that before and after can be compared.

At the level a column is released at, or between its cuts, the original's rows fall into just the
groups that the release shows. Cell by cell a column has many levels at once: there the level is
taken that half of the released cells reach, finer cells are lifted to it, and coarser ones counted
apart.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.level_table import TOP, LevelTable
from lookalike.policy.hierarchies.number_reading import number
from lookalike.problem.problem import Problem
from lookalike.report.number_format import MISSING
from lookalike.report.subject import Subject
from lookalike.solution.interval_labels import ShownColumn

Whole = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Grouping:
    """The groups of one column, in the order of the domain where there is one."""

    words: str  # what the groups are
    labels: tuple[str, ...]
    of: Whole  # (leaves,) the group of each value
    ordered: bool
    level: int | None = None  # of the hierarchy, if it is one

    def rows(self, by_leaf: Whole) -> dict[str, int]:
        """Rows of each group, from rows of each value."""
        held = np.bincount(self.of, weights=by_leaf, minlength=len(self.labels)).astype(np.int64)
        return dict(zip(self.labels, held.tolist(), strict=True))


def grouping(subject: Subject, a: int) -> Grouping:
    """The groups of the ``a``-th quasi-identifier as the release shows them."""
    problem, applied = subject.problem, subject.applied
    level = applied.usual_level(a)
    if level is not None:
        return at_level(problem, a, level)
    return in_intervals(problem, a, applied.columns[a])


def at_level(problem: Problem, a: int, level: int) -> Grouping:
    """The groups of one level of the hierarchy."""
    table = problem.tables[a]
    words = (
        "hidden (*)"
        if level == table.height
        else problem.policy.hierarchies[table.name].describe(level)
    )
    names = [MISSING if label is None else label for label in table.labels[level]]
    order = _order(table, table.codes[:, level].astype(np.int64), names)
    place = np.empty(len(names), dtype=np.int64)
    place[order] = np.arange(len(names))
    labels = tuple(_apart([names[one] for one in order]))
    return Grouping(words, labels, place[table.codes[:, level]], _is_ordered(table, names), level)


def in_intervals(problem: Problem, a: int, column: ShownColumn) -> Grouping:
    """The intervals of a column that was cut."""
    table = problem.tables[a]
    if column.labels is None:
        return at_level(problem, a, 0)
    names = _apart([MISSING if label is None else label for label in column.labels])
    words = "hidden (*)" if column.labels == (TOP,) else "intervals"
    return Grouping(words, tuple(names), column.codes.astype(np.int64), table.ordered)


def _order(table: LevelTable, of: Whole, names: list[str]) -> list[int]:
    """The codes of a level in the order of the domain; numbers by size; else as they come."""
    if table.order is not None:
        first = {code: place for place, code in reversed(list(enumerate(of[table.order].tolist())))}
        return sorted(range(len(names)), key=lambda code: first.get(code, len(of)))
    sizes = [number(name) for name in names]
    if all(size is not None or name == MISSING for size, name in zip(sizes, names, strict=True)):
        known = [(size is None, size or 0) for size in sizes]
        return sorted(range(len(names)), key=known.__getitem__)
    return sorted(range(len(names)), key=lambda code: (names[code] == MISSING, names[code]))


def _is_ordered(table: LevelTable, names: list[str]) -> bool:
    return table.ordered or all(number(name) is not None for name in names if name != MISSING)


def _apart(names: list[str]) -> list[str]:
    """No two groups may have one name: a value may read like the word for nulls."""
    seen: set[str] = set()
    found = []
    for name in names:
        told = name
        while told in seen:
            told += "′"
        seen.add(told)
        found.append(told)
    return found
