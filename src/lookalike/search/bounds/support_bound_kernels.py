"""What each group loses at least, by the cube of all that k rows share. Compiled; import late."""
# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs

from __future__ import annotations

from lookalike.jit import kernel
from lookalike.search.bounds.cell_layout import CellLayout, Floats, Whole
from lookalike.search.bounds.iceberg_cube_kernels import begin_cube, enter, next_part

TIE = 1e-13  # losses closer than this are equal, as costs are that agree in twelve digits


@kernel
def lower(layout: CellLayout, least: Floats, halt: Whole) -> None:
    """Lower ``least`` (groups,) to the loss at the cheapest levels where k rows look alike.

    It ends early once ``halt[0]`` is set.
    """
    columns, rows = len(layout.leaf), layout.rows
    cube = begin_cube(layout)
    member, lost, to_come = cube.member, cube.lost, cube.to_come
    for g in range(len(rows)):
        if rows[g] >= layout.k:
            least[g] = min(least[g], to_come[0, g])
    while not halt[0]:
        depth, first, behind = next_part(layout, least, TIE, cube)
        if depth < 0:
            break
        if depth == columns:
            for i in range(first, behind):
                least[member[depth, i]] = min(least[member[depth, i]], lost[depth, i])
            continue
        for i in range(first, behind):
            g = member[depth, i]
            if lost[depth, i] + to_come[depth, g] < least[g] - TIE:
                enter(depth, first, behind, cube)
                break
