"""One class of k-member clustering after the other, and the rows left over. Compiled; import late.

Groups are those of an ``End``. ``left`` holds their rows without a class, ``still`` the groups that
have any, in order. ``first``, ``turn`` and ``paid`` hold one class a row (``joining_kernels``).
"""

from __future__ import annotations

import numpy as np
from numba import njit

from lookalike.search.cells.clustering.class_growth_kernels import (
    TIE,
    add,
    added,
    farthest,
    nearest,
    open_class,
    rises,
)


@njit(cache=True, nogil=True)
def close(  # type: ignore[no-untyped-def]
    leaf, cell, label, price, at, many, k, left, still, room,
    classes, first, turn, paid, rise, group, rows, of, pieces,
):  # fmt: skip
    """Make one class, and write its pieces down.

    ``room`` are the rows without a class, k or more. Returns the groups still there, and how many
    rows and pieces there are.
    """
    c, last = classes, max(0, classes - 1)
    if classes == 0:  # there is no last class: the first row stands in for it
        open_class(first[0], turn[0], paid[0], leaf[still[0]])
        add(first[0], turn[0], paid[0], leaf[still[0]], 1, label, price, at, many)
    rises(first[last], turn[last], paid[last], label, price, at, many, rise)
    place = farthest(cell, rise, still)
    open_class(first[c], turn[c], paid[c], leaf[still[place]])
    count, size = len(still), 0
    while True:
        g = still[place]
        taken = left[g] if size == 0 else min(left[g], k - size)
        add(first[c], turn[c], paid[c], leaf[g], taken, label, price, at, many)
        group[pieces], rows[pieces], of[pieces] = g, taken, c
        pieces += 1
        left[g] -= taken
        size += taken
        if left[g] == 0:
            count -= 1
            for i in range(place, count):
                still[i] = still[i + 1]
        if size >= k:
            return count, room - size, pieces
        rises(first[c], turn[c], paid[c], label, price, at, many, rise)
        place = nearest(cell, rise, still[:count])


@njit(cache=True, nogil=True)
def join(  # type: ignore[no-untyped-def]
    leaf, label, price, at, many, left, still, classes, first, turn, paid, group, rows, of, pieces
):
    """Each group left over joins the class to whose cost it adds least. Returns all pieces."""
    for g in still:
        best, c = np.inf, -1
        for i in range(classes):
            total = added(first[i], turn[i], paid[i], leaf[g], label, price, at, many)
            if total < best - TIE:
                best, c = total, i
        add(first[c], turn[c], paid[c], leaf[g], left[g], label, price, at, many)
        group[pieces], rows[pieces], of[pieces] = g, left[g], c
        pieces += 1
    return pieces
