"""The centre of some rows, and one class of MDAV after the other. Compiled; import late.

Groups are those of an ``End``. ``left`` holds their rows without a class, ``still`` the groups that
have any, in order, and ``held``, from ``at[a, 0]`` on, how many of these rows hold each leaf of
column a.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from lookalike.search.cells.clustering.class_growth_kernels import (
    TIE,
    add,
    all_added,
    farthest,
    leaves_of,
    open_class,
    rises,
)


@njit(cache=True, nogil=True)
def centre(leaf, cell, label, price, at, many, still, held, mean, found):  # type: ignore[no-untyped-def]
    """Into ``found``: in each column, of the values still there, the one nearest to all on average.

    The first of equals.
    """
    for a in range(len(at)):
        _mean_distances(a, label, price, at, many, held, mean)
        best = np.inf
        for g in still:
            if mean[cell[g, a]] < best - TIE:
                best, found[a] = mean[cell[g, a]], leaf[g, a]


@njit(cache=True, nogil=True)
def _mean_distances(a, label, price, at, many, held, mean):  # type: ignore[no-untyped-def]
    """Into ``mean``, from ``at[a, 0]`` on: how far each leaf is from the rows, in column a.

    Two leaves pay on the first turn on which they show one label. On each turn, those are all who
    show it there, less those who did on the turn before.
    """
    begin, leaves = at[a, 0], leaves_of(a, label, at, many)
    own, each = held[begin : begin + leaves], mean[begin : begin + leaves]
    each[:] = 0.0
    total = max(1, own.sum())
    most = label[begin : begin + leaves * many[a]].max() + 1
    rows, rows_before = np.zeros(most, np.int64), np.zeros(most, np.int64)
    paid, paid_before = np.empty(most), np.empty(most)
    before = label[begin : begin + leaves]
    for t in range(many[a]):
        here, cost = label[at[a, t] : at[a, t] + leaves], price[at[a, t] : at[a, t] + leaves]
        rows_before[:], rows[:] = rows, 0
        paid_before[:], paid[:] = 0.0, 0.0
        for v in range(leaves):
            rows[here[v]] += own[v]
            paid[here[v]] += own[v] * cost[v]
            paid_before[before[v]] += own[v] * cost[v]
        for v in range(leaves):
            new_rows, new_paid = rows[here[v]], paid[here[v]]
            if t > 0:
                new_rows -= rows_before[before[v]]
                new_paid -= paid_before[before[v]]
            each[v] += (new_rows * cost[v] + new_paid) / total
        before = here


@njit(cache=True, nogil=True)
def close(  # type: ignore[no-untyped-def]
    leaf, cell, label, price, at, many, k, left, still, held, room, start,
    first, turn, paid, rise, group, rows, of, pieces, c,
):  # fmt: skip
    """Make a class round the row farthest from ``start``, which becomes that row.

    ``room`` are the rows without a class, 2k or more. Returns the groups still there, and how many
    rows and pieces there are.
    """
    _from(start, first, turn, paid, label, price, at, many, rise)
    place = farthest(cell, rise, still)
    start[:] = leaf[still[place]]
    _from(start, first, turn, paid, label, price, at, many, rise)
    away = all_added(cell, rise, still)
    size = 0
    while True:
        g = still[place]
        taken = min(left[g], room - k if size == 0 else k - size)
        group[pieces], rows[pieces], of[pieces] = g, taken, c
        pieces += 1
        left[g] -= taken
        size += taken
        for a in range(cell.shape[1]):
            held[cell[g, a]] -= taken
        if size >= k:
            break
        away[place] = np.inf
        best = np.inf
        for i in range(len(still)):
            if away[i] < best - TIE:
                best, place = away[i], i
    count = 0
    for g in still:
        if left[g] > 0:
            still[count] = g
            count += 1
    return count, room - size, pieces


@njit(cache=True, nogil=True)
def _from(start, first, turn, paid, label, price, at, many, rise):  # type: ignore[no-untyped-def]
    """Into ``rise``: how far each leaf is from those of one row; a class of two shows just that."""
    open_class(first, turn, paid, start)
    add(first, turn, paid, start, 1, label, price, at, many)
    rises(first, turn, paid, label, price, at, many, rise)
