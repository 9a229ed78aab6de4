"""Numbers and days by the true interval of their class: ``[23–31]`` in place of ``[20, 40)``.

A class is the rows whose labels are alike in every quasi-identifier; all of them show the same
interval, so they still look alike. It goes from the smallest to the largest value of the class.
Where the policy hides the values themselves, it goes from the first to the last of the finest bands
or months that it allows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.level_table import TOP, LevelTable, Value
from lookalike.policy.hierarchies import Bands, Dates
from lookalike.policy.hierarchies.day import read_days
from lookalike.policy.hierarchies.number import number, plain
from lookalike.policy.hierarchy import Hierarchy
from lookalike.problem.cells import alike_over, label_numbers, starred_throughout
from lookalike.problem.problem import Problem
from lookalike.solution.interval_groups import MISSING
from lookalike.solution.recoding import CellMap

Whole = NDArray[np.int64]
Labels = tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class _Ends:
    """The values of a column in their order, and what stands at the ends of an interval."""

    place: Whole  # (leaves,) in that order; -1 for a null
    first: Labels  # (leaves,) at the lower end
    last: Labels  # (leaves,) at the upper end
    alone: Labels  # (leaves,) if both ends say the same
    join: Callable[[str, str], str]


def tell_intervals(
    problem: Problem,
    recoding: CellMap,
    labels: dict[str, Labels | None],
    own: dict[str, NDArray[np.bool_]],
) -> None:
    """Put intervals in place of labels: of each piece what it shows, and whether its own value."""
    leaf = problem.counts.codes[problem.canonical][recoding.group]
    shown = label_numbers(problem, leaf, recoding.levels)
    of = alike_over(np.column_stack([shown, recoding.gone]))
    kept = ~recoding.gone & ~starred_throughout(problem, shown)
    for name in problem.policy.intervals:
        a = problem.names.index(name)
        told = labels[name]
        if told is None or problem.low[a] == problem.tables[a].height:
            continue
        ends = _ends(
            problem.tables[a],
            problem.counts.values[a],
            problem.policy.hierarchies[name],
            problem.low[a],
        )
        changes = kept & ~own[name]
        if problem.policy.stars_stay:
            changes &= np.array([label != TOP for label in told])
        place = ends.place[leaf[:, a]]
        told, own[name] = _told(ends, place, of, changes, told, own[name], problem.low[a])
        labels[name] = None if own[name].all() else told


def _told(
    ends: _Ends,
    place: Whole,
    of: Whole,
    changes: NDArray[np.bool_],
    labels: Labels,
    own: NDArray[np.bool_],
    low: int,
) -> tuple[Labels, NDArray[np.bool_]]:
    classes = int(of.max(initial=-1)) + 1
    known = place >= 0
    first = np.full(classes, len(ends.place), dtype=np.int64)
    last = np.full(classes, -1, dtype=np.int64)
    np.minimum.at(first, of[known], place[known])
    np.maximum.at(last, of[known], place[known])
    missing = np.zeros(classes, dtype=np.bool_)
    missing[of[~known]] = True
    changes = changes & (last[of] >= 0)  # a class of nulls has no interval
    one = changes & (first[of] == last[of]) & ~missing[of] & (low == 0)
    leaf_at = np.argsort(ends.place, kind="stable")[int((ends.place < 0).sum()) :].tolist()
    written: dict[tuple[int, int, bool], str] = {}
    found = list(labels)
    for piece in np.flatnonzero(changes & ~one).tolist():
        key = (int(first[of[piece]]), int(last[of[piece]]), bool(missing[of[piece]]))
        if key not in written:
            written[key] = _label(ends, leaf_at[key[0]], leaf_at[key[1]], missing=key[2])
        found[piece] = written[key]
    return tuple(found), own | one


def _label(ends: _Ends, first: int, last: int, *, missing: bool) -> str:
    if ends.alone[first] == ends.alone[last]:
        label = ends.alone[first] or ""
    else:
        label = ends.join(ends.first[first] or "", ends.last[last] or "")
    return label + MISSING if missing else label


def _ends(table: LevelTable, values: Sequence[Value], hierarchy: Hierarchy, low: int) -> _Ends:
    if isinstance(hierarchy, Dates):
        moments, _ = read_days(table.name, values, hierarchy.format)
        days = tuple(None if one is None else one.date().isoformat() for one in moments)
        names = _names(table, low) if low else days
        return _Ends(_places(moments), names, names, names, _from_to)
    read = [number(value) for value in values]
    place = _places(read)
    if isinstance(hierarchy, Bands) and low:
        bands = _names(table, low)
        edges = [("", "") if band is None else band.strip("[)").split(", ") for band in bands]
        first, last = (tuple(edge[at] for edge in edges) for at in (0, 1))
        return _Ends(place, first, last, bands, lambda low, high: f"[{low}, {high})")
    names = tuple(None if one is None else plain(one) if one else "0" for one in read)  # not -0
    return _Ends(place, names, names, names, _between)


def _names(table: LevelTable, level: int) -> Labels:
    return tuple(table.labels[level][code] for code in table.codes[:, level].tolist())


def _places(keys: Sequence[object]) -> Whole:
    """Each value's place among those that are no nulls, by size; -1 for a null."""
    known = [leaf for leaf, key in enumerate(keys) if key is not None]
    known.sort(key=lambda leaf: keys[leaf])  # type: ignore[arg-type, return-value]
    place = np.full(len(keys), -1, dtype=np.int64)
    place[known] = np.arange(len(known))
    return place


def _between(first: str, last: str) -> str:
    return f"[{first} to {last}]" if "-" in first + last else f"[{first}–{last}]"


def _from_to(first: str, last: str) -> str:
    return f"[{first} … {last}]"
