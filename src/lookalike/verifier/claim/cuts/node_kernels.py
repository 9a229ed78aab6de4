"""From a node to the next: cuts that are made, left out, or useless. Import late: loads numba.

The arrays are described in ``tree_layout.py``.
"""
# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs

from __future__ import annotations

import numpy as np

from lookalike.jit import helper, kernel
from lookalike.verifier.claim.cuts.tree_layout import Atoms, Flags, Intervals, Pricing, Whole

NONE = -1


@kernel
def part_classes(atoms: Atoms, column: int, place: int) -> Atoms:
    """The atoms after a cut is made: their classes are numbered anew."""
    number = np.full((atoms.classes, 2), NONE, np.int64)
    class_of, count = np.empty_like(atoms.class_of), 0
    for atom in range(len(class_of)):
        before = atoms.class_of[atom]
        side = 1 if atoms.codes[atom, column] >= place else 0
        if number[before, side] == NONE:
            number[before, side] = count
            count += 1
        class_of[atom] = number[before, side]
    return Atoms(atoms.rows_before, atoms.codes, class_of, count)


@kernel
def merge_atoms(
    atoms: Atoms, intervals: Intervals, first: Whole, is_out: Flags
) -> tuple[Atoms, Intervals]:
    """The atoms after cuts are out, and the intervals, over the places where these begin or end."""
    codes = move_codes(atoms.codes, first, is_out)
    to, leaders = number_tuples(codes)
    number, kept = number_places(intervals, atoms.rows_before.shape[2])
    planes = atoms.rows_before.shape[1]
    rows_before = np.zeros((len(leaders), planes, len(kept)), np.int32)
    for atom in range(len(codes)):
        for plane in range(planes):
            for p in range(len(kept)):
                rows_before[to[atom], plane, p] += atoms.rows_before[atom, plane, kept[p]]
    merged = Atoms(rows_before, codes[leaders], atoms.class_of[leaders], atoms.classes)
    return merged, Intervals(number[intervals.begin], number[intervals.end])


@helper
def move_codes(codes, first, is_out):
    """(atoms, columns) where each atom's interval begins, over the cuts that are not out."""
    moved = np.empty_like(codes)
    begins = np.zeros(len(is_out) + 1, np.int64)  # by place of one column
    for a in range(len(first) - 1):
        for cut in range(first[a], first[a + 1]):
            place = cut - first[a] + 1
            begins[place] = begins[place - 1] if is_out[cut] else place
        for atom in range(len(codes)):
            moved[atom, a] = begins[codes[atom, a]]
    return moved


@helper
def number_tuples(codes):
    """(atoms,) equal numbers for equal tuples of codes, and one atom for each number."""
    to, leaders, count = np.empty(len(codes), np.int64), np.empty(len(codes), np.int64), 0
    capacity = 16
    while capacity < 2 * len(codes):
        capacity *= 2
    mask, slots = np.uint64(capacity - 1), np.full(capacity, NONE, np.int64)
    for atom in range(len(codes)):
        mixed = np.uint64(0)
        for a in range(codes.shape[1]):
            mixed = (mixed ^ np.uint64(codes[atom, a])) * np.uint64(0x9E3779B97F4A7C15)
            mixed ^= mixed >> np.uint64(29)
        slot = mixed & mask
        while slots[slot] != NONE and not same(codes, leaders[slots[slot]], atom):
            slot = (slot + np.uint64(1)) & mask
        if slots[slot] == NONE:
            slots[slot] = count
            leaders[count] = atom
            count += 1
        to[atom] = slots[slot]
    return to, leaders[:count]


@helper
def number_places(intervals: Intervals, places):
    """The new number of each place, and the places that are ends of the column or of intervals."""
    is_used = np.zeros(places, np.bool_)
    is_used[0] = is_used[places - 1] = True
    for e in range(len(intervals.begin)):
        is_used[intervals.begin[e]] = is_used[intervals.end[e]] = True
    number, kept, count = np.zeros(places, np.int64), np.empty(places, np.int64), 0
    for p in range(places):
        if is_used[p]:
            number[p], kept[count] = count, p
            count += 1
    return number, kept[:count]


@helper
def same(codes, one, other):
    for a in range(codes.shape[1]):  # noqa: SIM110
        if codes[one, a] != codes[other, a]:
            return False
    return True


@kernel
def find_useless(
    atoms: Atoms, column: Whole, place: Whole, pricing: Pricing, max_class: int
) -> Flags:
    """For each cut, by column and place: has every class that it parts under k rows on one side?

    By DM, adding these rows to the other side must not cost more than to suppress them, where no
    class of a recoding in question has more than ``max_class`` rows.
    """
    class_of, k = atoms.class_of, pricing.k
    useless = np.ones(len(column), np.bool_)
    last = atoms.rows_before.shape[2] - 1
    total, left = np.zeros(atoms.classes, np.int64), np.empty(atoms.classes, np.int64)
    for atom in range(len(class_of)):
        total[class_of[atom]] += atoms.rows_before[atom, 0, last]
    for v in range(len(column)):
        left[:] = 0
        for atom in range(len(class_of)):
            if atoms.codes[atom, column[v]] < place[v]:
                left[class_of[atom]] += atoms.rows_before[atom, 0, last]
        for c in range(atoms.classes):
            small, large = min(left[c], total[c] - left[c]), max(left[c], total[c] - left[c])
            costs_more = not pricing.by_label and large >= k
            costs_more = costs_more and small + 2 * min(large, max_class) > pricing.rows
            if small >= k or (small > 0 and costs_more):
                useless[v] = False
                break
    return useless
