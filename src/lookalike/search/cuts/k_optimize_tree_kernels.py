"""The tree of K-Optimize, depth first, in compiled code: from one node down, as far as asked.

A *frame* is a node on the way from the one we began with to the one we are at. The frame's atoms
and places shrink as its cuts are dropped, and the node where a cut is made inherits them.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from lookalike.search.cuts.k_optimize_bound_kernels import (
    CM,
    DM,
    IN,
    OPEN,
    OUT,
    leave,
    merge,
    note_ways,
    onward,
    price_cm,
    price_dm,
    put,
    segments,
    shortest,
    shrink,
    sort_by,
    splits,
    with_cut,
    within_limit,
)

NEXT, CLOSED, LEFT, BRANCH = -1, -2, -3, -16  # as solution/proof.py tells
TO_LOOK, LOOKED, BELOW, DONE = 0, 1, 2, 3  # the phases of a frame
ENOUGH = 8192  # marks in one record
SPARE = 64  # and some more to end it with
FRAMES = 8  # as large as the first; most are far smaller
LAZY = 2  # a node is looked at again after so many of its cuts were branched on


@njit(cache=True, nogil=True)
def price(
    metric, k, limit, cost, least, planes, first, width, banned, state, place, places, low, high,
    code, prefix, gone, paths, scratch,
):  # fmt: skip
    """Merge a node's atoms, and price every interval: exactly, at least, and with each open cut.

    ``code`` and ``prefix`` are overwritten with the merged atoms. Returns their number, the rows of
    classes under k, the intervals, and the steps this took.
    """
    at, exact, bound, sure, forced, score, useful = paths
    (fine, coarse, order, spare, count, starts, new_code, new_prefix, mixed, held, sums, left,
     right, whole, cuts, way, row, most, atom, best, rows_2, most_2) = scratch  # fmt: skip
    size = planes * places
    atoms = len(code)
    segments(state, first, width, fine, coarse)
    for a in range(atoms):
        order[a] = a
    sort_by(fine, code, order[:atoms], spare, count)
    sort_by(coarse, code, order[:atoms], spare, count)
    atoms, classes, lost = merge(
        fine, coarse, code, prefix, places, order[:atoms], k, new_code, new_prefix, starts
    )
    n = 0
    for i in range(places - 1):
        at[i] = n
        n += max(0, high[i] - low[i] + 1)
    exact[:n] = 0
    bound[:n] = 0
    sure[:n] = 0
    score[:] = 0
    useful[:] = False
    for cut in range(len(state)):
        if state[cut] == OPEN:
            forced[cut, :n] = 0
    big = least[0]
    steps = 0
    for c in range(classes):
        begin, end = starts[c], starts[c + 1]
        whole[:size] = 0
        for a in range(begin, end):
            for q in range(size):
                whole[q] += new_prefix[a, q]
        ways = splits(
            state, first, width, fine, new_code, new_prefix, begin, end, size, held, sums, left,
            cuts,
        )  # fmt: skip
        note_ways(ways, left, whole, places, cuts, state, k, score, useful)
        if metric == DM:
            price_dm(
                k, cost, least, big, begin, end, new_prefix, places, whole, ways, left, cuts, state,
                low, high, at, exact, bound, forced, sure, row, atom, best, way,
            )  # fmt: skip
        else:
            for s in range(ways):
                for q in range(size):
                    right[s, q] = whole[q] - left[s, q]
            price_cm(
                k, planes, big, begin, end, new_prefix, places, whole, ways, left, right, cuts,
                state, low, high, at, exact, bound, forced, sure, mixed, row, most, atom, best, way,
                rows_2, most_2,
            )  # fmt: skip
        steps += (ways + 1) * n + (end - begin) * size
    for a in range(atoms):
        for q in range(size):
            prefix[a, q] = new_prefix[a, q]
        for b in range(len(first)):
            code[a, b] = new_code[a, b]
    for i in range(places - 1):
        for j in range(low[i], high[i] + 1):
            o = at[i] + j - low[i]
            if gone + lost + sure[o] > limit or banned[place[i], place[j]]:
                exact[o] = big
                bound[o] = big
    return atoms, lost, n, steps


@njit(cache=True, nogil=True)
def cheapest_here(
    limit, rows, each, state, place, places, low, high, gone, upper, paths, length, came, lengths,
    came_by, found,
):  # fmt: skip
    """The best way to cut the long column if no open cut is made, if it is below ``upper``."""
    at, exact, sure = paths[0], paths[1], paths[3]
    shortest(exact, places, low, high, at, length, came)
    base = gone * each
    value = length[places - 1]
    if base + value >= upper:
        return upper
    suppressed = gone
    j = places - 1
    while j > 0:
        suppressed += sure[at[came[j]] + j - low[came[j]]]
        j = came[j]
    if suppressed > limit:
        if limit >= rows - 1:
            return upper  # nothing would be left
        s = within_limit(exact, sure, limit - gone, places, low, high, at, lengths, came_by)
        value = lengths[places - 1, s]
        if base + value >= upper:
            return upper
        j = places - 1
        while j > 0:
            came[j] = came_by[j, s]
            s -= sure[at[came[j]] + j - low[came[j]]]
            j = came[j]
    found[:] = False
    for cut in range(len(state)):
        found[cut] = state[cut] == IN
    j = places - 1
    while came[j] > 0:
        j = came[j]
        found[len(state) + place[j]] = True
    return base + value


@njit(cache=True, nogil=True)
def drop_cuts(
    safe, base, upper, state, needs, places, low, high, paths, rest, length, in_cost, record, told
):
    """Leave out cuts that are not worth making, and write them down. Returns the marks, and how
    many cuts went and how many are still open.
    """
    at, bound, forced, score, useful = paths[0], paths[2], paths[4], paths[5], paths[6]
    before = told
    for cut in range(len(state)):
        if state[cut] != OPEN:
            continue
        useless = score[cut] == 0 or (safe and not useful[cut])
        if useless:
            for other in range(len(state)):
                if state[other] != OUT and (needs[other, 0] == cut or needs[other, 1] == cut):
                    useless = False
        if not useless:
            in_cost[cut] = base + with_cut(
                bound, forced[cut], rest, upper - base, places, low, high, at, length
            )
        if useless or in_cost[cut] >= upper:
            leave(state, cut, needs)
            record[told] = cut
            told += 1
    still = 0
    for cut in range(len(state)):
        still += state[cut] == OPEN
    return told, told - before, still


@njit(cache=True, nogil=True)
def fewer_places(places, left, place, prefix, planes, kept):
    """Take places out of the prefix sums, in place."""
    flat = prefix.reshape(-1)
    o = 0
    for a in range(len(prefix)):
        for plane in range(planes):
            for j in range(places):
                if kept[j] >= 0:
                    flat[o] = flat[a * planes * places + plane * places + j]
                    o += 1
    for j in range(places):
        if kept[j] >= 0:
            place[kept[j]] = place[j]


@njit(cache=True, nogil=True)
def most_parting(state, score):
    """The open cut that parts most, −1 if none is open."""
    cut = -1
    for other in range(len(state)):
        if state[other] == OPEN and (cut < 0 or score[other] > score[cut]):
            cut = other
    return cut


@njit(cache=True, nogil=True)
def explore(
    metric, k, limit, rows, cost, least, first, width, needs, banned, profile, weight, planes,
    state_0, places_0, place_0, low_0, high_0, upper, work, halt,
):  # fmt: skip
    """Search below one node until done, until ``work`` steps are spent, or ``halt`` is set.

    ``cost[n]`` and ``least[n]`` are what n rows cost as one class, and at least however they are
    parted; ``profile`` (profiles, columns) and ``weight`` (profiles, planes · places) are the
    table; ``upper`` is the cost of the best known. Returns the best cost and its cuts (flags of the
    branching cuts, then of places), the marks, the nodes looked at, and the nodes left open.
    """
    n_cuts, columns = len(state_0), len(first)
    long = banned.shape[0]  # places of the long column, with both ends
    widest = 2
    for b in range(columns):
        widest = max(widest, width[b] + 1)
    each = np.int64(rows) if metric == DM else np.int64(1)  # what a suppressed row costs
    profiles, deepest = len(profile), n_cuts + 2

    state = np.zeros((deepest, n_cuts), np.int8)
    places = np.zeros(deepest, np.int64)
    place = np.zeros((deepest, long), np.int64)
    low = np.zeros((deepest, long), np.int64)
    high = np.zeros((deepest, long), np.int64)
    atoms = np.zeros(deepest, np.int64)
    gone = np.zeros(deepest, np.int64)  # rows of classes under k
    bounds = np.zeros(deepest, np.int64)
    phase = np.zeros(deepest, np.int64)
    branch = np.zeros(deepest, np.int64)
    branched = np.zeros(deepest, np.int64)
    scores = np.zeros((deepest, n_cuts), np.int64)
    in_costs = np.zeros((deepest, n_cuts), np.int64)
    prefix_at = np.zeros(deepest + 1, np.int64)
    code_at = np.zeros(deepest + 1, np.int64)
    frames = FRAMES if weight.size > 1 << 20 else deepest + 1
    prefixes = np.empty(frames * weight.size, weight.dtype)
    codes = np.empty(frames * profile.size, profile.dtype)

    edges = places_0 * (places_0 + 1) // 2
    paths = (
        np.zeros(long + 1, np.int64),  # at
        np.zeros(edges, cost.dtype),  # exact
        np.zeros(edges, cost.dtype),  # bound
        np.zeros(edges, np.int64),  # sure
        np.zeros((n_cuts, edges), cost.dtype),  # forced
        np.zeros(n_cuts, np.int64),  # score
        np.zeros(n_cuts, np.bool_),  # useful
    )
    scratch = (
        np.zeros((columns, widest), np.int64),  # fine
        np.zeros((columns, widest), np.int64),  # coarse
        np.zeros(profiles, np.int64),  # order
        np.zeros(profiles, np.int64),  # spare
        np.zeros(widest + 1, np.int64),  # count
        np.zeros(profiles + 1, np.int64),  # starts
        np.empty_like(profile),  # new_code
        np.empty((profiles, planes * long), weight.dtype),  # new_prefix
        np.zeros(profiles, np.int64),  # mixed
        np.zeros(widest, np.bool_),  # held
        np.zeros((widest, planes * long), weight.dtype),  # sums
        np.zeros((n_cuts + 1, planes * long), weight.dtype),  # left
        np.zeros((n_cuts + 1, planes * long), weight.dtype),  # right
        np.zeros(planes * long, weight.dtype),  # whole
        np.zeros((n_cuts + 1, 2), np.int64),  # cuts
        np.zeros((n_cuts + 1, long), cost.dtype),  # way
        np.zeros(long, cost.dtype),  # row
        np.zeros(long, cost.dtype),  # most
        np.zeros(long, cost.dtype),  # atom
        np.zeros(long, cost.dtype),  # best
        np.zeros(long, cost.dtype),  # rows_2
        np.zeros(long, cost.dtype),  # most_2
    )
    to = np.zeros(long, np.int64)
    rest = np.zeros(long, np.int64)
    length = np.zeros(long, np.int64)
    came = np.zeros(long, np.int64)
    kept = np.zeros(long, np.int64)
    steps = limit + 1 if limit < rows - 1 else 1
    lengths = np.zeros((long, steps), np.int64)
    came_by = np.zeros((long, steps), np.int64)

    record = np.zeros(ENOUGH + 4 * (n_cuts + SPARE), np.int16)
    told, nodes, spent = 0, 0, 0
    found = np.zeros(n_cuts + long, np.bool_)

    f = 0
    state[0] = state_0
    places[0] = places_0
    place[0, :places_0] = place_0[:places_0]
    low[0, :places_0] = low_0[:places_0]
    high[0, :places_0] = high_0[:places_0]
    atoms[0] = profiles
    codes[: profile.size] = profile.reshape(-1)
    for a in range(profiles):
        for plane in range(planes):
            for q in range(places_0):
                prefixes[(a * planes + plane) * places_0 + q] = weight[a, plane * long + place_0[q]]

    while f >= 0:
        if phase[f] == DONE:
            f -= 1
            continue
        if nodes > 0 and (spent > work or halt[0] != 0 or told > ENOUGH):
            break
        m = places[f]
        if phase[f] == LOOKED:  # make the cut
            n = atoms[f] * planes * m
            if prefix_at[f] + 2 * n > len(prefixes) or (
                code_at[f] + 2 * atoms[f] * columns > len(codes)
            ):
                break  # no room for another frame: somebody else will go on from here
            g = f + 1
            state[g] = state[f]
            put(state[g], branch[f], needs)
            places[g], atoms[g], gone[g] = m, atoms[f], gone[f]
            bounds[g] = max(bounds[f], in_costs[f, branch[f]])
            place[g, :m] = place[f, :m]
            low[g, :m] = low[f, :m]
            high[g, :m] = high[f, :m]
            prefix_at[g] = prefix_at[f] + n
            prefixes[prefix_at[g] : prefix_at[g] + n] = prefixes[prefix_at[f] : prefix_at[f] + n]
            n = atoms[f] * columns
            code_at[g] = code_at[f] + n
            codes[code_at[g] : code_at[g] + n] = codes[code_at[f] : code_at[f] + n]
            phase[f], phase[g] = BELOW, TO_LOOK
            f = g
            continue
        if phase[f] == BELOW:  # do not make it
            leave(state[f], branch[f], needs)
            phase[f] = TO_LOOK
            cut = most_parting(state[f], scores[f])
            if branched[f] < LAZY and cut >= 0:
                branched[f] += 1
                branch[f] = cut
                phase[f] = LOOKED
                record[told] = BRANCH - cut
                told += 1
                continue

        nodes += 1
        closed, again = False, True
        while again:
            m = places[f]
            size = planes * m
            code = codes[code_at[f] : code_at[f] + atoms[f] * columns].reshape(atoms[f], columns)
            prefix = prefixes[prefix_at[f] : prefix_at[f] + atoms[f] * size].reshape(atoms[f], size)
            atoms[f], lost, n, taken = price(
                metric, k, limit, cost, least, planes, first, width, banned, state[f], place[f], m,
                low[f], high[f], code, prefix, gone[f], paths, scratch,
            )  # fmt: skip
            gone[f] += lost
            spent += taken
            base = gone[f] * each
            upper = cheapest_here(
                limit, rows, each, state[f], place[f], m, low[f], high[f], gone[f], upper, paths,
                length, came, lengths, came_by, found,
            )  # fmt: skip
            shortest(paths[2], m, low[f], high[f], paths[0], to, came)
            bounds[f] = max(bounds[f], base + to[m - 1])
            closed = bounds[f] >= upper or gone[f] > limit
            if closed:
                break
            onward(paths[2], m, low[f], high[f], paths[0], rest)
            safe = metric == CM or k + 2 * np.sqrt(float(upper)) <= rows
            told, dropped, still = drop_cuts(
                safe, base, upper, state[f], needs, m, low[f], high[f], paths, rest, length,
                in_costs[f], record, told,
            )  # fmt: skip
            closed = still == 0
            if closed:
                break
            spent += still * n
            left = shrink(paths[2], to, rest, upper - base, m, low[f], high[f], paths[0], kept)
            if left < m:
                fewer_places(m, left, place[f], prefix[: atoms[f]], planes, kept)
                places[f] = left
            live = 0
            for i in range(left - 1):
                live += max(0, high[f, i] - low[f, i] + 1)
            again = dropped * 8 >= still or (m - left) * 6 >= m or live * 5 < n * 4
            again = again and told < ENOUGH + 2 * (n_cuts + SPARE) and halt[0] == 0
            if again:
                record[told] = NEXT
                told += 1
        if closed:
            record[told] = CLOSED
            told += 1
            phase[f] = DONE
            continue
        scores[f] = paths[5]
        branch[f] = most_parting(state[f], scores[f])
        branched[f] = 1
        phase[f] = LOOKED
        record[told] = BRANCH - branch[f]
        told += 1

    # nodes left open, in the order in which the record leaves them
    waiting = 0
    for g in range(f + 1):
        waiting += (phase[g] != DONE) + (phase[g] == LOOKED)
    open_state = np.zeros((waiting, n_cuts), np.int8)
    open_places = np.zeros(waiting, np.int64)
    open_place = np.zeros((waiting, 3, long), np.int64)
    open_bound = np.zeros(waiting, np.int64)
    w = 0
    for g in range(f, -1, -1):
        for made in range(1, -1, -1):
            if phase[g] == DONE or (made and phase[g] == BELOW) or (not made and not phase[g]):
                continue
            open_state[w] = state[g]
            open_bound[w] = bounds[g]
            if phase[g] != TO_LOOK and made:
                put(open_state[w], branch[g], needs)
                open_bound[w] = max(bounds[g], in_costs[g, branch[g]])
            elif phase[g] != TO_LOOK:
                leave(open_state[w], branch[g], needs)
            open_places[w] = places[g]
            open_place[w, 0] = place[g]
            open_place[w, 1] = low[g]
            open_place[w, 2] = high[g]
            record[told] = LEFT
            told += 1
            w += 1
    return upper, found, record[:told], nodes, open_state, open_places, open_place, open_bound
