"""The center of some rows, and the classes of MDAV. Compiled; import late.

``rows_of`` (entries,) counts the rows without a class by leaf, in column a from ``at[a, 0]`` on.
"""
# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lookalike.jit import helper, kernel
from lookalike.search.bounds.cell_layout import CellLayout, Floats, Whole
from lookalike.search.cells.clustering.class_growth_kernels import (
    TIE,
    Clusters,
    Growth,
    add,
    farthest,
    find_rises,
    leaves_of,
    open_class,
    total_rise,
    write_piece,
)
from lookalike.search.cells.components import Component

BATCH = 16  # classes made before Python looks at the limits


@kernel
def close_classes(
    layout: CellLayout,
    component: Component,
    growth: Growth,
    clusters: Clusters,
    classes: int,
    rows_of: Whole,
    mean: Floats,
    start: NDArray[np.int32],
) -> int:
    """Make the next classes, a batch at most; how many there are then. ``mean`` is scratch."""
    for c in range(classes, classes + BATCH):
        if clusters.remaining[0] < 2 * layout.k:
            return c
        if c % 2 == 0:
            _find_center(layout, component, clusters, rows_of, mean, start)
        _close_class(layout, component, growth, clusters, c, rows_of, start)
    return classes + BATCH


@helper
def _find_center(
    layout: CellLayout, component: Component, clusters: Clusters, rows_of, mean, center
):
    """Into ``center``: in each column, among the values left, the nearest to all on average.

    The first of equals. ``mean`` (entries,) is scratch.
    """
    cell = component.cell
    for a in range(len(layout.at)):
        _mean_distances(layout, a, rows_of, mean)
        best = np.inf
        for g in clusters.waiting[: clusters.groups_waiting[0]]:
            if mean[cell[g, a]] < best - TIE:
                best, center[a] = mean[cell[g, a]], component.leaf[g, a]


@helper
def _mean_distances(layout: CellLayout, a, rows_of, mean):
    """Into ``mean``, from ``at[a, 0]`` on: how far each leaf is from the rows, in column a.

    Two leaves lose what they lose at the first level where they show one label. At each level,
    these are all leaves that show it there, without those that did so at the level before.
    """
    begin, leaves, label = layout.at[a, 0], leaves_of(layout, a), layout.label
    own, each = rows_of[begin : begin + leaves], mean[begin : begin + leaves]
    each[:] = 0.0
    total = max(1, own.sum())
    labels = label[begin : begin + leaves * layout.levels[a]].max() + 1
    rows, rows_before = np.zeros(labels, np.int64), np.zeros(labels, np.int64)
    lost, lost_before = np.empty(labels), np.empty(labels)
    before = label[begin : begin + leaves]
    for level in range(layout.levels[a]):
        start = layout.at[a, level]
        here, loss = label[start : start + leaves], layout.loss[start : start + leaves]
        rows_before[:], rows[:] = rows, 0
        lost_before[:], lost[:] = 0.0, 0.0
        for v in range(leaves):
            rows[here[v]] += own[v]
            lost[here[v]] += own[v] * loss[v]
            lost_before[before[v]] += own[v] * loss[v]
        for v in range(leaves):
            new_rows, new_lost = rows[here[v]], lost[here[v]]
            if level > 0:
                new_rows -= rows_before[before[v]]
                new_lost -= lost_before[before[v]]
            each[v] += (new_rows * loss[v] + new_lost) / total
        before = here


@helper
def _close_class(
    layout: CellLayout, component: Component, growth: Growth, clusters: Clusters, c, rows_of, start
):
    """Make class c around the row farthest from ``start``, which becomes that row.

    2k or more rows remain.
    """
    k, cell, rows_left = layout.k, component.cell, clusters.rows_left
    waiting = clusters.waiting[: clusters.groups_waiting[0]]
    _measure_from(layout, growth, start)
    place = farthest(cell, growth.rise, waiting)
    start[:] = component.leaf[waiting[place]]
    _measure_from(layout, growth, start)
    away = np.empty(len(waiting))
    for i in range(len(waiting)):
        away[i] = total_rise(cell, growth.rise, waiting[i])
    size = 0
    while True:
        g = waiting[place]
        taken = min(rows_left[g], clusters.remaining[0] - k if size == 0 else k - size)
        write_piece(clusters, g, taken, c)
        size += taken
        for a in range(cell.shape[1]):
            rows_of[cell[g, a]] -= taken
        if size >= k:
            break
        away[place] = np.inf
        best = np.inf
        for i in range(len(waiting)):
            if away[i] < best - TIE:
                best, place = away[i], i
    still = 0
    for g in waiting:
        if rows_left[g] > 0:
            waiting[still] = g
            still += 1
    clusters.groups_waiting[0] = still


@kernel
def close_last(clusters: Clusters, c: int) -> None:
    """Class c has all rows that are left."""
    for g in clusters.waiting[: clusters.groups_waiting[0]]:
        write_piece(clusters, g, clusters.rows_left[g], c)


@helper
def _measure_from(layout: CellLayout, growth: Growth, start):
    """Fill ``growth.rise`` with the distance from one row: a class of two shows just that."""
    open_class(growth, 0, start)
    add(layout, growth, 0, start, 1)
    find_rises(layout, growth, 0)
