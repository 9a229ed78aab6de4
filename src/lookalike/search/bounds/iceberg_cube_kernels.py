"""An iceberg cube: every set of rows that show the same labels, k rows or more. Compiled.

The table is split by the labels of the first column at each of its levels, each part by those of
the second, and so on; at the last column a part is all groups that show one tuple of labels. Parts
of fewer than k rows are left out, and so are levels at which no group of a part can gain enough.
Fine levels, which are cheap, come first. (It has its own stack, because compiled functions that
call themselves crash when they are read from the disk.)

``limit`` is what each group should stay below. Its *gain* in a part is the limit, minus what it
loses in the columns so far, minus what it loses at least in those to come.

    cube = begin_cube(layout)
    while True:
        depth, first, behind = next_part(layout, limit, enough, cube)
        if depth < 0:
            break
        ...                                  # the part: member[depth, first:behind], lost likewise
        if it is worth it and depth < columns:
            enter(depth, first, behind, cube)
"""
# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lookalike.jit import helper, view_helper
from lookalike.search.bounds.cell_layout import CellLayout, Floats, Whole

BEGIN, END = 0, 1  # of the stack: the range that is split
TRIED = 2  # how many levels were tried
NEXT, ENDS = 3, 4  # of the parts at the last of these, where the next one begins, and where all end


class Cube(NamedTuple):
    """The walk over the cube; depth d is the column d, whose labels split a range of members."""

    member: NDArray[np.int32]  # (columns + 1, groups) at each depth, a part is a range
    lost: Floats  # (columns + 1, groups) by place in the range, in the columns before
    to_come: Floats  # (columns + 1, groups) by group: lost at least in this column and the rest
    stack: Whole  # (5, columns + 1) at each depth, the rows BEGIN to ENDS
    depth: Whole  # (1,)
    scratch: Whole  # (3, labels) all 0


@helper
def begin_cube(layout: CellLayout):
    """The arrays for the walk."""
    columns, groups = layout.leaf.shape
    to_come = np.zeros((columns + 1, groups))
    for a in range(columns - 1, -1, -1):
        for g in range(groups):
            least = np.inf
            for level in range(layout.levels[a]):
                least = min(least, layout.loss[layout.at[a, level] + layout.leaf[a, g]])
            to_come[a, g] = to_come[a + 1, g] + least
    member = np.empty((columns + 1, groups), np.int32)
    for g in range(groups):
        member[0, g] = g
    stack = np.zeros((5, columns + 1), np.int64)
    stack[END] = groups
    depth = np.full(1, 0 if groups and columns else -1, np.int64)
    labels = 1 + layout.label.max() if len(layout.label) else 1
    return Cube(
        member, np.zeros((columns + 1, groups)), to_come, stack, depth,
        np.zeros((3, labels), np.int64),
    )  # fmt: skip


@view_helper
def next_part(layout: CellLayout, limit, enough, cube: Cube):
    """The next part, at depth 1 or more: its depth and its range. Depth −1: there is none.

    Levels at which no group of a range gains more than ``enough`` are skipped.
    """
    leaf, label, loss, at = layout.leaf, layout.label, layout.loss, layout.at
    member, lost, to_come, stack = cube.member, cube.lost, cube.to_come, cube.stack
    a = cube.depth[0]
    while a >= 0:
        if stack[NEXT, a] < stack[ENDS, a]:
            first, ends = stack[NEXT, a], stack[ENDS, a]
            shown = label[at[a, stack[TRIED, a] - 1] :]
            own = shown[leaf[a, member[a + 1, first]]]
            behind = first + 1
            while behind < ends and shown[leaf[a, member[a + 1, behind]]] == own:
                behind += 1
            stack[NEXT, a] = behind
            cube.depth[0] = a
            return a + 1, first, behind
        if stack[TRIED, a] == layout.levels[a]:
            a -= 1
            continue
        start = at[a, stack[TRIED, a]]
        stack[TRIED, a] += 1
        begin, end = stack[BEGIN, a], stack[END, a]
        for i in range(begin, end):
            g = member[a, i]
            if limit[g] - lost[a, i] - loss[start + leaf[a, g]] - to_come[a + 1, g] > enough:
                stack[NEXT, a] = begin
                stack[ENDS, a] = _split(
                    layout.k, layout.rows, leaf[a], label[start:], loss[start:], begin, end,
                    member[a], lost[a], member[a + 1], lost[a + 1], cube.scratch,
                )  # fmt: skip
                break
    cube.depth[0] = -1
    return -1, 0, 0


@view_helper
def enter(depth, first, behind, cube: Cube):
    """Continue with the parts of this part."""
    stack = cube.stack
    stack[BEGIN, depth], stack[END, depth], stack[TRIED, depth] = first, behind, 0
    stack[NEXT, depth], stack[ENDS, depth] = first, first
    cube.depth[0] = depth


@view_helper
def _split(
    k, group_rows, leaf, label, loss, begin, end, member, lost, parts, lost_in_parts, scratch
):
    """Split a range by the labels of one level, those of k rows or more. Returns where they end.

    The arrays are those of one column. (Bundles of arrays would take longer to pass than to use.)
    """
    rows, place, labels = scratch[0], scratch[1], scratch[2]
    count = 0
    for i in range(begin, end):
        g = member[i]
        shown = label[leaf[g]]
        if place[shown] == 0:
            labels[count] = shown
            count += 1
        place[shown] += 1
        rows[shown] += group_rows[g]
    ends = begin
    for c in range(count):
        size = place[labels[c]]
        place[labels[c]] = -1
        if rows[labels[c]] >= k:
            place[labels[c]] = ends
            ends += size
        rows[labels[c]] = 0
    for i in range(begin, end):
        g = member[i]
        to = place[label[leaf[g]]]
        if to >= 0:
            parts[to], lost_in_parts[to] = g, lost[i] + loss[leaf[g]]
            place[label[leaf[g]]] += 1
    for c in range(count):
        place[labels[c]] = 0
    return ends
