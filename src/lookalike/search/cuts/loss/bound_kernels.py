"""What a node costs at least by loss or entropy, in compiled code: nested recodings and paths.

In a *nested* recoding the cuts of a column may differ from interval to interval of the columns
before it, the long one being the first. The cheapest is found interval by interval, and no
recoding by cuts is cheaper: ``docs/explanation/cut-proofs.md`` proves it. The verifier has its own
code.

Names: intervals of the long column are listed, by where they ``begin`` and ``end``. ``rows`` and
``paid`` (places, cells) are rows before a place of the long column, and what they pay in columns
that are not nested; a cell is a fine segment of every nested column, outermost first, and a
*class*, alike in all other columns under the cuts that are in.
"""

from __future__ import annotations

import numpy as np
from numba import njit

DOWN, GOT, STEP = 0, 1, 2


@njit(cache=True, nogil=True)
def gather(before, cell, pays, cells):
    """Rows and payments of each cell before each place, from those of the profiles."""
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


@njit(cache=True, nogil=True)
def whole(begin, end, loses, rows, paid, k, full, price, lost):
    """What the classes cost in each interval if nothing more is cut, and the rows suppressed."""
    for t in range(len(begin)):
        i, j = begin[t], end[t]
        price[t] = 0.0
        lost[t] = 0
        for c in range(rows.shape[1]):
            n = rows[j, c] - rows[i, c]
            if n >= k:
                price[t] += paid[j, c] - paid[i, c] + n * loses[t]
            elif n > 0:
                price[t] += n * full
                lost[t] += np.int64(n)


@njit(cache=True, nogil=True)
def nested(
    begin, end, loses, rows, paid, fare, size, reach, lose, cut, classes, k, most, full, price,
    vote, votes,
):  # fmt: skip
    """The cheapest nested recoding of each interval, in ``price``.

    Of nested column d: ``size[d]`` segments, ``reach[d, i]`` how far an interval from segment i may
    reach, ``lose[d, i, j]`` what a row loses in one from i to before j, ``cut[d, i]`` the open cut
    before segment i. A row pays the ``fare`` of its class besides; with one, ``paid`` is not read.
    Classes under k rows are suppressed, ``most`` rows at once. If ``vote``,
    ``votes[v]`` is how many rows are recoded with cut v made, over all intervals.
    """
    depth = len(size)
    cells = rows.shape[1]
    s = np.ones(depth + 1, np.int64)  # segments, the long column being level 0 with one interval
    s[1:] = size
    rest = np.zeros(depth + 1, np.int64)  # cells within a segment
    at = np.zeros(depth + 2, np.int64)
    rest[depth] = classes
    for d in range(depth - 1, -1, -1):
        rest[d] = rest[d + 1] * s[d + 1]
    for d in range(depth + 1):
        at[d + 1] = at[d] + (s[d] + 1) * rest[d]
    row = np.zeros(at[depth + 1])  # per level (segments + 1, rest): rows before a segment
    pay = np.zeros(at[depth + 1])
    widest = s.max() + 1
    best = np.zeros((depth + 1, widest))
    per = np.zeros(depth + 1)  # what a row loses in the intervals chosen so far
    held = np.zeros(depth + 2)  # rows in them
    i = np.zeros(depth + 1, np.int64)
    j = np.ones(depth + 1, np.int64)
    cuts = len(votes) if vote else 0
    fares = len(fare) > 0
    made = np.zeros((depth + 2, widest, cuts))
    for t in range(len(begin)):
        row[:cells] = rows[begin[t]]
        row[cells : 2 * cells] = rows[end[t]]
        if not fares:
            pay[:cells] = paid[begin[t]]
            pay[cells : 2 * cells] = paid[end[t]]
        per[0] = loses[t]
        i[0], j[0] = 0, 1
        d, phase, value = 0, DOWN, 0.0
        while True:
            if phase == DOWN:  # what is the interval chosen at level d worth?
                a, b = at[d] + i[d] * rest[d], at[d] + j[d] * rest[d]
                n = 0.0
                for c in range(rest[d]):
                    n += row[b + c] - row[a + c]
                phase = GOT
                if n < k:
                    value = n * full if n <= most else np.inf
                    if vote:
                        made[d + 1, s[d + 1]] = 0.0
                    continue
                d += 1
                held[d] = n
                wide = rest[d]
                o = at[d]
                row[o : o + wide] = 0.0
                for c in range(s[d] * wide):
                    row[o + wide + c] = row[o + c] + row[b + c] - row[a + c]
                if not fares:
                    pay[o : o + wide] = 0.0
                    for c in range(s[d] * wide):
                        pay[o + wide + c] = pay[o + c] + pay[b + c] - pay[a + c]
                best[d, 0] = 0.0
                best[d, 1 : s[d] + 1] = np.inf
                if vote:
                    made[d, 0] = 0.0
                i[d], j[d] = 0, 0
                phase = STEP
                if d < depth:
                    continue
                for x in range(s[d]):
                    if best[d, x] == np.inf:
                        continue
                    for y in range(x + 1, reach[d - 1, x] + 1):
                        each = per[d - 1] + lose[d - 1, x, y]
                        if each == np.inf:
                            continue
                        value = best[d, x]
                        for c in range(wide):
                            n = row[o + y * wide + c] - row[o + x * wide + c]
                            if n >= k and fares:
                                value += n * (each + fare[c])
                            elif n >= k:
                                value += pay[o + y * wide + c] - pay[o + x * wide + c] + n * each
                            elif n > most:
                                value = np.inf
                            else:
                                value += n * full
                        if value < best[d, y]:
                            best[d, y] = value
                            if vote:
                                made[d, y] = made[d, x]
                                if cut[d - 1, x] >= 0:
                                    made[d, y, cut[d - 1, x]] += held[d]
                i[d] = s[d]
            elif phase == GOT:
                if d == 0:
                    break
                value += best[d, i[d]]
                if value < best[d, j[d]]:
                    best[d, j[d]] = value
                    if vote:
                        made[d, j[d]] = made[d, i[d]] + made[d + 1, s[d + 1]]
                        if cut[d - 1, i[d]] >= 0:
                            made[d, j[d], cut[d - 1, i[d]]] += held[d]
                phase = STEP
            else:  # the next interval of level d
                j[d] += 1
                while i[d] < s[d] and (j[d] > reach[d - 1, i[d]] or best[d, i[d]] == np.inf):
                    i[d] += 1
                    j[d] = i[d] + 1
                if i[d] == s[d]:
                    value = best[d, s[d]]
                    d -= 1
                    phase = GOT
                    continue
                per[d] = per[d - 1] + lose[d - 1, i[d], j[d]]
                if per[d] < np.inf:
                    phase = DOWN
        price[t] = value
        if vote:
            votes += made[1, s[1]]


@njit(cache=True, nogil=True)
def ways(begin, end, price, places):
    """From the first place to each, from each to the last, and the interval by which one came."""
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


@njit(cache=True, nogil=True)
def within_limit(begin, end, price, lost, limit, places):
    """The shortest path on which no more rows than the limit are lost: its length and intervals."""
    length = np.full((places, limit + 1), np.inf)
    came = np.full((places, limit + 1), -1, np.int32)
    length[0, 0] = 0.0
    for t in range(len(begin)):
        i, j, more = begin[t], end[t], lost[t]
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
        j = begin[t]
        s -= lost[t]
    return least, path[:n]
