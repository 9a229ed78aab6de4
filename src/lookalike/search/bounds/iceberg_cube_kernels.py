"""An iceberg cube: every set of rows that show the same labels, k rows or more. Compiled.

The table is parted by the labels of the first column at each of its levels, each part by those of
the second, and so on; at the last column a part is all that show one tuple of labels. Parts of
fewer than k rows are given up, and so are levels at which nobody in a part has enough to gain. Fine
levels, which are cheap, come first. (With a stack of our own: compiled functions that call
themselves crash when read from the disk.)

``limit`` is what each group would like to stay below. Its *gain* at a part is the limit, less what
it pays for the columns so far, less what it pays at least for those to come.

    cube = begin_cube(leaf, rows, price, at, many)
    while True:
        depth, first, behind = next_part(leaf, rows, label, price, at, many, k, limit, enough, cube)
        if depth < 0:
            break
        ...                                  # the part: member[depth, first:behind], paid likewise
        if it is worth it and depth < columns:
            enter(depth, first, behind, cube)
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def begin_cube(leaf, rows, label, price, at, many):  # type: ignore[no-untyped-def]
    """Room for the walk: member, paid, to_come, and the stack."""
    columns, groups = leaf.shape
    member = np.empty((columns + 1, groups), np.int32)  # at each depth, the parts are runs
    paid = np.zeros((columns + 1, groups))  # by place in the run, for the columns before
    to_come = np.zeros((columns + 1, groups))  # by group, at least
    for a in range(columns - 1, -1, -1):
        for g in range(groups):
            least = np.inf
            for turn in range(many[a]):
                least = min(least, price[at[a, turn] + leaf[a, g]])
            to_come[a, g] = to_come[a + 1, g] + least
    for g in range(groups):
        member[0, g] = g
    # At each depth the run that is parted, the levels tried, and of the parts at the last of them
    # the next one and where they end. Then the depth.
    stack = np.zeros((5, columns + 1), np.int64)
    stack[1] = groups
    at_depth = np.zeros(1, np.int64)
    at_depth[0] = 0 if groups and columns else -1
    labels = 1 + label.max() if len(label) else 1
    scratch = np.zeros((3, labels), np.int64)
    return member, paid, to_come, stack, at_depth, scratch


@njit(cache=True, nogil=True)
def next_part(leaf, rows, label, price, at, many, k, limit, enough, cube):  # type: ignore[no-untyped-def]
    """The next part, at depth 1 or more: its depth and its run. Depth −1: there is none.

    Levels at which nobody in a run gains more than ``enough`` are skipped.
    """
    member, paid, to_come, stack, at_depth, scratch = cube
    begin, end, tried, after, ends = stack[0], stack[1], stack[2], stack[3], stack[4]
    a = at_depth[0]
    while a >= 0:
        if after[a] < ends[a]:
            first = after[a]
            shown = label[at[a, tried[a] - 1] :]
            one = shown[leaf[a, member[a + 1, first]]]
            behind = first + 1
            while behind < ends[a] and shown[leaf[a, member[a + 1, behind]]] == one:
                behind += 1
            after[a] = behind
            at_depth[0] = a
            return a + 1, first, behind
        if tried[a] == many[a]:
            a -= 1
            continue
        start = at[a, tried[a]]
        tried[a] += 1
        for i in range(begin[a], end[a]):
            g = member[a, i]
            if limit[g] - paid[a, i] - price[start + leaf[a, g]] - to_come[a + 1, g] > enough:
                after[a] = begin[a]
                ends[a] = _part(
                    leaf[a], rows, label[start:], price[start:], k, begin[a], end[a],
                    member[a], paid[a], member[a + 1], paid[a + 1], scratch,
                )  # fmt: skip
                break
    at_depth[0] = -1
    return -1, 0, 0


@njit(cache=True, nogil=True)
def enter(depth, first, behind, cube):  # type: ignore[no-untyped-def]
    """Go on with the parts of this part."""
    stack, at_depth = cube[3], cube[4]
    stack[0, depth], stack[1, depth], stack[2, depth] = first, behind, 0
    stack[3, depth], stack[4, depth] = first, first
    at_depth[0] = depth


@njit(cache=True, nogil=True)
def _part(  # type: ignore[no-untyped-def]
    leaf, rows, label, price, k, begin, end, member, paid, parts, pay, scratch
):
    """Part a run by the labels of one level, those of k rows or more. Returns where they end."""
    held, place, found = scratch[0], scratch[1], scratch[2]
    labels = 0
    for i in range(begin, end):
        g = member[i]
        one = label[leaf[g]]
        if place[one] == 0:
            found[labels] = one
            labels += 1
        place[one] += 1
        held[one] += rows[g]
    ends = begin
    for c in range(labels):
        size = place[found[c]]
        place[found[c]] = -1
        if held[found[c]] >= k:
            place[found[c]] = ends
            ends += size
        held[found[c]] = 0
    for i in range(begin, end):
        g = member[i]
        to = place[label[leaf[g]]]
        if to >= 0:
            parts[to], pay[to] = g, paid[i] + price[leaf[g]]
            place[label[leaf[g]]] += 1
    for c in range(labels):
        place[found[c]] = 0
    return ends
