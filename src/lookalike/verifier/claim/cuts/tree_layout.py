"""What a walk over a tree of cuts stands on: which cuts there are, and the rows between them.

Worked out from the policy and the counts alone, in the numbering of ``CutTree``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.level_table import LevelTable
from lookalike.policy.policy import Policy

NOTHING = 1 << 62  # as a bound: no recoding keeps to the limit at all

Whole = NDArray[np.int64]
Flags = NDArray[np.bool_]


class NoProof(Exception):
    """What the rules do not give, as the end of a sentence."""


@dataclass(frozen=True, slots=True, eq=False)
class ColumnCuts:
    """The cuts of one column: number p − 1 is the cut at place p."""

    place: Whole  # (leaves,) the place of each value in the order
    forced: Flags  # (leaves − 1,) the coarsest level parts the values at the cut
    forbidden: Flags  # (leaves − 1,) within a group of the finest level
    around: Whole  # (leaves − 1, 2) the places that the cut needs, or the column's ends


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """The other columns' cuts, one after the other, and the rows by their profiles there."""

    first: Whole  # (columns + 1,) the number of the first cut of each
    column: Whole  # (cuts,) which of the other columns, and
    place: Whole  # (cuts,) where it is cut
    forced: Flags  # (cuts,)
    forbidden: Flags  # (cuts,)
    needs: tuple[frozenset[int], ...]  # the cuts that a cut comes with, and those they come with
    needed_by: tuple[frozenset[int], ...]
    codes: NDArray[np.int32]  # (profiles, columns) places
    rows: NDArray[np.int32]  # (profiles, 1 + labels, places of the long column) rows before it
    begin: Whole  # (intervals,) that the policy allows the long column, sorted
    end: Whole  # (intervals,)

    @property
    def cuts(self) -> int:
        return len(self.forced)


def ground(
    counts: FrequencySet,
    tables: Sequence[LevelTable],
    policy: Policy,
    long: int,
    labels: Whole | None,  # (groups, labels) rows
) -> Ground:
    """The ground for a tree whose long column is number ``long``."""
    every = [column_cuts(table, policy) for table in tables]
    others = [a for a in range(len(tables)) if a != long]
    first = np.cumsum([0, *(len(every[a].forced) for a in others)])
    places = [every[a].place[counts.codes[:, a]] for a in others]
    profile, codes = _profiles(places, counts.groups)
    needs = _needs([every[a] for a in others], first)
    begin, end = intervals_of(every[long])
    return Ground(
        first=first,
        column=np.repeat(np.arange(len(others)), np.diff(first)),
        place=np.arange(first[-1]) - np.repeat(first[:-1], np.diff(first)) + 1,
        forced=_joined([every[a].forced for a in others]),
        forbidden=_joined([every[a].forbidden for a in others]),
        needs=needs,
        needed_by=_needed_by(needs),
        codes=codes,
        rows=_rows_before(counts, profile, len(codes), every[long].place, long, labels),
        begin=begin,
        end=end,
    )


def column_cuts(table: LevelTable, policy: Policy) -> ColumnCuts:
    leaves = table.leaves
    order = np.arange(leaves) if table.order is None else table.order
    place = np.empty(leaves, dtype=np.int64)
    place[order] = np.arange(leaves)
    codes = table.codes[order]  # (places, levels)
    low, high = policy.level_bounds(table.name, table.height)
    _, begins, of = np.unique(codes[:, low], return_index=True, return_inverse=True)
    ends = np.zeros(len(begins), dtype=np.int64)
    ends[of] = np.arange(leaves)  # the last place of each group: within it no cut is allowed
    inside = np.bincount(begins, minlength=leaves) - np.bincount(ends, minlength=leaves)
    forbidden = np.cumsum(inside)[:-1] > 0
    around = np.tile(np.array([0, leaves], dtype=np.int64), (max(0, leaves - 1), 1))
    if policy.conventions.cuts == "siblings":
        for cut in range(leaves - 1):
            around[cut] = _around(codes, cut)
    return ColumnCuts(place, codes[1:, high] != codes[:-1, high], forbidden, around)


def _around(codes: NDArray[np.int32], cut: int) -> tuple[int, int]:
    """From where to where does the smallest group reach that has the values on both sides?"""
    level = int(np.argmax(codes[cut] == codes[cut + 1]))
    same = codes[:, level] == codes[cut, level]
    begin, end = cut, cut + 2
    while begin > 0 and same[begin - 1]:
        begin -= 1
    while end < len(same) and same[end]:
        end += 1
    return begin, end


def _needs(columns: Sequence[ColumnCuts], first: Whole) -> tuple[frozenset[int], ...]:
    found: list[frozenset[int]] = []
    for column, number in zip(columns, first.tolist(), strict=False):
        leaves = len(column.place)
        for cut in range(len(column.forced)):
            needed: set[int] = set()
            places = [cut + 1]
            while places:
                for place in column.around[places.pop() - 1].tolist():
                    if 0 < place < leaves and number + place - 1 not in needed:
                        needed.add(number + place - 1)
                        places.append(place)
            found.append(frozenset(needed))
    return tuple(found)


def _needed_by(needs: Sequence[frozenset[int]]) -> tuple[frozenset[int], ...]:
    found: list[set[int]] = [set() for _ in needs]
    for cut, needed in enumerate(needs):
        for other in needed:
            found[other].add(cut)
    return tuple(map(frozenset, found))


def intervals_of(long: ColumnCuts) -> tuple[Whole, Whole]:
    """Those that reach over no forced cut, nor over one that a cut at their ends needs."""
    leaves = len(long.place)
    inner = np.arange(1, leaves)
    reach, since = np.full(leaves + 1, leaves), np.zeros(leaves + 1, dtype=np.int64)
    since[inner], reach[inner] = long.around[:, 0], long.around[:, 1]
    forced = np.concatenate([[0], np.cumsum(long.forced), [0]])  # at places 1 to p
    possible = np.concatenate([[True], ~long.forbidden, [True]])
    begin, end = np.triu_indices(leaves + 1, k=1)
    allowed = (
        possible[begin]
        & possible[end]
        & (forced[end - 1] == forced[begin])
        & (end <= reach[begin])
        & (begin >= since[end])
    )
    return begin[allowed].astype(np.int64), end[allowed].astype(np.int64)


def _profiles(places: Sequence[Whole], groups: int) -> tuple[Whole, NDArray[np.int32]]:
    """The distinct tuples of places, and which each group has."""
    alike = np.zeros(groups, dtype=np.int64)
    for column in places:
        both = alike * (int(column.max(initial=0)) + 1) + column
        alike = np.unique(both, return_inverse=True)[1].reshape(-1)
    sample = np.unique(alike, return_index=True)[1]
    codes = np.zeros((len(sample), len(places)), dtype=np.int32)
    for a, column in enumerate(places):
        codes[:, a] = column[sample]
    return alike, codes


def _rows_before(
    counts: FrequencySet,
    profile: Whole,
    profiles: int,
    place: Whole,
    long: int,
    labels: Whole | None,
) -> NDArray[np.int32]:
    kinds = counts.counts[:, None]
    if labels is not None:
        kinds = np.concatenate([kinds, labels], axis=1)
    rows = np.zeros((profiles, kinds.shape[1], len(place) + 1), dtype=np.int32)
    for kind in range(kinds.shape[1]):
        np.add.at(rows[:, kind], (profile, place[counts.codes[:, long]] + 1), kinds[:, kind])
    np.cumsum(rows, axis=2, out=rows)
    return rows


def _joined(flags: Sequence[Flags]) -> Flags:
    return np.concatenate([np.zeros(0, dtype=bool), *flags])
