"""What each group pays at least, by the cube of all that k rows share. Compiled; import late."""

from __future__ import annotations

from numba import njit

from lookalike.search.bounds.iceberg_cube_kernels import begin_cube, enter, next_part

TIE = 1e-13  # prices closer than this are equal, as costs are that agree in twelve digits


@njit(cache=True, nogil=True)
def lower(leaf, rows, label, price, at, many, k, pays):  # type: ignore[no-untyped-def]
    """Lower ``pays``, within TIE, to the cheapest levels at which k rows show what a group shows.

    The arrays are those of a ``Layout``.
    """
    columns = len(leaf)
    cube = begin_cube(leaf, rows, label, price, at, many)
    member, paid, to_come = cube[0], cube[1], cube[2]
    for g in range(len(rows)):
        if rows[g] >= k:
            pays[g] = min(pays[g], to_come[0, g])
    while True:
        depth, first, behind = next_part(
            leaf, rows, label, price, at, many, k, pays, TIE, cube
        )  # fmt: skip
        if depth < 0:
            break
        if depth == columns:
            for i in range(first, behind):
                pays[member[depth, i]] = min(pays[member[depth, i]], paid[depth, i])
            continue
        for i in range(first, behind):
            g = member[depth, i]
            if paid[depth, i] + to_come[depth, g] < pays[g] - TIE:
                enter(depth, first, behind, cube)
                break
