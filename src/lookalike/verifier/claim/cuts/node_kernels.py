"""From a node to the next: cuts that are made, left out, or of no use. Import late: numba.

The arrays are described in ``cut_kernels.py``.
"""

from __future__ import annotations

import numpy as np
from numba import njit

NONE = -1


@njit(cache=True, nogil=True)
def part(of, classes, codes, column, place):  # type: ignore[no-untyped-def]
    """The classes after a cut is made, numbered anew, and how many there are."""
    number = np.full((classes, 2), NONE, np.int64)
    now, count = np.empty_like(of), 0
    for atom in range(len(of)):
        side = 1 if codes[atom, column] >= place else 0
        if number[of[atom], side] == NONE:
            number[of[atom], side] = count
            count += 1
        now[atom] = number[of[atom], side]
    return now, count


@njit(cache=True, nogil=True)
def merge(rows, codes, of, first, is_out, begin, end):  # type: ignore[no-untyped-def]
    """The atoms after cuts are out, and the intervals, over the places where these begin or end."""
    atoms, columns = codes.shape
    begins = _begins(first, is_out)
    moved, leader = np.empty_like(codes), np.empty(atoms, np.int64)
    to, count = np.empty(atoms, np.int64), 0
    capacity = 16
    while capacity < 2 * atoms:
        capacity *= 2
    mask, slots = np.uint64(capacity - 1), np.full(capacity, NONE, np.int64)
    for atom in range(atoms):
        mixed = np.uint64(0)
        for a in range(columns):
            code = begins[first[a] + a + codes[atom, a]]
            moved[atom, a] = code
            mixed = (mixed ^ np.uint64(code)) * np.uint64(0x9E3779B97F4A7C15)
            mixed ^= mixed >> np.uint64(29)
        slot = mixed & mask
        while slots[slot] != NONE and not _same(moved, leader[slots[slot]], atom):
            slot = (slot + np.uint64(1)) & mask
        if slots[slot] == NONE:
            slots[slot] = count
            leader[count] = atom
            count += 1
        to[atom] = slots[slot]
    number, kept = _used(begin, end, rows.shape[2])
    merged = np.zeros((count, rows.shape[1], len(kept)), rows.dtype)
    for atom in range(atoms):
        for kind in range(rows.shape[1]):
            for p in range(len(kept)):
                merged[to[atom], kind, p] += rows[atom, kind, kept[p]]
    leaders = leader[:count]
    return merged, moved[leaders], of[leaders], number[begin], number[end]


@njit(cache=True, nogil=True)
def _begins(first, is_out):  # type: ignore[no-untyped-def]
    """Where the interval of each place begins; those of column a are from first[a] + a on."""
    columns = len(first) - 1
    begins = np.zeros(len(is_out) + columns, np.int64)
    for a in range(columns):
        for cut in range(first[a], first[a + 1]):
            at = cut + a + 1
            begins[at] = begins[at - 1] if is_out[cut] else cut - first[a] + 1
    return begins


@njit(cache=True, nogil=True)
def _used(begin, end, places):  # type: ignore[no-untyped-def]
    """The new number of each place, and the places that are ends of the column or of intervals."""
    is_used = np.zeros(places, np.bool_)
    is_used[0] = is_used[places - 1] = True
    for e in range(len(begin)):
        is_used[begin[e]] = is_used[end[e]] = True
    number, kept, count = np.zeros(places, np.int64), np.empty(places, np.int64), 0
    for p in range(places):
        if is_used[p]:
            number[p], kept[count] = count, p
            count += 1
    return number, kept[:count]


@njit(cache=True, nogil=True)
def _same(codes, one, other):  # type: ignore[no-untyped-def]
    for a in range(codes.shape[1]):  # noqa: SIM110
        if codes[one, a] != codes[other, a]:
            return False
    return True


@njit(cache=True, nogil=True)
def useless(rows, codes, of, classes, column, place, k, everyone, by_label, widest):  # type: ignore[no-untyped-def]
    """For each of some cuts: does every class that it parts have under k rows on one side?

    By DM it must be no dearer, either, to add these to the other side than to suppress them, when
    no class of a recoding in question has more rows than ``widest``.
    """
    found = np.ones(len(column), np.bool_)
    last = rows.shape[2] - 1
    total, left = np.zeros(classes, np.int64), np.empty(classes, np.int64)
    for atom in range(len(of)):
        total[of[atom]] += rows[atom, 0, last]
    for v in range(len(column)):
        left[:] = 0
        for atom in range(len(of)):
            if codes[atom, column[v]] < place[v]:
                left[of[atom]] += rows[atom, 0, last]
        for c in range(classes):
            few, many = min(left[c], total[c] - left[c]), max(left[c], total[c] - left[c])
            dearer = not by_label and many >= k and few + 2 * min(many, widest) > everyone
            if few >= k or (few > 0 and dearer):
                found[v] = False
                break
    return found
