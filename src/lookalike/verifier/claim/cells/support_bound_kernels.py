"""Compiled scans of all lattice nodes: who is alike at each, and what follows for the bounds.

Import late: numba. Nodes are visited like the numbers of an odometer, so that the classes over the
first columns are kept while the last columns change. Groups with fewer than k rows alike over the
first columns have no lookalikes over all of them, and are left out. The levels of a node,
``level`` (columns,), count the levels that cells of a column may have.
"""
# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lookalike.jit import helper, kernel
from lookalike.verifier.claim.cells.support_bound import CellLayout, Floats, Whole

TIE = 1e-11


class Classes(NamedTuple):
    """The classes of a node by depth: the number of columns that tell groups apart."""

    class_of: Whole  # (columns + 1, groups) a number for groups that are alike
    lost: Floats  # (columns + 1, groups) by a row
    left: Whole  # (columns + 1, groups) the groups with k rows alike
    counts: Whole  # (columns + 1,) how many these are


@kernel
def scan(layout: CellLayout, price: Floats, result: Floats) -> None:
    """Without prices, lower ``result`` to what each group loses at the cheapest node where k rows
    are alike with it. With prices, raise it to how much too high the price of a row is.

    Both are (groups,); ``price`` is empty without prices.
    """
    columns = len(layout.leaf)
    classes, level = first_classes(layout), np.zeros(columns, np.int64)
    first = 0
    while first >= 0:
        split(layout, level, first, classes)
        left, lost = classes.left[columns, : classes.counts[columns]], classes.lost[columns]
        if len(price):
            raise_excess(layout, price, left, classes.class_of[columns], lost, result)
        else:
            for g in left:
                result[g] = min(result[g], lost[g])
        first = next_node(level, layout.levels)


@kernel
def sets_within(layout: CellLayout, price: Floats, reach: float, member: NDArray[np.int32]) -> int:
    """Every set of k to 2k − 1 rows whose reduced cost is at most ``reach``, in ``member``.

    A row of ``member`` (sets, 2k − 1) has the groups of a set, one entry for each row of the table,
    then −1. Each set is listed at the node of its lowest shared labels. Returns how many sets there
    are, −1 if they are more than ``member`` can hold.
    """
    columns = len(layout.leaf)
    classes, level = first_classes(layout), np.zeros(columns, np.int64)
    first, count = 0, 0
    while first >= 0:
        split(layout, level, first, classes)
        left, class_of = classes.left[columns, : classes.counts[columns]], classes.class_of[columns]
        left = left[np.argsort(class_of[left], kind="mergesort")]
        begin = 0
        while begin < len(left):
            end = begin + 1
            while end < len(left) and class_of[left[end]] == class_of[left[begin]]:
                end += 1
            groups = left[begin:end]
            reduced_cost = classes.lost[columns][groups] - price[groups]
            order = np.argsort(reduced_cost, kind="mergesort")
            count = list_sets(
                layout, level, groups[order], reduced_cost[order], reach, member, count
            )
            if count < 0:
                return -1
            begin = end
        first = next_node(level, layout.levels)
    return count


@helper
def first_classes(layout: CellLayout):
    """At depth 0 all groups are alike."""
    columns, groups = layout.leaf.shape
    left, counts = np.empty((columns + 1, groups), np.int64), np.zeros(columns + 1, np.int64)
    left[0], counts[0] = np.arange(groups), groups
    class_of, lost = np.zeros((columns + 1, groups), np.int64), np.zeros((columns + 1, groups))
    return Classes(class_of, lost, left, counts)


@helper
def next_node(level, levels):
    """Advance to the next node. Returns the first column that changed, −1 after the last node."""
    a = len(level) - 1
    while a >= 0 and level[a] + 1 == levels[a]:
        level[a] = 0
        a -= 1
    if a >= 0:
        level[a] += 1
    return a


@helper
def split(layout: CellLayout, level, first, classes: Classes):
    """Tell the groups apart by the columns from ``first`` on."""
    for a in range(first, len(layout.leaf)):
        label, loss = layout.label[a, level[a]], layout.loss[a, level[a]]
        split_by_column(layout, a, label, loss, classes)


@helper
def split_by_column(layout: CellLayout, a, label, loss, classes: Classes):
    """Tell groups apart by one more column; ``label`` and ``loss`` (leaves,) are its own."""
    leaf, rows, count = layout.leaf[a], layout.rows, classes.counts[a]
    left, class_of, lost = classes.left[a], classes.class_of[a], classes.lost[a]
    capacity = 16
    while capacity < 2 * count:
        capacity *= 2
    mask = np.uint64(capacity - 1)
    owner = np.full(capacity, -1, np.int64)
    size = np.zeros(capacity, np.int64)
    slots = np.empty(count, np.uint64)
    for i in range(count):
        g = left[i]
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
        if size[slots[i]] >= layout.k:
            g = left[i]
            classes.left[a + 1, kept] = g
            classes.class_of[a + 1, g] = owner[slots[i]]
            classes.lost[a + 1, g] = lost[g] + loss[leaf[g]]
            kept += 1
    classes.counts[a + 1] = kept


@helper
def raise_excess(layout: CellLayout, price, left, class_of, lost, excess):
    """For each class of a node: the set of k or more rows whose prices are most too high."""
    rows, k = layout.rows, layout.k
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
        number = class_of[others[i]]
        if size[number] < k:
            more = min(rows[others[i]], k - size[number])
            over[number] -= more * reduced_cost[i]
            size[number] += more
    for g in left:
        if over[class_of[g]] > TIE:
            excess[g] = max(excess[g], over[class_of[g]] / k)


@helper
def list_sets(layout: CellLayout, level, groups, reduced_cost, reach, member, count):
    """The sets among groups that are alike at one node. Returns how many are listed by now.

    ``groups`` are sorted by the ``reduced_cost`` of a row. Depth-first over the number of rows of
    each group, from the first group on.
    """
    rows, k, max_size = layout.rows, layout.k, 2 * layout.k - 1
    if least_reduced_cost(rows, groups, reduced_cost, k) > reach + TIE:
        return count
    amount = np.zeros(len(groups), np.int64)
    at, size, total, down = 0, 0, 0.0, True
    while at >= 0:
        if not down:
            if amount[at] > 0:
                amount[at] -= 1
                size -= 1
                total -= reduced_cost[at]
                at += 1
                down = True
            else:
                at -= 1
            continue
        ends = at == len(groups) or size == max_size
        if not ends and reduced_cost[at] > 0:
            ends = total + reduced_cost[at] > reach + TIE
        if not ends and (size >= k or total + (k - size) * reduced_cost[at] <= reach + TIE):
            amount[at] = min(rows[groups[at]], max_size - size)
            size += amount[at]
            total += amount[at] * reduced_cost[at]
            at += 1
            continue
        is_set = ends and size >= k and total <= reach + TIE
        if is_set and shows_lowest_labels(layout, level, groups, amount):
            if count == len(member):
                return -1
            write_set(groups[:at], amount, member[count])
            count += 1
        at -= 1
        down = False
    return count


@helper
def least_reduced_cost(rows, groups, reduced_cost, k):
    """The smallest reduced cost of a set of k or more rows of groups that are sorted by it."""
    least, taken = 0.0, 0
    for i in range(len(groups)):
        more = min(rows[groups[i]], 2 * k - 1 - taken)
        if reduced_cost[i] >= 0:
            more = min(more, k - taken)
        if more <= 0:
            break
        least += more * reduced_cost[i]
        taken += more
    return least


@helper
def write_set(groups, amount, member):
    """One entry for each row."""
    place = 0
    for i in range(len(groups)):
        for _ in range(amount[i]):
            member[place] = groups[i]
            place += 1


@helper
def shows_lowest_labels(layout: CellLayout, level, groups, amount):
    """Is there no column in which all groups of the set show one label on a lower level?"""
    for a in range(len(layout.leaf)):
        for lower in range(level[a]):
            shown, same = -1, True
            for i in range(len(groups)):
                if amount[i] > 0:
                    number = layout.label[a, lower, layout.leaf[a, groups[i]]]
                    if shown < 0:
                        shown = number
                    elif shown != number:
                        same = False
                        break
            if same:
                return False
    return True
