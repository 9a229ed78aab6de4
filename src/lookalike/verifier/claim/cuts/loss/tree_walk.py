"""Walk a tree of cuts again by loss or entropy: the rules are those of ``cut-proofs.md``.

At each node all intervals of the nested columns are spread out at once and folded again, column by
column from the innermost. Payments become whole numbers, rounded down, so that no sum is too high.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.level_table import LevelTable
from lookalike.policy.policy import Policy
from lookalike.solution.proof import BRANCH, CLOSED, LEFT
from lookalike.verifier.claim.cuts.loss.prices import Floats, Tariff, tariff
from lookalike.verifier.claim.cuts.path_kernels import shorter, within
from lookalike.verifier.claim.cuts.tree_layout import NOTHING, Ground, NoProof, ground

OUT, OPEN, IN = 0, 1, 2
MOST_BOXES = 1 << 24  # the page's rule: fewer columns are nested where there would be more
AT_ONCE = 1 << 17  # boxes spread out in memory
MOST = 2.0**58  # everything suppressed, in whole numbers

Whole = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """Which cuts are in, out or open, and which intervals of the long column are left."""

    state: NDArray[np.int8]
    begin: Whole
    end: Whole


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """One of the other columns at a node."""

    places: Whole  # that are not out, with both ends
    within: Whole  # (intervals, 2) that no cut that is in parts: from which place to which of them
    fine: Whole  # (profiles,) the segment between all places
    coarse: Whole  # (profiles,) between those that are in
    open_cuts: int


class LossWalk:
    """One walk over one tree: does it show that nothing costs less than the bound?"""

    def __init__(
        self,
        counts: FrequencySet,
        tables: Sequence[LevelTable],
        policy: Policy,
        long: int,
        bound: float,
    ) -> None:
        self.ground: Ground = ground(counts, tables, policy, long, None)
        tariffs = [
            tariff(policy.metric, counts, a, table, policy) for a, table in enumerate(tables)
        ]
        self.full = sum(one.full for one in tariffs)
        self.long: Tariff = tariffs.pop(long)
        self.tariffs = tariffs
        self.k = policy.smallest
        self.limit = min(policy.allowance(counts.rows), counts.rows - 1)
        self.scale = MOST / max(1.0, self.full * counts.rows)
        constant = self.long.constant + sum(one.constant for one in tariffs)
        self.room = self._whole_room((bound * counts.rows + constant) * self.scale)

    def _whole_room(self, paid: float) -> int:
        if paid <= 0:
            return 0
        return NOTHING if paid > 2 * MOST else math.ceil(paid)

    def over(self, marks: Iterable[int]) -> int:
        """How many ends it has, all of them closed; raises NoProof at a step that does not hold."""
        given = iter(marks)
        waiting = [self._root()]
        ends = 0
        while waiting:
            mark = next(given, None)
            if mark is None:
                raise NoProof("it ends before all its nodes do")
            node = self._look(waiting.pop())
            if mark in (CLOSED, LEFT):
                if len(node.begin):
                    raise NoProof("a recoding that it leaves open could be cheaper")
                ends += 1
            else:
                waiting += self._below(node, BRANCH - mark)
        if next(given, None) is not None:
            raise NoProof("it goes on after its last end")
        return ends

    def _below(self, node: Node, cut: int) -> list[Node]:
        """The nodes without a cut, and with it, first of all."""
        if not 0 <= cut < self.ground.cuts:
            raise NoProof("it has marks without a meaning")
        if node.state[cut] != OPEN:
            raise NoProof("it branches on a cut that is not open")
        without, made = node.state.copy(), node.state.copy()
        for other in (cut, *self.ground.needed_by[cut]):
            without[other] = OUT if without[other] == OPEN else without[other]
        for other in (cut, *self.ground.needs[cut]):
            made[other] = IN if made[other] == OPEN else made[other]
        return [replace(node, state=without), replace(node, state=made)]

    def _root(self) -> Node:
        state = np.full(self.ground.cuts, OPEN, dtype=np.int8)
        state[self.ground.forbidden] = OUT
        state[self.ground.forced] = IN
        return Node(state, self.ground.begin, self.ground.end)

    # --- rules ----------------------------------------------------------------------------------

    def _look(self, node: Node) -> Node:
        """The node with the intervals that could still be part of a recoding cheap enough."""
        if not len(node.begin):
            return node
        places = self.ground.rows.shape[2]
        columns = self._columns(node)
        _, lost = self._priced(node, columns, [])
        on = shorter(node.begin, node.end, lost, places, self.limit + 1)
        node, lost = replace(node, begin=node.begin[on], end=node.end[on]), lost[on]
        paid = np.zeros(len(node.begin), dtype=np.int64)
        for inner in self._nests(columns):
            paid = np.maximum(paid, self._priced(node, columns, inner)[0])
            on = shorter(node.begin, node.end, paid, places, self.room)
            node = replace(node, begin=node.begin[on], end=node.end[on])
            paid, lost = paid[on], lost[on]
        if not (node.state == OPEN).any() and not within(
            node.begin, node.end, paid, lost, places, self.limit, self.room
        ):
            return replace(node, begin=node.begin[:0], end=node.end[:0])
        return node

    def _nests(self, columns: Sequence[Column]) -> Iterator[list[int]]:
        """No column, then one after the other, fewest open cuts first; the last is outermost."""
        order = [b for b, column in enumerate(columns) if column.open_cuts]
        order.sort(key=lambda b: columns[b].open_cuts)
        for count in range(len(order) + 1):
            inner = order[:count][::-1]
            boxes = math.prod(len(columns[b].within) for b in inner)
            if inner:
                _, classes = self._classes(columns, inner)
                if boxes * classes * len(self.ground.begin) > MOST_BOXES:
                    return
            yield inner

    # --- prices ---------------------------------------------------------------------------------

    def _columns(self, node: Node) -> list[Column]:
        first = self.ground.first
        found = []
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
            codes = self.ground.codes[:, b]
            found.append(
                Column(
                    places,
                    np.array(pairs, dtype=np.int64).reshape(-1, 2),
                    np.searchsorted(places, codes, side="right") - 1,
                    np.searchsorted(places[ins], codes, side="right"),
                    int((states == OPEN).sum()),
                )
            )
        return found

    def _classes(self, columns: Sequence[Column], inner: Sequence[int]) -> tuple[Whole, int]:
        """(profiles,) who is alike in the columns that are not nested, and how many classes."""
        shown = [column.coarse for b, column in enumerate(columns) if b not in inner]
        if not shown:
            return np.zeros(len(self.ground.codes), dtype=np.int64), 1
        found, of = np.unique(np.stack(shown, axis=1), axis=0, return_inverse=True)
        return of.reshape(-1), len(found)

    def _priced(
        self, node: Node, columns: Sequence[Column], inner: Sequence[int]
    ) -> tuple[Whole, Whole]:
        """What the rows of each interval pay at least, and how many are surely suppressed.

        The latter with no column nested only.
        """
        of, classes = self._classes(columns, inner)
        shape = [len(columns[b].places) - 1 for b in inner] + [classes]
        cell = np.ravel_multi_index([columns[b].fine for b in inner] + [of], shape)
        each = np.zeros(len(of))  # what a row pays at least in the other columns
        for b, column in enumerate(columns):
            if b not in inner:
                fine = self.tariffs[b].pays[column.places[:-1], column.places[1:]]
                each += fine[column.fine]
        rows = self.ground.rows[:, 0]
        held = np.zeros((math.prod(shape), rows.shape[1]))
        np.add.at(held, cell, rows)
        settled = not any(column.open_cuts for b, column in enumerate(columns) if b not in inner)
        fare, pays = np.zeros(classes), np.zeros((0, 0))
        if settled:  # all rows of a class pay the same
            fare[of] = each
        else:
            pays = np.zeros_like(held)
            np.add.at(pays, cell, rows * each[:, None])
        boxes = math.prod(len(columns[b].within) for b in inner) * classes
        some = max(1, AT_ONCE // boxes)
        paid, lost = [np.zeros(0)], [np.zeros(0)]
        for start in range(0, len(node.begin), some):
            begin, end = node.begin[start : start + some], node.end[start : start + some]
            n = (held[:, end] - held[:, begin]).T.reshape(-1, *shape)
            own = None if settled else (pays[:, end] - pays[:, begin]).T.reshape(-1, *shape)
            lost.append(np.where(n < self.k, n, 0).reshape(len(n), -1).sum(axis=1))
            inside = [(columns[b], self.tariffs[b]) for b in inner]
            paid.append(self._folded(n, own, self.long.pays[begin, end], fare, inside))
        found = np.minimum(np.concatenate(paid) * self.scale, 4.0 * MOST)
        whole = np.where(found >= 4.0 * MOST, NOTHING, np.floor(found).astype(np.int64))
        return whole, np.concatenate(lost).astype(np.int64)

    def _folded(
        self,
        n: Floats,
        own: Floats | None,
        each: Floats,
        fare: Floats,
        inside: Sequence[tuple[Column, Tariff]],
    ) -> Floats:
        """The cheapest nested recoding, from the rows by segment: (intervals, …, classes).

        A row pays ``each`` in the long column and the ``fare`` of its class; ``own`` is what rows
        pay besides.
        """
        for axis, (column, priced) in enumerate(inside, start=1):
            n = _spread(n, axis, column.within)
            own = None if own is None else _spread(own, axis, column.within)
            each = each[..., None] + priced.pays[tuple(column.places[column.within].T)]
        small = n < self.k
        with np.errstate(invalid="ignore"):  # nobody pays nothing, be it for what is not allowed
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
    found: Floats = before.take(within[:, 1], axis=axis)
    found -= before.take(within[:, 0], axis=axis)
    return found


def _fold(paid: Floats, within: Whole, segments: int) -> Floats:
    """The cheapest way through the last column, whose intervals are the last axis."""
    by_interval = np.ascontiguousarray(np.moveaxis(paid, -1, 0))
    best = np.full((segments + 1, *paid.shape[:-1]), np.inf)
    best[0] = 0.0
    for t, (i, j) in enumerate(within.tolist()):
        by_interval[t] += best[i]
        np.minimum(best[j], by_interval[t], out=best[j])
    found: Floats = best[segments]
    return found
