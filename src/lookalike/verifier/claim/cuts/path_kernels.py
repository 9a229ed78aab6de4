"""Ways through the long column, from its first place to its last, interval by interval.

Import late: numba. Intervals are sorted by where they begin; ``length`` is what each costs.
"""

from __future__ import annotations

import numpy as np
from numba import njit

INF = 1 << 62


@njit(cache=True, nogil=True)
def shorter(begin, end, length, places, room):  # type: ignore[no-untyped-def]
    """The numbers of the intervals that are on a way from end to end shorter than ``room``."""
    there, back = _shortest(begin, end, length, places)
    on = np.zeros(len(begin), np.bool_)
    for e in range(len(begin)):
        if there[begin[e]] < INF and back[end[e]] < INF:
            on[e] = there[begin[e]] + length[e] + back[end[e]] < room
    return np.flatnonzero(on)


@njit(cache=True, nogil=True)
def _shortest(begin, end, length, places):  # type: ignore[no-untyped-def]
    """From the first place to each, and from each to the last."""
    there, back = np.full(places, INF, np.int64), np.full(places, INF, np.int64)
    there[0], back[places - 1] = 0, 0
    for e in range(len(begin)):
        if there[begin[e]] < INF:
            there[end[e]] = min(there[end[e]], there[begin[e]] + length[e])
    for e in range(len(begin) - 1, -1, -1):
        if back[end[e]] < INF:
            back[begin[e]] = min(back[begin[e]], back[end[e]] + length[e])
    return there, back


@njit(cache=True, nogil=True)
def within(begin, end, length, lost, places, spare, room):  # type: ignore[no-untyped-def]
    """Is there a way shorter than ``room`` that loses no more rows than ``spare``?

    Of the ways to a place, those are kept to which no other is shorter and loses no more.
    """
    _, back = _shortest(begin, end, length, places)
    _, least_lost = _shortest(begin, end, lost, places)
    order = np.argsort(end, kind="mergesort")
    start = np.zeros(places + 1, np.int64)  # the ways to a place are start[p] … start[p + 1]
    so_far, gone = np.zeros(16, np.int64), np.zeros(16, np.int64)
    start[1], at = 1, 0
    for p in range(1, places):
        upto, most = at, 0
        while upto < len(order) and end[order[upto]] == p:
            i = begin[order[upto]]
            most += start[i + 1] - start[i]
            upto += 1
        new, new_gone, count = np.empty(most, np.int64), np.empty(most, np.int64), 0
        for e in order[at:upto]:
            for way in range(start[begin[e]], start[begin[e] + 1]):
                longer, loses = so_far[way] + length[e], gone[way] + lost[e]
                if longer + back[p] < room and loses + least_lost[p] <= spare:
                    new[count], new_gone[count] = longer, loses
                    count += 1
        at, ways, fewest = upto, start[p], INF
        while len(so_far) < ways + count:
            so_far, gone = np.append(so_far, so_far), np.append(gone, gone)
        for way in _by_length(new[:count], new_gone[:count]):
            if new_gone[way] < fewest:
                fewest = new_gone[way]
                so_far[ways], gone[ways] = new[way], fewest
                ways += 1
        start[p + 1] = ways
    return start[places] > start[places - 1]


@njit(cache=True, nogil=True)
def _by_length(length, lost):  # type: ignore[no-untyped-def]
    """Shortest first; of equals, that which loses least."""
    by_lost = np.argsort(lost, kind="mergesort")
    return by_lost[np.argsort(length[by_lost], kind="mergesort")]
