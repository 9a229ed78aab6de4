"""Closing classes node by node, and the labels that classes share. Compiled; import late."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def close(  # type: ignore[no-untyped-def]
    leaf, label, at, width, word, nodes, k, left, ends, room, still, of, classes
):
    """Visit some nodes: groups of ``still`` that k rows share there become classes.

    ``left`` holds the rows of groups without a class, ``room`` how many are left of each end, which
    must not become fewer than k, unless none. What a group shows is a number of ``word[-1] + 1``
    words, each for some columns, of ``width`` labels. Returns the classes so far and how many are
    still without, which stand first in ``still`` afterwards.
    """
    columns, count, words = len(leaf), len(still), word[-1] + 1
    capacity = 16
    while capacity < 2 * count:
        capacity *= 2
    mask = np.uint64(capacity - 1)
    stamp = np.full(capacity, -1, np.int64)  # the node that wrote a slot last
    head = np.empty(capacity, np.int64)  # whose key it is
    held = np.empty(capacity, np.int64)
    number = np.empty(capacity, np.int64)
    slot_of = np.empty(count, np.uint64)
    key = np.empty((count, words), np.int64)
    for n in range(len(nodes)):
        node = nodes[n]
        key[:count] = 0
        for a in range(columns):
            w, wide, start = word[a], width[a], at[a, node[a]]
            for i in range(count):
                key[i, w] = key[i, w] * wide + label[start + leaf[a, still[i]]]
        for i in range(count):
            mixed = np.int64(0)
            for w in range(words):
                mixed = (mixed ^ key[i, w]) * np.int64(-7046029254386353131)  # 2^64 / golden ratio
                mixed ^= mixed >> 32
            slot = np.uint64(mixed) & mask
            while stamp[slot] == n and not _same(key, head[slot], i):
                slot = (slot + np.uint64(1)) & mask
            if stamp[slot] != n:
                stamp[slot], head[slot], held[slot], number[slot] = n, i, 0, -1
            held[slot] += left[still[i]]
            slot_of[i] = slot
        kept = 0
        for i in range(count):
            g, slot = still[i], slot_of[i]
            if number[slot] == -1:
                rest = room[ends[g]] - held[slot]
                number[slot] = -2
                if held[slot] >= k and (rest == 0 or rest >= k):
                    room[ends[g]] = rest
                    number[slot] = classes
                    classes += 1
            if number[slot] >= 0:
                of[g] = number[slot]
            else:
                still[kept] = g
                kept += 1
        count = kept
        if count == 0:
            break
    return classes, count


@njit(cache=True, nogil=True, inline="always")
def _same(key, one, other):  # type: ignore[no-untyped-def]
    same = True
    for w in range(key.shape[1]):
        same &= key[one, w] == key[other, w]
    return same


@njit(cache=True, nogil=True)
def share(leaf, label, at, many, group, of, classes):  # type: ignore[no-untyped-def]
    """(classes, columns) the turn of the lowest label that all pieces of a class share."""
    columns = len(leaf)
    turn = np.zeros((classes, columns), np.int64)
    head = np.full(classes, -1, np.int64)
    for i in range(len(group)):
        c, g = of[i], group[i]
        if c < 0:
            continue
        if head[c] < 0:
            head[c] = g
            continue
        for a in range(columns):
            t = turn[c, a]
            while label[at[a, t] + leaf[a, g]] != label[at[a, t] + leaf[a, head[c]]]:
                t += 1
            turn[c, a] = t
    return turn
