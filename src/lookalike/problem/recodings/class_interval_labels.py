"""Labels for class intervals of numbers and dates: ``[23–31]`` instead of ``[20, 40)``.

All rows of an equivalence class show the same interval, so they still look alike. It reaches from
the smallest to the largest value of the class. Where the policy hides the values themselves, it
reaches from the first to the last of the finest bands or months that the policy allows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.level_table import LevelTable, Value
from lookalike.policy.hierarchies.bands import Bands
from lookalike.policy.hierarchies.date_reading import read_days
from lookalike.policy.hierarchies.dates import Dates
from lookalike.policy.hierarchies.number_reading import number, plain
from lookalike.policy.hierarchy import Hierarchy
from lookalike.problem.recodings.class_intervals import Ends, class_ends
from lookalike.solution.interval_groups import MISSING
from lookalike.solution.recoding import CellMap

if TYPE_CHECKING:
    from lookalike.problem.problem import Problem

Labels = tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class _Words:
    """The text at the ends of an interval, for each value of the column."""

    first: Labels  # at the lower end
    last: Labels  # at the upper end
    alone: Labels  # if both ends say the same
    join: Callable[[str, str], str]

    def label(self, first: int, last: int, *, missing: bool) -> str:
        if self.alone[first] == self.alone[last]:
            label = self.alone[first] or ""
        else:
            label = self.join(self.first[first] or "", self.last[last] or "")
        return label + MISSING if missing else label


def show_intervals(
    problem: Problem,
    recoding: CellMap,
    labels: dict[str, Labels | None],
    own: dict[str, NDArray[np.bool_]],
) -> None:
    """Replace labels by intervals. ``labels`` are what each piece shows, ``own`` where it shows its
    own value.
    """
    for name, ends in class_ends(problem, recoding).items():
        a = problem.names.index(name)
        before, low = labels[name], problem.low[a]
        if before is None:
            continue
        hierarchy = problem.policy.hierarchies[name]
        words = _words(problem.tables[a], problem.counts.values[a], hierarchy, low)
        single = (ends.first == ends.last) & ~ends.missing
        own[name] = own[name] | (ends.shown & single[ends.of] & (low == 0))
        interval_labels = _interval_labels(ends, words, before, ends.shown & ~own[name])
        labels[name] = None if own[name].all() else interval_labels


def _interval_labels(
    ends: Ends, words: _Words, labels: Labels, changes: NDArray[np.bool_]
) -> Labels:
    """The labels of the pieces; those that change show the interval of their class."""
    leaf_at = np.argsort(ends.place, kind="stable")[len(ends.place) - ends.known :].tolist()
    written: dict[tuple[int, int, bool], str] = {}
    new = list(labels)
    for piece in np.flatnonzero(changes).tolist():
        of = ends.of[piece]
        key = (int(ends.first[of]), int(ends.last[of]), bool(ends.missing[of]))
        if key not in written:
            written[key] = words.label(leaf_at[key[0]], leaf_at[key[1]], missing=key[2])
        new[piece] = written[key]
    return tuple(new)


def _words(table: LevelTable, values: Sequence[Value], hierarchy: Hierarchy, low: int) -> _Words:
    shown = tuple(table.labels[low][code] for code in table.codes[:, low].tolist())
    if isinstance(hierarchy, Dates):
        if not low:
            moments, _ = read_days(table.name, values, hierarchy.format)
            shown = tuple(None if one is None else one.date().isoformat() for one in moments)
        first, last = (tuple(one and one.split("–")[at] for one in shown) for at in (0, -1))
        return _Words(first, last, shown, lambda begin, end: f"[{begin} … {end}]")
    if isinstance(hierarchy, Bands) and low:
        edges = [("", "") if band is None else band.strip("[)").split(", ") for band in shown]
        first, last = (tuple(edge[at] for edge in edges) for at in (0, 1))
        return _Words(first, last, shown, lambda begin, end: f"[{begin}, {end})")
    read = [number(value) for value in values]
    digits = tuple(None if one is None else plain(one) if one else "0" for one in read)  # not -0
    return _Words(digits, digits, digits, _between)


def _between(first: str, last: str) -> str:
    return f"[{first} to {last}]" if "-" in first + last else f"[{first}–{last}]"
