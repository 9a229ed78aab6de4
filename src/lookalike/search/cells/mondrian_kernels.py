"""Mondrian's loop and its cuts, compiled. Import late: loads numba.

A part of the table is a range of ``order``; cutting it moves its groups so that each side is a
range again, as in quicksort.

A set of groups is a row of numbers: how many rows it holds, then two numbers for each word, the
bits that are on in some of its groups and those that are off in some. The bits of a group spell the
path from ``*`` down to its values. If a set has no bit both on and off, all its groups take the
same path, and share that label.
"""
# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lookalike.jit import helper, inlined, kernel, view_helper
from lookalike.search.cells.mondrian_table import MondrianTable, Whole

LABELS, HALVES = -2, -1  # ways to cut by the labels of a level; 0 and up: that label from the rest
EVEN = -3  # in halves, the rows of a label on both sides if necessary: pieces are single rows
NO_CUT = (-1, 0, 0)  # column, level, way
MAX_SHARE = 32  # a label cut off from the rest holds 1/32 of the rows: so a chain of cuts is short
TIE = 1e-12  # gains closer than this are equal


class Workspace(NamedTuple):
    """Scratch to look at one part in one column, at one level."""

    label: NDArray[np.int32]  # (labels,) which labels the part has, in order
    place: Whole  # by label, its place among them
    leaf: NDArray[np.int32]  # (labels,) a leaf under each
    held: Whole  # (labels, 1 + 2 · words) the set of groups that each holds
    side: Whole  # (labels,) the side of a cut to which each goes
    sides: Whole  # (labels, 1 + 2 · words) the set of groups on each side
    length: Whole  # (sides,) how many groups
    moved: Whole  # (groups,)
    top: Whole  # (columns,) the level of the lowest label that the part shares


@kernel
def partition(
    table: MondrianTable, order: Whole, parts: Whole, count: int, levels: NDArray[np.int16],
    effort: int,
) -> int:  # fmt: skip
    """Cut parts until none can be cut, or the effort is spent. Returns how many are still open.

    ``parts`` (parts, 2) says where they begin and end in ``order``. A part that is not cut writes
    the levels of the labels that it shares into ``levels`` (groups, columns).
    """
    labels = table.label.max() + 1 if len(table.label) else 0
    held = np.empty((labels, table.groups.shape[1]), np.int64)
    space = Workspace(
        np.empty(labels, np.int32), np.zeros(labels, np.int64), np.empty(labels, np.int32),
        held, np.empty(labels, np.int64), np.empty_like(held), np.empty(labels, np.int64),
        np.empty_like(order), np.empty(len(table.at), np.int64),
    )  # fmt: skip
    while count > 0 and effort > 0:
        count -= 1
        begin, end = parts[count, 0], parts[count, 1]
        effort -= end - begin
        part = order[begin:end]
        size = _show(table, part, space)
        cut = NO_CUT
        if size >= 2 * table.k:
            if table.median:
                cut = _median_cut(table, part, size, space)
            else:
                cut = _best_cut(table, part, size, space)
        if cut == NO_CUT:
            for group in part:
                for a in range(len(space.top)):
                    levels[group, a] = space.top[a]
            continue
        for s in range(_cut(table, part, size, cut, space)):
            parts[count, 0], parts[count, 1] = begin, begin + space.length[s]
            begin += space.length[s]
            count += 1
    return count


@helper
def _cut(table: MondrianTable, part, size, cut, space: Workspace):
    """Move the groups of a part to their sides. Returns how many sides there are."""
    a, level, way = cut
    labels = _find_labels(table, a, level, part, space)
    if way == EVEN:
        sides = labels  # to sort the rows, each label is a side
        for c in range(labels):
            space.side[c] = c
    else:
        sides = _take_sides(table.k, size, labels, way, space.held, space.side)
    _move(table.leaf[a], table.label[table.at[a, level] :], part, sides, space)
    if way == EVEN:
        sides, space.length[0], space.length[1] = 2, size // 2, size - size // 2
    return sides


@helper
def _best_cut(table: MondrianTable, part, size, space: Workspace):
    """Of all columns, levels and ways, the cut that gains most per bit, if one gains at all.

    The first of equals: by column, from the finest level up, by way.
    """
    top, held, side = space.top, space.held, space.side
    best, cut = TIE, NO_CUT
    before = size * _loss(table, top, space.sides, 0)
    for a in range(len(top)):
        labels = 0
        for level in range(top[a]):
            if level == 0:
                labels = _find_labels(table, a, level, part, space)
            else:
                labels = _merge_labels(table.label[table.at[a, level] :], labels, space)
            ways = labels if labels > 2 else LABELS + 1  # two labels can be cut in one way only
            for way in range(LABELS, ways):
                too_small = way >= 0 and held[way, 0] * MAX_SHARE < size
                if too_small or (way == HALVES and not table.ordered[a]):
                    continue
                sides = _take_sides(table.k, size, labels, way, held, side)
                if sides > 1:
                    after, bits = _after(table, size, labels, sides, space)
                    if before - after > (best + TIE) * bits:
                        best, cut = (before - after) / bits, (a, level, way)
    return cut


@view_helper
def _after(table: MondrianTable, size, labels, number, space: Workspace):
    """What the rows of a part lose after a cut, and the bits that tell all rows their side."""
    sides = space.sides
    for s in range(number):
        for w in range(sides.shape[1]):
            sides[s, w] = 0
    for c in range(labels):
        _add(sides, space.side[c], space.held, c)
    lost, bits = 0.0, 0.0
    for s in range(number):
        lost += sides[s, 0] * _loss(table, space.top, sides, s)
        bits += sides[s, 0] * np.log2(size / sides[s, 0])
    return lost, bits


@helper
def _median_cut(table: MondrianTable, part, size, space: Workspace):
    """The column of the widest spread that can be cut, at the median if it has an order.

    A median lies between labels: the coarsest between which there is a cut.
    """
    widest, cut = -1.0, NO_CUT
    for a in range(len(space.top)):
        top = space.top[a]
        width = table.spread[table.at[a, top] + table.leaf[a, part[0]]]
        for level in range(top - 1, -1, -1):
            if width <= widest + TIE:
                break
            if table.relaxed and table.ordered[a]:
                widest, cut = width, (a, 0, EVEN)
                break
            labels = _find_labels(table, a, level, part, space)
            way = HALVES if table.ordered[a] else LABELS
            if _take_sides(table.k, size, labels, way, space.held, space.side) > 1:
                widest, cut = width, (a, level, way)
    return cut


# --- labels and sides ---------------------------------------------------------------------------


@helper
def _find_labels(table: MondrianTable, a, level, part, space: Workspace):
    """The labels that a part has in a column, and what each holds. Returns how many."""
    leaf, label, groups = table.leaf[a], table.label[table.at[a, level] :], table.groups
    found, place, held, leaf_under = space.label, space.place, space.held, space.leaf
    labels = 0
    for group in part:
        shown = label[leaf[group]]
        # The place may be left over from another part, unless the label really stands there.
        if place[shown] >= labels or found[place[shown]] != shown:
            place[shown] = labels
            found[labels] = shown
            labels += 1
    found[:labels].sort()
    for c in range(labels):
        place[found[c]] = c
        for w in range(held.shape[1]):
            held[c, w] = 0
    for group in part:
        c = place[label[leaf[group]]]
        leaf_under[c] = leaf[group]
        _add(held, c, groups, group)
    return labels


@view_helper
def _merge_labels(label, labels, space: Workspace):
    """From the labels of a part at one level to those at the next. Returns how many."""
    found, leaf, held = space.label, space.leaf, space.held
    merged = 0
    for c in range(labels):
        shown = label[leaf[c]]
        if merged > 0 and found[merged - 1] == shown:
            _add(held, merged - 1, held, c)
        else:
            found[merged] = shown
            leaf[merged] = leaf[c]
            for w in range(held.shape[1]):
                held[merged, w] = held[c, w]
            merged += 1
    return merged


@view_helper
def _take_sides(k, size, labels, way, held, side):
    """The side of a cut to which each label goes. Returns how many sides: under 2 is no cut."""
    if way == LABELS:
        return _all_apart(k, labels, held, side)
    first, last = way, way
    if way == HALVES:
        first, last = 0, _middle(size, labels, held)
    here = 0
    for c in range(first, last + 1):
        here += held[c, 0]
    if here < k or size - here < k:
        return 0
    for c in range(labels):
        side[c] = 0 if first <= c <= last else 1
    return 2


@view_helper
def _all_apart(k, labels, held, side):
    """Every label on a side of its own, those under k rows together.

    If these are fewer than k rows, the smallest of the others joins them.
    """
    small_rows, smallest = 0, -1
    for c in range(labels):
        if held[c, 0] < k:
            small_rows += held[c, 0]
        elif smallest < 0 or held[c, 0] < held[smallest, 0]:
            smallest = c
    joins = smallest if 0 < small_rows < k else -1
    sides, together = 0, -1
    for c in range(labels):
        alone = held[c, 0] >= k and c != joins
        if alone or together < 0:
            side[c] = sides
            sides += 1
        else:
            side[c] = together
        if not alone:
            together = side[c]
    return sides


@view_helper
def _middle(size, labels, held):
    """The label after which to cut so that the halves differ least in rows."""
    middle, least, here = 0, size, 0
    for c in range(labels - 1):
        here += held[c, 0]
        if abs(size - 2 * here) < least:
            middle, least = c, abs(size - 2 * here)
    return middle


@view_helper
def _move(leaf, label, part, number, space: Workspace):
    """Make each side of a cut a range, in the order it had; ``length`` gets their lengths."""
    place, side, ends, moved = space.place, space.side, space.length, space.moved
    for s in range(number):
        ends[s] = 0
    for group in part:
        ends[side[place[label[leaf[group]]]]] += 1
    for s in range(1, number):
        ends[s] += ends[s - 1]
    for i in range(len(part) - 1, -1, -1):
        s = side[place[label[leaf[part[i]]]]]
        ends[s] -= 1
        moved[ends[s]] = part[i]
    for i in range(len(part)):
        part[i] = moved[i]
    for s in range(number):
        ends[s] = (ends[s + 1] if s + 1 < number else len(part)) - ends[s]


# --- sets of groups -----------------------------------------------------------------------------
# Inlined where it is done for every group: a call takes longer than the work.


@view_helper
def _show(table: MondrianTable, part, space: Workspace):
    """Find the levels of the lowest labels that a part shares. Returns its rows."""
    sides, top = space.sides, space.top
    for w in range(sides.shape[1]):
        sides[0, w] = 0
    for group in part:
        _add(sides, 0, table.groups, group)
    for a in range(len(top)):
        top[a] = table.word.shape[1]
        top[a] = _level(table, top, a, sides, 0)
    return sides[0, 0]


@inlined
def _add(sets, s, others, o):
    """Add another set to a set."""
    sets[s, 0] += others[o, 0]
    for w in range(1, sets.shape[1]):
        sets[s, w] |= others[o, w]


@inlined
def _level(table: MondrianTable, top, a, sets, s):
    """The lowest level, at most that of the part, at which a set shares a label in a column."""
    for level in range(top[a] - 1, -1, -1):
        w = table.word[a, level]
        if sets[s, w] & sets[s, w + 1] & table.mask[a, level]:
            return level + 1
    return 0


@inlined
def _loss(table: MondrianTable, top, sets, s):
    """What each row of a set loses, in the lowest labels that the set shares."""
    total = 0.0
    for a in range(len(top)):
        total += table.loss[a, _level(table, top, a, sets, s)]
    return total
