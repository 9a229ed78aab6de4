"""A table laid out for a walk over a tree of cuts: which cuts there are, and the rows between them.

It is computed only from the policy and the counts, with the numbering of ``CutTree``. The *long*
column is cut by dynamic programming; the others are the *branching* columns.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.level_table import LevelTable
from lookalike.policy.policy import Policy
from lookalike.solution.proof import BRANCH
from lookalike.verifier.claim.group_classes import alike
from lookalike.verifier.counted_original import CountedOriginal

OUT, OPEN, IN = 0, 1, 2  # states of a cut
NO_RECODING = 1 << 62  # as a bound: no recoding keeps to the limit at all

Whole = NDArray[np.int64]
Flags = NDArray[np.bool_]
Node = TypeVar("Node")


class NoProof(Exception):
    """Why a tree proves nothing, as the end of a sentence."""


def walk(
    root: Node, children: Callable[[Node, Iterator[int]], list[Node]], marks: Iterable[int]
) -> int:
    """The number of ends of a tree; ``children`` checks a node and returns those below it."""
    rest = iter(marks)
    waiting = [root]
    ends = 0
    while waiting:
        below = children(waiting.pop(), rest)
        ends += not below
        waiting += below
    if next(rest, None) is not None:
        raise NoProof("it continues after its last leaf")
    return ends


def whole_bound(bound: float, highest: float) -> int:
    """A bound as a whole number; no recoding costs more than ``highest``."""
    if bound <= 0:
        return 0
    return NO_RECODING if bound > highest else math.ceil(bound)


def branching_cut(mark: int, state: NDArray[np.int8]) -> int:
    """The open cut on which a node branches, by its mark; ``state`` (cuts,) is in, out or open."""
    cut = BRANCH - mark
    if not 0 <= cut < len(state):
        raise NoProof("it has unknown marks")
    if state[cut] != OPEN:
        raise NoProof("it branches on a cut that is not open")
    return cut


class Pricing(NamedTuple):
    """What classes cost."""

    k: int
    rows: int  # of the table
    by_label: bool  # by CM, not by DM
    least_cost: Whole  # (rows + 1,) DM: what n rows cost at least; for large tables, the first


class Atoms(NamedTuple):
    """The rows of a node: an atom is what no cut parts that is in or open."""

    rows_before: NDArray[np.int32]  # (atoms, 1 + labels, places) before each place of the long one
    codes: NDArray[np.int32]  # (atoms, columns) where its interval begins in each branching column
    class_of: Whole  # (atoms,) which atoms no cut parts that is in
    classes: int


class Intervals(NamedTuple):
    """The intervals of the long column that are left, sorted, from place to place."""

    begin: Whole  # (intervals,)
    end: Whole  # (intervals,)

    def at(self, chosen: Whole | slice) -> Intervals:
        return Intervals(self.begin[chosen], self.end[chosen])


@dataclass(frozen=True, slots=True, eq=False)
class ColumnCuts:
    """The cuts of one column: number p − 1 is the cut at place p."""

    place: Whole  # (leaves,) the place of each value in the order
    forced: Flags  # (leaves − 1,) the coarsest level parts the values at the cut
    allowed: Flags  # (leaves − 1,) not within a group of the finest level
    around: Whole  # (leaves − 1, 2) the places that the cut needs, or the column's ends


@dataclass(frozen=True, slots=True, eq=False)
class CutTable:
    """The cuts of the branching columns, one after the other, and the rows by their profiles."""

    first: Whole  # (columns + 1,) the number of the first cut of each column
    column: Whole  # (cuts,) which of the branching columns
    place: Whole  # (cuts,) where it is cut
    forced: Flags  # (cuts,)
    allowed: Flags  # (cuts,)
    needs: tuple[frozenset[int], ...]  # the cuts that a cut needs, and those that these need
    needed_by: tuple[frozenset[int], ...]
    codes: NDArray[np.int32]  # (profiles, columns) places
    rows_before: NDArray[np.int32]  # (profiles, 1 + labels, places of the long column)
    intervals: Intervals  # that the policy allows the long column

    @property
    def cuts(self) -> int:
        return len(self.forced)


def lay_out(original: CountedOriginal, long: int, labels: Whole | None) -> CutTable:
    """The table for a tree whose long column is number ``long``; by CM with (groups, labels)."""
    counts, tables = original.counts, original.tables
    columns = [column_cuts(table, original.policy) for table in tables]
    long_column = columns[long]
    branching = [a for a in range(len(tables)) if a != long]
    own = [columns[a] for a in branching]
    first = np.cumsum([0, *(len(column.forced) for column in own)])
    places = [columns[a].place[counts.codes[:, a]] for a in branching]
    profile, codes = _profiles(places, counts.groups)
    needs = _needs(own, first)
    return CutTable(
        first=first,
        column=np.repeat(np.arange(len(own)), np.diff(first)),
        place=np.arange(first[-1]) - np.repeat(first[:-1], np.diff(first)) + 1,
        forced=_joined([column.forced for column in own]),
        allowed=_joined([column.allowed for column in own]),
        needs=needs,
        needed_by=_needed_by(needs),
        codes=codes,
        rows_before=_rows_before(counts, profile, long_column.place, long, labels),
        intervals=allowed_intervals(long_column),
    )


def column_cuts(table: LevelTable, policy: Policy) -> ColumnCuts:
    """Where the policy allows, forces or needs cuts of a column."""
    leaves = table.leaves
    order = np.arange(leaves) if table.order is None else table.order
    place = np.empty(leaves, dtype=np.int64)
    place[order] = np.arange(leaves)
    codes = table.codes[order]  # (places, levels)
    low, high = policy.level_bounds(table.name, table.height)
    _, begins, group = np.unique(codes[:, low], return_index=True, return_inverse=True)
    ends = np.zeros(len(begins), dtype=np.int64)
    ends[group] = np.arange(leaves)  # the last place of each group: within it no cut is allowed
    inside = np.bincount(begins, minlength=leaves) - np.bincount(ends, minlength=leaves)
    allowed = np.cumsum(inside)[:-1] == 0
    around = np.tile(np.array([0, leaves], dtype=np.int64), (max(0, leaves - 1), 1))
    if policy.conventions.cuts == "siblings":
        for cut in range(leaves - 1):
            around[cut] = _around(codes, cut)
    return ColumnCuts(place, codes[1:, high] != codes[:-1, high], allowed, around)


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
    """The cuts that each cut needs, by number, with those that these need."""
    needs: list[frozenset[int]] = []
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
            needs.append(frozenset(needed))
    return tuple(needs)


def _needed_by(needs: Sequence[frozenset[int]]) -> tuple[frozenset[int], ...]:
    needed_by: list[set[int]] = [set() for _ in needs]
    for cut, needed in enumerate(needs):
        for other in needed:
            needed_by[other].add(cut)
    return tuple(map(frozenset, needed_by))


def allowed_intervals(long: ColumnCuts) -> Intervals:
    """The intervals without a required cut inside, and without a cut that their ends need."""
    leaves = len(long.place)
    inner = np.arange(1, leaves)
    reach, since = np.full(leaves + 1, leaves), np.zeros(leaves + 1, dtype=np.int64)
    since[inner], reach[inner] = long.around[:, 0], long.around[:, 1]
    forced = np.concatenate([[0], np.cumsum(long.forced), [0]])  # at places 1 to p
    possible = np.concatenate([[True], long.allowed, [True]])
    begin, end = np.triu_indices(leaves + 1, k=1)
    allowed = (
        possible[begin]
        & possible[end]
        & (forced[end - 1] == forced[begin])
        & (end <= reach[begin])
        & (begin >= since[end])
    )
    return Intervals(begin[allowed].astype(np.int64), end[allowed].astype(np.int64))


def _profiles(places: Sequence[Whole], groups: int) -> tuple[Whole, NDArray[np.int32]]:
    """The profile of each group, and the places of each profile."""
    profile = alike(places, groups)
    sample = np.unique(profile, return_index=True)[1]
    codes = np.zeros((len(sample), len(places)), dtype=np.int32)
    for a, column in enumerate(places):
        codes[:, a] = column[sample]
    return profile, codes


def _rows_before(
    counts: FrequencySet, profile: Whole, place: Whole, long: int, labels: Whole | None
) -> NDArray[np.int32]:
    planes = [counts.counts, *(() if labels is None else labels.T)]
    profiles = int(profile.max(initial=-1)) + 1
    rows = np.zeros((profiles, len(planes), len(place) + 1), dtype=np.int32)
    for plane, held in enumerate(planes):
        np.add.at(rows[:, plane], (profile, place[counts.codes[:, long]] + 1), held)
    np.cumsum(rows, axis=2, out=rows)
    return rows


def _joined(flags: Sequence[Flags]) -> Flags:
    return np.concatenate([np.zeros(0, dtype=bool), *flags])
