"""What any recoding of a node costs at least: the bounds of ``cut-proofs.md``. Import late: numba.

The long column has places 0 to ``places − 1``, of which the first and the last are its ends; places
at which no interval ends any more are left out. Rows that no cut of the node parts are an atom,
and those that no cut which is in parts are a class. The arrays that the functions are handed:

rows      (atoms, 1 + labels, places)  the rows of an atom that are before a place of the long
          column: all of them, then those of each label (DM has none)
codes     (atoms, columns)  the place of each other column at which the atom's interval begins
of        (atoms,)  the class
first     (columns + 1,)  the number of the first cut of each other column
is_open   (cuts,)
begin     (intervals,) of the long column that are left, sorted, and
end       (intervals,)
least     (rows + 1,)  G: what so many rows cost at least, by DM; of a large table, the first

and these are room to look at one class:

held      (1 + labels, places)  its rows
size      (intervals,)  its rows within an interval: they are a cell
cost      (intervals,)  what the cell costs at least
atomic    (intervals,)  what its atoms pay, each by itself, and
best      (intervals,)  what parting it costs at least
unsure    (intervals,)  the intervals for which ``best`` may still fall
left      (cuts of a column, 1 + labels, places)  the class's rows on the left of a cut
split     (cuts of a column,)  where in ``left`` those are, or ``WHOLE`` if it parts nothing
"""

from __future__ import annotations

import numpy as np
from numba import njit

WHOLE = -1
INF = 1 << 62


@njit(cache=True, nogil=True)
def look(  # type: ignore[no-untyped-def]
    rows, codes, of, classes, first, is_open, begin, end, drops, k, everyone, by_label, least,
):  # fmt: skip
    """The bounds of a node: f of each interval, and f_v − f for the cuts to be dropped.

    Also the rows that are suppressed whatever is done: those of classes under k, which are in no
    f, and those that each interval leaves in cells under k.
    """
    intervals, kinds, places = len(begin), rows.shape[1], rows.shape[2]
    f, lost = np.zeros(intervals, np.int64), np.zeros(intervals, np.int64)
    more = np.zeros((len(drops), intervals), np.int64)
    size, cost = np.empty(intervals, np.int64), np.empty(intervals, np.int64)
    atomic, best = np.zeros(intervals, np.int64), np.empty(intervals, np.int64)
    unsure, held = np.empty(intervals, np.int64), np.empty((kinds, places), rows.dtype)
    is_dropped = np.zeros(len(is_open), np.bool_)
    for cut in drops:
        is_dropped[cut] = True
    parts = np.empty(len(drops), np.bool_)
    left_of = np.empty((len(drops), kinds, places), rows.dtype)
    most = _most_values(first)
    left, split = np.empty((most, kinds, places), rows.dtype), np.empty(most, np.int64)
    of_code, present = np.empty((most, kinds, places), rows.dtype), np.zeros(most, np.bool_)
    grid = np.empty((places, places), np.int64)
    # Below this many rows no parting is cheaper: by CM one side is lost, and the other parted
    # again only loses more; by DM it costs t·|D| + q² instead of (t + q)², with t + 2q < 4k.
    apart = 2 * k if by_label or everyone >= 4 * k else 2
    start, members = _by_class(of, classes)
    gone = 0
    for c in range(classes):
        atoms = members[start[c] : start[c + 1]]
        _add_up(rows, atoms, held)
        if held[0, places - 1] < k:
            gone += held[0, places - 1]
            continue
        wide = _cells(
            held, begin, end, k, everyone, by_label, apart, size, cost, atomic, best, lost, unsure
        )
        parts[:] = False
        if len(atoms) > 1:
            if wide:
                _add_atoms(rows, atoms, begin, end, unsure[:wide], k, by_label, grid, atomic)
            for a in range(codes.shape[1]):
                asked = (is_open if wide else is_dropped)[first[a] : first[a + 1]]
                splits = _lefts(rows, codes[:, a], atoms, asked, of_code, present, left, split)
                if by_label:
                    wide = _least_lost(left[:splits], held, begin, end, size, k, best, unsure, wide)
                else:
                    wide = _least_apart(
                        left[:splits], begin, end, size, k, least, atomic, best, unsure, wide
                    )
                _note(drops, first[a], first[a + 1], split, left, parts, left_of)
        for e in range(intervals):
            if best[e] < INF:
                cost[e] = min(cost[e], atomic[e] + best[e] if by_label else max(atomic[e], best[e]))
            f[e] += cost[e]
        for d in range(len(drops)):
            if parts[d]:
                _add_made(
                    left_of[d], held, begin, end, size, cost, atomic,
                    k, by_label, apart, least, more[d],
                )  # fmt: skip
    return gone, f, lost, more


@njit(cache=True, nogil=True)
def _most_values(first):  # type: ignore[no-untyped-def]
    """Of the other columns, the most values that one has."""
    most = 1
    for a in range(len(first) - 1):
        most = max(most, first[a + 1] - first[a] + 1)
    return most


@njit(cache=True, nogil=True)
def _cells(  # type: ignore[no-untyped-def]
    held, begin, end, k, everyone, by_label, apart, size, cost, atomic, best, lost, unsure,
):  # fmt: skip
    """The cells of a class and what they cost if not parted. Returns how many may be cheaper so."""
    wide = 0
    for e in range(len(begin)):
        n = np.int64(held[0, end[e]] - held[0, begin[e]])
        size[e], best[e] = n, INF
        if n < k:
            lost[e] += n
            cost[e] = n if by_label else n * everyone
        else:
            cost[e] = n - _most(held, begin[e], end[e]) if by_label else n * n
        if n >= apart:
            atomic[e] = 0 if by_label else k * n
            unsure[wide] = e
            wide += 1
    return wide


@njit(cache=True, nogil=True)
def _note(drops, first, end, split, left, parts, left_of):  # type: ignore[no-untyped-def]
    """What of a class is on the left of the cuts to be dropped, of those of one column."""
    for d in range(len(drops)):
        if first <= drops[d] < end and split[drops[d] - first] != WHOLE:
            parts[d] = True
            _copy(left[split[drops[d] - first]], left_of[d])


@njit(cache=True, nogil=True)
def _add_made(  # type: ignore[no-untyped-def]
    left, held, begin, end, size, cost, atomic, k, by_label, apart, least, more,
):  # fmt: skip
    """M_v, where a cut parts cells of a class, beyond what these cost at least without it."""
    for e in range(len(begin)):
        some = np.int64(left[0, end[e]] - left[0, begin[e]])
        rest = size[e] - some
        if some == 0 or rest == 0:
            continue
        if not by_label:
            made = _least(least, some, k) + _least(least, rest, k)
            if size[e] >= apart:
                made = max(made, atomic[e])
        elif size[e] >= apart:
            made = atomic[e] + _lost(left, held, begin[e], end[e], some, rest, k)
        else:
            made = size[e]
            if some >= k:
                made -= _most(left, begin[e], end[e])
            if rest >= k:
                made -= _most_right(left, held, begin[e], end[e])
        more[e] += made - cost[e]


@njit(cache=True, nogil=True)
def _least_apart(lefts, begin, end, size, k, least, atomic, best, unsure, wide):  # type: ignore[no-untyped-def]
    """DM: the least G(l) + G(r) of the cuts of a column.

    Returns how many intervals are left unsure: below what its atoms pay, none has to know more.
    """
    for left in lefts:
        before = left[0]
        w = 0
        while w < wide:
            e = unsure[w]
            some = np.int64(before[end[e]] - before[begin[e]])
            if 0 < some < size[e]:
                rest = size[e] - some
                best[e] = min(best[e], _least(least, some, k) + _least(least, rest, k))
            if best[e] <= atomic[e]:
                wide -= 1
                unsure[w] = unsure[wide]
            else:
                w += 1
    return wide


@njit(cache=True, nogil=True)
def _least(least, n, k):  # type: ignore[no-untyped-def]
    """G(n): past the table, |D| is 4k or more, and to suppress a row never pays."""
    if n < len(least):
        return least[n]
    parts = n // k
    each = n // parts
    return parts * each * each + (n - parts * each) * (2 * each + 1)


@njit(cache=True, nogil=True)
def _least_lost(lefts, held, begin, end, size, k, best, unsure, wide):  # type: ignore[no-untyped-def]
    """CM: the least that the cuts of a column lose beyond the minorities of the atoms.

    C(left) + C(right) is never less, since merging frees no minority row. Returns how many
    intervals are left unsure: those that every cut so far makes lose something.
    """
    for left in lefts:
        w = 0
        while w < wide:
            e = unsure[w]
            some = np.int64(left[0, end[e]] - left[0, begin[e]])
            if 0 < some < size[e]:
                lost = _lost(left, held, begin[e], end[e], some, size[e] - some, k)
                best[e] = min(best[e], lost)
            if best[e] == 0:
                wide -= 1
                unsure[w] = unsure[wide]
            else:
                w += 1
    return wide


@njit(cache=True, nogil=True)
def _lost(left, held, i, j, some, rest, k):  # type: ignore[no-untyped-def]
    """What the sides of a cut lose beyond their minorities: all of those under k."""
    lost = np.int64(0)
    if some < k:
        lost += _most(left, i, j)
    if rest < k:
        lost += _most_right(left, held, i, j)
    return lost


@njit(cache=True, nogil=True)
def _most(held, i, j):  # type: ignore[no-untyped-def]
    """The rows of the most frequent label."""
    most = np.int64(0)
    for label in range(1, held.shape[0]):
        most = max(most, np.int64(held[label, j] - held[label, i]))
    return most


@njit(cache=True, nogil=True)
def _most_right(left, held, i, j):  # type: ignore[no-untyped-def]
    most = np.int64(0)
    for label in range(1, held.shape[0]):
        here = held[label, j] - held[label, i] - left[label, j] + left[label, i]
        most = max(most, np.int64(here))
    return most


@njit(cache=True, nogil=True)
def _lefts(rows, codes, atoms, asked, of_code, present, left, split):  # type: ignore[no-untyped-def]
    """The rows of a class to the left of each cut of a column that is asked for and parts it.

    Returns how many differ.
    """
    split[:] = WHOLE
    low, high = codes[atoms[0]], codes[atoms[0]]
    for atom in atoms:
        low, high = min(low, codes[atom]), max(high, codes[atom])
    if not asked[low:high].any():
        return 0
    for atom in atoms:
        code = codes[atom]
        if present[code]:
            _add(rows[atom], of_code[code])
        else:
            present[code] = True
            _copy(rows[atom], of_code[code])
    present[low] = False
    running, splits, fresh = of_code[low], 0, True  # have values come since the last cut?
    for code in range(low + 1, high + 1):
        if asked[code - 1]:
            if fresh:
                _copy(running, left[splits])
                splits += 1
                fresh = False
            split[code - 1] = splits - 1
        if present[code]:
            _add(of_code[code], running)
            present[code] = False
            fresh = True
    return splits


# --- atoms --------------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def _add_atoms(rows, atoms, begin, end, wide, k, by_label, grid, atomic):  # type: ignore[no-untyped-def]
    """What the atoms of a class pay each by itself: minorities by CM, w·max(w, k) − k·w by DM.

    That of an atom with few values changes only where the interval takes in one more of them, so
    these changes are noted in ``grid``, where (i, j) is told by i and j − 1, and then added up.
    """
    places = rows.shape[2]
    grid[:] = 0
    at, inner = np.empty(places, np.int64), np.empty(places, np.int64)
    for atom in atoms:
        own = rows[atom]
        if _alone(own, 0, places - 1, k, by_label) == 0:
            continue  # nor pays any part of it
        values = 0
        for p in range(places - 1):
            if own[0, p + 1] > own[0, p]:
                at[values] = p
                values += 1
        if values * values > 2 * len(wide):
            for e in wide:
                atomic[e] += _alone(own, begin[e], end[e], k, by_label)
        else:
            _note_changes(own, at[:values], k, by_label, inner, grid)
    for i in range(places - 2, -1, -1):
        for j in range(i + 1, places - 1):
            grid[i, j] += grid[i + 1, j]
    for i in range(places - 1):
        for j in range(i + 1, places - 1):
            grid[i, j] += grid[i, j - 1]
    for e in wide:
        atomic[e] += grid[begin[e], end[e] - 1]


@njit(cache=True, nogil=True)
def _note_changes(own, at, k, by_label, inner, grid):  # type: ignore[no-untyped-def]
    """What an atom pays from one of its values to another, less what inner stretches pay."""
    inner[: len(at)] = 0  # from the value after s up to each
    for s in range(len(at) - 1, -1, -1):
        before = np.int64(0)
        for t in range(s, len(at)):
            outer = _alone(own, at[s], at[t] + 1, k, by_label)
            grid[at[s], at[t]] += outer - inner[t] - before
            before = outer - inner[t]
            inner[t] = outer


@njit(cache=True, nogil=True)
def _alone(own, i, j, k, by_label):  # type: ignore[no-untyped-def]
    n = np.int64(own[0, j] - own[0, i])
    return n - _most(own, i, j) if by_label else n * max(n - k, 0)


@njit(cache=True, nogil=True)
def _add(some, to):  # type: ignore[no-untyped-def]
    for kind in range(to.shape[0]):
        for p in range(to.shape[1]):
            to[kind, p] += some[kind, p]


@njit(cache=True, nogil=True)
def _copy(some, to):  # type: ignore[no-untyped-def]
    for kind in range(to.shape[0]):  # compiles in a tenth of the time of ``to[:] = some``
        for p in range(to.shape[1]):
            to[kind, p] = some[kind, p]


@njit(cache=True, nogil=True)
def _add_up(rows, atoms, held):  # type: ignore[no-untyped-def]
    held[:] = 0
    for atom in atoms:
        _add(rows[atom], held)


@njit(cache=True, nogil=True)
def _by_class(of, classes):  # type: ignore[no-untyped-def]
    """The atoms of class c are ``members[start[c] : start[c + 1]]``."""
    start = np.zeros(classes + 2, np.int64)
    for c in of:
        start[c + 2] += 1
    for c in range(2, classes + 2):
        start[c] += start[c - 1]
    members = np.empty(len(of), np.int64)
    for atom in range(len(of)):
        members[start[of[atom] + 1]] = atom
        start[of[atom] + 1] += 1
    return start, members
