"""Paths through the long column, from its first place to its last. Import late: loads numba.

The edges are intervals, sorted by where they begin; ``price`` (intervals,) is their length.
"""
# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs

from __future__ import annotations

import numpy as np

from lookalike.jit import helper, kernel
from lookalike.verifier.claim.cuts.tree_layout import Intervals, Whole

INF = 1 << 62


@kernel
def intervals_below(intervals: Intervals, price: Whole, places: int, cutoff: int) -> Whole:
    """The numbers of the intervals that are on a path shorter than ``cutoff``."""
    begin, end = intervals.begin, intervals.end
    to, rest = path_lengths(begin, end, price, places)
    is_on = np.zeros(len(begin), np.bool_)
    for e in range(len(begin)):
        if to[begin[e]] < INF and rest[end[e]] < INF:
            is_on[e] = to[begin[e]] + price[e] + rest[end[e]] < cutoff
    return np.flatnonzero(is_on)


@helper
def path_lengths(begin, end, price, places):
    """The shortest paths from the first place to each, and from each to the last."""
    to, rest = np.full(places, INF, np.int64), np.full(places, INF, np.int64)
    to[0], rest[places - 1] = 0, 0
    for e in range(len(begin)):
        if to[begin[e]] < INF:
            to[end[e]] = min(to[end[e]], to[begin[e]] + price[e])
    for e in range(len(begin) - 1, -1, -1):
        if rest[end[e]] < INF:
            rest[begin[e]] = min(rest[begin[e]], rest[end[e]] + price[e])
    return to, rest


@kernel
def has_path_within_limit(
    intervals: Intervals, price: Whole, lost: Whole, places: int, limit: int, cutoff: int
) -> bool:
    """Is there a path shorter than ``cutoff`` on which at paths_here ``limit`` rows are lost?

    Of the paths to a place, only those are kept to which no other is both shorter and loses no
    more.
    """
    begin, end = intervals.begin, intervals.end
    _, rest = path_lengths(begin, end, price, places)
    _, least_lost = path_lengths(begin, end, lost, places)
    order = np.argsort(end, kind="mergesort")
    start = np.zeros(places + 1, np.int64)  # the paths to a place are start[p] … start[p + 1]
    length, gone = np.zeros(16, np.int64), np.zeros(16, np.int64)
    start[1], at = 1, 0
    for p in range(1, places):
        upto, paths_here = at, 0
        while upto < len(order) and end[order[upto]] == p:
            i = begin[order[upto]]
            paths_here += start[i + 1] - start[i]
            upto += 1
        new, new_gone, count = np.empty(paths_here, np.int64), np.empty(paths_here, np.int64), 0
        for e in order[at:upto]:
            for path in range(start[begin[e]], start[begin[e] + 1]):
                longer, loses = length[path] + price[e], gone[path] + lost[e]
                if longer + rest[p] < cutoff and loses + least_lost[p] <= limit:
                    new[count], new_gone[count] = longer, loses
                    count += 1
        at, paths, fewest = upto, start[p], INF
        while len(length) < paths + count:
            length, gone = np.append(length, length), np.append(gone, gone)
        for path in shortest_first(new[:count], new_gone[:count]):
            if new_gone[path] < fewest:
                fewest = new_gone[path]
                length[paths], gone[paths] = new[path], fewest
                paths += 1
        start[p + 1] = paths
    return bool(start[places] > start[places - 1])


@helper
def shortest_first(length, lost):
    """Paths by length; of equal ones, first that which loses least."""
    by_lost = np.argsort(lost, kind="mergesort")
    return by_lost[np.argsort(length[by_lost], kind="mergesort")]
