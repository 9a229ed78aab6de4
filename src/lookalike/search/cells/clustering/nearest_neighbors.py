"""Nearest neighbors: close the cheapest class of a row and its neighbors, then exchange rows.

A heuristic for cell-level recoding that needs no lattice. Every row has a candidate class: itself
and those of its nearest neighbors that add least, up to k rows. The cheapest candidate becomes a
class; the candidates of the other rows are formed again without its rows when it is their turn.
Rows whose neighbors are all in classes look for new neighbors among each other. At the end rows
change places between classes as long as this saves something.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from lookalike.problem.group_ids import group_ids
from lookalike.problem.problem import Problem
from lookalike.search.bounds.cell_bound import has_nearest_rows
from lookalike.search.bounds.cell_layout import CellLayout, Whole, lay_out
from lookalike.search.bounds.nearest_rows import prove_prices
from lookalike.search.bounds.neighborhood import Neighborhood
from lookalike.search.bounds.row_sets import Partition
from lookalike.search.cells.cell_algorithm import CellAlgorithm
from lookalike.search.cells.lattice_greedy import released
from lookalike.search.interruption import interruptible
from lookalike.search.jit_warmup import small_problem
from lookalike.search.run import Run
from lookalike.solution.recoding import CellMap

MAX_K = 128  # the neighbors of a row are kept in a sorted list
MIN_NEIGHBORS = 32  # of a row; at least 2k
MAX_NEIGHBORS = 1 << 26  # of all rows, for the sake of memory
FIRST_PART = 512  # groups that are compared for a first result
MAX_PAIRS = 1 << 30  # of groups that are compared; larger tables are divided into parts
EXCHANGE_NEIGHBORS = 16  # whose classes a row may enter
MAX_EXCHANGES = 4  # looks at all groups
MAX_LOOKS = 1 << 19  # at a group; so there are fewer looks at large tables
ENOUGH = 1e-3  # relative: a look that gains less is the last


@dataclass(frozen=True, slots=True)
class NearestNeighbors(CellAlgorithm):
    """Heuristic over cell-level recodings: classes of nearest neighbors, the cheapest first.

    The default for tables whose lattice is too large to visit. Rows are near if a class of both
    loses little. In larger tables there are two rounds: first with neighbors from small parts of
    the table, for an early result; then with neighbors from the whole table, or from parts as large
    as is feasible. Then rows change places between classes as long as this saves enough. Equal rows
    stay together. The neighbors of the last round also give the nearest-rows bound.

    Like the agglomerative algorithms of Gionis, Mazza and Tassa, it prices a class by the lowest
    labels that its rows share, and closes cheap classes first.

    References
    ----------
    Gionis, Mazza and Tassa 2008. k-Anonymization revisited.

    Examples
    --------
    >>> import lookalike as la, pyarrow as pa
    >>> table = pa.table({"age": [31, 34, 37, 52, 55, 58]})
    >>> policy = la.Policy(quasi_identifiers={"age": la.bands(10, 20)}, require=la.KAnonymity(3))
    >>> la.solve(la.prepare(table, policy), "nearest-neighbors")
    <Solution: optimal, cell-level, nearest-neighbors, cost 0.333333>
    """

    name = "nearest-neighbors"

    def why_unsuitable(self, problem: Problem) -> str | None:
        if problem.smallest > MAX_K:
            return (
                f"a class needs {problem.smallest:,} rows, and it compares at most {MAX_K} "
                "neighbors of a row; use mondrian"
            )
        return None

    def compile_kernels(self, problem: Problem) -> None:
        super(NearestNeighbors, self).compile_kernels(problem)
        compile_split()

    def search(self, run: Run) -> None:
        layout = lay_out(run.problem).take(run.problem.canonical)
        groups = max(1, len(layout.rows))
        feasible = min(groups, max(2, MAX_PAIRS // groups))
        for size in (FIRST_PART, feasible) if feasible > 4 * FIRST_PART else (feasible,):
            last = _Round(run, layout, size)
            last.close_classes()
        last.exchange()


@cache
def compile_split() -> None:
    """The small problem that is searched to compile kernels has too few groups to be divided."""
    from lookalike.search.cells.clustering.nearest_neighbors_kernels import split_by_distance

    split_by_distance(lay_out(small_problem()), 2, np.zeros(1, dtype=np.int64))


class _Round:
    """One round, with neighbors from parts of ``size`` groups, which are in canonical order."""

    def __init__(self, run: Run, layout: CellLayout, size: int) -> None:
        self.run, self.layout, self.size = run, layout, size
        self.component = group_ids(layout.labels_at(layout.levels - 1))  # never alike with others
        alone = layout.rows >= layout.k  # a class without others
        self.classes = int(alone.sum())
        self.of = np.full(len(alone), -1, dtype=np.int64)  # (groups,) the class
        self.of[alone] = np.arange(self.classes)
        self.near = np.full((len(alone), 0), -1, dtype=np.int32)  # (groups, neighbors)
        self.meets = False  # do the classes meet the policy?

    def close_classes(self) -> None:
        """Give every group a class, unless it cannot be released."""
        from lookalike.search.cells.clustering.nearest_neighbors_kernels import join_classes

        self.near = self._neighbors(self.layout, np.flatnonzero(self.of < 0), self.size)
        self._close(self.layout, self.near, self.of)
        size = self.size
        while len(left := self._groups_left()):
            rest, of, before = self.layout.take(left), self.of[left], self.classes
            self._close(rest, self._neighbors(rest, np.arange(len(left)), size), of)
            self.of[left] = of
            if self.classes == before:  # the parts are too small
                if size >= len(left):
                    break
                size *= 4
        self.run.mind_limits()
        if self.classes:
            join_classes(self.layout, np.flatnonzero(self.of < 0), self.component, self.of)
        if self.run.problem.may_suppress(int(self.layout.rows[self.of < 0].sum())):
            self.meets = self.run.offer(self._recoding(self.of)).meets

    def exchange(self) -> None:
        """Let rows change places between classes as long as that saves enough."""
        from lookalike.search.cells.clustering.exchange_kernels import exchange, list_classes

        if not (self.meets and self.classes) or len(self.of) > MAX_LOOKS:
            return
        classes = list_classes(self.layout, self.of)
        near = np.ascontiguousarray(self.near[:, :EXCHANGE_NEIGHBORS])
        try:
            for _ in range(min(MAX_EXCHANGES, MAX_LOOKS // len(self.of))):
                gain = interruptible(self._check_limits, exchange, self.layout, near, classes)
                if gain <= ENOUGH * classes.loss.sum():
                    break
        finally:
            self.run.count(self._recoding(classes.of))

    def _check_limits(self) -> None:
        self.run.mind_clock()
        self.run.tick()

    def _groups_left(self) -> Whole:
        """Groups without a class, where k rows or more are left that can be alike."""
        left = np.flatnonzero(self.of < 0)
        rows = np.bincount(self.component[left], self.layout.rows[left], len(self.of))
        return left[rows[self.component[left]] >= self.layout.k]

    def _close(self, layout: CellLayout, near: NDArray[np.int32], of: Whole) -> None:
        from lookalike.search.cells.clustering.nearest_neighbors_kernels import close_cheapest

        self.classes = interruptible(
            self._check_limits, close_cheapest, layout, near, of, self.classes
        )

    def _neighbors(self, layout: CellLayout, asked: Whole, size: int) -> NDArray[np.int32]:
        """(groups, neighbors) of the groups that are asked for; −1 where there are no more."""
        from lookalike.search.cells.clustering.nearest_neighbors_kernels import split_by_distance

        hood, part = Neighborhood(layout), None
        if size < len(layout.rows):
            order, part = interruptible(self._check_limits, split_by_distance, hood.layout, size)
            hood.sort(order)
        most = max(layout.k, MAX_NEIGHBORS // max(1, len(layout.rows)))
        neighbors = min(max(MIN_NEIGHBORS, 2 * layout.k), most)
        places = hood.places()[asked]
        places.sort()
        found, done = hood.begin(places, neighbors), np.zeros(1, dtype=np.int64)
        try:
            hood.search(places, part, found, done, self._check_limits)
        finally:
            if (
                part is None
                and layout is self.layout
                and has_nearest_rows(self.run.problem, layout)
            ):
                prove_prices(self.run, layout, hood, places[: int(done[0])], found)
        near = np.full((len(layout.rows), neighbors), -1, dtype=np.int32)
        near[hood.group[places]] = np.where(found.group >= 0, hood.group[found.group], -1)
        return near

    def _recoding(self, of: Whole) -> CellMap:
        problem = self.run.problem
        group = problem.canonical
        return released(problem, lay_out(problem), Partition(group, self.layout.rows, of))
