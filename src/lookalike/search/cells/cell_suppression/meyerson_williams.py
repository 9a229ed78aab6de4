"""Meyerson and Williams: suppress few cells by a greedy cover, within a proven factor (2004).

docs/explanation/meyerson-williams.md explains why the factor holds.
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
from lookalike.search.bounds.cell_layout import Floats, Whole
from lookalike.search.cells.cell_algorithm import CellAlgorithm
from lookalike.search.node_labels import labels_at
from lookalike.search.run import Run
from lookalike.solution.recoding import CellMap

Flags = NDArray[np.bool_]

MAX_TUPLES = 60_000  # distinct tuples; each is compared with all others
MAX_COLUMNS = 62  # a set of columns is a number of 64 bits
ROUNDING = 1e-9  # sums of weights are not exact


def approximation_factor(k: int) -> float:
    """(2k − 1)(k − 1)/k · (1 + 1/2 + … + 1/k): O(k log k)."""
    return (2 * k - 1) * (k - 1) / k * sum(1 / i for i in range(1, k + 1))


@dataclass(frozen=True, slots=True)
class MeyersonWilliams(CellAlgorithm):
    """Approximation over cell-level recodings: suppress single cells, within a proven factor.

    It generalizes nothing (model CS), and runs in polynomial time. Its stars weigh at most
    ``approximation_factor(k)`` times the least possible, counted with the policy's weights of
    columns; without weights, by their number. The factor is for the worst table. Without a model, a
    value is what a column shows at its finest allowed level.

    References
    ----------
    Meyerson and Williams 2004. On the complexity of optimal k-anonymity.

    Examples
    --------
    >>> import lookalike as la, pyarrow as pa
    >>> table = pa.table({"age": [31, 34, 37, 52, 55, 58]})
    >>> policy = la.Policy(quasi_identifiers={"age": la.bands(10, 20)}, require=la.KAnonymity(3))
    >>> la.solve(la.prepare(table, policy), la.MeyersonWilliams())
    <Solution: feasible, cell-level, meyerson-williams, cost 1>
    """

    name = "meyerson-williams"
    models = frozenset({"CS"})

    def why_unsuitable(self, problem: Problem) -> str | None:
        groups, columns = problem.counts.codes.shape
        if problem.policy.metric.class_column is not None:
            return "it splits groups of equal rows, and then CM cannot be computed from counts"
        for table, high in zip(problem.tables, problem.high, strict=True):
            if high < table.height:
                return f"it shows a value or *, but the policy does not allow * in {table.name}"
        if groups > MAX_TUPLES:
            return f"it compares pairs of at most {MAX_TUPLES:,} tuples, and there are {groups:,}"
        if columns > MAX_COLUMNS:
            return f"it takes at most {MAX_COLUMNS} columns, and there are {columns}"
        return None

    def guarantee(self, problem: Problem) -> str:
        factor = approximation_factor(problem.smallest)
        return (
            f"Meyerson and Williams' approximation suppresses at most {factor:.3g} times the "
            "fewest cells that any release by cell suppression alone must suppress, counted with "
            "the columns' weights."
        )

    def search(self, run: Run) -> None:
        problem = run.problem
        if 0 < problem.rows < problem.smallest:
            return
        codes, rows, tuple_of = distinct_tuples(problem)
        partition = StarPartition(codes, rows, problem.ground.weights, problem.smallest)
        offered = 16 * problem.rows
        for left in cover(partition):
            run.mind_limits()
            if problem.smallest <= left <= offered // 16:  # for a run that is stopped
                run.offer(starred_cells(problem, partition, tuple_of))
                offered = left
        run.offer(starred_cells(problem, partition, tuple_of))


def cover(partition: StarPartition) -> Iterator[int]:
    """Cover the rows by sets of rows that stars make alike, fewest stars per new row first.

    Costs rise as rows are covered. So a center whose cost is at most the last cost of every other
    is the next one (lazy greedy; see step 4 of the proof). Yields how many rows are left.
    """
    # late: loads numba
    from lookalike.search.cells.cell_suppression import meyerson_williams_kernels as kernels

    table = partition.codes, partition.rows, partition.weights, partition.k
    columns, tuples = partition.codes.shape
    differ = np.empty(tuples, dtype=np.int64)  # the columns in which each differs from the center
    slots = np.empty(2 << min(columns, tuples.bit_length()), dtype=np.int64)
    scratch = differ, slots, np.empty(tuples, dtype=np.int64), np.empty((tuples, 2), dtype=np.int64)
    left = int(partition.uncovered.sum())
    costs = [(0.0, center) for center in range(tuples)]
    while costs:
        yield left
        _, center = costs[0]
        if not partition.uncovered[center]:
            heapq.heappop(costs)
            continue
        cost, stars = kernels.cheapest_stars(center, partition.uncovered, *table, *scratch)
        heapq.heapreplace(costs, (cost, center))
        if costs[0] == (cost, center):
            left -= partition.cover(differ, stars)


@dataclass(frozen=True, slots=True)
class Place:
    """A part into which newly covered rows could go."""

    part: int  # an existing one, or the next
    stars: int  # of the part with these rows
    rise: float  # of the weight of all stars
    lent: tuple[tuple[int, int], ...] = ()  # pieces that lend rows to it, and how many


class StarPartition:
    """The sets of the cover, made disjoint one by one (the paper's Reduce).

    Each part has k or more rows and is released with stars where its rows differ. If it is cut into
    blocks of k to 2k − 1 rows, the weights of the stars of one row of each block sum to at most
    ``paid``.
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
        self.tuple, self.part, self.count = np.arange(tuples), np.full(tuples, -1), rows.copy()
        self.pieces = tuples  # one for each tuple, then one for each loan

    def cover(self, differ: Whole, stars: int) -> int:
        """Cover all rows that are alike with the center by ``stars``; returns how many are new.

        ``differ`` are the columns in which each tuple differs from the center. Fewer than k new
        rows borrow others or join a part, whichever costs less.
        """
        inside = differ & ~stars == 0
        new = np.flatnonzero(inside & (self.uncovered > 0))
        number = int(self.uncovered[new].sum())
        paid = self._weight(stars) * max(1, number // self.k)
        needed = int(np.bitwise_or.reduce(differ[new]))
        if number >= self.k:
            place: Place | None = Place(self.parts, needed, number * self._weight(needed))
        else:
            place = self._with_loans(differ, inside, needed, number)
            other = self._with_others(differ, needed, number, paid)
            if place is None or (other is not None and other.rise < place.rise):
                place = other
        assert place is not None, "by the proof there is a place"
        self._settle(new, place)
        self.uncovered[new] = 0
        self.paid += paid
        return number

    def _with_loans(self, differ: Whole, inside: Flags, needed: int, number: int) -> Place | None:
        """A new part of k rows, with rows inside that other parts can spare."""
        of, part, count = (array[: self.pieces] for array in (self.tuple, self.part, self.count))
        spare = self.size - self.k
        lenders = np.flatnonzero(inside[of] & (part >= 0) & (count > 0) & (spare[part] > 0))
        further = self._weights(differ[of[lenders]] & ~needed)
        freed = self._weights(self.stars[part[lenders]])
        stars, saved, lacking = needed, 0.0, self.k - number
        lent = []
        for i in np.lexsort((-freed, further)):  # fewest further stars first, then most freed
            piece = int(lenders[i])
            rows = int(min(count[piece], spare[part[piece]], lacking))
            if rows > 0:
                lent.append((piece, rows))
                spare[part[piece]] -= rows
                lacking -= rows
                stars |= int(differ[of[piece]])
                saved += rows * float(freed[i])
            if not lacking:
                rise = self.k * self._weight(stars) - saved
                return Place(self.parts, stars, rise, tuple(lent))
        return None

    def _with_others(self, differ: Whole, needed: int, number: int, paid: float) -> Place | None:
        """The part that is cheapest to join, among those for which ``paid`` is enough."""
        size, before = self.size[: self.parts], self.stars[: self.parts]
        after = before | needed | differ[self.base[: self.parts]]
        light, heavy = self._weights(before), self._weights(after)
        blocks = (size + number) // self.k * heavy - size // self.k * light
        rise = (size + number) * heavy - size * light
        rise[blocks > paid + ROUNDING] = np.inf
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
        self.size[part] += self.count[new].sum()
        self.stars[part] = place.stars
        for piece, rows in place.lent:
            lender = self.part[piece]
            self.count[piece] -= rows
            self.size[lender] -= rows
            self._add(self.tuple[piece], part, rows)
            if not self.count[piece]:
                self._restar(lender)

    def _add(self, of: int, part: int, rows: int) -> None:
        """A further piece of a tuple."""
        if self.pieces == len(self.count):
            self.tuple, self.part, self.count = (
                np.concatenate([array, np.zeros_like(array)])
                for array in (self.tuple, self.part, self.count)
            )
        self.tuple[self.pieces], self.part[self.pieces], self.count[self.pieces] = of, part, rows
        self.size[part] += rows
        self.pieces += 1

    def _restar(self, part: int) -> None:
        """The stars of a part that may need fewer than before."""
        inside = (self.part[: self.pieces] == part) & (self.count[: self.pieces] > 0)
        tuples = self.tuple[: self.pieces][inside]
        self.base[part] = tuples[0]
        self.stars[part] = differing_columns(self.codes[:, tuples])

    def _weights(self, stars: Whole) -> Floats:
        # late: loads numba
        from lookalike.search.cells.cell_suppression import meyerson_williams_kernels as kernels

        weights: Floats = kernels.weigh_each(stars, self.weights)
        return weights

    def _weight(self, stars: int) -> float:
        return float(self._weights(np.array([stars]))[0])


def differing_columns(codes: NDArray[np.int32]) -> int:
    """The set of columns in which these tuples do not all agree."""
    differ = (codes != codes[:, :1]).any(axis=1)
    return sum(1 << int(a) for a in np.flatnonzero(differ))


def distinct_tuples(problem: Problem) -> tuple[NDArray[np.int32], Whole, Whole]:
    """Codes (columns, tuples) and rows of the distinct tuples, and the tuple of each group.

    The numbers do not depend on the order in which an engine lists the groups.
    """
    shown = labels_at(problem, problem.counts.codes, problem.low)
    of = group_ids(shown)
    _, first = np.unique(of[problem.canonical], return_index=True)
    tuple_of = np.argsort(np.argsort(first))[of]
    rows = np.bincount(tuple_of, weights=problem.counts.counts).astype(np.int64)
    codes = np.ascontiguousarray(shown[problem.canonical[np.sort(first)]].T, dtype=np.int32)
    return codes, rows, tuple_of


def starred_cells(problem: Problem, partition: StarPartition, tuple_of: Whole) -> CellMap:
    """Every part with its stars; rows that are not covered yet are one more part."""
    pieces = np.flatnonzero(partition.count[: partition.pieces])
    pieces = pieces[np.argsort(partition.tuple[pieces], kind="stable")]
    rest = partition.codes[:, partition.uncovered > 0]
    stars = np.append(partition.stars, differing_columns(rest))  # the rest is part −1
    groups = np.argsort(tuple_of, kind="stable")
    # Sorted by tuple, pieces and groups divide the same rows in two ways: divide by both.
    piece_ends = np.cumsum(partition.count[pieces])
    group_ends = np.cumsum(problem.counts.counts[groups])
    ends = np.union1d(piece_ends, group_ends)
    starred = stars[partition.part[pieces[np.searchsorted(piece_ends, ends)]]]
    top = np.array([table.height for table in problem.tables])
    levels = np.where(starred[:, None] >> np.arange(len(top)) & 1, top, problem.low)
    return cell_map(
        problem,
        groups[np.searchsorted(group_ends, ends)],
        np.diff(ends, prepend=0),
        levels.astype(np.int16),
    )
