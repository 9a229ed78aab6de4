"""Walk over a tree of cuts by loss or entropy: the rules are those of ``cut-proofs.md``.

At each node all intervals of the nested columns are spread out at once and folded again, column by
column from the innermost. Payments become whole numbers, rounded down, so that no sum is too high.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from lookalike.solution.proof import CLOSED, LEFT
from lookalike.verifier.claim.cuts.loss.prices import ColumnPrices, column_prices
from lookalike.verifier.claim.cuts.path_kernels import has_path_within_limit, intervals_below
from lookalike.verifier.claim.cuts.tree_layout import (
    IN,
    NO_RECODING,
    OPEN,
    OUT,
    Intervals,
    NoProof,
    Whole,
    branching_cut,
    lay_out,
    walk,
    whole_bound,
)
from lookalike.verifier.claim.metrics import Floats
from lookalike.verifier.counted_original import CountedOriginal

MAX_BOXES = 1 << 24  # at a node: fewer columns are nested where there would be more
MAX_SPREAD_BOXES = 1 << 17  # in memory at once
ALL_SUPPRESSED = 2.0**58  # what that costs, in whole numbers


@dataclass(frozen=True, slots=True, eq=False)
class LossWalkNode:
    """Which cuts are in, out or open, and which intervals of the long column are left."""

    state: NDArray[np.int8]  # (cuts,)
    intervals: Intervals

    def at(self, chosen: Whole) -> LossWalkNode:
        return replace(self, intervals=self.intervals.at(chosen))


@dataclass(frozen=True, slots=True, eq=False)
class NodeColumn:
    """One of the branching columns at a node."""

    places: Whole  # that are not out, with both ends
    within: Whole  # (intervals, 2) that no cut that is in parts: from which place to which of them
    fine: Whole  # (profiles,) the segment between all places
    coarse: Whole  # (profiles,) between those that are in
    open_cuts: int


class LossWalk:
    """One walk over one tree: does it show that nothing costs less than the bound?"""

    def __init__(self, original: CountedOriginal, long: int, bound: float) -> None:
        rows = original.counts.rows
        self.table = lay_out(original, long, None)
        prices = [column_prices(original, a) for a in range(len(original.tables))]
        self.full = sum(column.full for column in prices)
        self.scale = ALL_SUPPRESSED / max(1.0, self.full * rows)
        constant = sum(column.constant for column in prices)
        self.cutoff = whole_bound((bound * rows + constant) * self.scale, 2 * ALL_SUPPRESSED)
        self.long = prices.pop(long)
        self.prices = prices  # of the branching columns
        self.k = original.policy.smallest
        self.limit = min(original.policy.allowance(rows), rows - 1)

    def check(self, marks: Iterable[int]) -> int:
        """The number of ends, all of them closed; raises NoProof at a step that does not hold."""
        return walk(self._root(), self._children, marks)

    def _children(self, node: LossWalkNode, marks: Iterator[int]) -> list[LossWalkNode]:
        """The node without a cut, and the node with it, which comes first; none at an end."""
        mark = next(marks, None)
        if mark is None:
            raise NoProof("it ends before all its nodes are closed")
        node = self._bound(node)
        if mark in (CLOSED, LEFT):
            if len(node.intervals.begin):
                raise NoProof("a recoding that it leaves open could be cheaper")
            return []
        cut = branching_cut(mark, node.state)
        without, made = node.state.copy(), node.state.copy()
        for other in (cut, *self.table.needed_by[cut]):
            without[other] = OUT if without[other] == OPEN else without[other]
        for other in (cut, *self.table.needs[cut]):
            made[other] = IN if made[other] == OPEN else made[other]
        return [replace(node, state=without), replace(node, state=made)]

    def _root(self) -> LossWalkNode:
        state = np.full(self.table.cuts, OPEN, dtype=np.int8)
        state[~self.table.allowed] = OUT
        state[self.table.forced] = IN
        return LossWalkNode(state, self.table.intervals)

    # --- rules ----------------------------------------------------------------------------------

    def _bound(self, node: LossWalkNode) -> LossWalkNode:
        """The node with the intervals that could still be part of a recoding cheap enough."""
        if not len(node.intervals.begin):
            return node
        places = self.table.rows_before.shape[2]
        columns = self._columns(node)
        _, lost = self._price(node, columns, [])
        left = intervals_below(node.intervals, lost, places, self.limit + 1)
        node, lost = node.at(left), lost[left]
        price = np.zeros(len(left), dtype=np.int64)
        for nested in self._nests(columns):
            price = np.maximum(price, self._price(node, columns, nested)[0])
            left = intervals_below(node.intervals, price, places, self.cutoff)
            node, price, lost = node.at(left), price[left], lost[left]
        if not (node.state == OPEN).any() and not has_path_within_limit(
            node.intervals, price, lost, places, self.limit, self.cutoff
        ):
            return node.at(left[:0])
        return node

    def _nests(self, columns: Sequence[NodeColumn]) -> Iterator[list[int]]:
        """No column, then one after the other, fewest open cuts first; the last is outermost."""
        order = [b for b, column in enumerate(columns) if column.open_cuts]
        order.sort(key=lambda b: columns[b].open_cuts)
        for count in range(len(order) + 1):
            nested = order[:count][::-1]
            boxes = math.prod(len(columns[b].within) for b in nested)
            if nested:
                _, classes = self._classes(columns, nested)
                if boxes * classes * len(self.table.intervals.begin) > MAX_BOXES:
                    return
            yield nested

    # --- prices ---------------------------------------------------------------------------------

    def _columns(self, node: LossWalkNode) -> list[NodeColumn]:
        first = self.table.first
        columns = []
        for b in range(len(first) - 1):
            states = np.concatenate([[IN], node.state[first[b] : first[b + 1]], [IN]])
            places = np.flatnonzero(states != OUT)
            ins = np.flatnonzero(states[places] == IN)
            pairs = [
                (i, j)
                for start, stop in zip(ins[:-1].tolist(), ins[1:].tolist(), strict=True)
                for i in range(start, stop)
                for j in range(i + 1, stop + 1)
            ]
            codes = self.table.codes[:, b]
            columns.append(
                NodeColumn(
                    places,
                    np.array(pairs, dtype=np.int64).reshape(-1, 2),
                    np.searchsorted(places, codes, side="right") - 1,
                    np.searchsorted(places[ins], codes, side="right"),
                    int((states == OPEN).sum()),
                )
            )
        return columns

    def _classes(self, columns: Sequence[NodeColumn], nested: Sequence[int]) -> tuple[Whole, int]:
        """(profiles,) the class of each, by the columns that are not nested, and how many."""
        shown = [column.coarse for b, column in enumerate(columns) if b not in nested]
        if not shown:
            return np.zeros(len(self.table.codes), dtype=np.int64), 1
        classes, class_of = np.unique(np.stack(shown, axis=1), axis=0, return_inverse=True)
        return class_of.reshape(-1), len(classes)

    def _price(
        self, node: LossWalkNode, columns: Sequence[NodeColumn], nested: Sequence[int]
    ) -> tuple[Whole, Whole]:
        """What the rows of each interval pay at least, and how many are surely suppressed.

        The latter only if no column is nested.
        """
        class_of, classes = self._classes(columns, nested)
        shape = [len(columns[b].places) - 1 for b in nested] + [classes]
        cell = np.ravel_multi_index([columns[b].fine for b in nested] + [class_of], shape)
        each = np.zeros(len(class_of))  # what a row pays at least in the columns not nested
        for b, column in enumerate(columns):
            if b not in nested:
                fine = self.prices[b].pays[column.places[:-1], column.places[1:]]
                each += fine[column.fine]
        rows = self.table.rows_before[:, 0]
        rows_before = np.zeros((math.prod(shape), rows.shape[1]))
        np.add.at(rows_before, cell, rows)
        settled = not any(column.open_cuts for b, column in enumerate(columns) if b not in nested)
        fare, paid_before = np.zeros(classes), np.zeros((0, 0))
        if settled:  # all rows of a class pay the same
            fare[class_of] = each
        else:
            paid_before = np.zeros_like(rows_before)
            np.add.at(paid_before, cell, rows * each[:, None])
        boxes = math.prod(len(columns[b].within) for b in nested) * classes
        step = max(1, MAX_SPREAD_BOXES // boxes)
        inside = [(columns[b], self.prices[b]) for b in nested]
        paid, lost = [np.zeros(0)], [np.zeros(0)]
        for start in range(0, len(node.intervals.begin), step):
            begin, end = node.intervals.at(slice(start, start + step))
            n = (rows_before[:, end] - rows_before[:, begin]).T.reshape(-1, *shape)
            own = None
            if not settled:
                own = (paid_before[:, end] - paid_before[:, begin]).T.reshape(-1, *shape)
            lost.append(np.where(n < self.k, n, 0).reshape(len(n), -1).sum(axis=1))
            paid.append(self._cheapest_nested(n, own, self.long.pays[begin, end], fare, inside))
        scaled = np.minimum(np.concatenate(paid) * self.scale, 4.0 * ALL_SUPPRESSED)
        never = scaled >= 4.0 * ALL_SUPPRESSED
        price = np.where(never, NO_RECODING, np.floor(scaled).astype(np.int64))
        return price, np.concatenate(lost).astype(np.int64)

    def _cheapest_nested(
        self,
        n: Floats,
        own: Floats | None,
        each: Floats,
        fare: Floats,
        inside: Sequence[tuple[NodeColumn, ColumnPrices]],
    ) -> Floats:
        """The cheapest nested recoding, from the rows by segment: (intervals, …, classes).

        A row pays ``each`` in the long column and the ``fare`` of its class; ``own`` is what rows
        pay besides.
        """
        for axis, (column, prices) in enumerate(inside, start=1):
            n = _spread(n, axis, column.within)
            own = None if own is None else _spread(own, axis, column.within)
            each = each[..., None] + prices.pays[tuple(column.places[column.within].T)]
        small = n < self.k
        with np.errstate(invalid="ignore"):  # no rows pay nothing, even where it is not allowed
            paid = n * (each[..., None] + fare)
        if own is not None:
            paid += own
        np.multiply(n, self.full, out=paid, where=small)
        if self.limit < self.k:
            paid[small & (n > self.limit)] = np.inf
        paid = paid.sum(axis=-1)
        for column, _ in reversed(inside):
            paid = _fold(paid, column.within, len(column.places) - 1)
        return paid


def _spread(cells: Floats, axis: int, within: Whole) -> Floats:
    """From segments of one column to all its intervals."""
    start = np.zeros_like(cells.take([0], axis=axis))
    before = np.concatenate([start, np.cumsum(cells, axis=axis)], axis=axis)
    spread: Floats = before.take(within[:, 1], axis=axis)
    spread -= before.take(within[:, 0], axis=axis)
    return spread


def _fold(paid: Floats, within: Whole, segments: int) -> Floats:
    """The cheapest path through the last column, whose intervals are the last axis."""
    by_interval = np.ascontiguousarray(np.moveaxis(paid, -1, 0))
    best = np.full((segments + 1, *paid.shape[:-1]), np.inf)
    best[0] = 0.0
    for t, (i, j) in enumerate(within.tolist()):
        by_interval[t] += best[i]
        np.minimum(best[j], by_interval[t], out=best[j])
    cheapest: Floats = best[segments]
    return cheapest
