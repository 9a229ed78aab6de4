"""What a node costs at least by loss or entropy, in compiled code: nested recodings and paths.

In a *nested* recoding the cuts of a column may differ from interval to interval of the columns
before it; the long column is the first. The cheapest one is found interval by interval, and no
recoding by cuts is cheaper: ``docs/explanation/cut-proofs.md`` proves it. The verifier has code of
its own.

A *cell* is a fine segment of every nested column, outermost first, and a *class*: rows that are
alike in all other columns under the cuts that are in.
"""
# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lookalike.jit import helper, inlined, kernel
from lookalike.search.cuts.loss.layout import Floats, Intervals, Terms, Whole
from lookalike.search.cuts.loss.nested_recodings import Nest

ENTER, INNERMOST, LEAVE, NEXT = 0, 1, 2, 3  # see ``price_nested``


@kernel
def gather(before: Floats, cell: Whole, pays: Floats, cells: int) -> tuple[Floats, Floats]:
    """(places, cells) rows and payments before each place, from those of the profiles."""
    places = before.shape[1]
    rows = np.zeros((places, cells))
    paid = np.zeros((places, cells))
    for p in range(len(before)):
        c = cell[p]
        for q in range(places):
            n = before[p, q]
            rows[q, c] += n
            paid[q, c] += n * pays[p]
    return rows, paid


@kernel
def price_whole(intervals: Intervals, nest: Nest, terms: Terms, price: Floats, lost: Whole) -> None:
    """What the classes cost in each interval if nothing more is cut, and the rows suppressed."""
    rows, paid = nest.rows, nest.paid
    for t in range(len(intervals.begin)):
        i, j = intervals.begin[t], intervals.end[t]
        price[t] = 0.0
        lost[t] = 0
        for c in range(rows.shape[1]):
            n = rows[j, c] - rows[i, c]
            if n >= terms.k:
                price[t] += paid[j, c] - paid[i, c] + n * intervals.loses[t]
            elif n > 0:
                price[t] += n * terms.full
                lost[t] += np.int64(n)


class Levels(NamedTuple):
    """The search over nested intervals: level 0 is the long column, level d nested column d."""

    segments: Whole  # (levels,) level 0 has one
    cells: Whole  # (levels,) within a segment
    at: Whole  # (levels + 1,) where the level's (segments + 1, cells) begin in the next two
    rows: Floats  # before each segment
    paid: Floats
    best: Floats  # (levels, segments + 1) the least price up to each segment
    loses: Floats  # (levels,) what a row loses in the intervals chosen so far
    held: Floats  # (levels + 1,) rows in them
    i: Whole  # (levels,) the interval chosen: its first segment
    j: Whole  # (levels,) and the one behind its last
    made: Floats  # (levels + 1, segments + 1, cuts) rows for which each cut is made, if asked


@helper
def begin_levels(nest: Nest, cuts):
    """The arrays for the search; ``cuts`` is 0 if votes are not asked for."""
    depth = len(nest.size)
    segments = np.ones(depth + 1, np.int64)
    segments[1:] = nest.size
    cells, at = np.zeros(depth + 1, np.int64), np.zeros(depth + 2, np.int64)
    cells[depth] = nest.classes
    for d in range(depth - 1, -1, -1):
        cells[d] = cells[d + 1] * segments[d + 1]
    for d in range(depth + 1):
        at[d + 1] = at[d] + (segments[d] + 1) * cells[d]
    widest = segments.max() + 1
    return Levels(
        segments, cells, at, np.zeros(at[depth + 1]), np.zeros(at[depth + 1]),
        np.zeros((depth + 1, widest)), np.zeros(depth + 1), np.zeros(depth + 2),
        np.zeros(depth + 1, np.int64), np.ones(depth + 1, np.int64),
        np.zeros((depth + 2, widest, cuts)),
    )  # fmt: skip


@kernel
def price_nested(
    intervals: Intervals, nest: Nest, terms: Terms, price: Floats, votes: Floats
) -> None:
    """The price of the cheapest nested recoding of each interval.

    If there are ``votes`` (cuts,), they get how many rows are recoded with each open cut made, over
    all intervals. It goes down through the nested columns: ENTER prices the interval chosen at a
    level, LEAVE uses its price at the level above, NEXT chooses another interval. It is one loop,
    because passing all these arrays to functions took most of the time.
    """
    k, limit, full, begin, end = terms.k, terms.limit, terms.full, intervals.begin, intervals.end
    reach, lose, cut, fare, all_rows = nest.reach, nest.lose, nest.cut, nest.fare, nest.rows
    depth, width, vote, fares = len(nest.size), nest.rows.shape[1], len(votes) > 0, len(fare) > 0
    levels = begin_levels(nest, len(votes))
    segments, cells, at, i, j = levels.segments, levels.cells, levels.at, levels.i, levels.j
    rows, paid, best, held = levels.rows, levels.paid, levels.best, levels.held
    loses, made = levels.loses, levels.made
    for t in range(len(begin)):
        rows[:width], rows[width : 2 * width] = all_rows[begin[t]], all_rows[end[t]]
        if not fares:
            paid[:width], paid[width : 2 * width] = nest.paid[begin[t]], nest.paid[end[t]]
        loses[0] = intervals.loses[t]
        i[0], j[0] = 0, 1
        d, phase, value = 0, ENTER, 0.0
        while True:
            if phase == ENTER:
                a, b = at[d] + i[d] * cells[d], at[d] + j[d] * cells[d]
                n = 0.0
                for c in range(cells[d]):
                    n += rows[b + c] - rows[a + c]
                phase = LEAVE
                if n < k:
                    value = n * full if n <= limit else np.inf
                    if vote:
                        made[d + 1, segments[d + 1]] = 0.0
                    continue
                d += 1
                held[d] = n
                accumulate(rows, at[d], cells[d], segments[d], a, b)
                if not fares:
                    accumulate(paid, at[d], cells[d], segments[d], a, b)
                best[d, 0] = 0.0
                best[d, 1 : segments[d] + 1] = np.inf
                if vote:
                    made[d, 0] = 0.0
                i[d], j[d] = 0, 0
                phase = INNERMOST if d == depth else NEXT
            elif phase == INNERMOST:  # all its intervals, by dynamic programming
                for x in range(segments[d]):
                    if best[d, x] == np.inf:
                        continue
                    for y in range(x + 1, reach[d - 1, x] + 1):
                        each = loses[d - 1] + lose[d - 1, x, y]
                        if each == np.inf:
                            continue
                        value = best[d, x] + 0.0
                        a, b = at[d] + x * cells[d], at[d] + y * cells[d]
                        value = price_cells(value, rows, paid, fare, a, b, cells[d], each, terms)
                        if value < best[d, y]:
                            best[d, y] = value
                            if vote:
                                made[d, y] = made[d, x]
                                count_cut(made, cut, held, d, x, y)
                i[d] = segments[d]
                phase = NEXT
            elif phase == LEAVE:
                if d == 0:
                    break
                value += best[d, i[d]]
                if value < best[d, j[d]]:
                    best[d, j[d]] = value
                    if vote:
                        made[d, j[d]] = made[d, i[d]] + made[d + 1, segments[d + 1]]
                        count_cut(made, cut, held, d, i[d], j[d])
                phase = NEXT
            else:
                j[d] += 1
                while i[d] < segments[d] and (j[d] > reach[d - 1, i[d]] or best[d, i[d]] == np.inf):
                    i[d] += 1
                    j[d] = i[d] + 1
                if i[d] == segments[d]:
                    value = best[d, segments[d]]
                    d -= 1
                    phase = LEAVE
                    continue
                loses[d] = loses[d - 1] + lose[d - 1, i[d], j[d]]
                if loses[d] < np.inf:
                    phase = ENTER
        price[t] = value
        if vote:
            votes += made[1, segments[1]]


@inlined
def accumulate(sums, o, cells, segments, a, b):
    """From ``o`` on: sums before each segment, between the places ``a`` and ``b``."""
    sums[o : o + cells] = 0.0
    for c in range(segments * cells):
        sums[o + cells + c] = sums[o + c] + sums[b + c] - sums[a + c]


@inlined
def count_cut(made, cut, held, d, i, j):
    """If an interval from i to j begins with an open cut, its rows see that cut made."""
    if cut[d - 1, i] >= 0:
        made[d, j, cut[d - 1, i]] += held[d]


@inlined
def price_cells(price, rows, paid, fare, a, b, cells, loses, terms: Terms):
    """Add to a price what the cells between the places ``a`` and ``b`` cost."""
    for c in range(cells):
        n = rows[b + c] - rows[a + c]
        if n >= terms.k and len(fare) > 0:
            price += n * (loses + fare[c])
        elif n >= terms.k:
            price += paid[b + c] - paid[a + c] + n * loses
        elif n > terms.limit:
            price = np.inf
        else:
            price += n * terms.full
    return price


@kernel
def shortest_paths(
    intervals: Intervals, price: Floats, places: int
) -> tuple[Floats, Floats, Whole]:
    """(places,) from the first place to each; from each to the last; and each one's interval."""
    begin, end = intervals.begin, intervals.end
    there = np.full(places, np.inf)
    back = np.full(places, np.inf)
    came = np.full(places, -1)
    there[0] = 0.0
    back[places - 1] = 0.0
    for t in range(len(begin)):
        here = there[begin[t]] + price[t]
        if here < there[end[t]]:
            there[end[t]] = here
            came[end[t]] = t
    for t in range(len(begin) - 1, -1, -1):
        back[begin[t]] = min(back[begin[t]], price[t] + back[end[t]])
    return there, back, came


@kernel
def shortest_within_limit(
    intervals: Intervals, price: Floats, lost: Whole, limit: int, places: int
) -> tuple[float, Whole]:
    """The shortest path on which no more rows than the limit are lost: its length and intervals."""
    length = np.full((places, limit + 1), np.inf)
    came = np.full((places, limit + 1), -1, np.int32)
    length[0, 0] = 0.0
    for t in range(len(price)):
        i, j, more = intervals.begin[t], intervals.end[t], lost[t]
        for s in range(limit + 1 - more):
            here = length[i, s] + price[t]
            if here < length[j, s + more]:
                length[j, s + more] = here
                came[j, s + more] = t
    s = int(np.argmin(length[places - 1]))
    least = length[places - 1, s]
    path = np.zeros(places, np.int64)
    n, j = 0, places - 1
    while j > 0 and least < np.inf:
        t = came[j, s]
        path[n] = t
        n += 1
        j = intervals.begin[t]
        s -= lost[t]
    return least, path[:n]
