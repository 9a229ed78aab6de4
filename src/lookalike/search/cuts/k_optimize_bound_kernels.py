"""What a node of K-Optimize costs at least, in compiled code: atoms, prices, shortest paths.

A node fixes some cuts of the branching columns: they are in or out, and the rest are open. The best
way to cut the long column is then a shortest path over its places, where the edge from place i to
place j is the interval between them, and its length is what the classes cost within it. The same
path over lower bounds of those costs bounds the node: ``docs/explanation/cut-proofs.md`` proves it.
The arrays are described in ``k_optimize_arrays.py``, the tree is in ``k_optimize_tree_kernels.py``.
The verifier has code of its own.
"""
# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lookalike.jit import helper, kernel
from lookalike.search.cuts.k_optimize_arrays import (
    FAR,
    IN,
    OPEN,
    OUT,
    CutTable,
    Frame,
    Line,
    Merging,
    Parting,
    Paths,
    Prices,
    State,
    Whole,
    Workspace,
)


class Span(NamedTuple):
    """The intervals that begin at one place, as numbers of the places that are left."""

    begin: int
    low: int  # their nearest end
    length: int  # how many they are
    at: int  # where their prices are


# --- cuts ---------------------------------------------------------------------------------------


@kernel
def make_cut(state: State, cut: int, needs: Whole) -> None:
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


@kernel
def drop_cut(state: State, cut: int, needs: Whole) -> None:
    """Do not cut here, nor where this cut would be needed."""
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


# --- atoms and classes --------------------------------------------------------------------------


@helper
def merge_atoms(table: CutTable, frame: Frame, merging: Merging):
    """Merge atoms that are alike, and leave out classes under k rows.

    Returns the atoms, the classes, and the rows left out: they are suppressed here and below.
    """
    fine, coarse, codes = merging.fine, merging.coarse, frame.codes
    last = len(frame.place) - 1
    find_segments(table, frame.state, fine, coarse)
    order = merging.order[: len(codes)]
    for i in range(len(order)):
        order[i] = i
    sort_by(fine, codes, order, merging.spare, merging.sizes)
    sort_by(coarse, codes, order, merging.spare, merging.sizes)
    atoms, classes, suppressed = 0, 0, 0
    i = 0
    while i < len(order):
        begin, rows = atoms, 0
        head = codes[order[i]]
        while i < len(order) and alike(coarse, head, codes[order[i]]):
            atom = order[i]
            rows += frame.rows_before[atom, last]
            if atoms > begin and alike(fine, codes[atom], merging.codes[atoms - 1]):
                for q in range(frame.rows_before.shape[1]):
                    merging.rows_before[atoms - 1, q] += frame.rows_before[atom, q]
            else:
                for q in range(frame.rows_before.shape[1]):
                    merging.rows_before[atoms, q] = frame.rows_before[atom, q]
                for b in range(codes.shape[1]):
                    merging.codes[atoms, b] = codes[atom, b]
                atoms += 1
            i += 1
        if rows < table.k:
            suppressed += rows
            atoms = begin
        else:
            merging.starts[classes] = begin
            classes += 1
    merging.starts[classes] = atoms
    return atoms, classes, suppressed


@helper
def find_segments(table: CutTable, state, fine, coarse):
    """The segment of each value: ``fine`` under cuts that are in or open, ``coarse`` in only."""
    for b in range(len(table.first)):
        fine[b, 0] = 0
        coarse[b, 0] = 0
        for value in range(1, table.width[b]):
            here = state[table.first[b] + value - 1]
            fine[b, value] = fine[b, value - 1] + (here != OUT)
            coarse[b, value] = coarse[b, value - 1] + (here == IN)


@helper
def sort_by(segment, codes, order, spare, sizes):
    """Sort atoms by the segments of all columns, the first column first; the sort is stable."""
    for b in range(segment.shape[0] - 1, -1, -1):
        highest = 0
        for i in range(len(sizes)):
            sizes[i] = 0
        for i in range(len(order)):
            s = segment[b, codes[order[i], b]]
            sizes[s + 1] += 1
            highest = max(highest, s)
        for s in range(highest + 1):
            sizes[s + 1] += sizes[s]
        for i in range(len(order)):
            s = segment[b, codes[order[i], b]]
            spare[sizes[s]] = order[i]
            sizes[s] += 1
        for i in range(len(order)):
            order[i] = spare[i]


@helper
def alike(segment, one, other):
    for b in range(len(one)):  # noqa: SIM110 - compiled
        if segment[b, one[b]] != segment[b, other[b]]:
            return False
    return True


@helper
def part_class(table: CutTable, frame: Frame, merging: Merging, begin, end, parting: Parting):
    """Count one class, and find the ways in which open cuts part it. Returns how many ways."""
    fine, codes = merging.fine, merging.codes
    size = frame.rows_before.shape[1]
    parting.whole[:size] = 0
    for a in range(begin, end):
        for q in range(size):
            parting.whole[q] += merging.rows_before[a, q]
    ways = 0
    for b in range(len(table.first)):
        lowest = highest = fine[b, codes[begin, b]]
        for a in range(begin + 1, end):
            lowest = min(lowest, fine[b, codes[a, b]])
            highest = max(highest, fine[b, codes[a, b]])
        if lowest == highest:
            continue
        count_segments(merging, begin, end, b, size, lowest, highest, parting)
        ways = list_ways(table, frame.state, fine[b], b, size, lowest, highest, ways, parting)
    return ways


@helper
def count_right(parting: Parting, ways, size):
    """The rows of a class on the right of each way to part it."""
    for way in range(ways):
        for q in range(size):
            parting.right[way, q] = parting.whole[q] - parting.left[way, q]


@helper
def count_segments(merging: Merging, begin, end, b, size, lowest, highest, parting: Parting):
    """The rows of a class in each fine segment of one column."""
    for s in range(lowest, highest + 1):
        parting.held[s] = False
        for q in range(size):
            parting.sums[s, q] = 0
    for a in range(begin, end):
        s = merging.fine[b, merging.codes[a, b]]
        parting.held[s] = True
        for q in range(size):
            parting.sums[s, q] += merging.rows_before[a, q]


@helper
def list_ways(table: CutTable, state, segment, b, size, lowest, highest, ways, parting: Parting):
    """List the ways in which cuts of one column part a class, after the first ``ways`` ways."""
    left, cuts = parting.left, parting.cuts
    begun = False
    for value in range(1, table.width[b]):
        cut = table.first[b] + value - 1
        s = segment[value - 1]  # the segment that ends here
        if state[cut] != OPEN or s < lowest or s >= highest:
            continue
        if not parting.held[s] and begun:
            cuts[ways - 1, 1] = cut + 1
            continue
        for q in range(size):
            left[ways, q] = parting.sums[s, q] + (left[ways - 1, q] if begun else 0)
        begun = True
        cuts[ways, 0] = cut
        cuts[ways, 1] = cut + 1
        ways += 1
    return ways


# --- prices -------------------------------------------------------------------------------------


@helper
def price_node(table: CutTable, frame: Frame, suppressed, space: Workspace):
    """Merge a node's atoms, and price every interval: exactly, at least, and with each open cut.

    The frame gets the merged atoms. Returns how many there are, the rows of classes under k, the
    intervals, and the steps this took.
    """
    merging, parting, prices = space.merging, space.parting, space.prices
    size = frame.rows_before.shape[1]
    atoms, classes, lost = merge_atoms(table, frame, merging)
    intervals = clear_prices(frame, prices)
    steps = 0
    for c in range(classes):
        begin, end = merging.starts[c], merging.starts[c + 1]
        ways = part_class(table, frame, merging, begin, end, parting)
        score_cuts(table.k, frame, parting, ways, prices)
        own = merging.rows_before[begin:end]
        if table.by_label:
            count_right(parting, ways, size)
            price_by_label(table, frame, own, parting, ways, prices, space.line)
        else:
            price_by_size(table, frame, own, parting, ways, prices, space.line)
        steps += (ways + 1) * intervals + (end - begin) * size
    for a in range(atoms):
        for q in range(size):
            frame.rows_before[a, q] = merging.rows_before[a, q]
        for b in range(len(table.first)):
            frame.codes[a, b] = merging.codes[a, b]
    forbid(table, frame, suppressed + lost, table.least_cost[0], prices)
    return atoms, lost, intervals, steps


@helper
def clear_prices(frame: Frame, prices: Prices):
    """Place the prices of all intervals one after the other. Returns how many there are."""
    intervals = 0
    for i in range(len(frame.place) - 1):
        prices.at[i] = intervals
        intervals += max(0, frame.high[i] - frame.low[i] + 1)
    prices.exact[:intervals] = 0
    prices.bound[:intervals] = 0
    prices.suppressed[:intervals] = 0
    prices.score[:] = 0
    prices.useful[:] = False
    for cut in range(len(frame.state)):
        if frame.state[cut] == OPEN:
            prices.more[cut, :intervals] = 0
    return intervals


@helper
def forbid(table: CutTable, frame: Frame, suppressed, too_much, prices: Prices):
    """Price intervals that suppress too many rows, or that the policy forbids, at ``too_much``."""
    for i in range(len(frame.place) - 1):
        for j in range(frame.low[i], frame.high[i] + 1):
            at = prices.at[i] + j - frame.low[i]
            if (
                suppressed + prices.suppressed[at] > table.limit
                or table.banned[frame.place[i], frame.place[j]]
            ):
                prices.exact[at] = too_much
                prices.bound[at] = too_much


@helper
def score_cuts(k, frame: Frame, parting: Parting, ways, prices: Prices):
    """How much each open cut parts, and whether it ever leaves k rows on both sides."""
    last = len(frame.place) - 1
    for way in range(ways):
        left = np.int64(parting.left[way, last])
        right = np.int64(parting.whole[last]) - left
        for cut in range(parting.cuts[way, 0], parting.cuts[way, 1]):
            if frame.state[cut] == OPEN:
                prices.score[cut] += 2 * left * right
                if left >= k and right >= k:
                    prices.useful[cut] = True


@helper
def price_by_size(
    table: CutTable, frame: Frame, own, parting: Parting, ways, prices: Prices, line: Line
):
    """DM: add what one class costs in each interval.

    If a cut parts it, it costs at least ``least_cost`` of both sides; and in any case each row pays
    k or the size of its atom. ``own`` are the atoms of the class.
    """
    k, cost, least, too_much = table.k, table.class_cost, table.least_cost, table.least_cost[0]
    exact, bound, suppressed, more = prices.exact, prices.bound, prices.suppressed, prices.more
    whole, left, cuts, state = parting.whole, parting.left, parting.cuts, frame.state
    rows, atoms, best, parted = line.rows, line.atoms, line.best, line.parted
    for i in range(len(frame.place) - 1):
        low, at = frame.low[i], prices.at[i]
        count = frame.high[i] - low + 1
        if count <= 0:
            continue
        for q in range(count):
            n = whole[low + q] - whole[i]
            rows[q] = n
            exact[at + q] += cost[n]
            if n < k:
                suppressed[at + q] += n
        if ways == 0:
            for q in range(count):
                bound[at + q] += cost[rows[q]]
            continue
        for q in range(count):
            atoms[q] = k * rows[q]
            best[q] = too_much
        for a in range(len(own)):
            before = own[a, i]
            if own[a, low + count - 1] - before > k:
                for q in range(count):
                    n = own[a, low + q] - before
                    atoms[q] += n * max(n - k, 0)
        for way in range(ways):
            before = left[way, i]
            for q in range(count):
                here = left[way, low + q] - before
                pays = least[here] + least[rows[q] - here]
                parted[way, q] = pays
                best[q] = min(best[q], pays)
        for q in range(count):
            best[q] = min(cost[rows[q]], max(best[q], atoms[q]))
            bound[at + q] += best[q]
        for way in range(ways):
            for q in range(count):
                pays = parted[way, q]
                parted[way, q] = max(pays, atoms[q]) - best[q] if pays < too_much else 0
            add_to_cuts(state, cuts, way, parted, at, count, more)


@helper
def price_by_label(
    table: CutTable, frame: Frame, own, parting: Parting, ways, prices: Prices, line: Line
):
    """CM: the same; rows not of the most frequent label of their class cost 1, and suppressed rows.

    If a cut parts it, a side under k rows is lost whole, and any other side pays at least the
    minorities of its atoms. Cells under 2k rows gain nothing from more cuts: their cost is exact.
    """
    k, planes, places, too_much = table.k, table.planes, len(frame.place), table.least_cost[0]
    state, low, high, at = frame.state, frame.low, frame.high, prices.at
    exact, bound, suppressed, more = prices.exact, prices.bound, prices.suppressed, prices.more
    left, right, cuts, mixed = parting.left, parting.right, parting.cuts, line.mixed
    rows, most, atoms, best, parted = line.rows, line.most, line.atoms, line.best, line.parted
    rows_right, most_right = line.rows_right, line.most_right
    mixtures = list_mixed(own, planes, places, mixed)
    for i in range(places - 1):
        span = Span(i, low[i], high[i] - low[i] + 1, at[i])
        if span.length <= 0:
            continue
        count_labels(parting.whole, places, planes, span, rows, most)
        for q in range(span.length):
            n = rows[q]
            best[q] = n if n < k else n - most[q]
            exact[span.at + q] += best[q]
            if n < k:
                suppressed[span.at + q] += n
        if ways == 0:
            for q in range(span.length):
                bound[span.at + q] += best[q]
            continue
        for q in range(span.length):
            atoms[q] = 0
        for m in range(mixtures):
            atom = own[mixed[m]]
            if atom[span.low + span.length - 1] > atom[i]:
                count_labels(atom, places, planes, span, rows_right, most_right)
                for q in range(span.length):
                    atoms[q] += rows_right[q] - most_right[q]
        for way in range(ways):
            count_labels(left[way], places, planes, span, parted[way], most)
            count_labels(right[way], places, planes, span, rows_right, most_right)
            for q in range(span.length):
                here, there = parted[way, q], rows_right[q]
                pays = parted_cost(k, rows[q], atoms[q], here, most[q], there, most_right[q])
                parted[way, q] = pays if here > 0 and there > 0 else too_much
        for way in range(ways):
            for q in range(span.length):
                best[q] = min(best[q], parted[way, q])
        for q in range(span.length):
            bound[span.at + q] += best[q]
        for way in range(ways):
            for q in range(span.length):
                parted[way, q] = parted[way, q] - best[q] if parted[way, q] < too_much else 0
            add_to_cuts(state, cuts, way, parted, span.at, span.length, more)


@helper
def parted_cost(k, rows, atoms, left, most_left, right, most_right):
    """CM: what a cell costs at least if a cut parts it."""
    parted = (left if left < k else left - most_left) + (right if right < k else right - most_right)
    pays = atoms
    if left < k:
        pays += most_left
    if right < k:
        pays += most_right
    if rows < 2 * k:
        pays = parted
    return min(pays, parted)


@helper
def list_mixed(own, planes, places, mixed):
    """List the atoms with rows of several labels. Returns how many."""
    mixtures = 0
    for a in range(len(own)):
        for plane in range(1, planes):
            if 0 < own[a, (plane + 1) * places - 1] < own[a, places - 1]:
                mixed[mixtures] = a
                mixtures += 1
                break
    return mixtures


@helper
def count_labels(rows_before, places, planes, span: Span, rows, most):
    """Rows in each interval of a span, and rows of the most frequent label."""
    i, low = span.begin, span.low
    if planes == 2:
        for q in range(span.length):
            n = rows_before[low + q] - rows_before[i]
            y = rows_before[places + low + q] - rows_before[places + i]
            rows[q] = n
            most[q] = max(y, n - y)
        return
    for q in range(span.length):
        rows[q] = rows_before[low + q] - rows_before[i]
        most[q] = 0
    for plane in range(1, planes):
        at = plane * places
        for q in range(span.length):
            most[q] = max(most[q], rows_before[at + low + q] - rows_before[at + i])
    for q in range(span.length):
        rest = rows[q]  # of the last label
        for plane in range(1, planes):
            at = plane * places
            rest -= rows_before[at + low + q] - rows_before[at + i]
        most[q] = max(most[q], rest)


@helper
def add_to_cuts(state, cuts, way, parted, at, count, more):
    """Add what a way of parting costs to each open cut that parts so."""
    for cut in range(cuts[way, 0], cuts[way, 1]):
        if state[cut] == OPEN:
            for q in range(count):
                more[cut, at + q] += parted[way, q]


# --- paths --------------------------------------------------------------------------------------


@helper
def paths_to(price, frame: Frame, at, length, came):
    """The shortest paths from the first place to every other."""
    places = len(frame.place)
    for j in range(places):
        length[j] = FAR
        came[j] = -1
    length[0] = 0
    for i in range(places - 1):
        if length[i] >= FAR:
            continue
        start = at[i] - frame.low[i]
        for j in range(frame.low[i], frame.high[i] + 1):
            here = length[i] + price[start + j]
            if here < length[j]:
                length[j] = here
                came[j] = i


@helper
def paths_from(price, frame: Frame, at, length):
    """The lengths of the shortest paths from every place to the last."""
    places = len(frame.place)
    length[places - 1] = 0
    for i in range(places - 2, -1, -1):
        start = at[i] - frame.low[i]
        best = FAR
        for j in range(frame.low[i], frame.high[i] + 1):
            best = min(best, length[j] + price[start + j])
        length[i] = best


@helper
def path_with_cut(price, more, frame: Frame, at, cutoff, rest, length):
    """The length of the shortest path if a cut is made; at least ``cutoff`` if it reaches that."""
    places = len(frame.place)
    for j in range(places):
        length[j] = FAR
    length[0] = 0
    for i in range(places - 1):
        so_far = length[i]
        if so_far + rest[i] >= cutoff:
            continue
        start = at[i] - frame.low[i]
        for j in range(frame.low[i], frame.high[i] + 1):
            length[j] = min(length[j], so_far + price[start + j] + more[start + j])
    return length[places - 1]


@helper
def path_within_limit(prices: Prices, frame: Frame, spare, paths: Paths):
    """The shortest exact path on which at most ``spare`` rows are suppressed, written to ``came``.

    ``length_by[j, s]`` is the shortest to place j with s rows suppressed. Returns its length.
    """
    places = len(frame.place)
    length, came = paths.length_by, paths.came_by
    length[:places, : spare + 1] = FAR
    length[0, 0] = 0
    for i in range(places - 1):
        start = prices.at[i] - frame.low[i]
        for j in range(frame.low[i], frame.high[i] + 1):
            more = prices.suppressed[start + j]
            for s in range(spare + 1 - more):
                here = length[i, s] + prices.exact[start + j]
                if here < length[j, s + more]:
                    length[j, s + more] = here
                    came[j, s + more] = i
    best = 0
    for s in range(spare + 1):
        if length[places - 1, s] < length[places - 1, best]:
            best = s
    shortest = length[places - 1, best]
    j = places - 1
    while j > 0 and shortest < FAR:
        i = came[j, best]
        paths.came[j] = i
        best -= prices.suppressed[prices.at[i] + j - frame.low[i]]
        j = i
    return shortest


@helper
def best_recoding(table: CutTable, frame: Frame, suppressed, cutoff, space: Workspace, best):
    """The cheapest recoding with exactly the cuts that are in, if it costs less than ``cutoff``.

    Returns its cost and writes its cuts to ``best``; returns ``cutoff`` if there is none.
    """
    prices, paths = space.prices, space.paths
    places, came = len(frame.place), paths.came
    base = suppressed * (1 if table.by_label else table.rows)
    paths_to(prices.exact, frame, prices.at, paths.length, came)
    cost = base + paths.length[places - 1]
    if cost >= cutoff:
        return cutoff
    lost = suppressed
    j = places - 1
    while j > 0:
        lost += prices.suppressed[prices.at[came[j]] + j - frame.low[came[j]]]
        j = came[j]
    if lost > table.limit:
        if table.limit >= table.rows - 1:
            return cutoff  # nothing would be left
        cost = base + path_within_limit(prices, frame, table.limit - suppressed, paths)
        if cost >= cutoff:
            return cutoff
    best[:] = False
    for cut in range(len(frame.state)):
        best[cut] = frame.state[cut] == IN
    j = places - 1
    while came[j] > 0:
        j = came[j]
        best[len(frame.state) + frame.place[j]] = True
    return cost


@helper
def shrink(frame: Frame, prices: Prices, cutoff, paths: Paths):
    """Take out intervals and places that no recoding cheaper than ``cutoff`` uses.

    Intervals are taken from the ends of their range only. Returns the places left; ``kept[j]`` is
    the new number of place j, negative if it goes.
    """
    places, low, high = len(frame.place), frame.low, frame.high
    to, rest, kept = paths.to, paths.rest, paths.kept
    for i in range(places - 1):
        start = prices.at[i] - low[i]
        near, far = low[i], high[i]
        while near <= far and to[i] + prices.bound[start + near] + rest[near] >= cutoff:
            near += 1
        while far >= near and to[i] + prices.bound[start + far] + rest[far] >= cutoff:
            far -= 1
        low[i], high[i] = near, far
    left = 0
    for j in range(places):
        stays = j == 0 or j == places - 1 or to[j] + rest[j] < cutoff
        kept[j] = left if stays else -1 - left  # where it, or the next that stays, will be
        left += stays
    if left == places:
        return left
    for j in range(places):
        if kept[j] >= 0:
            near, far = low[j], high[j]
            if j == places - 1 or far < near:
                low[kept[j]], high[kept[j]] = 1, 0
            else:
                low[kept[j]] = kept[near] if kept[near] >= 0 else -1 - kept[near]
                high[kept[j]] = kept[far] if kept[far] >= 0 else -2 - kept[far]
    return left
