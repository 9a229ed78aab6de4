"""The classes of k-member clustering, and the rows left over. Compiled; import late."""
# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs

from __future__ import annotations

import numpy as np

from lookalike.jit import kernel
from lookalike.search.bounds.cell_layout import CellLayout
from lookalike.search.cells.clustering.class_growth_kernels import (
    TIE,
    Clusters,
    Growth,
    add,
    added,
    farthest,
    find_rises,
    nearest,
    open_class,
    write_piece,
)
from lookalike.search.cells.components import Component


@kernel
def close_class(
    layout: CellLayout, component: Component, growth: Growth, clusters: Clusters, c: int
) -> None:
    """Make class c; k or more rows remain."""
    leaf, cell, rows_left = component.leaf, component.cell, clusters.rows_left
    waiting = clusters.waiting[: clusters.groups_waiting[0]]
    if c == 0:  # there is no last class: the first row replaces it
        open_class(growth, 0, leaf[waiting[0]])
        add(layout, growth, 0, leaf[waiting[0]], 1)
    find_rises(layout, growth, max(0, c - 1))
    place = farthest(cell, growth.rise, waiting)
    open_class(growth, c, leaf[waiting[place]])
    still, size = len(waiting), 0
    while True:
        g = waiting[place]
        taken = rows_left[g] if size == 0 else min(rows_left[g], layout.k - size)
        add(layout, growth, c, leaf[g], taken)
        write_piece(clusters, g, taken, c)
        size += taken
        if rows_left[g] == 0:
            still -= 1
            for i in range(place, still):
                waiting[i] = waiting[i + 1]
        if size >= layout.k:
            clusters.groups_waiting[0] = still
            return
        find_rises(layout, growth, c)
        place = nearest(cell, growth.rise, waiting[:still])


@kernel
def join_classes(
    layout: CellLayout, component: Component, growth: Growth, clusters: Clusters, classes: int
) -> None:
    """Each group left over joins the class to whose cost it adds least."""
    for g in clusters.waiting[: clusters.groups_waiting[0]]:
        leaves, rows = component.leaf[g], clusters.rows_left[g]
        best, c = np.inf, -1
        for other in range(classes):
            total = added(layout, growth, other, leaves)
            if total < best - TIE:
                best, c = total, other
        add(layout, growth, c, leaves, rows)
        write_piece(clusters, g, rows, c)
