"""Which sets of rows are priced higher than they cost, or nearly? Compiled; import late.

Every group has a price for each of its rows. A set of k rows or more that can be released alike
must not be priced higher than it costs. Among all rows that show one tuple of labels, the worst set
is easy to find: all rows that are priced higher than what they lose there, and if these are too
few, the rows that come closest, until there are k. ``iceberg_cube_kernels.py`` finds the tuples.
"""
# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs

from __future__ import annotations

import numpy as np

from lookalike.jit import helper, kernel
from lookalike.search.bounds.cell_layout import CellLayout, Floats, Whole
from lookalike.search.bounds.iceberg_cube_kernels import TRIED, Cube, begin_cube, enter, next_part
from lookalike.search.bounds.row_sets import FoundSets

TIE = 1e-11  # prices and costs closer than this are equal


@kernel
def overpriced(
    layout: CellLayout,
    prices: Floats,
    over: Floats,
    excess: Floats,
    found: FoundSets,
    halt: Whole,
) -> int:
    """Raise ``over`` (groups,) to how much a row is overpriced, in the worst set it can be in.

    Writes the first sets that are overpriced, and in ``excess`` (sets,) by how much. Returns how
    many it has written. It ends early once ``halt[0]`` is set.
    """
    columns, k = len(layout.leaf), layout.k
    cube = begin_cube(layout)
    sets, entries = 0, 0
    while True:
        if halt[0]:
            return sets
        depth, first, behind = next_part(layout, prices, 0.0, cube)
        if depth < 0:
            return sets
        if _max_gain(layout, prices, cube, depth, first, behind) <= TIE:
            continue
        if depth < columns:
            enter(depth, first, behind, cube)
            continue
        groups = cube.member[columns, first:behind]
        has_space = sets < len(found.length) and entries + len(groups) <= len(found.group)
        lack = cube.lost[columns, first:behind] - prices[groups]
        worst, length = _worst_set(layout, groups, lack, entries, has_space, found)
        if worst <= TIE:
            continue
        for g in groups:
            over[g] = max(over[g], worst / k)
        if has_space:
            found.length[sets], excess[sets] = length, worst
            entries += length
            sets += 1


@helper
def _worst_set(layout: CellLayout, groups, lack, entry, has_space, found: FoundSets):
    """By how much the worst set of these rows is overpriced, and how many entries it has.

    ``lack`` is how much less than its loss a row of each group is priced. The entries are written
    from ``entry`` on if there is space.
    """
    k, rows = layout.k, layout.rows
    worst, taken, length = 0.0, 0, 0
    for i in np.argsort(lack):
        if taken >= k and lack[i] >= 0:
            break
        take = rows[groups[i]] if lack[i] < 0 else min(rows[groups[i]], k - taken)
        worst -= take * lack[i]
        if has_space and taken < 2 * k - 1:
            found.group[entry + length] = groups[i]
            found.size[entry + length] = min(take, 2 * k - 1 - taken)
            length += 1
        taken += take
    return worst, length


@kernel
def within_reach(
    layout: CellLayout, prices: Floats, reach: float, found: FoundSets, halt: Whole
) -> int:
    """Every set of k to 2k − 1 rows whose reduced cost is at most ``reach``.

    Each is written once, under the lowest labels that its rows share. Returns how many there are,
    −1 if there is not enough space for all, or once ``halt[0]`` is set.
    """
    columns, k = len(layout.leaf), layout.k
    cube = begin_cube(layout)
    picked, sums = np.empty(2 * k, np.int64), np.zeros(2 * k + 1)
    sets, entries = 0, 0
    enough = -(reach + TIE) / k  # of k rows, one lacks no more than the mean
    while True:
        if halt[0]:
            return -1
        depth, first, behind = next_part(layout, prices, enough - TIE, cube)
        if depth < 0:
            return sets
        if _max_gain(layout, prices, cube, depth, first, behind) < -reach - TIE:
            continue
        if depth < columns:
            enter(depth, first, behind, cube)
            continue
        groups = cube.member[columns, first:behind]
        unit, gain = _units(layout, prices[groups] - cube.lost[columns, first:behind], groups)
        # Depth first over the rows, the best first; of equal rows, the first ones.
        taken, at_unit = 0, 0
        while True:
            if halt[0]:
                return -1
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
            if taken >= k and _is_lowest(layout, cube.stack[TRIED], unit, picked[:taken]):
                if sets == len(found.length) or entries + taken > len(found.group):
                    return -1
                found.length[sets] = _write(unit, picked[:taken], entries, found)
                entries += found.length[sets]
                sets += 1


@helper
def _max_gain(layout: CellLayout, prices, cube: Cube, depth, first, behind):
    """How much a set of k rows or more in a part may gain at most."""
    member, lost, to_come = cube.member[depth], cube.lost[depth], cube.to_come[depth]
    above, rows_above, below = 0.0, 0, -np.inf
    for i in range(first, behind):
        g = member[i]
        gain = prices[g] - lost[i] - to_come[g]
        if gain > 0:
            above += gain * layout.rows[g]
            rows_above += layout.rows[g]
        else:
            below = max(below, gain)
    return above + (layout.k - rows_above) * below if rows_above < layout.k else above


@helper
def _units(layout: CellLayout, gain, groups):
    """Row by row, those that gain most first: their groups and gains."""
    max_rows = 2 * layout.k - 1  # of one group
    total = 0
    for g in groups:
        total += min(layout.rows[g], max_rows)
    unit, gains, u = np.empty(total, np.int64), np.empty(total), 0
    for i in np.argsort(-gain):
        for _ in range(min(layout.rows[groups[i]], max_rows)):
            unit[u], gains[u] = groups[i], gain[i]
            u += 1
    return unit, gains


@helper
def _write(unit, picked, entry, found: FoundSets):
    """Write a set, group by group, from ``entry`` on. Returns how many entries it has."""
    last, length = -1, 0
    for i in picked:
        if unit[i] != last:
            last = unit[i]
            found.group[entry + length], found.size[entry + length] = last, 0
            length += 1
        found.size[entry + length - 1] += 1
    return length


@helper
def _is_lowest(layout: CellLayout, tried, unit, picked):
    """Do the rows share no lower label in any column?"""
    leaf, label, at = layout.leaf, layout.label, layout.at
    head = unit[picked[0]]
    for a in range(len(leaf)):
        for level in range(tried[a] - 1):
            own = label[at[a, level] + leaf[a, head]]
            alike = True
            for i in range(1, len(picked)):
                if label[at[a, level] + leaf[a, unit[picked[i]]]] != own:
                    alike = False
                    break
            if alike:
                return False
    return True


@kernel
def costs(layout: CellLayout, start: Whole, group: Whole, size: Whole) -> Floats:
    """(sets,) what each costs when it shows the lowest labels that its rows share."""
    leaf, label, at = layout.leaf, layout.label, layout.at
    total = np.zeros(len(start) - 1)
    for s in range(len(total)):
        first, end = start[s], start[s + 1]
        for a in range(len(leaf)):
            level = 0
            for i in range(first + 1, end):
                while (
                    label[at[a, level] + leaf[a, group[i]]]
                    != label[at[a, level] + leaf[a, group[first]]]
                ):
                    level += 1
            for i in range(first, end):
                total[s] += size[i] * layout.loss[at[a, level] + leaf[a, group[i]]]
    return total
