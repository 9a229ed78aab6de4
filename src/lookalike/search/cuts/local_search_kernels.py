"""One pass computes the cost of a set of cuts, and of adding or removing each single cut.

For searches that change one cut at a time, in any column. Classes are numbered through a hash of
their intervals. The effect of adding a cut is computed from histograms of each class, the effect of
removing one by looking up the adjacent class. ``steps[cut]`` is the change in cost, ``lost[cut]``
the change in suppressed rows.
"""

from __future__ import annotations

import numpy as np
from numba import njit

DM = 0
EMPTY = -1
WIDE = np.int64(1) << 61


@njit(cache=True, nogil=True)
def price(metric, k, rows, sums):
    """What a class costs, and how many of its rows are suppressed."""
    n = sums[0]
    if n < k:
        return (n * rows if metric == DM else n), n
    if metric == DM:
        return n * n, np.int64(0)
    most = np.int64(0)
    for plane in range(1, len(sums)):
        most = max(most, sums[plane])
    return n - most, np.int64(0)


@njit(cache=True, nogil=True)
def find(key, keys, slots, mask):
    """The slot of a key: where it is, or where it belongs."""
    h = np.uint64(1469598103934665603)
    for part in range(len(key)):
        h = (h ^ np.uint64(key[part])) * np.uint64(1099511628211)
        h ^= h >> np.uint64(29)
    slot = np.int64(h & np.uint64(mask))
    while slots[slot] != EMPTY:
        same = True
        for part in range(len(key)):
            if keys[slots[slot], part] != key[part]:
                same = False
        if same:
            break
        slot = (slot + 1) & mask
    return slot


@njit(cache=True, nogil=True)
def look(metric, k, rows, codes, counts, first, width, chosen, steps, lost, neighbors):
    """Cost and suppressed rows with the cuts ``chosen``; steps and losses if ``neighbors``."""
    groups, columns = codes.shape
    planes = counts.shape[1]
    interval = np.zeros((columns, width.max()), np.int64)
    stride = np.zeros(columns, np.int64)
    part_of = np.zeros(columns, np.int64)
    span, parts = np.int64(1), 0
    for b in range(columns):
        for value in range(1, width[b]):
            interval[b, value] = interval[b, value - 1] + chosen[first[b] + value - 1]
        intervals = interval[b, width[b] - 1] + 1
        if span * intervals >= WIDE:
            span = np.int64(1)
            parts += 1
        stride[b] = span
        part_of[b] = parts
        span *= intervals
    parts += 1

    mask = 1
    while mask < 2 * groups:
        mask *= 2
    mask -= 1
    slots = np.full(mask + 1, EMPTY, np.int64)
    keys = np.empty((groups, parts), np.int64)
    sums = np.zeros((groups, planes), np.int64)
    member = np.empty(groups, np.int64)
    of = np.empty(groups, np.int64)
    key = np.zeros(parts, np.int64)
    classes = 0
    for g in range(groups):
        key[:] = 0
        for b in range(columns):
            key[part_of[b]] += interval[b, codes[g, b]] * stride[b]
        slot = find(key, keys, slots, mask)
        if slots[slot] == EMPTY:
            slots[slot] = classes
            keys[classes] = key
            member[classes] = g
            classes += 1
        c = slots[slot]
        of[g] = c
        for plane in range(planes):
            sums[c, plane] += counts[g, plane]
    cost, suppressed = np.int64(0), np.int64(0)
    own = np.zeros((classes, 2), np.int64)
    for c in range(classes):
        own[c, 0], own[c, 1] = price(metric, k, rows, sums[c])
        cost += own[c, 0]
        suppressed += own[c, 1]
    if not neighbors:
        return cost, suppressed

    steps[:] = 0
    lost[:] = 0
    here = np.zeros(planes, np.int64)
    there = np.zeros(planes, np.int64)
    for b in range(columns):
        held = np.zeros((classes, width[b], planes), np.int32)
        for g in range(groups):
            for plane in range(planes):
                held[of[g], codes[g, b], plane] += counts[g, plane]
        last = interval[b, width[b] - 1]
        for c in range(classes):
            # one cut more
            number = interval[b, codes[member[c], b]]
            here[:] = 0
            for value in range(width[b]):
                if interval[b, value] < number:
                    continue
                if interval[b, value] > number:
                    break
                if value > 0 and interval[b, value - 1] == number and 0 < here[0] < sums[c, 0]:
                    for plane in range(planes):
                        there[plane] = sums[c, plane] - here[plane]
                    cost_here, lost_here = price(metric, k, rows, here)
                    cost_there, lost_there = price(metric, k, rows, there)
                    steps[first[b] + value - 1] += cost_here + cost_there - own[c, 0]
                    lost[first[b] + value - 1] += lost_here + lost_there - own[c, 1]
                for plane in range(planes):
                    here[plane] += held[c, value, plane]
            # one cut less: with the class in the next interval, all else alike
            if number < last:
                for part in range(parts):
                    key[part] = keys[c, part]
                key[part_of[b]] += stride[b]
                other = slots[find(key, keys, slots, mask)]
                if other != EMPTY:
                    for plane in range(planes):
                        here[plane] = sums[c, plane] + sums[other, plane]
                    cost_here, lost_here = price(metric, k, rows, here)
                    value = 0
                    while interval[b, value] <= number:
                        value += 1
                    cut = first[b] + value - 1
                    steps[cut] += cost_here - own[c, 0] - own[other, 0]
                    lost[cut] += lost_here - own[c, 1] - own[other, 1]
    return cost, suppressed
