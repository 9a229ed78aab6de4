"""Mondrian's loop and its cuts, compiled. Import late: loads numba.

A part of the table is a run of ``order``; cutting it moves its groups so that each side is a run
again, as quicksort does.

A set of groups, be it only one, is a row of numbers: how many rows it holds, then two numbers a
word, the bits that are on in some of its groups and those that are off in some. The bits of a
group spell the way from ``*`` down to its values; where a set has no bit both on and off, all its
groups go the same way, and share that label.

Of the arrays that every function is handed, these describe the table and its hierarchies:

groups   (groups, 1 + 2 · words)  each as a set
leaf     (columns, groups)
label    label[at[column, level] + leaf]: labels numbered in the order of the column
word     (columns, levels)  the number of a set, and
mask     (columns, levels)  its bits, by which the labels of a level differ from their siblings
price    (columns, levels)  of one row

and these are room to look at one part in one column, at one level:

found    (labels,)  which labels the part has, in order
place    by label, its place among them
under    (labels,)  a leaf under each
held     (labels, 1 + 2 · words)  the set of groups that each holds
side     (labels,)  the side of a cut to which each goes
sides    (labels, 1 + 2 · words)  the set of groups on each side
"""

from __future__ import annotations

import numpy as np
from numba import njit

LABELS, HALVES = -2, -1  # ways to cut by the labels of a level; 0 and up: that label from the rest
EVEN = -3  # in halves, the rows of a label on both sides if need be: where pieces are single rows
NO_CUT = (-1, 0, 0)  # column, level, way
SHARE = 32  # a label cut off from the rest holds 1/32 of the rows: so a chain of cuts stays short
TIE = 1e-12  # gains closer than this are equal


@njit(cache=True, nogil=True)
def partition(  # type: ignore[no-untyped-def]
    groups, leaf, label, at, word, mask, price, spread, ordered,
    k, median, relaxed, order, parts, count, levels, effort,
):  # fmt: skip
    """Cut parts until none can be cut, or the effort is spent. Returns how many are left open.

    A part that is not cut writes the levels of the labels that it shares into ``levels``.
    """
    most = label.max() + 1 if len(label) else 0
    found, under = np.empty(most, np.int32), np.empty(most, np.int32)
    place, side, ends = np.zeros(most, np.int64), np.empty(most, np.int64), np.empty(most, np.int64)
    held = np.empty((most, groups.shape[1]), np.int64)
    sides, moved = np.empty_like(held), np.empty_like(order)
    top = np.empty(len(at), np.int64)
    while count > 0 and effort > 0:
        count -= 1
        begin, end = parts[count, 0], parts[count, 1]
        effort -= end - begin
        part = order[begin:end]
        size = _show(groups, word, mask, part, top, sides)
        cut = NO_CUT
        if size >= 2 * k:
            if median:
                cut = _median_cut(
                    groups, leaf, label, at, spread, ordered, relaxed,
                    k, part, size, top, found, place, under, held, side,
                )  # fmt: skip
            else:
                cut = _best_cut(
                    groups, leaf, label, at, word, mask, price, ordered,
                    k, part, size, top, found, place, under, held, side, sides,
                )  # fmt: skip
        if cut == NO_CUT:
            for group in part:
                for a in range(len(top)):
                    levels[group, a] = top[a]
        else:
            a, level, way = cut
            shown = label[at[a, level] :]
            labels = _find_labels(groups, leaf[a], shown, part, found, place, under, held)
            if way == EVEN:
                number = labels  # to put the rows in order, each label is a side
                for c in range(labels):
                    side[c] = c
            else:
                number = _take_sides(k, size, labels, way, held, side)
            _move(leaf[a], shown, part, place, side, number, ends, moved)
            if way == EVEN:
                number, ends[0], ends[1] = 2, size // 2, size - size // 2
            for s in range(number):
                parts[count, 0], parts[count, 1] = begin, begin + ends[s]
                begin += ends[s]
                count += 1
    return count


@njit(cache=True, nogil=True)
def _best_cut(  # type: ignore[no-untyped-def]
    groups, leaf, label, at, word, mask, price, ordered,
    k, part, size, top, found, place, under, held, side, sides,
):  # fmt: skip
    """Of all columns, levels and ways, the cut that gains most per bit, if one gains at all.

    The first of equals: by column, from the finest level up, by way.
    """
    best, cut = TIE, NO_CUT
    before = size * _price(word, mask, price, top, sides, 0)
    for a in range(len(top)):
        labels = 0
        for level in range(top[a]):
            shown = label[at[a, level] :]
            if level == 0:
                labels = _find_labels(groups, leaf[a], shown, part, found, place, under, held)
            else:
                labels = _merge_labels(shown, labels, found, under, held)
            ways = labels if labels > 2 else LABELS + 1  # two labels can be cut in one way only
            for way in range(LABELS, ways):
                if (way == HALVES and not ordered[a]) or (way >= 0 and held[way, 0] * SHARE < size):
                    continue
                number = _take_sides(k, size, labels, way, held, side)
                if number > 1:
                    after, bits = _after(
                        word, mask, price, top, size, labels, held, side, number, sides
                    )
                    if before - after > (best + TIE) * bits:
                        best, cut = (before - after) / bits, (a, level, way)
    return cut


@njit(cache=True, nogil=True)
def _after(word, mask, price, top, size, labels, held, side, number, sides):  # type: ignore[no-untyped-def]
    """What the rows of a part cost after a cut, and the bits that tell all rows their side."""
    for s in range(number):
        for w in range(sides.shape[1]):
            sides[s, w] = 0
    for c in range(labels):
        _add(sides, side[c], held, c)
    cost, bits = 0.0, 0.0
    for s in range(number):
        cost += sides[s, 0] * _price(word, mask, price, top, sides, s)
        bits += sides[s, 0] * np.log2(size / sides[s, 0])
    return cost, bits


@njit(cache=True, nogil=True)
def _median_cut(  # type: ignore[no-untyped-def]
    groups, leaf, label, at, spread, ordered, relaxed,
    k, part, size, top, found, place, under, held, side,
):  # fmt: skip
    """The column of the widest spread that can be cut, at the median if it has an order.

    A median lies between labels: the coarsest between which there is a cut.
    """
    widest, cut = -1.0, NO_CUT
    for a in range(len(top)):
        wide = spread[at[a, top[a]] + leaf[a, part[0]]]
        for level in range(top[a] - 1, -1, -1):
            if wide <= widest + TIE:
                break
            if relaxed and ordered[a]:
                widest, cut = wide, (a, 0, EVEN)
                break
            shown = label[at[a, level] :]
            labels = _find_labels(groups, leaf[a], shown, part, found, place, under, held)
            way = HALVES if ordered[a] else LABELS
            if _take_sides(k, size, labels, way, held, side) > 1:
                widest, cut = wide, (a, level, way)
    return cut


# --- labels and sides ---------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def _find_labels(groups, leaf, label, part, found, place, under, held):  # type: ignore[no-untyped-def]
    """The labels that a part has in a column, and what each holds. Returns how many."""
    labels = 0
    for group in part:
        one = label[leaf[group]]
        # The place may be left over from another part, unless the label really stands there.
        if place[one] >= labels or found[place[one]] != one:
            place[one] = labels
            found[labels] = one
            labels += 1
    found[:labels].sort()
    for c in range(labels):
        place[found[c]] = c
        for w in range(held.shape[1]):
            held[c, w] = 0
    for group in part:
        c = place[label[leaf[group]]]
        under[c] = leaf[group]
        _add(held, c, groups, group)
    return labels


@njit(cache=True, nogil=True)
def _merge_labels(label, labels, found, under, held):  # type: ignore[no-untyped-def]
    """From the labels of a part at one level to those at the next. Returns how many."""
    merged = 0
    for c in range(labels):
        one = label[under[c]]
        if merged > 0 and found[merged - 1] == one:
            _add(held, merged - 1, held, c)
        else:
            found[merged] = one
            under[merged] = under[c]
            for w in range(held.shape[1]):
                held[merged, w] = held[c, w]
            merged += 1
    return merged


@njit(cache=True, nogil=True)
def _take_sides(k, size, labels, way, held, side):  # type: ignore[no-untyped-def]
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


@njit(cache=True, nogil=True)
def _all_apart(k, labels, held, side):  # type: ignore[no-untyped-def]
    """Every label on a side of its own, those under k rows together.

    If these are fewer than k rows, the smallest of the others joins them.
    """
    few, smallest = 0, -1
    for c in range(labels):
        if held[c, 0] < k:
            few += held[c, 0]
        elif smallest < 0 or held[c, 0] < held[smallest, 0]:
            smallest = c
    joins = smallest if 0 < few < k else -1
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


@njit(cache=True, nogil=True)
def _middle(size, labels, held):  # type: ignore[no-untyped-def]
    """The label after which to cut so that the halves differ least in rows."""
    middle, least, here = 0, size, 0
    for c in range(labels - 1):
        here += held[c, 0]
        if abs(size - 2 * here) < least:
            middle, least = c, abs(size - 2 * here)
    return middle


@njit(cache=True, nogil=True)
def _move(leaf, label, part, place, side, number, ends, moved):  # type: ignore[no-untyped-def]
    """Make each side of a cut a run, in the order it had; ``ends`` tells their lengths."""
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


@njit(cache=True, nogil=True)
def _show(groups, word, mask, part, top, sides):  # type: ignore[no-untyped-def]
    """The levels of the lowest labels that a part shares. Returns its rows."""
    for w in range(sides.shape[1]):
        sides[0, w] = 0
    for group in part:
        _add(sides, 0, groups, group)
    for a in range(len(top)):
        top[a] = word.shape[1]
        top[a] = _level(word, mask, top, a, sides, 0)
    return sides[0, 0]


@njit(cache=True, nogil=True, inline="always")
def _add(sets, s, others, o):  # type: ignore[no-untyped-def]
    """Add another set to a set."""
    sets[s, 0] += others[o, 0]
    for w in range(1, sets.shape[1]):
        sets[s, w] |= others[o, w]


@njit(cache=True, nogil=True, inline="always")
def _level(word, mask, top, a, sets, s):  # type: ignore[no-untyped-def]
    """The lowest level, at most that of the part, at which a set shares a label in a column."""
    for level in range(top[a] - 1, -1, -1):
        w = word[a, level]
        if sets[s, w] & sets[s, w + 1] & mask[a, level]:
            return level + 1
    return 0


@njit(cache=True, nogil=True, inline="always")
def _price(word, mask, price, top, sets, s):  # type: ignore[no-untyped-def]
    """What each row of a set costs, in the lowest labels that the set shares."""
    total = 0.0
    for a in range(len(top)):
        total += price[a, _level(word, mask, top, a, sets, s)]
    return total
