"""Closing classes node by node, and the labels that classes share. Compiled; import late."""
# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lookalike.jit import helper, inlined, kernel
from lookalike.search.bounds.cell_layout import CellLayout, Whole
from lookalike.search.bounds.row_sets import Partition

GOLDEN = np.int64(-7046029254386353131)  # 2^64 / golden ratio
NEW, REFUSED = -1, -2  # instead of the number of a class


class Greedy(NamedTuple):
    """The rows that have no class yet, and how labels are packed into words of 62 bits."""

    width: Whole  # (columns,) labels of each column
    word: Whole  # (columns,) the word into which its labels go
    component: Whole  # (groups,)
    rows_left: Whole  # (components,) rows without a class: none, or at least k
    of: Whole  # (groups,) the class, −1 if it has none
    closed_at: Whole  # (classes,) the place of the node at which it was closed; room for all groups


class Table(NamedTuple):
    """A hash table of what groups show at one node."""

    node: Whole  # (slots,) the node that wrote a slot last
    head: Whole  # (slots,) the first group with this key
    rows: Whole  # (slots,)
    number: Whole  # (slots,) the class, NEW or REFUSED


@kernel
def close_classes(
    layout: CellLayout, greedy: Greedy, nodes: Whole, place: int, waiting: Whole, classes: int
) -> tuple[int, int]:
    """Visit some nodes, the first at ``place``: groups that k rows share there become classes.

    Returns the classes so far, and how many groups still have none; these are the first of
    ``waiting`` then.
    """
    count = len(waiting)
    capacity = 16
    while capacity < 2 * count:
        capacity *= 2
    table = Table(
        np.full(capacity, -1, np.int64), np.empty(capacity, np.int64),
        np.empty(capacity, np.int64), np.empty(capacity, np.int64),
    )  # fmt: skip
    slot_of = np.empty(count, np.uint64)
    key = np.empty((count, greedy.word[-1] + 1), np.int64)
    for n in range(len(nodes)):
        _find_keys(layout, greedy, nodes[n], waiting[:count], key)
        _count_rows(layout.rows, waiting[:count], key, n, table, slot_of)
        before = classes
        classes, count = _close(layout.k, greedy, waiting[:count], table, slot_of, classes)
        greedy.closed_at[before:classes] = place + n
        if count == 0:
            break
    return classes, count


@helper
def _find_keys(layout: CellLayout, greedy: Greedy, node, waiting, key):
    """Into ``key`` (groups, words): what the groups show at a node."""
    key[: len(waiting)] = 0
    for a in range(len(layout.leaf)):
        w, width, start = greedy.word[a], greedy.width[a], layout.at[a, node[a]]
        for i in range(len(waiting)):
            label = layout.label[start + layout.leaf[a, waiting[i]]]
            key[i, w] = key[i, w] * width + label


@helper
def _count_rows(rows, waiting, key, n, table: Table, slot_of):
    """Find the slot of each group by its key, and count the rows there."""
    mask = np.uint64(len(table.node) - 1)
    for i in range(len(waiting)):
        mixed = np.int64(0)
        for w in range(key.shape[1]):
            mixed = (mixed ^ key[i, w]) * GOLDEN
            mixed ^= mixed >> 32
        slot = np.uint64(mixed) & mask
        while table.node[slot] == n and not _same(key, table.head[slot], i):
            slot = (slot + np.uint64(1)) & mask
        if table.node[slot] != n:
            table.node[slot], table.head[slot] = n, i
            table.rows[slot], table.number[slot] = 0, NEW
        table.rows[slot] += rows[waiting[i]]
        slot_of[i] = slot


@helper
def _close(k, greedy: Greedy, waiting, table: Table, slot_of, classes):
    """Give the groups of k rows a class. Returns the classes, and how many groups still wait."""
    left, count = greedy.rows_left, 0
    for i in range(len(waiting)):
        g, slot = waiting[i], slot_of[i]
        if table.number[slot] == NEW:
            rest = left[greedy.component[g]] - table.rows[slot]
            table.number[slot] = REFUSED
            if table.rows[slot] >= k and (rest == 0 or rest >= k):
                left[greedy.component[g]] = rest
                table.number[slot] = classes
                classes += 1
        if table.number[slot] >= 0:
            greedy.of[g] = table.number[slot]
        else:
            waiting[count] = g
            count += 1
    return classes, count


@inlined
def _same(key, i, j):
    same = True
    for w in range(key.shape[1]):
        same &= key[i, w] == key[j, w]
    return same


@kernel
def shared_levels(layout: CellLayout, partition: Partition, classes: int) -> NDArray[np.int64]:
    """(classes, columns) the level of the lowest label that all pieces of a class share."""
    leaf, label, at = layout.leaf, layout.label, layout.at
    levels = np.zeros((classes, len(leaf)), np.int64)
    head = np.full(classes, -1, np.int64)
    for i in range(len(partition.group)):
        c, g = partition.of[i], partition.group[i]
        if c < 0:
            continue
        if head[c] < 0:
            head[c] = g
            continue
        for a in range(len(leaf)):
            level = levels[c, a]
            while label[at[a, level] + leaf[a, g]] != label[at[a, level] + leaf[a, head[c]]]:
                level += 1
            levels[c, a] = level
    return levels
