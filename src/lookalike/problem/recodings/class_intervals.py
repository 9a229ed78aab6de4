"""The interval of each equivalence class of a cell map, in columns that show class intervals.

The values of a column have places, by size. A class reaches from its first place to its last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.level_table import LevelTable, Value
from lookalike.policy.hierarchies.date_reading import read_days
from lookalike.policy.hierarchies.dates import Dates
from lookalike.policy.hierarchies.level_builder import by_rank
from lookalike.policy.hierarchies.number_reading import number
from lookalike.policy.hierarchy import Hierarchy
from lookalike.problem.group_ids import group_ids
from lookalike.problem.recodings.cell_evaluation import Whole, fully_starred, label_numbers
from lookalike.solution.recoding import CellMap

if TYPE_CHECKING:
    from lookalike.problem.problem import Problem

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Ends:
    """The classes in one column. For a class without a value, last is before first."""

    place: Whole  # (leaves,) by size; -1 for a null
    of: Whole  # (pieces,) the class
    first: Whole  # (classes,) a place
    last: Whole  # (classes,)
    missing: Flags  # (classes,) are there nulls in it, too?
    shown: Flags  # (pieces,) shows the interval of its class, not a label or *

    @property
    def known(self) -> int:
        """The number of values that have a place."""
        return int((self.place >= 0).sum())


def class_ends(problem: Problem, recoding: CellMap) -> dict[str, Ends]:
    """For each column that the policy shows by class intervals, unless it may only show ``*``."""
    policy = problem.policy
    if not policy.interval_columns:
        return {}
    leaf = problem.counts.codes[problem.canonical][recoding.group]
    shown = label_numbers(problem, leaf, recoding.levels)
    of = group_ids(np.column_stack([shown, recoding.gone]))
    kept = ~recoding.gone & ~fully_starred(problem, shown)
    by_column = {}
    for name in policy.interval_columns:
        a = problem.names.index(name)
        table = problem.tables[a]
        if problem.low[a] == table.height:
            continue
        by_interval = kept & (recoding.levels[:, a] > 0)
        if policy.keeps_stars:
            by_interval &= shown[:, a] != problem.label_numbers[a][-1].max(initial=-1)
        place = _places(table, problem.counts.values[a], policy.hierarchies[name])
        by_column[name] = _ends(place, leaf[:, a], of, by_interval)
    return by_column


def _ends(place: Whole, leaf: NDArray[np.int32], of: Whole, shown: Flags) -> Ends:
    classes = int(of.max(initial=-1)) + 1
    at = place[leaf]
    known = at >= 0
    first = np.full(classes, len(place), dtype=np.int64)
    last = np.full(classes, -1, dtype=np.int64)
    np.minimum.at(first, of[known], at[known])
    np.maximum.at(last, of[known], at[known])
    missing = np.zeros(classes, dtype=np.bool_)
    missing[of[~known]] = True
    return Ends(place, of, first, last, missing, shown & (last[of] >= 0))


def _places(table: LevelTable, values: Sequence[Value], hierarchy: Hierarchy) -> Whole:
    keys: Sequence[object]
    if isinstance(hierarchy, Dates):
        keys, _ = read_days(table.name, values, hierarchy.format)
    else:
        keys = [number(value) for value in values]
    known = len(keys) - keys.count(None)
    place = np.full(len(keys), -1, dtype=np.int64)
    place[by_rank(keys)[:known]] = np.arange(known)
    return place
