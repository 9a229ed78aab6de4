"""Lower bounds on the recodings of a node, as in ``cut-proofs.md``. Import late: loads numba.

An *atom* is a set of rows that no cut separates which is in or open. A *class* is a set of rows
that no cut separates which is in. A *cell* is the part of a class within an interval of the long
column. Rows are counted in *planes*: all rows, then (CM) those of each label.
"""
# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lookalike.jit import helper, kernel
from lookalike.verifier.claim.cuts.tree_layout import Atoms, Flags, Intervals, Pricing, Whole

WHOLE = -1
INF = 1 << 62


class Bounds(NamedTuple):
    """What ``bound_node`` finds, in the words of ``cut-proofs.md``."""

    suppressed: int  # rows of classes under k, which are in no price
    price: Whole  # (intervals,) f: what the cells cost at least
    lost: Whole  # (intervals,) rows in cells under k
    more: Whole  # (dropped cuts, intervals) f_v − f


class Cells(NamedTuple):
    """The cells of one class."""

    size: Whole  # (intervals,) rows
    cost: Whole  # (intervals,) what the cell costs at least
    atomic: Whole  # (intervals,) what its atoms pay, each by itself
    best: Whole  # (intervals,) what it costs at least if a cut parts it
    unsure: Whole  # (intervals,) the intervals for which ``best`` may still fall


class Sides(NamedTuple):
    """The rows of one class on the left of the cuts of one column."""

    left: NDArray[np.int32]  # (ways, planes, places) they differ
    way: Whole  # (cuts of the column,) which of them a cut leaves, or WHOLE if it parts nothing
    of_code: NDArray[np.int32]  # (values, planes, places) scratch: the rows of each value
    present: Flags  # (values,) scratch: has the class rows with it?


@kernel
def bound_node(
    atoms: Atoms, intervals: Intervals, first: Whole, is_open: Flags, drops: Whole, pricing: Pricing
) -> Bounds:
    """Bound a node: the price of each interval, and how much more with each cut to be dropped.

    ``first`` (columns + 1,) is the number of the first cut of each column.
    """
    rows_before, by_label, k = atoms.rows_before, pricing.by_label, pricing.k
    length, planes, places = len(intervals.begin), rows_before.shape[1], rows_before.shape[2]
    price, lost = np.zeros(length, np.int64), np.zeros(length, np.int64)
    more = np.zeros((len(drops), length), np.int64)
    cells, sides = make_cells(length), make_sides(first, planes, places)
    whole, grid = np.empty((planes, places), np.int32), np.empty((places, places), np.int64)
    is_dropped, is_parted = np.zeros(len(is_open), np.bool_), np.empty(len(drops), np.bool_)
    left_of = np.empty((len(drops), planes, places), np.int32)
    for cut in drops:
        is_dropped[cut] = True
    # Below this many rows no parting is cheaper: by CM one side is lost, and parting the other
    # again only loses more; by DM it costs t·|D| + q² instead of (t + q)², with t + 2q < 4k.
    apart = 2 * k if by_label or pricing.rows >= 4 * k else 2
    start, members = list_members(atoms.class_of, atoms.classes)
    suppressed = 0
    for c in range(atoms.classes):
        own = members[start[c] : start[c + 1]]
        sum_up(rows_before, own, whole)
        if whole[0, places - 1] < k:
            suppressed += whole[0, places - 1]
            continue
        unsure = price_cells(whole, intervals, pricing, apart, cells, lost)
        is_parted[:] = False
        if len(own) > 1:
            if unsure:
                add_atoms(rows_before, own, intervals, cells.unsure[:unsure], k, by_label, grid,
                          cells.atomic)  # fmt: skip
            for a in range(atoms.codes.shape[1]):
                asked = (is_open if unsure else is_dropped)[first[a] : first[a + 1]]
                ways = list_ways(rows_before, atoms.codes[:, a], own, asked, sides)
                if by_label:
                    unsure = least_lost(sides.left[:ways], whole, intervals, k, cells, unsure)
                else:
                    unsure = least_apart(sides.left[:ways], intervals, pricing, cells, unsure)
                keep_left(drops, first[a], first[a + 1], sides, is_parted, left_of)
        add_cells(by_label, cells, price)
        for d in range(len(drops)):
            if is_parted[d]:
                add_more(left_of[d], whole, intervals, pricing, apart, cells, more[d])
    return Bounds(suppressed, price, lost, more)


@helper
def make_cells(length):
    return Cells(
        np.empty(length, np.int64),
        np.empty(length, np.int64),
        np.zeros(length, np.int64),
        np.empty(length, np.int64),
        np.empty(length, np.int64),
    )


@helper
def make_sides(first, planes, places):
    values = 1  # the most that one of the branching columns has
    for a in range(len(first) - 1):
        values = max(values, first[a + 1] - first[a] + 1)
    return Sides(
        np.empty((values, planes, places), np.int32),
        np.empty(values, np.int64),
        np.empty((values, planes, places), np.int32),
        np.zeros(values, np.bool_),
    )


@helper
def price_cells(whole, intervals: Intervals, pricing: Pricing, apart, cells: Cells, lost):
    """The cells of a class and what they cost if not parted. Returns how many may be cheaper so."""
    begin, end, k, by_label = intervals.begin, intervals.end, pricing.k, pricing.by_label
    size, cost, atomic = cells.size, cells.cost, cells.atomic
    best, unsure = cells.best, cells.unsure
    count = 0
    for e in range(len(begin)):
        n = np.int64(whole[0, end[e]] - whole[0, begin[e]])
        size[e], best[e] = n, INF
        if n < k:
            lost[e] += n
            cost[e] = n if by_label else n * pricing.rows
        else:
            cost[e] = n - most(whole, begin[e], end[e]) if by_label else n * n
        if n >= apart:
            atomic[e] = 0 if by_label else k * n
            unsure[count] = e
            count += 1
    return count


@helper
def add_cells(by_label, cells: Cells, price):
    """Add what the cells of a class cost at least, parted or not."""
    cost, best, atomic = cells.cost, cells.best, cells.atomic
    for e in range(len(price)):
        if best[e] < INF:
            parted = atomic[e] + best[e] if by_label else max(atomic[e], best[e])
            cost[e] = min(cost[e], parted)
        price[e] += cost[e]


@helper
def keep_left(drops, first, end, sides: Sides, is_parted, left_of):
    """Keep the rows of a class on the left of the cuts to be dropped, for one column's cuts."""
    for d in range(len(drops)):
        if first <= drops[d] < end and sides.way[drops[d] - first] != WHOLE:
            is_parted[d] = True
            copy(sides.left[sides.way[drops[d] - first]], left_of[d])


@helper
def add_more(left, whole, intervals: Intervals, pricing: Pricing, apart, cells: Cells, more):
    """M_v where a cut parts cells of a class, beyond what these cost at least without it."""
    begin, end, k, by_label = intervals.begin, intervals.end, pricing.k, pricing.by_label
    size, cost, atomic, least = cells.size, cells.cost, cells.atomic, pricing.least_cost
    for e in range(len(begin)):
        here = np.int64(left[0, end[e]] - left[0, begin[e]])
        there = size[e] - here
        if here == 0 or there == 0:
            continue
        if not by_label:
            parted = least_cost(least, here, k) + least_cost(least, there, k)
            if size[e] >= apart:
                parted = max(parted, atomic[e])
        elif size[e] >= apart:
            parted = atomic[e] + lost_sides(left, whole, begin[e], end[e], here, there, k)
        else:
            parted = size[e]
            if here >= k:
                parted -= most(left, begin[e], end[e])
            if there >= k:
                parted -= most_right(left, whole, begin[e], end[e])
        more[e] += parted - cost[e]


@helper
def least_apart(lefts, intervals: Intervals, pricing: Pricing, cells: Cells, count):
    """DM: the least G(l) + G(r) of the cuts of a column.

    Returns how many intervals are left unsure: once it is at most what the atoms pay, it may stay.
    """
    begin, end, k, least = intervals.begin, intervals.end, pricing.k, pricing.least_cost
    size, atomic, best, unsure = cells.size, cells.atomic, cells.best, cells.unsure
    for left in lefts:
        before = left[0]
        w = 0
        while w < count:
            e = unsure[w]
            here = np.int64(before[end[e]] - before[begin[e]])
            if 0 < here < size[e]:
                there = size[e] - here
                best[e] = min(best[e], least_cost(least, here, k) + least_cost(least, there, k))
            if best[e] <= atomic[e]:
                count -= 1
                unsure[w] = unsure[count]
            else:
                w += 1
    return count


@helper
def least_cost(table, n, k):
    """G(n): past the table, |D| is 4k or more, and it never pays to suppress a row."""
    if n < len(table):
        return table[n]
    parts = n // k
    each = n // parts
    return parts * each * each + (n - parts * each) * (2 * each + 1)


@helper
def least_lost(lefts, whole, intervals: Intervals, k, cells: Cells, count):
    """CM: the least that the cuts of a column lose beyond the minorities of the atoms.

    C(left) + C(right) is never less, since merging frees no minority row. Returns how many
    intervals are left unsure: those in which every cut so far loses something.
    """
    begin, end = intervals.begin, intervals.end
    size, best, unsure = cells.size, cells.best, cells.unsure
    for left in lefts:
        w = 0
        while w < count:
            e = unsure[w]
            here = np.int64(left[0, end[e]] - left[0, begin[e]])
            if 0 < here < size[e]:
                there = size[e] - here
                best[e] = min(best[e], lost_sides(left, whole, begin[e], end[e], here, there, k))
            if best[e] == 0:
                count -= 1
                unsure[w] = unsure[count]
            else:
                w += 1
    return count


@helper
def lost_sides(left, whole, i, j, here, there, k):
    """What the sides of a cut lose beyond their minorities: a side under k rows loses them all."""
    lost = np.int64(0)
    if here < k:
        lost += most(left, i, j)
    if there < k:
        lost += most_right(left, whole, i, j)
    return lost


@helper
def most(rows_before, i, j):
    """The rows of the most frequent label in an interval."""
    highest = np.int64(0)
    for label in range(1, rows_before.shape[0]):
        highest = max(highest, np.int64(rows_before[label, j] - rows_before[label, i]))
    return highest


@helper
def most_right(left, whole, i, j):
    """The same on the right of a cut."""
    highest = np.int64(0)
    for label in range(1, whole.shape[0]):
        here = whole[label, j] - whole[label, i] - left[label, j] + left[label, i]
        highest = max(highest, np.int64(here))
    return highest


@helper
def list_ways(rows_before, codes, own, asked, sides: Sides):
    """List the rows of a class on the left of each cut of a column that is asked for and parts it.

    Returns how many differ.
    """
    left, way, of_code, present = sides.left, sides.way, sides.of_code, sides.present
    way[:] = WHOLE
    low, high = codes[own[0]], codes[own[0]]
    for atom in own:
        low, high = min(low, codes[atom]), max(high, codes[atom])
    if not asked[low:high].any():
        return 0
    for atom in own:
        code = codes[atom]
        if present[code]:
            add(rows_before[atom], of_code[code])
        else:
            present[code] = True
            copy(rows_before[atom], of_code[code])
    present[low] = False
    running, ways, fresh = of_code[low], 0, True  # have values come since the last cut?
    for code in range(low + 1, high + 1):
        if asked[code - 1]:
            if fresh:
                copy(running, left[ways])
                ways += 1
                fresh = False
            way[code - 1] = ways - 1
        if present[code]:
            add(of_code[code], running)
            present[code] = False
            fresh = True
    return ways


# --- atoms --------------------------------------------------------------------------------------


@helper
def add_atoms(rows_before, own, intervals: Intervals, unsure, k, by_label, grid, atomic):
    """What the atoms of a class pay each by itself: minorities by CM, w·max(w, k) − k·w by DM.

    What an atom with few values pays changes only where the interval takes in one more of them. So
    the changes are written to ``grid``, that of (i, j) at i and j − 1, and then added up.
    """
    begin, end, places = intervals.begin, intervals.end, rows_before.shape[2]
    grid[:] = 0
    at, inner = np.empty(places, np.int64), np.empty(places, np.int64)
    for atom in own:
        rows = rows_before[atom]
        if atom_cost(rows, 0, places - 1, k, by_label) == 0:
            continue  # no part of it pays anything either
        values = 0
        for p in range(places - 1):
            if rows[0, p + 1] > rows[0, p]:
                at[values] = p
                values += 1
        if values * values > 2 * len(unsure):
            for e in unsure:
                atomic[e] += atom_cost(rows, begin[e], end[e], k, by_label)
        else:
            add_changes(rows, at[:values], k, by_label, inner, grid)
    for i in range(places - 2, -1, -1):
        for j in range(i + 1, places - 1):
            grid[i, j] += grid[i + 1, j]
    for i in range(places - 1):
        for j in range(i + 1, places - 1):
            grid[i, j] += grid[i, j - 1]
    for e in unsure:
        atomic[e] += grid[begin[e], end[e] - 1]


@helper
def add_changes(rows, at, k, by_label, inner, grid):
    """What an atom pays from one of its values to another, less what the stretches inside pay."""
    inner[: len(at)] = 0  # from the value after s up to each
    for s in range(len(at) - 1, -1, -1):
        before = np.int64(0)
        for t in range(s, len(at)):
            outer = atom_cost(rows, at[s], at[t] + 1, k, by_label)
            grid[at[s], at[t]] += outer - inner[t] - before
            before = outer - inner[t]
            inner[t] = outer


@helper
def atom_cost(rows, i, j, k, by_label):
    n = np.int64(rows[0, j] - rows[0, i])
    return n - most(rows, i, j) if by_label else n * max(n - k, 0)


@helper
def add(source, target):
    for plane in range(target.shape[0]):
        for p in range(target.shape[1]):
            target[plane, p] += source[plane, p]


@helper
def copy(source, target):
    for plane in range(target.shape[0]):  # compiles in a tenth of the time of a slice
        for p in range(target.shape[1]):
            target[plane, p] = source[plane, p]


@helper
def sum_up(rows_before, own, whole):
    whole[:] = 0
    for atom in own:
        add(rows_before[atom], whole)


@helper
def list_members(class_of, classes):
    """The atoms of class c are ``members[start[c] : start[c + 1]]``."""
    start = np.zeros(classes + 2, np.int64)
    for c in class_of:
        start[c + 2] += 1
    for c in range(2, classes + 2):
        start[c] += start[c - 1]
    members = np.empty(len(class_of), np.int64)
    for atom in range(len(class_of)):
        members[start[class_of[atom] + 1]] = atom
        start[class_of[atom] + 1] += 1
    return start, members
