"""Which sets of rows are charged more than they cost, or nearly? Compiled; import late.

Every group has a charge for each of its rows. A set of k rows or more that can be released alike
must not be charged more than that costs. Among all that show one tuple of labels, the worst set is
told at a glance: all rows charged more than they would pay there, and if these are too few, as many
more as make k, those that lack least. The tuples of labels are found with ``cube_kernels.py``.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from lookalike.search.bounds.iceberg_cube_kernels import begin_cube, enter, next_part

TIE = 1e-11  # charges and costs closer than this are equal


@njit(cache=True, nogil=True)
def overcharged(  # type: ignore[no-untyped-def]
    leaf, rows, label, price, at, many, k, charge, over, most, sets, size, column
):
    """Raise ``over`` to how much each group is overcharged, for a row, in the worst set it is in.

    The first sets that are overcharged are told: set s has ``column[s, 1]`` entries of ``sets``
    from ``column[s, 0]`` on, groups and in ``size`` their rows, at most 2k − 1 in all; ``most[s]``
    is what it is overcharged. Returns how many sets are told.
    """
    columns = len(leaf)
    cube = begin_cube(leaf, rows, label, price, at, many)
    member, paid, to_come = cube[0], cube[1], cube[2]
    told, entries = 0, 0
    while True:
        depth, first, behind = next_part(leaf, rows, label, price, at, many, k, charge, 0.0, cube)
        if depth < 0:
            return told
        gain = _at_most(rows, k, charge, member[depth], paid[depth], to_come[depth], first, behind)
        if gain <= TIE:
            continue
        if depth < columns:
            enter(depth, first, behind, cube)
            continue
        run = member[columns, first:behind]
        lack = paid[columns, first:behind] - charge[run]
        worst, taken, before = 0.0, 0, entries
        room = told < len(column) and entries + len(run) <= len(sets)
        for i in np.argsort(lack):
            if taken >= k and lack[i] >= 0:
                break
            take = rows[run[i]] if lack[i] < 0 else min(rows[run[i]], k - taken)
            worst -= take * lack[i]
            if room and taken < 2 * k - 1:
                sets[entries], size[entries] = run[i], min(take, 2 * k - 1 - taken)
                entries += 1
            taken += take
        if worst <= TIE:
            entries = before
            continue
        for g in run:
            over[g] = max(over[g], worst / k)
        if room:
            column[told, 0], column[told, 1] = before, entries - before
            most[told] = worst
            told += 1


@njit(cache=True, nogil=True)
def within_reach(  # type: ignore[no-untyped-def]
    leaf, rows, label, price, at, many, k, charge, reach, sets, size, column
):
    """Every set of k to 2k − 1 rows that is charged at most ``reach`` less than it costs.

    Told as in ``overcharged``, each once, under the lowest labels that its rows share. Returns how
    many, −1 if there is no room for all.
    """
    columns = len(leaf)
    cube = begin_cube(leaf, rows, label, price, at, many)
    member, paid, to_come, stack = cube[0], cube[1], cube[2], cube[3]
    picked, sums = np.empty(2 * k, np.int64), np.zeros(2 * k + 1)
    told, entries = 0, 0
    enough = -(reach + TIE) / k  # of k rows, one lacks no more than the mean
    while True:
        depth, first, behind = next_part(
            leaf, rows, label, price, at, many, k, charge, enough - TIE, cube
        )  # fmt: skip
        if depth < 0:
            return told
        most = _at_most(rows, k, charge, member[depth], paid[depth], to_come[depth], first, behind)
        if most < -reach - TIE:
            continue
        if depth < columns:
            enter(depth, first, behind, cube)
            continue
        run = member[columns, first:behind]
        unit, gain = _units(rows, k, charge, run, paid[columns, first:behind])
        # Depth first over the rows, the best first; of equal rows, the first ones.
        taken, at_unit = 0, 0
        while True:
            fits = at_unit < len(unit) and taken < 2 * k - 1
            if fits:  # those behind gain no more
                fits = sums[taken] + max(1, k - taken) * gain[at_unit] >= -reach - TIE
            if not fits:
                if taken == 0:
                    break
                taken -= 1
                at_unit = picked[taken] + 1
                while at_unit < len(unit) and unit[at_unit] == unit[picked[taken]]:
                    at_unit += 1
                continue
            picked[taken] = at_unit
            sums[taken + 1] = sums[taken] + gain[at_unit]
            taken += 1
            at_unit += 1
            if taken >= k and _lowest(leaf, label, at, stack[2], unit, picked, taken):
                if told == len(column) or entries + taken > len(sets):
                    return -1
                column[told, 0] = entries
                entries = _tell(unit, picked, taken, sets, size, entries)
                column[told, 1] = entries - column[told, 0]
                told += 1


@njit(cache=True, nogil=True)
def _at_most(rows, k, charge, member, paid, to_come, first, behind):  # type: ignore[no-untyped-def]
    """How much a set of k rows or more in a part may gain at most."""
    above, many, below = 0.0, 0, -np.inf
    for i in range(first, behind):
        g = member[i]
        gain = charge[g] - paid[i] - to_come[g]
        if gain > 0:
            above += gain * rows[g]
            many += rows[g]
        else:
            below = max(below, gain)
    return above + (k - many) * below if many < k else above


@njit(cache=True, nogil=True)
def _units(rows, k, charge, run, paid):  # type: ignore[no-untyped-def]
    """Row by row, those that gain most first: their groups and gains."""
    gain = charge[run] - paid
    most = 0
    for g in run:
        most += min(rows[g], 2 * k - 1)
    unit, gains, u = np.empty(most, np.int64), np.empty(most), 0
    for i in np.argsort(-gain):
        for _ in range(min(rows[run[i]], 2 * k - 1)):
            unit[u], gains[u] = run[i], gain[i]
            u += 1
    return unit, gains


@njit(cache=True, nogil=True)
def _tell(unit, picked, taken, sets, size, entries):  # type: ignore[no-untyped-def]
    """Write a set down, group by group. Returns the entries so far."""
    last = -1
    for i in range(taken):
        if unit[picked[i]] == last:
            size[entries - 1] += 1
        else:
            last = unit[picked[i]]
            sets[entries], size[entries] = last, 1
            entries += 1
    return entries


@njit(cache=True, nogil=True)
def _lowest(leaf, label, at, tried, unit, picked, taken):  # type: ignore[no-untyped-def]
    """Do the rows share no lower label in any column?"""
    head = unit[picked[0]]
    for a in range(len(leaf)):
        for turn in range(tried[a] - 1):
            one = label[at[a, turn] + leaf[a, head]]
            alike = True
            for i in range(1, taken):
                if label[at[a, turn] + leaf[a, unit[picked[i]]]] != one:
                    alike = False
                    break
            if alike:
                return False
    return True


@njit(cache=True, nogil=True)
def costs(leaf, label, price, at, start, group, size):  # type: ignore[no-untyped-def]
    """(sets,) what each costs when it shows the lowest labels that its rows share."""
    found = np.zeros(len(start) - 1)
    for s in range(len(found)):
        first, end = start[s], start[s + 1]
        for a in range(len(leaf)):
            turn = 0
            for i in range(first + 1, end):
                while (
                    label[at[a, turn] + leaf[a, group[i]]]
                    != label[at[a, turn] + leaf[a, group[first]]]
                ):
                    turn += 1
            for i in range(first, end):
                found[s] += size[i] * price[at[a, turn] + leaf[a, group[i]]]
    return found
