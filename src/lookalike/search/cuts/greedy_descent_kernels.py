"""One look at a set of cuts tells what it costs, and what it would with each single cut more.

Exactly, with the long column cut anew in the best way each time.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from lookalike.search.cuts.k_optimize_bound_kernels import (
    DM,
    FAR,
    IN,
    OPEN,
    merge,
    rows_and_most,
    segments,
    shortest,
    sort_by,
    splits,
    within_limit,
)


@njit(cache=True, nogil=True)
def price_exactly(
    metric, k, cost, planes, places, whole, ways, left, right, cuts, state,
    at, exact, more, sure, row, most, rows_2, most_2, parted,
):  # fmt: skip
    """Add what one class costs in each interval, and how much more with each open cut."""
    for i in range(places - 1):
        lo = i + 1
        length = places - lo
        o = at[i]
        rows_and_most(whole, places, planes, i, lo, length, row, most)
        for q in range(length):
            n = row[q]
            parted[q] = cost[n] if metric == DM else (n if n < k else n - most[q])
            exact[o + q] += parted[q]
            if n < k:
                sure[o + q] += n
        for s in range(ways):
            rows_and_most(left[s], places, planes, i, lo, length, row, most)
            rows_and_most(right[s], places, planes, i, lo, length, rows_2, most_2)
            for q in range(length):
                here, there = row[q], rows_2[q]
                if metric == DM:
                    most[q] = cost[here] + cost[there] - parted[q]
                else:
                    pays = (here if here < k else here - most[q]) + (
                        there if there < k else there - most_2[q]
                    )
                    most[q] = pays - parted[q]
            for cut in range(cuts[s, 0], cuts[s, 1]):
                if state[cut] == OPEN:
                    for q in range(length):
                        more[cut, o + q] += most[q]


@njit(cache=True, nogil=True)
def look(
    metric, k, limit, rows, cost, first, width, banned, profile, weight, planes, place, state,
):  # fmt: skip
    """The cost with the cuts that are in (FAR if it may not be released), flags of its cuts as
    ``explore`` gives them, and for each open cut the cost with it, if suppression had no limit.
    """
    n_cuts = len(state)
    columns = len(first)
    long = banned.shape[0]
    places = len(place)
    size = planes * places
    widest = 2
    for b in range(columns):
        widest = max(widest, width[b] + 1)
    each = np.int64(rows) if metric == DM else np.int64(1)
    big = each * rows + 1
    prefix = np.empty((len(profile), size), weight.dtype)
    for a in range(len(profile)):
        for plane in range(planes):
            for q in range(places):
                prefix[a, plane * places + q] = weight[a, plane * long + place[q]]

    fine = np.zeros((columns, widest), np.int64)
    coarse = np.zeros((columns, widest), np.int64)
    order = np.arange(len(profile))
    spare = np.zeros(len(profile), np.int64)
    count = np.zeros(widest + 1, np.int64)
    starts = np.zeros(len(profile) + 1, np.int64)
    code = np.empty_like(profile)
    atoms = np.empty_like(prefix)
    edges = places * (places + 1) // 2
    exact = np.zeros(edges, np.int64)
    sure = np.zeros(edges, np.int64)
    more = np.zeros((n_cuts, edges), np.int64)
    low = np.arange(1, places + 1)
    high = np.full(places, places - 1)
    at = np.zeros(places, np.int64)
    for i in range(1, places):
        at[i] = at[i - 1] + places - i
    held = np.zeros(widest, np.bool_)
    sums = np.zeros((widest, size), weight.dtype)
    left = np.zeros((n_cuts + 1, size), weight.dtype)
    right = np.zeros((n_cuts + 1, size), weight.dtype)
    whole = np.zeros(size, weight.dtype)
    cuts = np.zeros((n_cuts + 1, 2), np.int64)
    row = np.zeros(places, np.int64)
    most = np.zeros(places, np.int64)
    rows_2 = np.zeros(places, np.int64)
    most_2 = np.zeros(places, np.int64)
    parted = np.zeros(places, np.int64)

    segments(state, first, width, fine, coarse)
    sort_by(fine, profile, order, spare, count)
    sort_by(coarse, profile, order, spare, count)
    _, classes, gone = merge(fine, coarse, profile, prefix, places, order, k, code, atoms, starts)
    for c in range(classes):
        begin, end = starts[c], starts[c + 1]
        whole[:] = 0
        for a in range(begin, end):
            for q in range(size):
                whole[q] += atoms[a, q]
        ways = splits(
            state, first, width, fine, code, atoms, begin, end, size, held, sums, left, cuts
        )
        for s in range(ways):
            for q in range(size):
                right[s, q] = whole[q] - left[s, q]
        price_exactly(
            metric, k, cost, planes, places, whole, ways, left, right, cuts, state,
            at, exact, more, sure, row, most, rows_2, most_2, parted,
        )  # fmt: skip
    for i in range(places - 1):
        for j in range(i + 1, places):
            o = at[i] + j - i - 1
            if banned[place[i], place[j]] or gone + sure[o] > limit:
                exact[o] = big

    length = np.zeros(places, np.int64)
    came = np.zeros(places, np.int64)
    with_one = np.full(n_cuts, FAR)
    base = gone * each
    for cut in range(n_cuts):
        if state[cut] == OPEN:
            for o in range(edges):
                more[cut, o] += exact[o]
            shortest(more[cut], places, low, high, at, length, came)
            with_one[cut] = base + length[places - 1]

    shortest(exact, places, low, high, at, length, came)
    value = length[places - 1]
    found = np.zeros(n_cuts + long, np.bool_)
    if value >= big or gone > limit:
        return FAR, found, with_one
    suppressed = gone
    j = places - 1
    while j > 0:
        suppressed += sure[at[came[j]] + j - came[j] - 1]
        j = came[j]
    if suppressed > limit:
        if limit >= rows - 1:
            return FAR, found, with_one  # nothing would be left
        lengths = np.zeros((places, limit + 1), np.int64)
        came_by = np.zeros((places, limit + 1), np.int64)
        s = within_limit(exact, sure, limit - gone, places, low, high, at, lengths, came_by)
        value = lengths[places - 1, s]
        if value >= big:
            return FAR, found, with_one
        j = places - 1
        while j > 0:
            came[j] = came_by[j, s]
            s -= sure[at[came[j]] + j - came[j] - 1]
            j = came[j]
    for cut in range(n_cuts):
        found[cut] = state[cut] == IN
    j = places - 1
    while came[j] > 0:
        j = came[j]
        found[n_cuts + place[j]] = True
    return base + value, found, with_one
