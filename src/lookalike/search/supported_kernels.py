"""One scan of lattice nodes: what each group pays at least. Compiled; import late."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def scan(leaf, rows, label, price, at, width, nodes, k, pays):  # type: ignore[no-untyped-def]
    """Lower ``pays`` to the cheapest node at which k rows show what the group shows.

    ``label`` and ``price`` hold, from ``at[a, level]`` on, one entry a leaf. The tuples of a node
    have fewer than 2^62 combinations, so that each is one integer.
    """
    groups, columns = leaf.shape
    capacity = 16
    while capacity < 2 * groups:
        capacity *= 2
    mask = np.uint64(capacity - 1)
    taken = np.full(capacity, -1, np.int64)  # the node that wrote the slot last
    keys = np.empty(capacity, np.int64)
    held = np.empty(capacity, np.int64)
    slot_of = np.empty(groups, np.uint64)
    for n in range(len(nodes)):
        for g in range(groups):
            key = np.int64(0)
            for a in range(columns):
                level = nodes[n, a]
                key = key * width[a, level] + label[at[a, level] + leaf[g, a]]
            mixed = key * np.int64(-7046029254386353131)  # 2^64 / golden ratio
            slot = np.uint64(mixed ^ (mixed >> 32)) & mask
            while taken[slot] == n and keys[slot] != key:
                slot = (slot + np.uint64(1)) & mask
            if taken[slot] != n:
                taken[slot] = n
                keys[slot] = key
                held[slot] = 0
            held[slot] += rows[g]
            slot_of[g] = slot
        for g in range(groups):
            if held[slot_of[g]] >= k:
                cost = 0.0
                for a in range(columns):
                    cost += price[at[a, nodes[n, a]] + leaf[g, a]]
                pays[g] = min(pays[g], cost)
