"""Closing classes of nearest neighbors, the cheapest first. Compiled; import late."""
# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs

from __future__ import annotations

import heapq
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lookalike.jit import helper, kernel
from lookalike.search.bounds.cell_layout import CellLayout, Floats, Whole

TIE = 1e-12  # losses closer than this are equal


class Growth(NamedTuple):
    """A class that grows around one group, from those of its neighbors that have no class."""

    candidate: Whole  # (neighbors,)
    level: NDArray[np.int64]  # (neighbors, columns) of the lowest label shared with the group
    taken: NDArray[np.bool_]  # (neighbors,)
    shared: Whole  # (columns,) the level that the class shows
    member: Whole  # (neighbors + 1,)


@kernel
def close_cheapest(
    layout: CellLayout, near: NDArray[np.int32], of: Whole, first_class: int, halt: Whole
) -> int:
    """Give groups a class: always the cheapest that some group has with its neighbors.

    ``near`` (groups, neighbors) are the neighbors of each group, ``of`` (groups,) its class, −1 if
    it has none. Returns how many classes there are now. Ends early once ``halt[0]`` is set.
    """
    columns, neighbors = len(layout.leaf), near.shape[1]
    growth = Growth(
        np.empty(neighbors, np.int64), np.empty((neighbors, columns), np.int64),
        np.empty(neighbors, np.bool_), np.empty(columns, np.int64),
        np.empty(neighbors + 1, np.int64),
    )  # fmt: skip
    classes = first_class
    queue = [(np.inf, 0)]
    for v in range(len(of)):
        if halt[0]:
            return classes
        if of[v] < 0:
            cost, _ = _grow(layout, v, near[v], of, growth)
            if cost < np.inf:
                queue.append((cost, v))
    heapq.heapify(queue)
    while not halt[0]:
        before, v = heapq.heappop(queue)
        if before == np.inf:
            break
        if of[v] >= 0:
            continue
        cost, count = _grow(layout, v, near[v], of, growth)
        if cost > before + TIE:  # neighbors have gone meanwhile
            if cost < np.inf:
                heapq.heappush(queue, (cost, v))
            continue
        for i in range(count):
            of[growth.member[i]] = classes
        classes += 1
    return classes


@helper
def _grow(layout: CellLayout, v, near, of, growth: Growth):
    """A class of k rows around a group: its cost per row, infinite if there is none; its size.

    The neighbor that adds least is added first.
    """
    columns, count = len(layout.leaf), 0
    for u in near:
        if u >= 0 and of[u] < 0:
            growth.candidate[count] = u
            growth.taken[count] = False
            for a in range(columns):
                growth.level[count, a] = _shared_level(layout, a, v, u)
            count += 1
    growth.shared[:] = 0
    growth.member[0] = v
    size, rows, cost = 1, layout.rows[v], 0.0
    while rows < layout.k:
        cost, best = np.inf, -1
        for i in range(count):
            if not growth.taken[i]:
                lost = 0.0
                for a in range(columns):
                    level = max(growth.shared[a], growth.level[i, a])
                    lost += layout.loss[layout.at[a, level] + layout.leaf[a, v]]
                if lost < cost - TIE:
                    cost, best = lost, i
        if best < 0:
            return np.inf, 0
        growth.taken[best] = True
        growth.member[size] = growth.candidate[best]
        size += 1
        rows += layout.rows[growth.candidate[best]]
        for a in range(columns):
            growth.shared[a] = max(growth.shared[a], growth.level[best, a])
    return cost, size


@helper
def _shared_level(layout: CellLayout, a, v, u):
    """The level of the lowest label that two groups share in a column."""
    level, top = 0, layout.levels[a] - 1
    own, other = layout.leaf[a, v], layout.leaf[a, u]
    while level < top and (
        layout.label[layout.at[a, level] + own] != layout.label[layout.at[a, level] + other]
    ):
        level += 1
    return level


@kernel
def join_classes(layout: CellLayout, left: Whole, component: Whole, of: Whole) -> None:
    """Put each group of ``left`` into the class of its component to which it adds least."""
    columns, classes = len(layout.leaf), of.max() + 1
    head, rows = np.full(classes, -1, np.int64), np.zeros(classes, np.int64)
    level = np.zeros((classes, columns), np.int64)
    for g in range(len(of)):
        if of[g] >= 0:
            _join(layout, g, of[g], head, rows, level)
    for g in left:
        least, best = np.inf, -1
        for c in range(classes):
            if component[head[c]] == component[g]:
                added = _added_loss(layout, g, head[c], rows[c], level[c], least)
                if added < least:
                    least, best = added, c
        if best >= 0:
            of[g] = best
            _join(layout, g, best, head, rows, level)


@helper
def _join(layout: CellLayout, g, c, head, rows, level):
    """Add a group to the sums of a class."""
    rows[c] += layout.rows[g]
    if head[c] < 0:
        head[c] = g
    for a in range(len(layout.leaf)):
        level[c, a] = max(level[c, a], _shared_level(layout, a, head[c], g))


@helper
def _added_loss(layout: CellLayout, g, head, rows, level, enough):
    """What a class loses more with one more group; given up above ``enough``."""
    added = 0.0
    for a in range(len(layout.leaf)):
        start, own = layout.at[a], layout.leaf[a, head]
        before = layout.loss[start[level[a]] + own]
        after = layout.loss[start[max(level[a], _shared_level(layout, a, head, g))] + own]
        added += (rows + layout.rows[g]) * after - rows * before
        if added > enough:
            return np.inf
    return added


@kernel
def split_by_distance(layout: CellLayout, size: int, halt: Whole) -> tuple[Whole, Whole]:
    """Halve the groups until parts have at most ``size``: near ones stay together.

    Two groups far from each other are chosen; the half that is nearer to the one goes with it.
    Returns the groups in a new order, and (groups, 2) where the part of each place begins and ends.
    """
    groups = len(layout.rows)
    order, part = np.arange(groups), np.zeros((groups, 2), np.int64)
    stack = [(0, groups)]
    while len(stack) > 0 and not halt[0]:
        begin, end = stack.pop()
        if end - begin <= size:
            for i in range(begin, end):
                part[i, 0], part[i, 1] = begin, end
            continue
        own = order[begin:end]
        one = own[_distances(layout, own[0], own).argmax()]
        from_one = _distances(layout, one, own)
        from_other = _distances(layout, own[from_one.argmax()], own)
        order[begin:end] = own[np.argsort(from_one - from_other, kind="mergesort")]
        middle = (begin + end) // 2
        stack.append((begin, middle))
        stack.append((middle, end))
    return order, part


@helper
def _distances(layout: CellLayout, v, others) -> Floats:
    """(others,) what a row of group v loses with each; the coarsest levels if they share none."""
    lost = np.zeros(len(others))
    for a in range(len(layout.leaf)):
        own = layout.leaf[a, v]
        for i in range(len(others)):
            level = _shared_level(layout, a, v, others[i])
            lost[i] += layout.loss[layout.at[a, level] + own]
    return lost
