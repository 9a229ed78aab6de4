"""Classes that grow row by row: what they show, what that costs, and what one more row would add.

Compiled; import late.
"""
# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lookalike.jit import inlined, view_helper
from lookalike.search.bounds.cell_layout import CellLayout, Floats, Whole
from lookalike.search.bounds.row_sets import Partition
from lookalike.search.cells.components import Component

TIE = 1e-9  # costs closer than this are equal


class Growth(NamedTuple):
    """Classes that grow, and scratch to find the next row for one of them."""

    first: NDArray[np.int32]  # (classes, columns) leaves of the first row
    level: Whole  # (classes, columns) of the lowest label that the rows share
    lost: Floats  # (classes, columns, levels) by all rows together, if they were at a level
    rise: Floats  # (entries,) what one more row would add, for each leaf: from ``at[a, 0]`` on

    @staticmethod
    def begin(layout: CellLayout, classes: int) -> Growth:
        """Arrays for a number of classes."""
        columns = len(layout.at)
        return Growth(
            np.empty((classes, columns), dtype=np.int32),
            np.empty((classes, columns), dtype=np.int64),
            np.empty((classes, *layout.at.shape)),
            np.empty(len(layout.label)),
        )


class Clusters(NamedTuple):
    """The pieces of classes that are made one by one, and the rows that have no class yet."""

    rows_left: Whole  # (groups,) rows without a class
    waiting: Whole  # (groups,) first, in order, the groups that have such rows
    groups_waiting: Whole  # (1,) how many these are
    remaining: Whole  # (1,) all rows without a class
    group: Whole  # (pieces,)
    rows: Whole  # (pieces,)
    of: Whole  # (pieces,) the class
    pieces: Whole  # (1,) how many are written

    @staticmethod
    def begin(component: Component) -> Clusters:
        """Without a class; each class that is made closes a group."""
        rows, groups = component.rows, len(component.rows)
        group, of, size = np.empty((3, 2 * groups), dtype=np.int64)
        return Clusters(
            rows.copy(), np.arange(groups), np.array([groups]), np.array([rows.sum()]),
            group, size, of, np.zeros(1, dtype=np.int64),
        )  # fmt: skip

    def partition(self) -> Partition:
        """The pieces that are written."""
        written = slice(int(self.pieces[0]))
        return Partition(self.group[written], self.rows[written], self.of[written])


@view_helper
def write_piece(clusters: Clusters, group, rows, c):
    """Rows of a group become a piece of class c."""
    i = clusters.pieces[0]
    clusters.group[i], clusters.rows[i], clusters.of[i] = group, rows, c
    clusters.pieces[0] += 1
    clusters.rows_left[group] -= rows
    clusters.remaining[0] -= rows


@view_helper
def open_class(growth: Growth, c, leaves):
    """Class c without rows; its first will have these leaves."""
    for a in range(len(leaves)):
        growth.first[c, a] = leaves[a]
        growth.level[c, a] = 0
        for level in range(growth.lost.shape[2]):
            growth.lost[c, a, level] = 0.0


@view_helper
def add(layout: CellLayout, growth: Growth, c, leaves, rows):
    """A number of equal rows join class c."""
    for a in range(len(leaves)):
        growth.level[c, a] = _shared_level(layout, growth, c, a, leaves[a])
        for level in range(layout.levels[a]):
            growth.lost[c, a, level] += rows * layout.loss[layout.at[a, level] + leaves[a]]


@view_helper
def find_rises(layout: CellLayout, growth: Growth, c):
    """Fill ``growth.rise`` for class c: adding these up is much faster than looking at labels."""
    for a in range(len(layout.at)):
        for leaf in range(leaves_of(layout, a)):
            growth.rise[layout.at[a, 0] + leaf] = _added_in(layout, growth, c, a, leaf)


@inlined
def leaves_of(layout: CellLayout, a):
    """The leaves of a column: its part of the layout has each leaf once a level."""
    end = layout.at[a + 1, 0] if a + 1 < len(layout.at) else len(layout.label)
    return (end - layout.at[a, 0]) // layout.levels[a]


@view_helper
def added(layout: CellLayout, growth: Growth, c, leaves):
    """What one row adds to the cost of class c."""
    total = 0.0
    for a in range(len(leaves)):
        total += _added_in(layout, growth, c, a, leaves[a])
    return total


@view_helper
def nearest(cell, rise, waiting):
    """The place in ``waiting`` of the group whose rows add least; the first of equals."""
    best, place = np.inf, -1
    for i in range(len(waiting)):
        total = total_rise(cell, rise, waiting[i])
        if total < best - TIE:
            best, place = total, i
    return place


@view_helper
def farthest(cell, rise, waiting):
    """The place in ``waiting`` of the group whose rows add most; the first of equals."""
    best, place = -np.inf, -1
    for i in range(len(waiting)):
        total = total_rise(cell, rise, waiting[i])
        if total > best + TIE:
            best, place = total, i
    return place


@inlined
def total_rise(cell, rise, g):
    """What a row of one group adds."""
    total = 0.0
    for a in range(cell.shape[1]):
        total += rise[cell[g, a]]
    return total


@inlined
def _added_in(layout: CellLayout, growth: Growth, c, a, leaf):
    """In one column: the rows of the class lose more by the higher label, and so does the new."""
    level, lost = _shared_level(layout, growth, c, a, leaf), growth.lost[c, a]
    return lost[level] - lost[growth.level[c, a]] + layout.loss[layout.at[a, level] + leaf]


@inlined
def _shared_level(layout: CellLayout, growth: Growth, c, a, leaf):
    """The lowest level at which a class and a leaf show one label; the last if there is none."""
    label, at, first, level = layout.label, layout.at[a], growth.first[c, a], growth.level[c, a]
    while level < layout.levels[a] - 1 and label[at[level] + leaf] != label[at[level] + first]:
        level += 1
    return level
