"""What a node of K-Optimize costs at least, in compiled code: atoms, prices, shortest paths.

The cuts of one column, the *long* one, are never branched on. A node fixes cuts of the other
columns: some are in, some are out, the rest are open. For all that remains, the best way to cut the
long column is a shortest path over its places, where the edge from place i to place j is the
interval between them and its length what the classes cost within it. The same path over lower
bounds of those costs is the node's bound: ``docs/explanation/cut-proofs.md`` argues it. The tree is
in ``k_optimize_tree.py``; the verifier has code of its own.

Names: ``state`` (cuts,) is IN, OPEN or OUT. An *atom* is what no open cut can part: rows alike
under all cuts that are in or open. A *class* is a set of atoms alike under those that are in.
``prefix[a, place]`` counts an atom's rows before a place of the long column, in planes: the first
for all rows, then one for each class label but the last (CM). Intervals (i, j) are kept for each i
as a range of j, from ``low[i]`` to ``high[i]``, and priced from ``at[i]`` on.
"""

from __future__ import annotations

import numpy as np
from numba import njit

IN, OPEN, OUT = 1, 0, -1
DM, CM = 0, 1
FAR = np.int64(1) << 60


@njit(cache=True, nogil=True)
def put(state, cut, needs):
    """Cut here, and where the policy then needs it."""
    state[cut] = IN
    changed = True
    while changed:
        changed = False
        for other in range(len(state)):
            if state[other] == IN:
                for side in range(2):
                    needed = needs[other, side]
                    if needed >= 0 and state[needed] == OPEN:
                        state[needed] = IN
                        changed = True


@njit(cache=True, nogil=True)
def leave(state, cut, needs):
    """Do not cut here, nor where this would be needed."""
    state[cut] = OUT
    changed = True
    while changed:
        changed = False
        for other in range(len(state)):
            if state[other] == OPEN:
                for side in range(2):
                    needed = needs[other, side]
                    if needed >= 0 and state[needed] == OUT:
                        state[other] = OUT
                        changed = True


@njit(cache=True, nogil=True)
def segments(state, first, width, fine, coarse):
    """The segment of each value of each column: ``fine`` under cuts in or open, ``coarse`` in."""
    for b in range(len(first)):
        fine[b, 0] = 0
        coarse[b, 0] = 0
        for value in range(1, width[b]):
            s = state[first[b] + value - 1]
            fine[b, value] = fine[b, value - 1] + (s != OUT)
            coarse[b, value] = coarse[b, value - 1] + (s == IN)


@njit(cache=True, nogil=True)
def sort_by(segment, code, order, spare, count):
    """Stable, by the segments of all columns, the first column first."""
    atoms = len(order)
    for b in range(segment.shape[0] - 1, -1, -1):
        most = 0
        for i in range(len(count)):
            count[i] = 0
        for i in range(atoms):
            s = segment[b, code[order[i], b]]
            count[s + 1] += 1
            most = max(most, s)
        for s in range(most + 1):
            count[s + 1] += count[s]
        for i in range(atoms):
            s = segment[b, code[order[i], b]]
            spare[count[s]] = order[i]
            count[s] += 1
        for i in range(atoms):
            order[i] = spare[i]


@njit(cache=True, nogil=True)
def alike(segment, one, other):
    for b in range(len(one)):  # noqa: SIM110 - compiled
        if segment[b, one[b]] != segment[b, other[b]]:
            return False
    return True


@njit(cache=True, nogil=True)
def merge(fine, coarse, code, prefix, places, order, k, new_code, new_prefix, starts):
    """Atoms that are alike become one, and classes under k rows are left out.

    Returns the atoms, the classes, and the rows left out: they are suppressed here and below.
    """
    atoms = 0
    classes = 0
    gone = 0
    i = 0
    while i < len(order):
        begin = atoms
        head = code[order[i]]
        rows = 0
        while i < len(order) and alike(coarse, head, code[order[i]]):
            row = order[i]
            rows += prefix[row, places - 1]
            if atoms > begin and alike(fine, code[row], new_code[atoms - 1]):
                for q in range(prefix.shape[1]):
                    new_prefix[atoms - 1, q] += prefix[row, q]
            else:
                for q in range(prefix.shape[1]):
                    new_prefix[atoms, q] = prefix[row, q]
                for b in range(code.shape[1]):
                    new_code[atoms, b] = code[row, b]
                atoms += 1
            i += 1
        if rows < k:
            gone += rows
            atoms = begin
        else:
            starts[classes] = begin
            classes += 1
    starts[classes] = atoms
    return atoms, classes, gone


@njit(cache=True, nogil=True)
def splits(state, first, width, fine, code, prefix, begin, end, size, held, sums, left, cuts):
    """How open cuts part one class: ``left[s]`` counts the rows on the left of the cuts that part
    it in the s-th way, from ``cuts[s, 0]`` to before ``cuts[s, 1]``. Returns the number of ways.
    """
    ways = 0
    for b in range(len(first)):
        least, most = fine[b, code[begin, b]], fine[b, code[begin, b]]
        for a in range(begin + 1, end):
            least = min(least, fine[b, code[a, b]])
            most = max(most, fine[b, code[a, b]])
        if least == most:
            continue
        for s in range(least, most + 1):
            held[s] = False
            for q in range(size):
                sums[s, q] = 0
        for a in range(begin, end):
            s = fine[b, code[a, b]]
            held[s] = True
            for q in range(size):
                sums[s, q] += prefix[a, q]
        begun = False
        for value in range(1, width[b]):
            cut = first[b] + value - 1
            s = fine[b, value - 1]  # the segment that ends here
            if state[cut] != OPEN or s < least or s >= most:
                continue
            if not held[s] and begun:
                cuts[ways - 1, 1] = cut + 1
                continue
            for q in range(size):
                left[ways, q] = sums[s, q] + (left[ways - 1, q] if begun else 0)
            begun = True
            cuts[ways, 0] = cut
            cuts[ways, 1] = cut + 1
            ways += 1
    return ways


@njit(cache=True, nogil=True)
def note_ways(ways, left, whole, places, cuts, state, k, score, useful):
    """How much each cut parts, and whether it ever leaves k rows on both sides."""
    for s in range(ways):
        here = np.int64(left[s, places - 1])
        there = np.int64(whole[places - 1]) - here
        for cut in range(cuts[s, 0], cuts[s, 1]):
            if state[cut] == OPEN:
                score[cut] += 2 * here * there
                if here >= k and there >= k:
                    useful[cut] = True


@njit(cache=True, nogil=True)
def price_dm(
    k, cost, least, big, begin, end, prefix, places, whole, ways, left, cuts, state,
    low, high, at, exact, bound, forced, sure, row, atom, best, way,
):  # fmt: skip
    """What one class costs in each interval (``exact``), at least (``bound``), and how much more if
    a cut must be made (``forced``), by discernibility.

    Parted by a cut, it costs the least of both sides, ``least``; and in any case each row pays k or
    its atom.
    """
    for i in range(places - 1):
        lo = low[i]
        length = high[i] - lo + 1
        if length <= 0:
            continue
        o = at[i]
        for q in range(length):
            n = whole[lo + q] - whole[i]
            row[q] = n
            exact[o + q] += cost[n]
            if n < k:
                sure[o + q] += n
        if ways == 0:
            for q in range(length):
                bound[o + q] += cost[row[q]]
            continue
        for q in range(length):
            atom[q] = k * row[q]
            best[q] = big
        for a in range(begin, end):
            before = prefix[a, i]
            if prefix[a, lo + length - 1] - before > k:
                for q in range(length):
                    w = prefix[a, lo + q] - before
                    atom[q] += w * max(w - k, 0)
        for s in range(ways):
            before = left[s, i]
            for q in range(length):
                here = left[s, lo + q] - before
                pays = least[here] + least[row[q] - here]
                way[s, q] = pays
                best[q] = min(best[q], pays)
        for q in range(length):
            best[q] = min(cost[row[q]], max(best[q], atom[q]))
            bound[o + q] += best[q]
        for s in range(ways):
            for q in range(length):
                pays = way[s, q]
                way[s, q] = max(pays, atom[q]) - best[q] if pays < big else 0
            for cut in range(cuts[s, 0], cuts[s, 1]):
                if state[cut] == OPEN:
                    for q in range(length):
                        forced[cut, o + q] += way[s, q]


@njit(cache=True, nogil=True)
def rows_and_most(prefix, places, planes, i, lo, length, rows, most):
    """Rows in each interval from i, and those of its most frequent label."""
    if planes == 2:
        for q in range(length):
            n = prefix[lo + q] - prefix[i]
            y = prefix[places + lo + q] - prefix[places + i]
            rows[q] = n
            most[q] = max(y, n - y)
        return
    for q in range(length):
        rows[q] = prefix[lo + q] - prefix[i]
        most[q] = 0
    for plane in range(1, planes):
        o = plane * places
        for q in range(length):
            most[q] = max(most[q], prefix[o + lo + q] - prefix[o + i])
    for q in range(length):
        rest = rows[q]
        for plane in range(1, planes):
            o = plane * places
            rest -= prefix[o + lo + q] - prefix[o + i]
        most[q] = max(most[q], rest)


@njit(cache=True, nogil=True)
def price_cm(
    k, planes, big, begin, end, prefix, places, whole, ways, left, right, cuts, state,
    low, high, at, exact, bound, forced, sure, mixed, row, most, atom, best, way, rows_2, most_2,
):  # fmt: skip
    """The same by classification: rows not of their class's majority, and suppressed rows.

    Parted by a cut, a side under k rows is lost whole, and any other keeps at least the minorities
    of its atoms. Intervals under 2k rows gain nothing from a cut, so what they cost is exact.
    """
    mixtures = 0
    for a in range(begin, end):
        for plane in range(1, planes):
            y = prefix[a, (plane + 1) * places - 1]
            if 0 < y < prefix[a, places - 1]:
                mixed[mixtures] = a
                mixtures += 1
                break
    for i in range(places - 1):
        lo = low[i]
        length = high[i] - lo + 1
        if length <= 0:
            continue
        o = at[i]
        rows_and_most(whole, places, planes, i, lo, length, row, most)
        for q in range(length):
            n = row[q]
            pays = n if n < k else n - most[q]
            best[q] = pays
            exact[o + q] += pays
            if n < k:
                sure[o + q] += n
        if ways == 0:
            for q in range(length):
                bound[o + q] += best[q]
            continue
        for q in range(length):
            atom[q] = 0
        for t in range(mixtures):
            a = mixed[t]
            if prefix[a, lo + length - 1] == prefix[a, i]:
                continue
            rows_and_most(prefix[a], places, planes, i, lo, length, rows_2, most_2)
            for q in range(length):
                atom[q] += rows_2[q] - most_2[q]
        for s in range(ways):
            rows_and_most(left[s], places, planes, i, lo, length, way[s], most)
            rows_and_most(right[s], places, planes, i, lo, length, rows_2, most_2)
            for q in range(length):
                here, there = way[s, q], rows_2[q]
                lost_here = here if here < k else here - most[q]
                lost_there = there if there < k else there - most_2[q]
                parted = lost_here + lost_there
                pays = atom[q]
                if here < k:
                    pays += most[q]
                if there < k:
                    pays += most_2[q]
                if row[q] < 2 * k:
                    pays = parted
                pays = min(pays, parted)
                way[s, q] = pays if here > 0 and there > 0 else big
        for s in range(ways):
            for q in range(length):
                best[q] = min(best[q], way[s, q])
        for q in range(length):
            bound[o + q] += best[q]
        for s in range(ways):
            for q in range(length):
                way[s, q] = way[s, q] - best[q] if way[s, q] < big else 0
            for cut in range(cuts[s, 0], cuts[s, 1]):
                if state[cut] == OPEN:
                    for q in range(length):
                        forced[cut, o + q] += way[s, q]


@njit(cache=True, nogil=True)
def shortest(price, places, low, high, at, length, came):
    """From the first place to every other."""
    for j in range(places):
        length[j] = FAR
        came[j] = -1
    length[0] = 0
    for i in range(places - 1):
        if length[i] >= FAR:
            continue
        o = at[i] - low[i]
        for j in range(low[i], high[i] + 1):
            here = length[i] + price[o + j]
            if here < length[j]:
                length[j] = here
                came[j] = i


@njit(cache=True, nogil=True)
def onward(price, places, low, high, at, length):
    """From every place to the last."""
    length[places - 1] = 0
    for i in range(places - 2, -1, -1):
        o = at[i] - low[i]
        best = FAR
        for j in range(low[i], high[i] + 1):
            best = min(best, length[j] + price[o + j])
        length[i] = best


@njit(cache=True, nogil=True)
def with_cut(price, more, rest, room, places, low, high, at, length):
    """From the first place to the last if a cut is made; at least ``room`` if that is reached."""
    for j in range(places):
        length[j] = FAR
    length[0] = 0
    for i in range(places - 1):
        so_far = length[i]
        if so_far + rest[i] >= room:
            continue
        o = at[i] - low[i]
        for j in range(low[i], high[i] + 1):
            length[j] = min(length[j], so_far + price[o + j] + more[o + j])
    return length[places - 1]


@njit(cache=True, nogil=True)
def within_limit(price, sure, left, places, low, high, at, length, came):
    """The shortest path on which no more than ``left`` rows are suppressed; ``came`` is its way.

    ``length[j, s]`` is the least to place j with s rows suppressed.
    """
    length[:places, : left + 1] = FAR
    length[0, 0] = 0
    for i in range(places - 1):
        o = at[i] - low[i]
        for j in range(low[i], high[i] + 1):
            more = sure[o + j]
            for s in range(left + 1 - more):
                here = length[i, s] + price[o + j]
                if here < length[j, s + more]:
                    length[j, s + more] = here
                    came[j, s + more] = i
    best = 0
    for s in range(left + 1):
        if length[places - 1, s] < length[places - 1, best]:
            best = s
    return best


@njit(cache=True, nogil=True)
def shrink(price, to, rest, room, places, low, high, at, kept):
    """Take out intervals and places that no recoding within ``room`` uses. Returns the places left.

    Intervals go from the ends of their range only.
    """
    for i in range(places - 1):
        o = at[i] - low[i]
        lo, hi = low[i], high[i]
        while lo <= hi and to[i] + price[o + lo] + rest[lo] >= room:
            lo += 1
        while hi >= lo and to[i] + price[o + hi] + rest[hi] >= room:
            hi -= 1
        low[i], high[i] = lo, hi
    left = 0
    for j in range(places):
        stays = j == 0 or j == places - 1 or to[j] + rest[j] < room
        kept[j] = left if stays else -1 - left  # where it, or the next that stays, will be
        left += stays
    if left == places:
        return left
    for j in range(places):
        if kept[j] >= 0:
            lo, hi = low[j], high[j]
            if j == places - 1 or hi < lo:
                low[kept[j]], high[kept[j]] = 1, 0
            else:
                low[kept[j]] = kept[lo] if kept[lo] >= 0 else -1 - kept[lo]
                high[kept[j]] = kept[hi] if kept[hi] >= 0 else -2 - kept[hi]
    return left
