"""The tree of K-Optimize, depth first, in compiled code: from one node down, as far as asked.

Each node is bounded, and cuts that are not worth making are dropped. Then it branches on a cut:
first the node where the cut is made, then the node where it is not. Every step is recorded. The
arrays are described in ``k_optimize_arrays.py``.
"""
# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs

from __future__ import annotations

import numpy as np

from lookalike.jit import helper, inlined, kernel
from lookalike.search.cuts.k_optimize_arrays import (
    DONE,
    MAX_MARKS,
    OPEN,
    OUT,
    SPARE_MARKS,
    TO_BOUND,
    TO_DROP,
    TO_MAKE,
    CutTable,
    Frame,
    Paths,
    Prices,
    Record,
    Stack,
    Whole,
    Workspace,
)
from lookalike.search.cuts.k_optimize_bound_kernels import (
    best_recoding,
    drop_cut,
    make_cut,
    path_with_cut,
    paths_from,
    paths_to,
    price_node,
    shrink,
)
from lookalike.solution.proof import BRANCH, CLOSED, NEXT

MAX_BRANCHED = 2  # cuts that a node branches on before it is bounded again


@kernel
def explore(
    table: CutTable,
    stack: Stack,
    space: Workspace,
    record: Record,
    cutoff: int,
    work: int,
    halt: Whole,
) -> tuple[int, int, int]:
    """Search below the first node until done, until ``work`` steps are spent, or ``halt`` is set.

    ``cutoff`` is the cost of the best known recoding. Returns the best cost, the nodes bounded, and
    the depth at which it stopped, −1 if nothing is left open.
    """
    depth, nodes, spent = 0, 0, 0
    while depth >= 0:
        phase = stack.phase[depth]
        if phase == DONE:
            depth -= 1
            continue
        if nodes > 0 and (spent > work or halt[0] != 0 or record.length[0] > MAX_MARKS):
            break
        if phase == TO_MAKE:
            if not has_space_below(table, stack, depth):
                break  # the search goes on from here with fresh arrays
            go_below(table, stack, depth)
            depth += 1
            continue
        if phase == TO_DROP:
            drop_cut(stack.state[depth], stack.branch[depth], table.needs)
            if stack.branched[depth] < MAX_BRANCHED and branch(stack, depth, record):
                continue
        nodes += 1
        closed, cutoff, steps = bound_node(table, stack, depth, space, record, cutoff, halt)
        spent += steps
        if closed:
            note(record, CLOSED)
            stack.phase[depth] = DONE
        else:
            copy(space.prices.score, stack.score[depth])
            stack.branched[depth] = 0
            branch(stack, depth, record)
    return cutoff, nodes, depth


@helper
def note(record: Record, mark):
    record.marks[record.length[0]] = mark
    record.length[0] += 1


# --- bound --------------------------------------------------------------------------------------


@inlined
def bound_node(
    table: CutTable, stack: Stack, depth, space: Workspace, record: Record, cutoff, halt
):
    """Bound a node and drop cuts, again and again as long as that pays.

    Returns whether the node is closed, the best cost known by then, and the steps this took.
    """
    prices, paths = space.prices, space.paths
    spent = 0
    while True:
        frame = frame_at(table, stack, depth)
        places = len(frame.place)
        atoms, lost, intervals, steps = price_node(table, frame, stack.suppressed[depth], space)
        stack.atoms[depth] = atoms
        stack.suppressed[depth] += lost
        spent += steps
        suppressed = stack.suppressed[depth]
        cutoff = best_recoding(table, frame, suppressed, cutoff, space, record.best)
        paths_to(prices.bound, frame, prices.at, paths.to, paths.came)
        base = suppressed * (1 if table.by_label else table.rows)
        stack.bound[depth] = max(stack.bound[depth], base + paths.to[places - 1])
        if stack.bound[depth] >= cutoff or suppressed > table.limit:
            return True, cutoff, spent
        paths_from(prices.bound, frame, prices.at, paths.rest)
        dropped, still_open = drop_cuts(
            table, frame, base, cutoff, prices, paths, stack.with_cut[depth], record
        )
        if still_open == 0:
            return True, cutoff, spent
        spent += still_open * intervals
        left = shrink(frame, prices, cutoff - base, paths)
        if left < places:
            take_out_places(table.planes, frame, atoms, paths.kept)
            stack.places[depth] = left
        live = 0
        for i in range(left - 1):
            live += max(0, frame.high[i] - frame.low[i] + 1)
        changed = (
            dropped * 8 >= still_open or (places - left) * 6 >= places or live * 5 < intervals * 4
        )
        fits = record.length[0] < MAX_MARKS + 2 * (table.needs.shape[0] + SPARE_MARKS)
        if not (changed and fits and halt[0] == 0):
            return False, cutoff, spent
        note(record, NEXT)


@inlined
def frame_at(table: CutTable, stack: Stack, depth):
    """The node at one depth of the stack."""
    atoms, places, columns = stack.atoms[depth], stack.places[depth], len(table.first)
    size = table.planes * places
    codes, rows = stack.codes[stack.codes_at[depth] :], stack.rows_before[stack.rows_at[depth] :]
    return Frame(
        stack.state[depth],
        stack.place[depth, :places],
        stack.low[depth, :places],
        stack.high[depth, :places],
        codes[: atoms * columns].reshape(atoms, columns),
        rows[: atoms * size].reshape(atoms, size),
    )


@helper
def drop_cuts(
    table: CutTable, frame: Frame, base, cutoff, prices: Prices, paths: Paths, with_cut, record
):
    """Drop and record the cuts that are not worth making. Returns how many, and how many are open.

    ``with_cut[cut]`` becomes the bound if an open cut is made.
    """
    state, needs = frame.state, table.needs
    # By DM, joining few rows to many must not cost more than to suppress them.
    safe = table.by_label or table.k + 2 * np.sqrt(float(cutoff)) <= table.rows
    dropped = 0
    for cut in range(len(state)):
        if state[cut] != OPEN:
            continue
        useless = prices.score[cut] == 0 or (safe and not prices.useful[cut])
        if useless:
            for other in range(len(state)):
                if state[other] != OUT and (needs[other, 0] == cut or needs[other, 1] == cut):
                    useless = False
        if not useless:
            with_cut[cut] = base + path_with_cut(
                prices.bound, prices.more[cut], frame, prices.at, cutoff - base, paths.rest,
                paths.length,
            )  # fmt: skip
        if useless or with_cut[cut] >= cutoff:
            drop_cut(state, cut, needs)
            note(record, cut)
            dropped += 1
    still_open = 0
    for cut in range(len(state)):
        still_open += state[cut] == OPEN
    return dropped, still_open


@inlined
def take_out_places(planes, frame: Frame, atoms, kept):
    """Take places out of a frame whose new numbers are negative."""
    places = len(frame.place)
    flat = frame.rows_before.reshape(-1)
    to = 0
    for a in range(atoms):
        for plane in range(planes):
            for j in range(places):
                if kept[j] >= 0:
                    flat[to] = flat[(a * planes + plane) * places + j]
                    to += 1
    for j in range(places):
        if kept[j] >= 0:
            frame.place[kept[j]] = frame.place[j]


# --- branch -------------------------------------------------------------------------------------


@helper
def branch(stack: Stack, depth, record: Record):
    """Branch on the open cut that parts most; False if no cut is open, and the node is to bound."""
    state, score = stack.state[depth], stack.score[depth]
    cut = -1
    for other in range(len(state)):
        if state[other] == OPEN and (cut < 0 or score[other] > score[cut]):
            cut = other
    stack.phase[depth] = TO_BOUND if cut < 0 else TO_MAKE
    if cut < 0:
        return False
    stack.branch[depth] = cut
    stack.branched[depth] += 1
    note(record, BRANCH - cut)
    return True


@inlined
def has_space_below(table: CutTable, stack: Stack, depth):
    """Do the arrays have space for one more node?"""
    atoms = stack.atoms[depth]
    rows = 2 * atoms * table.planes * stack.places[depth]
    codes = 2 * atoms * len(table.first)
    return stack.rows_at[depth] + rows <= len(stack.rows_before) and stack.codes_at[
        depth
    ] + codes <= len(stack.codes)


@inlined
def go_below(table: CutTable, stack: Stack, depth):
    """Put the node where the branching cut is made on the stack."""
    below, cut = depth + 1, stack.branch[depth]
    atoms, places = stack.atoms[depth], stack.places[depth]
    copy(stack.state[depth], stack.state[below])
    make_cut(stack.state[below], cut, table.needs)
    stack.places[below], stack.atoms[below] = places, atoms
    stack.suppressed[below] = stack.suppressed[depth]
    stack.bound[below] = max(stack.bound[depth], stack.with_cut[depth, cut])
    copy(stack.place[depth], stack.place[below])
    copy(stack.low[depth], stack.low[below])
    copy(stack.high[depth], stack.high[below])
    begin, behind = stack.rows_at[depth], stack.rows_at[depth] + atoms * table.planes * places
    copy(stack.rows_before[begin:behind], stack.rows_before[behind:])
    stack.rows_at[below] = behind
    begin, behind = stack.codes_at[depth], stack.codes_at[depth] + atoms * len(table.first)
    copy(stack.codes[begin:behind], stack.codes[behind:])
    stack.codes_at[below] = behind
    stack.phase[depth], stack.phase[below] = TO_DROP, TO_BOUND


@helper
def copy(source, target):
    for i in range(len(source)):  # compiles in a tenth of the time of an assignment to a slice
        target[i] = source[i]
