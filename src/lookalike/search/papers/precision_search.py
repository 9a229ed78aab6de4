"""Is there a less distorted table, cell by cell? Searched until it is certain.

Splitting a class never raises the labels its rows share, so some best table is a partition of its
rows into lots of k to 2k − 1. Every row pays at least for the cheapest tuple that k rows could
show, which bounds what is left. Prices are whole numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from lookalike.problem.problem import Problem
from lookalike.problem.recodings.cell_evaluation import cell_map
from lookalike.search.papers.label_paths import (
    DEEPEST,
    GaveUp,
    Path,
    Pieces,
    Work,
    allowed,
    paths,
    shared_tuples,
)
from lookalike.solution.recoding import GONE, CellMap


def least_distorted(problem: Problem, recoding: CellMap, work: Work) -> CellMap | None:
    """A table with a higher Prec, the highest if the work suffices; None if there is none.

    Rows may be left out within the policy's allowance, at the full price of their cells. GaveUp is
    raised when the work did not suffice to find one or to be certain.
    """
    if not problem.one_set:  # rows alike in one set need not be alike in another
        raise GaveUp("the policy links by several sets of columns")
    prices = cell_prices(problem)
    search = LotSearch(problem, prices, work)
    found = search.run(price_of(prices, recoding))
    if found is None:
        if search.blind:
            raise GaveUp("starred rows are outside the levels that the policy allows")
        return None
    if not problem.evaluate(found).meets:
        raise GaveUp("the policy has rules beyond k")
    return found


def cell_prices(problem: Problem) -> list[list[int]]:
    """By column and level, what a cell costs: weight · level / height, in a common unit."""
    shares = [
        [Fraction(problem.policy.weights.get(table.name, 1)) * level / table.height
         for level in range(table.height + 1)]
        for table in problem.tables
    ]  # fmt: skip
    unit = math.lcm(*(share.denominator for column in shares for share in column))
    return [[int(share * unit) for share in column] for column in shares]


def price_of(prices: list[list[int]], recoding: CellMap) -> int:
    """What a table costs; a cell of a row left out costs as much as a star."""
    pieces = zip(recoding.rows.tolist(), recoding.levels.tolist(), strict=True)
    return sum(
        rows * sum(column[level] for column, level in zip(prices, levels, strict=True))
        for rows, levels in pieces  # GONE is −1, the last level
    )


Lot = tuple[tuple[int, int], ...]  # groups, as the search numbers them, and how many rows of each
Left = tuple[tuple[int, ...], int]  # rows left of each group, and how many may still be left out
LEFT_OUT, STARRED = "left out", "starred"
Part = tuple[Lot, str]  # a lot, and whether it is released at its lowest labels ("")


class LotSearch:
    """Branch and bound over partitions into lots, with a memory of what is left."""

    def __init__(self, problem: Problem, prices: list[list[int]], work: Work) -> None:
        self.problem, self.prices, self.work, self.least = problem, prices, work, problem.smallest
        counts = problem.counts
        pieces = Pieces(counts.counts.tolist(), paths(problem, counts.codes))
        self.full = sum(column[-1] for column in prices)
        floor = self._cheapest(pieces)
        self.order = sorted(range(counts.groups), key=lambda group: -floor[group])
        self.floor = [floor[group] for group in self.order]
        self.rows = tuple(pieces.rows[group] for group in self.order)
        self.paths = [pieces.may[group] for group in self.order]
        self.costs = [
            [{label: prices[a][level] for label, level in path.items()}
             for a, path in enumerate(paths)]
            for paths in self.paths
        ]  # fmt: skip
        conventions = problem.policy.conventions
        starry = all(allowed(problem, a)[-1] == t.height for a, t in enumerate(problem.tables))
        by_lots = conventions.suppressed == "star" and conventions.stars == "own"
        self.stars = starry and conventions.stars == "wildcard"  # alone, and as many as you like
        self.allowance = 0 if by_lots else problem.allowance
        # Starred rows that stay need each other: as a class of their own they cost no more than
        # left out, unless the policy's levels forbid such a class. Then we do not see them.
        self.blind = by_lots and not starry and problem.allowance >= self.least
        self.exact: dict[Left, int] = {}
        self.bound: dict[Left, int] = {}
        self.first: dict[Left, tuple[Part, Left]] = {}
        self.path: list[Part] = []
        self.total = 0
        self.found: list[Part] | None = None

    def run(self, limit: int) -> CellMap | None:
        """The cheapest table below the limit; if the work runs out, the cheapest so far."""
        self.total = limit
        try:
            self._best((self.rows, self.allowance), limit, 0)
        except GaveUp:
            if self.found is None:
                raise
        return None if self.found is None else self._table(self.found)

    def _cheapest(self, pieces: Pieces) -> list[int]:
        """By group, the price of the cheapest tuple that it could show with k − 1 other rows."""
        best = [self.full] * len(pieces.rows)
        for shown, members in shared_tuples(pieces, self.least, self.work):
            for group in members:
                levels = pieces.levels(group, shown)
                price = sum(
                    column[level] for column, level in zip(self.prices, levels, strict=True)
                )
                best[group] = min(best[group], price)
        return best

    def _best(self, left: Left, limit: int, spent: int) -> int | None:
        """The least price of what is left if it is below the limit, with ``spent`` before it."""
        self.work.spend()
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
            self.found = [*self.path, *self._follow(left)]
        return known

    def _branch(self, left: Left, limit: int, spent: int, floor: int) -> int | None:
        if len(self.path) >= DEEPEST:
            raise GaveUp(f"the rows make more than {DEEPEST} lots")
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
        """What may become of the first row left: bound and price, the most promising first."""
        rows, allowance = left
        first = next(i for i, count in enumerate(rows) if count)
        found: list[tuple[int, int, Part, Left]] = []
        bound = floor - self.floor[first] + self.full
        alone: Lot = ((first, 1),)
        if self.stars:
            found.append((bound, self.full, (alone, STARRED), (_without(rows, alone), allowance)))
        elif allowance:
            rest = _without(rows, alone), allowance - 1
            found.append((bound, self.full, (alone, LEFT_OUT), rest))
        for price, lot in self._lots(rows, first, limit, floor):
            rest = _without(rows, lot), allowance
            if self.stars or not allowance < sum(rest[0]) < self.least:
                bound = floor + price - sum(count * self.floor[i] for i, count in lot)
                found.append((bound, price, (lot, ""), rest))
        found = [part for part in found if part[0] < limit]
        return sorted(found, key=lambda part: part[0])

    def _lots(
        self, rows: tuple[int, ...], first: int, limit: int, floor: int
    ) -> Iterator[tuple[int, Lot]]:
        """Lots of k to 2k − 1 rows with the first row left, but for those too dear.

        A row more never makes a lot cheaper by more than the least that the row must pay.
        """
        most = 2 * self.least - 1
        if most > DEEPEST:
            raise GaveUp(f"lots of {self.least:,} rows are too many to choose from")

        def grow(
            at: int, size: int, lot: Lot, shared: list[Path], others: int
        ) -> Iterator[tuple[int, Lot]]:
            for i in range(at, len(rows) if size else at + 1):
                together = shared
                for count in range(1, min(rows[i], most - size) + 1):
                    self.work.spend()
                    together = _joined(together, self.costs[i])
                    if not all(together):
                        break
                    price = sum(min(column.values()) for column in together)
                    rest = others - count * self.floor[i]
                    if price + rest >= limit:
                        break
                    larger = (*lot, (i, count))
                    if size + count >= self.least:
                        yield price, larger
                    if size + count < most:
                        yield from grow(i + 1, size + count, larger, together, rest)

        nobody = [dict.fromkeys(path, 0) for path in self.costs[first]]
        return grow(first, 0, (), nobody, floor)

    def _follow(self, left: Left) -> Iterator[Part]:
        while any(left[0]):
            part, left = self.first[left]
            yield part

    def _table(self, parts: Sequence[Part]) -> CellMap:
        group, rows, levels = [], [], []
        for lot, how in parts:
            shared = [dict.fromkeys(path, 0) for path in self.costs[lot[0][0]]]
            for i, count in lot:
                for _ in range(count):
                    shared = _joined(shared, self.costs[i])
            labels = [min(column, key=column.__getitem__) for column in shared]
            for i, count in lot:
                shown = [path[label] for path, label in zip(self.paths[i], labels, strict=True)]
                if how == LEFT_OUT:
                    shown = [GONE] * len(shown)
                elif how == STARRED:
                    shown = [table.height for table in self.problem.tables]
                group.append(self.order[i])
                rows.append(count)
                levels.append(shown)
        return cell_map(
            self.problem,
            np.array(group, dtype=np.int64),
            np.array(rows, dtype=np.int64),
            np.array(levels, dtype=np.int16),
        )


def _without(rows: tuple[int, ...], lot: Lot) -> tuple[int, ...]:
    left = list(rows)
    for i, count in lot:
        left[i] -= count
    return tuple(left)


def _joined(shared: list[Path], cost: list[Path]) -> list[Path]:
    """By column, the labels that a lot and one more row share, with what they all pay."""
    return [
        {label: paid + row[label] for label, paid in column.items() if label in row}
        for column, row in zip(shared, cost, strict=True)
    ]
