"""Compiled partition refinement: split classes of rows by one more column. Import late (numba).

``test_minimal_uniques.py`` has the plain twin, which counts tuples in a dictionary.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def refine(  # type: ignore[no-untyped-def]
    rows, ids, classes, codes, width, counts, slots
):
    """Split each class of ``rows`` by ``codes``, and separate the groups that are now unique.

    ``ids`` are the classes, 0 to ``classes`` − 1, of the groups ``rows``; a group has ``counts``
    equal rows of the table. ``slots`` is scratch memory, all −1 before and after; its length is a
    power of two, at least twice that of ``rows``. Returns the groups that are now unique (one row
    of the table), the other groups with the number of their new class, how many classes these are,
    how many classes there are in all, and the ordered pairs of rows that are still alike.
    """
    n = len(rows)
    mask = np.uint64(len(slots) - 1)
    dense = classes * width <= len(slots)
    keys = np.empty(n, np.int64)  # of each new class, in the order of their first group
    totals = np.empty(n, np.int64)
    of = np.empty(n, np.int32)
    used = np.empty(n, np.uint64)
    distinct = 0
    for i in range(n):
        row = np.uint64(rows[i])
        key = np.int64(ids[i]) * width + np.int64(codes[row])
        if dense:
            slot = np.uint64(key)
        else:
            mixed = key * np.int64(-7046029254386353131)  # 2^64 / golden ratio
            slot = np.uint64(mixed ^ (mixed >> 32)) & mask
        while True:
            at = slots[slot]
            if at < 0:
                slots[slot] = distinct
                keys[distinct] = key
                totals[distinct] = counts[row]
                used[distinct] = slot
                of[i] = distinct
                distinct += 1
                break
            if keys[np.uint64(at)] == key:
                totals[np.uint64(at)] += counts[row]
                of[i] = at
                break
            slot = (slot + np.uint64(1)) & mask
    alike = np.int64(0)
    kept = 0
    fresh = np.empty(distinct, np.int32)
    for c in range(distinct):
        slots[used[c]] = -1
        alike += totals[c] * (totals[c] - 1)
        if totals[c] == 1:
            fresh[c] = -1
        else:
            fresh[c] = kept
            kept += 1
    single = distinct - kept  # a class of one row is one group
    alone = np.empty(single, rows.dtype)
    others = np.empty(n - single, rows.dtype)
    others_of = np.empty(n - single, np.int32)
    left = 0
    gone = 0
    for i in range(n):
        new = fresh[np.uint64(of[i])]
        if new < 0:
            alone[gone] = rows[i]
            gone += 1
        else:
            others[left] = rows[i]
            others_of[left] = new
            left += 1
    return alone, others, others_of, kept, distinct, alike
