"""Meyerson and Williams: star few cells by a greedy cover, within a proven factor (2004).

Why the factor holds is in docs/explanation/meyerson-williams.md.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.problem.group_ids import group_ids
from lookalike.problem.problem import Problem
from lookalike.problem.recodings.cell_evaluation import cell_map
from lookalike.search.algorithm import Algorithm
from lookalike.search.jit_warmup import search_small_problem
from lookalike.search.run import Run
from lookalike.solution.recoding import CellMap, Space

Whole = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

LARGEST = 60_000  # distinct tuples: each is compared with all others
WIDEST = 62  # columns: a set of them is a whole number of 64 bits
SLACK = 1e-9  # sums of weights are not exact


def factor(k: int) -> float:
    """(2k − 1)(k − 1)/k · (1 + 1/2 + … + 1/k): O(k log k)."""
    return (2 * k - 1) * (k - 1) / k * sum(1 / i for i in range(1, k + 1))


@dataclass(frozen=True, slots=True)
class MeyersonWilliams(Algorithm):
    """Suppresses cells and generalizes nothing (model CS), in polynomial time.

    Its stars weigh at most ``factor(k)`` times the least possible, counted with the policy's
    weights of columns: without weights, their plain number. The factor is for the worst table.

    Without a model, a value is what a column shows at its finest allowed level.
    """

    name = "meyerson-williams"
    space = Space.CELL_LEVEL
    models = frozenset({"CS"})

    def why_unsuitable(self, problem: Problem) -> str | None:
        groups, columns = problem.counts.codes.shape
        if problem.policy.metric.class_column is not None:
            return "it splits groups of equal rows, and then CM cannot be told from counts"
        for table, high in zip(problem.tables, problem.high, strict=True):
            if high < table.height:
                return f"it shows a value or *, and the policy keeps {table.name} below *"
        if groups > LARGEST:
            return f"it compares all pairs of tuples, and {groups:,} are more than {LARGEST:,}"
        if columns > WIDEST:
            return f"it takes up to {WIDEST} columns, and there are {columns}"
        return None

    def compile_kernels(self, problem: Problem) -> None:
        search_small_problem(type(self))

    def guarantee(self, problem: Problem) -> str:
        return (
            "Meyerson and Williams' approximation suppresses at most "
            f"{factor(problem.smallest):.3g} times the fewest cells that any release by cell "
            "suppression alone must suppress, counted with the columns' weights."
        )

    def search(self, run: Run) -> None:
        problem = run.problem
        if 0 < problem.rows < problem.smallest:
            return
        codes, rows, tuple_of = distinct(problem)
        partition = Partition(codes, rows, problem.ground.weights, problem.smallest)
        offered = 16 * problem.rows
        for left in cover(partition):
            run.mind_limits()
            if problem.smallest <= left <= offered // 16:  # so that a stopped run has something
                run.offer(recoded(problem, partition, tuple_of))
                offered = left
        run.offer(recoded(problem, partition, tuple_of))


def cover(partition: Partition) -> Iterator[int]:
    """Cover the rows by sets of rows alike, those with least stars for each new row first.

    Prices rise as rows get covered, so a centre that costs no more than each other last did is the
    next (lazy greedy; why that is enough is step 4 of the proof). Yields how many rows are left.
    """
    from lookalike.search.cells.cell_suppression.meyerson_williams_kernels import (
        cheapest_stars,  # late: loads numba
    )

    table = partition.codes, partition.rows, partition.weights, partition.k
    columns, tuples = partition.codes.shape
    found = np.empty(tuples, dtype=np.int64)  # the columns in which each differs from the centre
    slots = np.empty(2 << min(columns, tuples.bit_length()), dtype=np.int64)
    scratch = found, slots, np.empty(tuples, dtype=np.int64), np.empty((tuples, 2), dtype=np.int64)
    left = int(partition.uncovered.sum())
    prices = [(0.0, centre) for centre in range(tuples)]
    while prices:
        yield left
        _, centre = prices[0]
        if not partition.uncovered[centre]:
            heapq.heappop(prices)
            continue
        price, stars = cheapest_stars(centre, partition.uncovered, *table, *scratch)
        heapq.heapreplace(prices, (price, centre))
        if prices[0] == (price, centre):
            left -= partition.cover(found, stars)


@dataclass(frozen=True, slots=True)
class Place:
    """Where newly covered rows could go."""

    part: int  # one there is, or the next
    stars: int  # of the part, once they are in
    rise: float  # in the weight of all stars
    lent: tuple[tuple[int, int], ...] = ()  # pieces that lend it rows, and how many


class Partition:
    """The sets of the cover, made disjoint as they come (the paper's Reduce, a set at a time).

    Each part has k rows or more and is released with stars where its rows differ. Cut into blocks
    of k to 2k − 1 rows, what the stars of one row of each block weigh sums to at most ``paid``.
    """

    def __init__(self, codes: NDArray[np.int32], rows: Whole, weights: Floats, k: int) -> None:
        tuples = len(rows)
        self.codes = codes  # (columns, tuples)
        self.rows = rows  # (tuples,)
        self.weights = weights  # (columns,)
        self.k = k
        self.uncovered = rows.copy()  # (tuples,)
        self.paid = 0.0
        self.parts = 0
        self.size, self.stars, self.base = np.zeros((3, tuples), dtype=np.int64)  # (parts,)
        self.tuple, self.part, self.held = np.arange(tuples), np.full(tuples, -1), rows.copy()
        self.pieces = tuples  # one a tuple, then one for each loan

    def cover(self, found: Whole, stars: int) -> int:
        """Cover all rows that look like the centre once ``stars`` are starred; how many are new.

        ``found`` are the columns in which each tuple differs from the centre. Fewer than k new rows
        borrow some or join a part, whichever costs less.
        """
        inside = found & ~stars == 0
        new = np.flatnonzero(inside & (self.uncovered > 0))
        number = int(self.uncovered[new].sum())
        paid = self._weight(stars) * max(1, number // self.k)
        apart = int(np.bitwise_or.reduce(found[new]))
        if number >= self.k:
            place: Place | None = Place(self.parts, apart, number * self._weight(apart))
        else:
            place = self._with_loans(found, inside, apart, number)
            other = self._with_others(found, apart, number, paid)
            if place is None or (other is not None and other.rise < place.rise):
                place = other
        assert place is not None, "the proof says that there is a place"
        self._settle(new, place)
        self.uncovered[new] = 0
        self.paid += paid
        return number

    def _with_loans(self, found: Whole, inside: Flags, apart: int, number: int) -> Place | None:
        """A new part of k rows, with rows alike that other parts can spare."""
        of, part, held = (array[: self.pieces] for array in (self.tuple, self.part, self.held))
        spare = self.size - self.k
        lenders = np.flatnonzero(inside[of] & (part >= 0) & (held > 0) & (spare[part] > 0))
        further = self._weights(found[of[lenders]] & ~apart)
        freed = self._weights(self.stars[part[lenders]])
        stars, saved, lacking = apart, 0.0, self.k - number
        lent = []
        for i in np.lexsort((-freed, further)):  # who needs no further stars, and had most
            piece = int(lenders[i])
            rows = int(min(held[piece], spare[part[piece]], lacking))
            if rows > 0:
                lent.append((piece, rows))
                spare[part[piece]] -= rows
                lacking -= rows
                stars |= int(found[of[piece]])
                saved += rows * float(freed[i])
            if not lacking:
                rise = self.k * self._weight(stars) - saved
                return Place(self.parts, stars, rise, tuple(lent))
        return None

    def _with_others(self, found: Whole, apart: int, number: int, paid: float) -> Place | None:
        """The part that they cost least to join, among those that ``paid`` is enough for."""
        size, before = self.size[: self.parts], self.stars[: self.parts]
        after = before | apart | found[self.base[: self.parts]]
        light, heavy = self._weights(before), self._weights(after)
        blocks = (size + number) // self.k * heavy - size // self.k * light
        rise = (size + number) * heavy - size * light
        rise[blocks > paid + SLACK] = np.inf
        if not (rise < np.inf).any():
            return None
        part = int(np.argmin(rise))
        return Place(part, int(after[part]), float(rise[part]))

    def _settle(self, new: Whole, place: Place) -> None:
        """Move the newly covered rows, and those lent, to their part."""
        part = place.part
        if part == self.parts:
            self.parts += 1
            self.base[part] = new[0]
        self.part[new] = part
        self.size[part] += self.held[new].sum()
        self.stars[part] = place.stars
        for piece, rows in place.lent:
            lender = self.part[piece]
            self.held[piece] -= rows
            self.size[lender] -= rows
            self._add(self.tuple[piece], part, rows)
            if not self.held[piece]:
                self._restar(lender)

    def _add(self, of: int, part: int, rows: int) -> None:
        """A further piece of a tuple."""
        if self.pieces == len(self.held):
            self.tuple, self.part, self.held = (
                np.concatenate([array, np.zeros_like(array)])
                for array in (self.tuple, self.part, self.held)
            )
        self.tuple[self.pieces], self.part[self.pieces], self.held[self.pieces] = of, part, rows
        self.size[part] += rows
        self.pieces += 1

    def _restar(self, part: int) -> None:
        """The stars of a part that may need fewer than it did."""
        inside = (self.part[: self.pieces] == part) & (self.held[: self.pieces] > 0)
        tuples = self.tuple[: self.pieces][inside]
        self.base[part] = tuples[0]
        self.stars[part] = columns_apart(self.codes[:, tuples])

    def _weights(self, stars: Whole) -> Floats:
        from lookalike.search.cells.cell_suppression.meyerson_williams_kernels import (
            weigh_each,  # late: loads numba
        )

        weights: Floats = weigh_each(stars, self.weights)
        return weights

    def _weight(self, stars: int) -> float:
        return float(self._weights(np.array([stars]))[0])


def columns_apart(codes: NDArray[np.int32]) -> int:
    """The set of columns in which these tuples do not all agree."""
    apart = (codes != codes[:, :1]).any(axis=1)
    return sum(1 << int(a) for a in np.flatnonzero(apart))


def distinct(problem: Problem) -> tuple[NDArray[np.int32], Whole, Whole]:
    """Codes (columns, tuples) and rows of the distinct tuples, and the tuple of each group.

    Numbered so that engines, which list the groups in different orders, do not matter.
    """
    shown = np.stack(
        [
            numbers[low, problem.counts.codes[:, a]]
            for a, (numbers, low) in enumerate(zip(problem.label_numbers, problem.low, strict=True))
        ]
    )
    _, first, of = np.unique(
        group_ids(shown.T[problem.canonical]), return_index=True, return_inverse=True
    )
    rank = np.argsort(np.argsort(first))
    tuple_of = np.empty(problem.counts.groups, dtype=np.int64)
    tuple_of[problem.canonical] = rank[of.reshape(-1)]
    rows = np.bincount(tuple_of, weights=problem.counts.counts).astype(np.int64)
    codes = np.ascontiguousarray(shown[:, problem.canonical[np.sort(first)]], dtype=np.int32)
    return codes, rows, tuple_of


def recoded(problem: Problem, partition: Partition, tuple_of: Whole) -> CellMap:
    """Every part with its stars; what is not covered yet is one more."""
    pieces = np.flatnonzero(partition.held[: partition.pieces])
    pieces = pieces[np.argsort(partition.tuple[pieces], kind="stable")]
    rest = partition.codes[:, partition.uncovered > 0]
    stars = np.append(partition.stars, columns_apart(rest))[partition.part]  # the rest is part −1
    groups = np.argsort(tuple_of, kind="stable")
    # Laid end to end by tuple, pieces and groups cut the same rows in two ways: use all the cuts.
    piece_ends = np.cumsum(partition.held[pieces])
    group_ends = np.cumsum(problem.counts.counts[groups])
    ends = np.union1d(piece_ends, group_ends)
    starred = stars[pieces[np.searchsorted(piece_ends, ends)]]
    top = np.array([table.height for table in problem.tables])
    levels = np.where(starred[:, None] >> np.arange(len(top)) & 1, top, problem.low)
    return cell_map(
        problem,
        groups[np.searchsorted(group_ends, ends)],
        np.diff(ends, prepend=0),
        levels.astype(np.int16),
    )
