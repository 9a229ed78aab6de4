"""An exact search for a more precise cell-level table.

Splitting a class never raises the labels that its rows share, so some best table is a partition of
its rows into classes of k to 2k − 1 rows. Every row costs at least as much as the cheapest tuple
that k rows could show, which gives a lower bound for the rows that are left. Costs are integers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from lookalike.problem.problem import Problem
from lookalike.problem.recodings.cell_evaluation import cell_map
from lookalike.search.bounds.cell_layout import levels_of_cells
from lookalike.search.papers.label_paths import (
    MAX_DEPTH,
    Path,
    Pieces,
    StepBudget,
    Undecided,
    label_paths,
    shared_tuples,
)
from lookalike.solution.recoding import GONE, CellMap


def more_precise_table(problem: Problem, recoding: CellMap, budget: StepBudget) -> CellMap | None:
    """A table with a higher precision, the highest if the steps suffice; None if there is none.

    Rows may be suppressed within the policy's allowance, at the full cost of their cells. Raises
    Undecided if there are not enough steps to find a table or to be certain.
    """
    if not problem.one_set:  # rows that are alike in one set need not be alike in another
        raise Undecided("the policy has several sets of columns for linking")
    prices = cell_prices(problem)
    search = PartitionSearch(problem, prices, budget)
    table = search.run(price_of(prices, recoding))
    if table is None:
        if search.blind:
            raise Undecided("starred rows are outside the levels that the policy allows")
        return None
    if not problem.evaluate(table).meets:
        raise Undecided("the policy has requirements beyond k")
    return table


def cell_prices(problem: Problem) -> list[list[int]]:
    """By column and level, the cost of a cell: weight · level / height, as multiples of a unit."""
    shares = [
        [Fraction(problem.policy.weights.get(table.name, 1)) * level / table.height
         for level in range(table.height + 1)]
        for table in problem.tables
    ]  # fmt: skip
    unit = math.lcm(*(share.denominator for column in shares for share in column))
    return [[int(share * unit) for share in column] for column in shares]


def price_of(prices: list[list[int]], recoding: CellMap) -> int:
    """The cost of a table; a cell of a suppressed row costs as much as a star."""
    pieces = zip(recoding.rows.tolist(), recoding.levels.tolist(), strict=True)
    return sum(
        rows * sum(column[level] for column, level in zip(prices, levels, strict=True))
        for rows, levels in pieces  # GONE is −1, the last level
    )


RowSet = tuple[tuple[int, int], ...]  # groups, as the search numbers them, and rows of each
Left = tuple[tuple[int, ...], int]  # rows left of each group, and how many may be suppressed
Part = tuple[RowSet, list[int] | None]  # a set of rows, and its levels if not the lowest shared


class PartitionSearch:
    """Branch and bound over partitions into classes; what is left is solved only once."""

    def __init__(self, problem: Problem, prices: list[list[int]], budget: StepBudget) -> None:
        self.problem, self.prices, self.budget = problem, prices, budget
        self.least = problem.smallest
        counts = problem.counts
        pieces = Pieces(counts.counts.tolist(), label_paths(problem, counts.codes))
        self.full = sum(column[-1] for column in prices)
        floor = self._cheapest(pieces)
        self.order = sorted(range(counts.groups), key=lambda group: -floor[group])
        self.floor = [floor[group] for group in self.order]
        self.rows = tuple(pieces.rows[group] for group in self.order)
        self.paths = [pieces.paths[group] for group in self.order]
        self.costs = [
            [{label: prices[a][level] for label, level in path.items()}
             for a, path in enumerate(paths)]
            for paths in self.paths
        ]  # fmt: skip
        conventions = problem.policy.conventions
        levels = levels_of_cells(problem)
        stars_allowed = all(
            own[-1] == t.height for own, t in zip(levels, problem.tables, strict=True)
        )
        own_class = conventions.suppressed == "star" and conventions.stars == "own"
        self.stars = stars_allowed and conventions.stars == "wildcard"  # rows may be all *, alone
        self.alone = [table.height if self.stars else GONE for table in problem.tables]
        self.allowance = 0 if own_class else problem.allowance
        # Starred rows that stay are a class of their own, which costs no more than suppressing
        # them. If the policy's levels forbid such a class, this search does not see it.
        self.blind = own_class and not stars_allowed and problem.allowance >= self.least
        self.exact: dict[Left, int] = {}
        self.bound: dict[Left, int] = {}
        self.first: dict[Left, tuple[Part, Left]] = {}
        self.path: list[Part] = []
        self.total = 0
        self.cheapest: list[Part] | None = None

    def run(self, limit: int) -> CellMap | None:
        """The cheapest table below the limit; if the steps run out, the cheapest so far."""
        self.total = limit
        try:
            self._best((self.rows, self.allowance), limit, 0)
        except Undecided:
            if self.cheapest is None:
                raise
        return None if self.cheapest is None else self._table(self.cheapest)

    def _cheapest(self, pieces: Pieces) -> list[int]:
        """By group, the cost of the cheapest tuple that it could show with k − 1 other rows."""
        best = [self.full] * len(pieces.rows)
        for shown, members in shared_tuples(pieces, self.least, self.budget):
            for group in members:
                levels = pieces.levels(group, shown)
                price = sum(
                    column[level] for column, level in zip(self.prices, levels, strict=True)
                )
                best[group] = min(best[group], price)
        return best

    def _best(self, left: Left, limit: int, spent: int) -> int | None:
        """The least cost of what is left, if below the limit; ``spent`` is the cost so far."""
        self.budget.spend()
        known = self.exact.get(left)
        if known is None and any(left[0]):
            floor = sum(rows * price for rows, price in zip(left[0], self.floor, strict=True))
            if self.bound.get(left, floor) >= limit:
                return None
            known = self._branch(left, limit, spent, floor)
            if known is None:
                self.bound[left] = limit
                return None
            self.exact[left] = known
        known = known or 0
        if known >= limit:
            return None
        if spent + known < self.total:
            self.total = spent + known
            self.cheapest = [*self.path, *self._follow(left)]
        return known

    def _branch(self, left: Left, limit: int, spent: int, floor: int) -> int | None:
        if len(self.path) >= MAX_DEPTH:
            raise Undecided(f"the rows make more than {MAX_DEPTH} classes")
        best = None
        for bound, price, part, rest in self._parts(left, limit, floor):
            if bound >= limit:
                break
            self.path.append(part)
            more = self._best(rest, limit - price, spent + price)
            self.path.pop()
            if more is not None:
                best = limit = price + more
                self.first[left] = part, rest
        return best

    def _parts(self, left: Left, limit: int, floor: int) -> list[tuple[int, int, Part, Left]]:
        """The possible parts with the first row left, with bound and cost; the best bound first."""
        rows, allowance = left
        first = next(i for i, count in enumerate(rows) if count)
        parts: list[tuple[int, int, Part, Left]] = []
        bound = floor - self.floor[first] + self.full
        alone: RowSet = ((first, 1),)
        if self.stars or allowance:
            rest = _without(rows, alone), allowance if self.stars else allowance - 1
            parts.append((bound, self.full, (alone, self.alone), rest))
        for price, members in self._classes(rows, first, limit, floor):
            rest = _without(rows, members), allowance
            if self.stars or not allowance < sum(rest[0]) < self.least:
                bound = floor + price - sum(count * self.floor[i] for i, count in members)
                parts.append((bound, price, (members, None), rest))
        parts = [part for part in parts if part[0] < limit]
        return sorted(parts, key=lambda part: part[0])

    def _classes(
        self, rows: tuple[int, ...], first: int, limit: int, floor: int
    ) -> Iterator[tuple[int, RowSet]]:
        """Classes of k to 2k − 1 rows with the first row left, except those that cost too much.

        One more row never makes a class cheaper by more than the row must cost at least.
        """
        max_size = 2 * self.least - 1
        if max_size > MAX_DEPTH:
            raise Undecided(f"there are too many classes of {self.least:,} rows")

        def grow(
            at: int, size: int, members: RowSet, shared: list[Path], others: int
        ) -> Iterator[tuple[int, RowSet]]:
            for i in range(at, len(rows) if size else at + 1):
                together = shared
                for count in range(1, min(rows[i], max_size - size) + 1):
                    self.budget.spend()
                    together = _joined(together, self.costs[i])
                    if not all(together):
                        break
                    price = sum(min(column.values()) for column in together)
                    rest = others - count * self.floor[i]
                    if price + rest >= limit:
                        break
                    larger = (*members, (i, count))
                    if size + count >= self.least:
                        yield price, larger
                    if size + count < max_size:
                        yield from grow(i + 1, size + count, larger, together, rest)

        empty = [dict.fromkeys(path, 0) for path in self.costs[first]]
        return grow(first, 0, (), empty, floor)

    def _follow(self, left: Left) -> Iterator[Part]:
        while any(left[0]):
            part, left = self.first[left]
            yield part

    def _table(self, parts: Sequence[Part]) -> CellMap:
        pieces = []
        for members, alone in parts:
            shared = [dict.fromkeys(path, 0) for path in self.costs[members[0][0]]]
            for i, count in members:
                for _ in range(count):
                    shared = _joined(shared, self.costs[i])
            labels = [min(column, key=column.__getitem__) for column in shared]
            for i, count in members:
                shown = [path[label] for path, label in zip(self.paths[i], labels, strict=True)]
                pieces.append((self.order[i], count, alone or shown))
        group, rows, levels = map(np.array, zip(*pieces, strict=True))
        return cell_map(self.problem, group, rows, levels.astype(np.int16))


def _without(rows: tuple[int, ...], members: RowSet) -> tuple[int, ...]:
    left = list(rows)
    for i, count in members:
        left[i] -= count
    return tuple(left)


def _joined(shared: list[Path], cost: list[Path]) -> list[Path]:
    """By column, the labels that some rows and one more row share, with what they cost."""
    return [
        {label: paid + row[label] for label, paid in column.items() if label in row}
        for column, row in zip(shared, cost, strict=True)
    ]
