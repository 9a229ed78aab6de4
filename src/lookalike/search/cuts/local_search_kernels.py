"""One pass computes the cost of a set of cuts, and of adding or removing each single cut. Compiled.

For searches that change one cut at a time, in any column. Classes are numbered through a hash of
their intervals. The effect of adding a cut is computed from histograms of each class, the effect of
removing one by looking up the adjacent class.
"""
# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lookalike.jit import helper, kernel
from lookalike.search.cuts.local_search import StepTable, Whole

EMPTY = -1
MAX_KEY = np.int64(1) << 61


class Intervals(NamedTuple):
    """The intervals of a set of cuts. Those of all columns make a key, of one or more integers."""

    number: Whole  # (columns, values) the interval of each value
    stride: Whole  # (columns,) by which it is multiplied in the key
    part: Whole  # (columns,) the integer of the key to which it is added
    parts: int


class CutClasses(NamedTuple):
    """The classes of a set of cuts, in a hash table by their keys."""

    slots: Whole  # (power of two,) the class, or EMPTY
    keys: Whole  # (classes, parts)
    sums: Whole  # (classes, planes) rows, then rows of each class label
    member: Whole  # (classes,) a group of each
    of: Whole  # (groups,) the class of each
    price: Whole  # (classes, 2) its cost, and how many of its rows are suppressed


@kernel
def price_cuts(
    table: StepTable, chosen: Whole, steps: Whole, lost: Whole, neighbors: bool
) -> tuple[int, int]:
    """The cost and the suppressed rows with the cuts ``chosen`` (cuts,).

    If ``neighbors``: into ``steps`` and ``lost`` (cuts,), how the two change with each cut.
    """
    intervals = find_intervals(table, chosen)
    classes, count = find_classes(table, intervals)
    cost = suppressed = 0
    for c in range(count):
        classes.price[c, 0], classes.price[c, 1] = price(table, classes.sums[c])
        cost += classes.price[c, 0]
        suppressed += classes.price[c, 1]
    if neighbors:
        steps[:] = 0
        lost[:] = 0
        for b in range(len(table.width)):
            add_cuts(table, intervals, classes, count, b, steps, lost)
            remove_cuts(table, intervals, classes, count, b, steps, lost)
    return cost, suppressed


@helper
def price(table: StepTable, sums):
    """What a class costs, and how many of its rows are suppressed."""
    n = sums[0]
    if n < table.k:
        return (n if table.by_label else n * table.rows), n
    if not table.by_label:
        return n * n, np.int64(0)
    majority = np.int64(0)
    for plane in range(1, len(sums)):
        majority = max(majority, sums[plane])
    return n - majority, np.int64(0)


@helper
def find_intervals(table: StepTable, chosen):
    """The intervals between the chosen cuts."""
    columns, width = len(table.width), table.width
    number = np.zeros((columns, width.max()), np.int64)
    stride, part = np.zeros(columns, np.int64), np.zeros(columns, np.int64)
    span, parts = np.int64(1), 0
    for b in range(columns):
        for value in range(1, width[b]):
            number[b, value] = number[b, value - 1] + chosen[table.first[b] + value - 1]
        count = number[b, width[b] - 1] + 1
        if span * count >= MAX_KEY:
            span = np.int64(1)
            parts += 1
        stride[b], part[b] = span, parts
        span *= count
    return Intervals(number, stride, part, parts + 1)


@helper
def find_classes(table: StepTable, intervals: Intervals):
    """The classes, not priced yet, and how many there are."""
    groups, planes = table.counts.shape
    slots = 1
    while slots < 2 * groups:
        slots *= 2
    classes = CutClasses(
        np.full(slots, EMPTY, np.int64), np.empty((groups, intervals.parts), np.int64),
        np.zeros((groups, planes), np.int64), np.empty(groups, np.int64),
        np.empty(groups, np.int64), np.zeros((groups, 2), np.int64),
    )  # fmt: skip
    key = np.zeros(intervals.parts, np.int64)
    count = 0
    for g in range(groups):
        key[:] = 0
        for b in range(len(table.width)):
            key[intervals.part[b]] += intervals.number[b, table.codes[g, b]] * intervals.stride[b]
        slot = find(key, classes.keys, classes.slots)
        if classes.slots[slot] == EMPTY:
            classes.slots[slot] = count
            classes.keys[count] = key
            classes.member[count] = g
            count += 1
        c = classes.slots[slot]
        classes.of[g] = c
        for plane in range(planes):
            classes.sums[c, plane] += table.counts[g, plane]
    return classes, count


@helper
def find(key, keys, slots):
    """The slot of a key: where it is, or where it belongs."""
    mask = len(slots) - 1
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


@helper
def add_cuts(table: StepTable, intervals: Intervals, classes: CutClasses, count, b, steps, lost):
    """How cost and suppressed rows change with one cut more in a column."""
    planes, width, number = table.counts.shape[1], table.width[b], intervals.number[b]
    held = np.zeros((count, width, planes), np.int32)  # rows by class, value and plane
    for g in range(len(table.codes)):
        for plane in range(planes):
            held[classes.of[g], table.codes[g, b], plane] += table.counts[g, plane]
    left, right = np.zeros(planes, np.int64), np.zeros(planes, np.int64)
    for c in range(count):
        own, sums = number[table.codes[classes.member[c], b]], classes.sums[c]
        left[:] = 0
        for value in range(width):
            if number[value] < own:
                continue
            if number[value] > own:
                break
            if value > 0 and number[value - 1] == own and 0 < left[0] < sums[0]:
                for plane in range(planes):
                    right[plane] = sums[plane] - left[plane]
                cost_left, lost_left = price(table, left)
                cost_right, lost_right = price(table, right)
                cut = table.first[b] + value - 1
                steps[cut] += cost_left + cost_right - classes.price[c, 0]
                lost[cut] += lost_left + lost_right - classes.price[c, 1]
            for plane in range(planes):
                left[plane] += held[c, value, plane]


@helper
def remove_cuts(table: StepTable, intervals: Intervals, classes: CutClasses, count, b, steps, lost):
    """How they change with one cut less: with the class in the next interval, all else equal."""
    planes, number = table.counts.shape[1], intervals.number[b]
    both, key = np.zeros(planes, np.int64), np.zeros(intervals.parts, np.int64)
    for c in range(count):
        own = number[table.codes[classes.member[c], b]]
        if own == number[table.width[b] - 1]:
            continue
        for part in range(intervals.parts):
            key[part] = classes.keys[c, part]
        key[intervals.part[b]] += intervals.stride[b]
        other = classes.slots[find(key, classes.keys, classes.slots)]
        if other == EMPTY:
            continue
        for plane in range(planes):
            both[plane] = classes.sums[c, plane] + classes.sums[other, plane]
        cost_both, lost_both = price(table, both)
        value = 0
        while number[value] <= own:
            value += 1
        cut = table.first[b] + value - 1
        steps[cut] += cost_both - classes.price[c, 0] - classes.price[other, 0]
        lost[cut] += lost_both - classes.price[c, 1] - classes.price[other, 1]
