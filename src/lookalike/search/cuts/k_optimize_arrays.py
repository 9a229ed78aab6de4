"""The arrays that the compiled code of K-Optimize works on: by name, with their shapes.

Only cuts of the *branching* columns are numbered, from 0, and branched on. The *long* column is cut
by dynamic programming; its *places* are 0, where it begins, to its number of values, where it ends.
An *atom* is a set of rows that no cut separates which is in or open; a *class* is a set of atoms
that no cut separates which is in; a *cell* is the part of a class within an interval of the long
column. Rows are counted in *planes*: first all rows, then (CM) the rows of each class label except
the last.

In the shapes, ``places`` are the places that are left at a node, ``size`` is planes · places,
``long`` is the number of all places, and ``cuts`` and ``columns`` are those to branch on.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lookalike.solution.proof import NEXT

Whole = NDArray[np.int64]
Flags = NDArray[np.bool_]
State = NDArray[np.int8]

IN, OPEN, OUT = 1, 0, -1  # the state of a cut at a node
TO_BOUND, TO_MAKE, TO_DROP, DONE = 0, 1, 2, 3  # what to do next with a node: see ``Stack.phase``
FAR = 1 << 60  # longer than every path
MAX_MARKS = 8192  # in one record
SPARE_MARKS = 64  # more, to end it with
FULL_FRAMES = 8  # frames as large as the first that fit in memory; most are far smaller


def _whole(*shape: int) -> Whole:
    return np.zeros(shape, np.int64)


class CutTable(NamedTuple):
    """The table and the policy: the same at every node."""

    k: int
    limit: int  # rows that may be suppressed
    rows: int
    by_label: bool  # the metric is CM, not DM
    class_cost: NDArray[Any]  # (rows + 1,) DM: what n rows cost as one class
    least_cost: NDArray[Any]  # (rows + 1,) DM: at least, in any parts; [0] is above every cost
    first: Whole  # (columns,) the first cut of each column
    width: Whole  # (columns,) its values
    needs: Whole  # (cuts, 2) the cuts that each cut needs, or −1
    banned: Flags  # (long, long) intervals that the policy forbids the long column
    codes: NDArray[np.int32]  # (profiles, columns) distinct tuples of the branching columns
    planes: int
    rows_before: NDArray[np.int32]  # (profiles, planes · long) rows before each place

    @property
    def cuts(self) -> int:
        return len(self.needs)

    @property
    def long(self) -> int:
        return len(self.banned)

    def rows_at(self, place: Whole) -> NDArray[np.int32]:
        """(profiles, size) ``rows_before`` at some places only."""
        planes = self.rows_before.reshape(len(self.codes), self.planes, -1)
        return np.ascontiguousarray(planes[:, :, place]).reshape(len(self.codes), -1)

    @property
    def max_segments(self) -> int:
        return int(self.width.max(initial=1)) + 1


class Frame(NamedTuple):
    """A node while its bound is computed."""

    state: State  # (cuts,) IN, OPEN or OUT
    place: Whole  # (places,) which places of the long column are left
    low: Whole  # (places,) intervals from each place: the nearest end, as a number of ``place``
    high: Whole  # (places,) and the farthest
    codes: NDArray[np.int32]  # (atoms, columns) one profile of each atom
    rows_before: NDArray[np.int32]  # (atoms, size)


class Stack(NamedTuple):
    """The nodes on the way from the first node to the current one: entry d is at depth d.

    Atoms and places of a node become fewer as its cuts are dropped; the node where a cut is made
    inherits them. ``phase`` says what is next: to bound the node, to make its branching cut, to
    drop that cut, or nothing.
    """

    state: State  # (depth, cuts)
    places: Whole  # (depth,) how many are left
    place: Whole  # (depth, long)
    low: Whole  # (depth, long)
    high: Whole  # (depth, long)
    atoms: Whole  # (depth,)
    suppressed: Whole  # (depth,) rows of classes under k
    bound: Whole  # (depth,)
    phase: Whole  # (depth,)
    branch: Whole  # (depth,) the cut branched on
    branched: Whole  # (depth,) cuts branched on since the node was bounded
    score: Whole  # (depth, cuts) as in ``Prices``
    with_cut: Whole  # (depth, cuts) bound if an open cut is made
    rows_at: Whole  # (depth,) where in ``rows_before`` the node's begin
    codes_at: Whole  # (depth,) where in ``codes``
    rows_before: NDArray[np.int32]  # the nodes' (atoms, size), one after the other
    codes: NDArray[np.int32]  # the nodes' (atoms, columns), one after the other

    @staticmethod
    def begin(table: CutTable, state: State, place: Whole, low: Whole, high: Whole) -> Stack:
        """With one node, whose atoms are the profiles of the table."""
        depth, cuts, places = table.cuts + 2, table.cuts, len(place)
        frames = FULL_FRAMES if table.rows_before.size > 1 << 20 else depth + 1
        stack = Stack(
            state=np.zeros((depth, cuts), np.int8),
            places=_whole(depth),
            place=_whole(depth, table.long),
            low=_whole(depth, table.long),
            high=_whole(depth, table.long),
            atoms=_whole(depth),
            suppressed=_whole(depth),
            bound=_whole(depth),
            phase=_whole(depth),
            branch=_whole(depth),
            branched=_whole(depth),
            score=_whole(depth, cuts),
            with_cut=_whole(depth, cuts),
            rows_at=_whole(depth),
            codes_at=_whole(depth),
            rows_before=np.empty(frames * table.rows_before.size, np.int32),
            codes=np.empty(frames * table.codes.size, np.int32),
        )
        stack.state[0], stack.places[0], stack.atoms[0] = state, places, len(table.codes)
        stack.place[0, :places], stack.low[0, :places], stack.high[0, :places] = place, low, high
        rows_before = table.rows_at(place).reshape(-1)
        stack.rows_before[: len(rows_before)] = rows_before
        stack.codes[: table.codes.size] = table.codes.reshape(-1)
        return stack


class Prices(NamedTuple):
    """What the intervals of a node cost, all classes together; those of one place side by side."""

    at: Whole  # (places,) where the intervals that begin at each place are
    exact: NDArray[Any]  # (intervals,) if no open cut is made
    bound: NDArray[Any]  # (intervals,) at least
    suppressed: Whole  # (intervals,) rows in cells under k
    more: NDArray[Any]  # (cuts, intervals) beyond ``bound``, if an open cut is made
    score: Whole  # (cuts,) how much an open cut parts: 2 · left · right over all classes
    useful: Flags  # (cuts,) does it ever leave k rows on both sides?

    @staticmethod
    def begin(table: CutTable, places: int) -> Prices:
        intervals, dtype = places * (places + 1) // 2, table.class_cost.dtype
        at, suppressed, score = _whole(places), _whole(intervals), _whole(table.cuts)
        exact, bound = np.zeros((2, intervals), dtype)
        more = np.zeros((table.cuts, intervals), dtype)
        useful = np.zeros(table.cuts, np.bool_)
        return Prices(at, exact, bound, suppressed, more, score, useful)


class Merging(NamedTuple):
    """Atoms in the order of their classes, and what it takes to sort them."""

    starts: Whole  # (classes + 1,) the first atom of each class
    codes: NDArray[np.int32]  # (atoms, columns)
    rows_before: NDArray[np.int32]  # (atoms, size)
    fine: Whole  # (columns, values) the segment of each value under cuts that are in or open
    coarse: Whole  # (columns, values) under cuts that are in
    order: Whole  # (atoms,)
    spare: Whole  # (atoms,)
    sizes: Whole  # (segments + 1,)

    @staticmethod
    def begin(table: CutTable) -> Merging:
        (profiles, columns), segments = table.codes.shape, table.max_segments
        starts, sizes = _whole(profiles + 1), _whole(segments + 1)
        codes, rows_before = np.empty_like(table.codes), np.empty_like(table.rows_before)
        fine, coarse = _whole(2, columns, segments)
        order, spare = _whole(2, profiles)
        return Merging(starts, codes, rows_before, fine, coarse, order, spare, sizes)


class Parting(NamedTuple):
    """How open cuts part one class: a *way* is all cuts that leave the same rows on the left."""

    whole: NDArray[np.int32]  # (size,) rows of the class before each place
    left: NDArray[np.int32]  # (ways, size) those on the left of the cut
    right: NDArray[np.int32]  # (ways, size) those on its right, where they are counted
    cuts: Whole  # (ways, 2) the first cut of each way, and the one after its last
    held: Flags  # (segments,) has the class rows in a segment of one column?
    sums: NDArray[np.int32]  # (segments, size) and which

    @staticmethod
    def begin(table: CutTable) -> Parting:
        size, ways, segments = table.planes * table.long, table.cuts + 1, table.max_segments
        whole, sums = np.zeros(size, np.int32), np.zeros((segments, size), np.int32)
        left, right = np.zeros((2, ways, size), np.int32)
        held = np.zeros(segments, np.bool_)
        return Parting(whole, left, right, _whole(ways, 2), held, sums)


class Line(NamedTuple):
    """Scratch to price the cells of one class whose intervals begin at one place."""

    rows: NDArray[Any]  # (places,)
    most: NDArray[Any]  # (places,) rows of the most frequent label
    atoms: NDArray[Any]  # (places,) what the atoms pay at least, each by itself
    best: NDArray[Any]  # (places,) what the cell costs at least
    rows_right: NDArray[Any]  # (places,)
    most_right: NDArray[Any]  # (places,)
    parted: NDArray[Any]  # (ways, places) what it costs if parted in a way
    mixed: Whole  # (atoms,) the atoms with several labels

    @staticmethod
    def begin(table: CutTable) -> Line:
        dtype, mixed = table.class_cost.dtype, _whole(len(table.codes))
        rows, most, atoms, best, rows_right, most_right = np.zeros((6, table.long), dtype)
        parted = np.zeros((table.cuts + 1, table.long), dtype)
        return Line(rows, most, atoms, best, rows_right, most_right, parted, mixed)


class Paths(NamedTuple):
    """Scratch for shortest paths over the places; with a limit, also by rows suppressed."""

    to: Whole  # (places,) from the first place
    rest: Whole  # (places,) to the last
    length: Whole  # (places,)
    came: Whole  # (places,) the place before, on the shortest path
    kept: Whole  # (places,) see ``shrink``
    length_by: Whole  # (places, limit + 1)
    came_by: Whole  # (places, limit + 1)

    @staticmethod
    def begin(table: CutTable) -> Paths:
        counts = table.limit + 1 if table.limit < table.rows - 1 else 1
        return Paths(*_whole(5, table.long), *_whole(2, table.long, counts))


class Record(NamedTuple):
    """What a search has found: its proof, and the cuts of the best recoding."""

    marks: NDArray[np.int16]  # as in ``CutTree``
    length: Whole  # (1,) how many marks
    best: Flags  # (cuts + long,) the branching cuts, then the places of the long column

    @staticmethod
    def begin(table: CutTable) -> Record:
        marks = MAX_MARKS + 4 * (table.cuts + SPARE_MARKS)
        return Record(
            np.full(marks, NEXT, np.int16),
            _whole(1),
            np.zeros(table.cuts + table.long, np.bool_),
        )


class Workspace(NamedTuple):
    """Everything that is written to while a node is bounded."""

    prices: Prices
    merging: Merging
    parting: Parting
    line: Line
    paths: Paths

    @staticmethod
    def begin(table: CutTable, places: int) -> Workspace:
        return Workspace(
            Prices.begin(table, places),
            Merging.begin(table),
            Parting.begin(table),
            Line.begin(table),
            Paths.begin(table),
        )
