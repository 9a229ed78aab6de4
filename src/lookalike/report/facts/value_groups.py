"""Groups of a quasi-identifier's values, by which before and after can be compared.

The groups are those of the released level, or the intervals between cuts. A cell-level recoding
shows a column at many levels: then the groups are those of the usual level, which half of the
released cells reach. Finer cells are counted in these groups, coarser cells separately.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.level_table import TOP, LevelTable
from lookalike.policy.hierarchies.number_reading import number
from lookalike.problem.problem import Problem
from lookalike.report.facts.columns import HIDDEN, level_names
from lookalike.report.number_format import MISSING
from lookalike.report.subject import Subject
from lookalike.solution.recoding import ShownColumn

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Grouping:
    """The groups of a column, in the order of its values if they have one."""

    words: str  # what the groups are
    labels: tuple[str, ...]
    of: Integers  # (leaves,) the group of each value
    ordered: bool
    level: int | None = None  # of the hierarchy, if it is one

    def rows(self, by_leaf: Integers) -> dict[str, int]:
        """Rows of each group, from rows of each value."""
        held = np.bincount(self.of, weights=by_leaf, minlength=len(self.labels)).astype(np.int64)
        return dict(zip(self.labels, held.tolist(), strict=True))


def grouping(subject: Subject, a: int) -> Grouping:
    """The groups of the ``a``-th quasi-identifier, as in the release."""
    problem, applied = subject.problem, subject.applied
    level = applied.usual_level(a)
    if level is not None:
        return at_level(problem, a, level)
    return in_intervals(problem, a, applied.columns[a])


def at_level(problem: Problem, a: int, level: int) -> Grouping:
    """The groups of one level of the hierarchy."""
    table = problem.tables[a]
    names = [MISSING if label is None else label for label in table.labels[level]]
    order = _order(table, table.codes[:, level].astype(np.int64), names)
    place = np.empty(len(names), dtype=np.int64)
    place[order] = np.arange(len(names))
    labels = tuple(_distinct([names[code] for code in order]))
    of = place[table.codes[:, level]]
    ordered = table.ordered or all(number(name) is not None for name in names if name != MISSING)
    return Grouping(level_names(problem, a)[level], labels, of, ordered, level)


def in_intervals(problem: Problem, a: int, column: ShownColumn) -> Grouping:
    """The intervals of a column that was cut."""
    table = problem.tables[a]
    if column.labels is None:
        return at_level(problem, a, 0)
    names = _distinct([MISSING if label is None else label for label in column.labels])
    words = HIDDEN if column.labels == (TOP,) else "intervals"
    return Grouping(words, tuple(names), column.codes.astype(np.int64), table.ordered)


def _order(table: LevelTable, of: Integers, names: list[str]) -> list[int]:
    """The codes of a level in the order of the domain, by size or by name."""
    if table.order is not None:
        first = {code: place for place, code in reversed(list(enumerate(of[table.order].tolist())))}
        return sorted(range(len(names)), key=lambda code: first.get(code, len(of)))
    sizes = [number(name) for name in names]
    if all(size is not None or name == MISSING for size, name in zip(sizes, names, strict=True)):
        known = [(size is None, size or 0) for size in sizes]
        return sorted(range(len(names)), key=known.__getitem__)
    return sorted(range(len(names)), key=lambda code: (names[code] == MISSING, names[code]))


def _distinct(names: list[str]) -> list[str]:
    """Make all names different, because a value may be equal to the word for nulls."""
    distinct: dict[str, None] = {}
    for name in names:
        label = name
        while label in distinct:
            label += "′"
        distinct[label] = None
    return list(distinct)
