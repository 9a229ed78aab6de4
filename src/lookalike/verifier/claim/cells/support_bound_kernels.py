"""Compiled scans of all lattice nodes: who is alike at each, and what follows for the bounds.

Nodes are visited like the numbers of an odometer, so that the classes over the first columns are
kept while the last columns change. Groups with fewer than k rows alike over the first columns have
no lookalikes over all of them, and are left out. ``level`` counts the levels that cells of a column
may have; ``leaf``, ``rows``, ``label``, ``loss`` and ``levels`` are those of ``CellLayout``.
"""

from __future__ import annotations

import numpy as np
from numba import njit

TIE = 1e-11


@njit(cache=True, nogil=True)
def scan(leaf, rows, label, loss, levels, k, price, result):  # type: ignore[no-untyped-def]
    """Without prices, lower ``result`` to what each group loses at the cheapest node where k rows
    are alike with it. With prices, raise it to how much too high the price of a row is.
    """
    columns, groups = leaf.shape
    class_of, lost, here, count = _first_classes(columns, groups)
    level = np.zeros(columns, np.int64)
    first = 0
    while first >= 0:
        _split(first, leaf, rows, label, loss, level, k, here, count, class_of, lost)
        left = here[columns, : count[columns]]
        if len(price):
            _raise_excess(rows, k, price, left, class_of[columns], lost[columns], result)
        else:
            for g in left:
                result[g] = min(result[g], lost[columns, g])
        first = _next_node(level, levels)


@njit(cache=True, nogil=True)
def sets_within(leaf, rows, label, loss, levels, k, price, reach, member):  # type: ignore[no-untyped-def]
    """Every set of k to 2k − 1 rows whose reduced cost is at most ``reach``, in ``member``.

    A row of ``member`` has the groups of a set, one entry for each row of the table, then −1. Each
    set is listed at the node of its lowest shared labels. Returns how many sets there are, −1 if
    they are more than ``member`` can hold.
    """
    columns, groups = leaf.shape
    class_of, lost, here, classes = _first_classes(columns, groups)
    level = np.zeros(columns, np.int64)
    first, count = 0, 0
    while first >= 0:
        _split(first, leaf, rows, label, loss, level, k, here, classes, class_of, lost)
        left = here[columns, : classes[columns]].copy()
        order = np.argsort(class_of[columns][left], kind="mergesort")
        begin = 0
        while begin < len(left):
            end = begin + 1
            number = class_of[columns, left[order[begin]]]
            while end < len(left) and class_of[columns, left[order[end]]] == number:
                end += 1
            count = _sets_of_class(
                leaf, rows, label, level, k, price, lost[columns], left[order[begin:end]], reach,
                member, count,
            )  # fmt: skip
            if count < 0:
                return -1
            begin = end
        first = _next_node(level, levels)
    return count


@njit(cache=True, nogil=True)
def _first_classes(columns, groups):  # type: ignore[no-untyped-def]
    """Arrays by depth, the number of columns that tell groups apart; all are alike at depth 0."""
    class_of = np.zeros((columns + 1, groups), np.int64)  # a number for groups that are alike
    lost = np.zeros((columns + 1, groups))
    here = np.empty((columns + 1, groups), np.int64)  # the groups that are left
    count = np.zeros(columns + 1, np.int64)  # of them
    count[0] = groups
    for g in range(groups):
        here[0, g] = g
    return class_of, lost, here, count


@njit(cache=True, nogil=True)
def _next_node(level, levels):  # type: ignore[no-untyped-def]
    """Advance to the next node. Returns the first column that changed, −1 after the last node."""
    a = len(level) - 1
    while a >= 0 and level[a] + 1 == levels[a]:
        level[a] = 0
        a -= 1
    if a >= 0:
        level[a] += 1
    return a


@njit(cache=True, nogil=True)
def _split(first, leaf, rows, label, loss, level, k, here, count, class_of, lost):  # type: ignore[no-untyped-def]
    """Tell the groups apart by the columns from ``first`` on."""
    for a in range(first, len(leaf)):
        count[a + 1] = _split_by_column(
            leaf[a], rows, label[a, level[a]], loss[a, level[a]], k, here[a], count[a],
            class_of[a], lost[a], here[a + 1], class_of[a + 1], lost[a + 1],
        )  # fmt: skip


@njit(cache=True, nogil=True)
def _split_by_column(  # type: ignore[no-untyped-def]
    leaf, rows, label, loss, k, here, count, class_of, lost, here_now, class_of_now, lost_now
):
    """Tell groups apart by one more column. Returns how many have k rows alike with them."""
    capacity = 16
    while capacity < 2 * count:
        capacity *= 2
    mask = np.uint64(capacity - 1)
    owner = np.full(capacity, -1, np.int64)
    size = np.zeros(capacity, np.int64)
    slots = np.empty(count, np.uint64)
    for i in range(count):
        g = here[i]
        mixed = np.uint64(class_of[g]) * np.uint64(0xBF58476D1CE4E5B9) + np.uint64(label[leaf[g]])
        mixed = (mixed ^ (mixed >> np.uint64(31))) * np.uint64(0x94D049BB133111EB)
        slot = (mixed ^ (mixed >> np.uint64(30))) & mask
        while owner[slot] >= 0 and (
            class_of[owner[slot]] != class_of[g] or label[leaf[owner[slot]]] != label[leaf[g]]
        ):
            slot = (slot + np.uint64(1)) & mask
        if owner[slot] < 0:
            owner[slot] = g
        size[slot] += rows[g]
        slots[i] = slot
    kept = 0
    for i in range(count):
        if size[slots[i]] >= k:
            g = here[i]
            here_now[kept] = g
            class_of_now[g] = owner[slots[i]]
            lost_now[g] = lost[g] + loss[leaf[g]]
            kept += 1
    return kept


@njit(cache=True, nogil=True)
def _raise_excess(rows, k, price, left, class_of, lost, excess):  # type: ignore[no-untyped-def]
    """For each class of a node: the set of k or more rows whose prices are most too high."""
    over, size = np.zeros(len(rows)), np.zeros(len(rows), np.int64)  # by class
    for g in left:
        if price[g] > lost[g]:
            over[class_of[g]] += rows[g] * (price[g] - lost[g])
            size[class_of[g]] += rows[g]
    concerned = 0
    for g in left:
        concerned += size[class_of[g]] > 0
    if concerned == 0:
        return
    # Sets of fewer than k rows take in others, those with the smallest reduced cost first.
    others, count = np.empty(concerned, np.int64), 0
    for g in left:
        if size[class_of[g]] > 0 and price[g] <= lost[g]:
            others[count] = g
            count += 1
    reduced_cost = np.empty(count)
    for i in range(count):
        reduced_cost[i] = lost[others[i]] - price[others[i]]
    for i in np.argsort(reduced_cost):
        g = others[i]
        number = class_of[g]
        if size[number] < k:
            more = min(rows[g], k - size[number])
            over[number] -= more * reduced_cost[i]
            size[number] += more
    for g in left:
        if over[class_of[g]] > TIE:
            excess[g] = max(excess[g], over[class_of[g]] / k)


@njit(cache=True, nogil=True)
def _sets_of_class(leaf, rows, label, level, k, price, lost, groups, reach, member, count):  # type: ignore[no-untyped-def]
    """The sets among groups that are alike at one node. Returns how many are listed by now."""
    max_size = 2 * k - 1
    reduced_cost = lost[groups] - price[groups]
    order = np.argsort(reduced_cost, kind="mergesort")
    ranked = reduced_cost[order]
    # The smallest reduced cost of a set of k or more rows.
    least, taken = 0.0, 0
    for i in range(len(groups)):
        more = min(rows[groups[order[i]]], max_size - taken)
        if ranked[i] >= 0:
            more = min(more, k - taken)
        if more <= 0:
            break
        least += more * ranked[i]
        taken += more
    if least > reach + TIE:
        return count
    # Depth-first over the number of rows of each group, from the first group on.
    amount = np.zeros(len(groups), np.int64)
    at, size, total, down = 0, 0, 0.0, True
    while at >= 0:
        if down:
            ends = at == len(groups) or size == max_size
            if not ends and ranked[at] > 0:
                ends = total + ranked[at] > reach + TIE
            if not ends and size < k and total + (k - size) * ranked[at] > reach + TIE:
                at -= 1
                down = False
            elif not ends:
                amount[at] = min(rows[groups[order[at]]], max_size - size)
                size += amount[at]
                total += amount[at] * ranked[at]
                at += 1
            else:
                if (
                    size >= k
                    and total <= reach + TIE
                    and _nothing_lower(leaf, label, level, groups, order, amount)
                ):
                    if count == len(member):
                        return -1
                    place = 0
                    for i in range(at):
                        for _ in range(amount[i]):
                            member[count, place] = groups[order[i]]
                            place += 1
                    count += 1
                at -= 1
                down = False
        elif amount[at] > 0:
            amount[at] -= 1
            size -= 1
            total -= ranked[at]
            at += 1
            down = True
        else:
            at -= 1
    return count


@njit(cache=True, nogil=True)
def _nothing_lower(leaf, label, level, groups, order, amount):  # type: ignore[no-untyped-def]
    """Is there no column in which all groups of the set show one label on a lower level?"""
    for a in range(len(leaf)):
        for lower in range(level[a]):
            shown, same = -1, True
            for i in range(len(groups)):
                if amount[i] > 0:
                    number = label[a, lower, leaf[a, groups[order[i]]]]
                    if shown < 0:
                        shown = number
                    elif shown != number:
                        same = False
                        break
            if same:
                return False
    return True
