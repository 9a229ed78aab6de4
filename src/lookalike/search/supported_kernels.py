"""What each group pays at least, column by column. Compiled; import late.

An iceberg cube: the table is parted by the labels of the first column at each of its levels, each
part by those of the second, and so on. A part is given up when it has fewer than k rows, and when
none of its groups could pay less than it does already. Fine levels, which are cheap, come first.
(With a stack of our own: compiled functions that call themselves crash when read from the disk.)
"""

from __future__ import annotations

import numpy as np
from numba import njit

TIE = 1e-13  # prices closer than this are equal, as costs are that agree in twelve digits


@njit(cache=True, nogil=True)
def lower(leaf, rows, label, price, at, levels, many, k, pays):  # type: ignore[no-untyped-def]
    """Lower ``pays``, within TIE, to the cheapest levels at which k rows show what a group shows.

    ``leaf`` is (columns, groups). ``label`` and ``price`` hold, from ``at[a, level]`` on, one entry
    a leaf; ``levels[a]`` names ``many[a]`` levels, from the finest up.
    """
    columns, groups = leaf.shape
    member = np.empty((columns + 1, groups), np.int32)  # at each depth, the parts are runs
    paid = np.zeros((columns + 1, groups))  # by place in the run, for the columns before
    to_come = _to_come(leaf, price, at, levels, many)
    for g in range(groups):
        member[0, g] = g
        if rows[g] >= k:
            pays[g] = min(pays[g], to_come[0, g])
    labels = 1 + label.max() if len(label) else 1
    held, place = np.zeros(labels, np.int64), np.zeros(labels, np.int64)
    found = np.empty(labels, np.int64)
    # At each depth the run that is parted, the levels tried, and of the parts at the last of them
    # the next one and where they end.
    begin, end = np.zeros(columns + 1, np.int64), np.full(columns + 1, groups)
    tried, after, ends = np.zeros_like(begin), np.zeros_like(begin), np.zeros_like(begin)
    a = 0 if groups else -1
    while a >= 0:
        if after[a] == ends[a]:
            if tried[a] == many[a]:
                a -= 1
                continue
            start = at[a, levels[a, tried[a]]]
            ends[a] = _part(
                leaf[a], rows, label[start:], price[start:], to_come[a + 1], pays, k,
                begin[a], end[a], member[a], paid[a], member[a + 1], paid[a + 1],
                held, place, found,
            )  # fmt: skip
            after[a], tried[a] = begin[a], tried[a] + 1
            continue
        first = after[a]
        shown = label[at[a, levels[a, tried[a] - 1]] :]
        one = shown[leaf[a, member[a + 1, first]]]
        behind, hope = first, False
        while behind < ends[a] and shown[leaf[a, member[a + 1, behind]]] == one:
            g = member[a + 1, behind]
            hope |= paid[a + 1, behind] + to_come[a + 1, g] < pays[g] - TIE
            behind += 1
        after[a] = behind
        if hope and a + 1 == columns:
            for i in range(first, behind):
                pays[member[columns, i]] = min(pays[member[columns, i]], paid[columns, i])
        elif hope:
            a += 1
            begin[a], end[a] = first, behind
            tried[a], after[a], ends[a] = 0, first, first


@njit(cache=True, nogil=True)
def _part(  # type: ignore[no-untyped-def]
    leaf, rows, label, price, to_come, pays, k,
    begin, end, member, paid, parts, pay, held, place, found,
):  # fmt: skip
    """Part a run by the labels of one level, those of k rows or more. Returns where they end."""
    hope = False
    for i in range(begin, end):
        g = member[i]
        if paid[i] + price[leaf[g]] + to_come[g] < pays[g] - TIE:
            hope = True
            break
    if not hope:
        return begin
    labels = 0
    for i in range(begin, end):
        g = member[i]
        one = label[leaf[g]]
        if place[one] == 0:
            found[labels] = one
            labels += 1
        place[one] += 1
        held[one] += rows[g]
    ends = begin
    for c in range(labels):
        size = place[found[c]]
        place[found[c]] = -1
        if held[found[c]] >= k:
            place[found[c]] = ends
            ends += size
        held[found[c]] = 0
    for i in range(begin, end):
        g = member[i]
        to = place[label[leaf[g]]]
        if to >= 0:
            parts[to], pay[to] = g, paid[i] + price[leaf[g]]
            place[label[leaf[g]]] += 1
    for c in range(labels):
        place[found[c]] = 0
    return ends


@njit(cache=True, nogil=True)
def _to_come(leaf, price, at, levels, many):  # type: ignore[no-untyped-def]
    """(columns + 1, groups) what each group pays at least from a column on."""
    columns, groups = leaf.shape
    found = np.zeros((columns + 1, groups))
    for a in range(columns - 1, -1, -1):
        for g in range(groups):
            least = np.inf
            for turn in range(many[a]):
                least = min(least, price[at[a, levels[a, turn]] + leaf[a, g]])
            found[a, g] = found[a + 1, g] + least
    return found
