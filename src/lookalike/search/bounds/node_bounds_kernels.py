"""Box updates and choices on the flattened lattice, compiled. Import late: loads numba."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def raise_below(extra, shape, at, values):  # type: ignore[no-untyped-def]
    """extra = max(extra, Σ values[a, level]) at every node finer than or equal to ``at``."""
    last = len(shape) - 1
    level = np.zeros(last + 1, np.int64)
    index = np.zeros(last + 1, np.int64)  # of the levels before each attribute
    score = np.zeros(last + 1)
    changed = 0
    while True:
        for a in range(changed, last):
            index[a + 1] = index[a] * shape[a] + level[a]
            score[a + 1] = score[a] + values[a, level[a]]
        start = index[last] * shape[last]
        for i in range(at[last] + 1):
            value = score[last] + values[last, i]
            extra[start + i] = max(extra[start + i], value)
        changed = last - 1
        while changed >= 0 and level[changed] == at[changed]:
            level[changed] = 0
            changed -= 1
        if changed < 0:
            return
        level[changed] += 1


@njit(cache=True, nogil=True)
def raise_above(base, shape, at, value):  # type: ignore[no-untyped-def]
    """base = max(base, value) at every node coarser than or equal to ``at``."""
    last = len(shape) - 1
    level = at.copy()
    index = np.zeros(last + 1, np.int64)  # of the levels before each attribute
    changed = 0
    while True:
        for a in range(changed, last):
            index[a + 1] = index[a] * shape[a] + level[a]
        start = index[last] * shape[last]
        for i in range(at[last], shape[last]):
            base[start + i] = max(base[start + i], value)
        changed = last - 1
        while changed >= 0 and level[changed] == shape[changed] - 1:
            level[changed] = at[changed]
            changed -= 1
        if changed < 0:
            return
        level[changed] += 1


@njit(cache=True, nogil=True)
def least_open(base, extra, counted, limit):  # type: ignore[no-untyped-def]
    """The open node with the least score under ``limit``, −1 if there is none."""
    found = -1
    least = limit
    for i in range(len(base)):
        if not counted[i]:
            score = base[i] + extra[i]
            if score < least:
                least = score
                found = i
    return found


@njit(cache=True, nogil=True)
def climb(base, extra, counted, shape, start, limit, steep):  # type: ignore[no-untyped-def]
    """From an open node to a coarsest open one, by the cheapest or the most expensive step."""
    n = len(shape)
    stride = np.ones(n, np.int64)
    for a in range(n - 2, -1, -1):
        stride[a] = stride[a + 1] * shape[a + 1]
    here = start
    while True:
        chosen = -1
        chosen_score = 0.0
        for a in range(n):
            if (here // stride[a]) % shape[a] + 1 < shape[a]:
                up = here + stride[a]
                score = base[up] + extra[up]
                if (
                    not counted[up]
                    and score < limit
                    and (
                        chosen < 0
                        or (steep and score > chosen_score)
                        or (not steep and score < chosen_score)
                    )
                ):
                    chosen = up
                    chosen_score = score
        if chosen < 0:
            return here
        here = chosen
