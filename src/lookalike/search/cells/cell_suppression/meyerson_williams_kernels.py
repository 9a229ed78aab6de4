"""Which columns to star so that k rows look alike. Compiled; import late: loads numba.

``codes[a, v]`` is the label of tuple v in column a. A set of columns is an integer with one bit for
each column. ``near[e]`` counts the rows that differ from the center in exactly the columns
``sets[e]``: the rows that are not covered yet, and all rows.
"""

from __future__ import annotations

import numpy as np
from numba import njit

DECAY = 0.05  # what a column is worth to a row that differs in one more of them


@njit(cache=True, nogil=True)
def cheapest_stars(c, uncovered, codes, rows, weights, k, found, table, sets, near):  # type: ignore[no-untyped-def]
    """What to star for tuple c to be one of k alike: the price and the columns. Fills ``found``.

    The price is the columns' weight / min(uncovered rows alike, k). It is at most that of the
    cheapest ball, which the factor rests on; starring column by column is mostly cheaper.
    """
    differing(codes, c, found)
    number = tally(found, uncovered, rows, table, sets, near)
    price, stars = by_column(sets[:number], near[:number], weights, k)
    return by_ball(sets[:number], near[:number], weights, k, price, stars)


@njit(cache=True, nogil=True)
def differing(codes, c, found):  # type: ignore[no-untyped-def]
    """found[v] = the columns in which tuple v differs from tuple c."""
    found[:] = 0
    for a in range(len(codes)):
        column = codes[a]
        here = column[c]
        bit = np.int64(1) << a
        for v in range(len(found)):
            found[v] |= bit if column[v] != here else np.int64(0)


@njit(cache=True, nogil=True)
def tally(found, uncovered, rows, table, sets, near):  # type: ignore[no-untyped-def]
    """Count rows by the columns in which they differ; how many such sets there are."""
    table[:] = -1  # a hash table, at most half full: its length is a power of two
    last = len(table) - 1
    number = 0
    for v in range(len(found)):
        slot = (found[v] * -7046029254386353131 >> 32) & last
        while table[slot] >= 0 and sets[table[slot]] != found[v]:
            slot = (slot + 1) & last
        e = table[slot]
        if e < 0:
            e = number
            number += 1
            table[slot] = e
            sets[e] = found[v]
            near[e, 0] = 0
            near[e, 1] = 0
        near[e, 0] += uncovered[v]
        near[e, 1] += rows[v]
    return number


@njit(cache=True, nogil=True)
def by_column(sets, near, weights, k):  # type: ignore[no-untyped-def]
    """Star column after column, each time the one that brings most rows closer for its weight.

    The best price on the way, and its columns.
    """
    best = np.inf
    best_stars = np.int64(0)
    stars = np.int64(0)
    weight = 0.0
    worth = np.empty(len(weights))
    while True:
        uncovered, rows, least = alike(sets, near, stars)
        if rows >= k and weight / min(uncovered, k) < best:
            best = weight / min(uncovered, k)
            best_stars = stars
        worth[:] = 0.0
        for e in range(len(sets)):
            rest = sets[e] & ~stars
            further = how_many(rest) - least
            if rest and further < 2:
                value = near[e, 0] + 1e-6 * near[e, 1]  # covered rows only break ties
                for a in range(len(weights)):
                    if rest >> a & 1:
                        worth[a] += value * DECAY if further else value
        chosen = -1
        for a in range(len(weights)):
            if not stars >> a & 1:
                worth[a] /= weights[a] + 1e-9
                if chosen < 0 or worth[a] > worth[chosen]:
                    chosen = a
        if chosen < 0 or (weight + weights[chosen]) / k >= best:
            return best, best_stars
        stars |= np.int64(1) << chosen
        weight += weights[chosen]


@njit(cache=True, nogil=True)
def by_ball(sets, near, weights, k, best, best_stars):  # type: ignore[no-untyped-def]
    """The price and columns given, or those of a ball around the center if one is cheaper.

    A ball of radius t with k rows or more, U of them uncovered, has a price of at most
    (k − 1)·t / min(U, k): k rows of it, the center among them, differ in columns of weight
    (k − 1)·t at most.
    """
    inside, distance = within(sets, weights, best * k / (k - 1))  # no larger ball is cheaper
    uncovered = 0
    rows = 0
    last = -1
    for i in range(len(inside)):
        uncovered += near[inside[i], 0]
        rows += near[inside[i], 1]
        price = (k - 1) * distance[i] / min(max(uncovered, 1), k)
        if rows >= k and price < best:
            best = price
            last = i
    if last < 0:
        return best, best_stars
    stars = np.int64(0)
    lacking = k
    for e in inside[: last + 1]:  # the nearest uncovered rows
        if near[e, 0] and lacking:
            stars |= sets[e]
            lacking -= min(near[e, 0], lacking)
    for e in inside[: last + 1]:  # then others, up to k
        if near[e, 1] > near[e, 0] and lacking:
            stars |= sets[e]
            lacking -= min(near[e, 1] - near[e, 0], lacking)
    return weigh(stars, weights, np.inf) / min(alike(sets, near, stars)[0], k), stars


@njit(cache=True, nogil=True)
def within(sets, weights, limit):  # type: ignore[no-untyped-def]
    """The sets that weigh less than the limit, lightest first, and their weights."""
    inside = np.empty(len(sets), np.int64)
    distance = np.empty(len(sets))
    number = 0
    for e in range(len(sets)):
        weight = weigh(sets[e], weights, limit)
        if weight < limit:
            inside[number] = e
            distance[number] = weight
            number += 1
    order = np.argsort(distance[:number], kind="mergesort")
    return inside[:number][order], distance[:number][order]


@njit(cache=True, nogil=True)
def alike(sets, near, stars):  # type: ignore[no-untyped-def]
    """Uncovered rows, and rows in all, that look like the center once these columns are starred.

    And the least number of further columns in which another differs.
    """
    uncovered = 0
    rows = 0
    least = 64
    for e in range(len(sets)):
        rest = sets[e] & ~stars
        if rest:
            least = min(least, how_many(rest))
        else:
            uncovered += near[e, 0]
            rows += near[e, 1]
    return uncovered, rows, least


@njit(cache=True, nogil=True)
def weigh_each(sets, weights):  # type: ignore[no-untyped-def]
    """The weights of several sets of columns."""
    found = np.empty(len(sets))
    for e in range(len(sets)):
        found[e] = weigh(sets[e], weights, np.inf)
    return found


@njit(cache=True, nogil=True)
def weigh(columns, weights, limit):  # type: ignore[no-untyped-def]
    """The weight of a set of columns, or some of it that reaches the limit."""
    weight = 0.0
    for a in range(len(weights)):
        if columns >> a & 1:
            weight += weights[a]
            if weight >= limit:
                break
    return weight


@njit(cache=True, nogil=True)
def how_many(columns):  # type: ignore[no-untyped-def]
    """How many columns a set has: its bits, added up side by side."""
    pairs = columns - (columns >> 1 & 0x5555555555555555)
    fours = (pairs & 0x3333333333333333) + (pairs >> 2 & 0x3333333333333333)
    eights = fours + (fours >> 4) & 0x0F0F0F0F0F0F0F0F
    return eights * 0x0101010101010101 >> 56
