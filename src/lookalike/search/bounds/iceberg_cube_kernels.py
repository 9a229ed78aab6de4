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

from lookalike.jit import helper
from lookalike.search.bounds.cell_layout import CellLayout, Floats, Whole


class Cube(NamedTuple):
    """The walk over the cube; depth d is the column d, whose labels split a range of members."""

    member: NDArray[np.int32]  # (columns + 1, groups) at each depth, a part is a range
    lost: Floats  # (columns + 1, groups) by place in the range, in the columns before
    to_come: Floats  # (columns + 1, groups) by group: lost at least in this column and the rest
    begin: Whole  # (columns + 1,) the range that is split
    end: Whole  # (columns + 1,)
    tried: Whole  # (columns + 1,) how many levels were tried
    next: Whole  # (columns + 1,) of the parts at the last of these, where the next one begins
    ends: Whole  # (columns + 1,) and where the parts end
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
    stack[1] = groups
    depth = np.full(1, 0 if groups and columns else -1, np.int64)
    labels = 1 + layout.label.max() if len(layout.label) else 1
    return Cube(
        member, np.zeros((columns + 1, groups)), to_come,
        stack[0], stack[1], stack[2], stack[3], stack[4], depth, np.zeros((3, labels), np.int64),
    )  # fmt: skip


@helper
def next_part(layout: CellLayout, limit, enough, cube: Cube):
    """The next part, at depth 1 or more: its depth and its range. Depth −1: there is none.

    Levels at which no group of a range gains more than ``enough`` are skipped.
    """
    leaf, label, loss, at = layout.leaf, layout.label, layout.loss, layout.at
    member, lost, to_come, tried = cube.member, cube.lost, cube.to_come, cube.tried
    begin, end, behind_last, ends = cube.begin, cube.end, cube.next, cube.ends
    a = cube.depth[0]
    while a >= 0:
        if behind_last[a] < ends[a]:
            first = behind_last[a]
            shown = label[at[a, tried[a] - 1] :]
            own = shown[leaf[a, member[a + 1, first]]]
            behind = first + 1
            while behind < ends[a] and shown[leaf[a, member[a + 1, behind]]] == own:
                behind += 1
            behind_last[a] = behind
            cube.depth[0] = a
            return a + 1, first, behind
        if tried[a] == layout.levels[a]:
            a -= 1
            continue
        start = at[a, tried[a]]
        tried[a] += 1
        for i in range(begin[a], end[a]):
            g = member[a, i]
            if limit[g] - lost[a, i] - loss[start + leaf[a, g]] - to_come[a + 1, g] > enough:
                behind_last[a] = begin[a]
                ends[a] = _split(layout, a, start, cube)
                break
    cube.depth[0] = -1
    return -1, 0, 0


@helper
def enter(depth, first, behind, cube: Cube):
    """Continue with the parts of this part."""
    cube.begin[depth], cube.end[depth], cube.tried[depth] = first, behind, 0
    cube.next[depth], cube.ends[depth] = first, first
    cube.depth[0] = depth


@helper
def _split(layout: CellLayout, a, start, cube: Cube):
    """Split a range by the labels of one level, those of k rows or more. Returns where they end."""
    leaf, label, loss = layout.leaf[a], layout.label[start:], layout.loss[start:]
    member, lost = cube.member[a], cube.lost[a]
    parts, lost_in_parts = cube.member[a + 1], cube.lost[a + 1]
    rows, place, labels = cube.scratch[0], cube.scratch[1], cube.scratch[2]
    count = 0
    for i in range(cube.begin[a], cube.end[a]):
        g = member[i]
        shown = label[leaf[g]]
        if place[shown] == 0:
            labels[count] = shown
            count += 1
        place[shown] += 1
        rows[shown] += layout.rows[g]
    ends = cube.begin[a]
    for c in range(count):
        size = place[labels[c]]
        place[labels[c]] = -1
        if rows[labels[c]] >= layout.k:
            place[labels[c]] = ends
            ends += size
        rows[labels[c]] = 0
    for i in range(cube.begin[a], cube.end[a]):
        g = member[i]
        to = place[label[leaf[g]]]
        if to >= 0:
            parts[to], lost_in_parts[to] = g, lost[i] + loss[leaf[g]]
            place[label[leaf[g]]] += 1
    for c in range(count):
        place[labels[c]] = 0
    return ends
