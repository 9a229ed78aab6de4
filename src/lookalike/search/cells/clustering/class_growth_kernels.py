"""A class that grows row by row: what it shows, what that costs, and what one more row would add.

Compiled; import late. A class is three arrays: the leaves of its ``first`` row, the ``turn`` of the
lowest label that its rows share in each column, and what they would pay together on every turn,
``paid`` (columns, turns). Labels and prices are those of a ``Layout``.
"""

from __future__ import annotations

import numpy as np
from numba import njit

TIE = 1e-9  # costs closer than this are equal


@njit(cache=True, nogil=True)
def open_class(first, turn, paid, leaves):  # type: ignore[no-untyped-def]
    """A class without rows, for such as these."""
    for a in range(len(leaves)):
        first[a] = leaves[a]
        turn[a] = 0
        for t in range(paid.shape[1]):
            paid[a, t] = 0.0


@njit(cache=True, nogil=True)
def add(first, turn, paid, leaves, rows, label, price, at, many):  # type: ignore[no-untyped-def]
    """So many equal rows join."""
    for a in range(len(leaves)):
        turn[a] = _shared(first[a], turn[a], leaves[a], label, at[a], many[a])
        for t in range(many[a]):
            paid[a, t] += rows * price[at[a, t] + leaves[a]]


@njit(cache=True, nogil=True)
def rises(first, turn, paid, label, price, at, many, rise):  # type: ignore[no-untyped-def]
    """Into ``rise``, from ``at[a, 0]`` on: what a row adds in column a, for each leaf it may have.

    To sum these up is far quicker than to look at labels row by row.
    """
    for a in range(len(first)):
        for v in range(leaves_of(a, label, at, many)):
            rise[at[a, 0] + v] = _added(first[a], turn[a], paid[a], v, label, price, at[a], many[a])


@njit(cache=True, nogil=True, inline="always")
def leaves_of(a, label, at, many):  # type: ignore[no-untyped-def]
    """How many a column has: its stretch of the layout holds them once a turn."""
    end = at[a + 1, 0] if a + 1 < len(at) else len(label)
    return (end - at[a, 0]) // many[a]


@njit(cache=True, nogil=True)
def added(first, turn, paid, leaves, label, price, at, many):  # type: ignore[no-untyped-def]
    """What one row adds to the cost of the class."""
    total = 0.0
    for a in range(len(leaves)):
        total += _added(first[a], turn[a], paid[a], leaves[a], label, price, at[a], many[a])
    return total


@njit(cache=True, nogil=True)
def nearest(cell, rise, still):  # type: ignore[no-untyped-def]
    """Where in ``still`` the group stands whose rows add least; the first of equals."""
    best, place = np.inf, -1
    for i in range(len(still)):
        total = _total(cell, rise, still[i])
        if total < best - TIE:
            best, place = total, i
    return place


@njit(cache=True, nogil=True)
def farthest(cell, rise, still):  # type: ignore[no-untyped-def]
    """Where in ``still`` the group stands whose rows add most; the first of equals."""
    best, place = -np.inf, -1
    for i in range(len(still)):
        total = _total(cell, rise, still[i])
        if total > best + TIE:
            best, place = total, i
    return place


@njit(cache=True, nogil=True)
def all_added(cell, rise, still):  # type: ignore[no-untyped-def]
    """(still,) what a row of each group adds."""
    found = np.empty(len(still))
    for i in range(len(still)):
        found[i] = _total(cell, rise, still[i])
    return found


@njit(cache=True, nogil=True, inline="always")
def _total(cell, rise, g):  # type: ignore[no-untyped-def]
    total = 0.0
    for a in range(cell.shape[1]):
        total += rise[cell[g, a]]
    return total


@njit(cache=True, nogil=True, inline="always")
def _added(first, turn, paid, leaf, label, price, at, many):  # type: ignore[no-untyped-def]
    """In one column: those inside pay for the higher label, and the newcomer too."""
    then = _shared(first, turn, leaf, label, at, many)
    return paid[then] - paid[turn] + price[at[then] + leaf]


@njit(cache=True, nogil=True, inline="always")
def _shared(first, turn, leaf, label, at, many):  # type: ignore[no-untyped-def]
    """The first turn on which two leaves of a column show one label; the last for other ends."""
    while turn < many - 1 and label[at[turn] + leaf] != label[at[turn] + first]:
        turn += 1
    return turn
