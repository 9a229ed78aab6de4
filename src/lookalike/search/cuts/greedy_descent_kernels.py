"""What a set of cuts costs exactly, and what it would cost with each single cut more.

The long column is cut in the best way each time. The arrays are those of K-Optimize.
"""
# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs

from __future__ import annotations

import numpy as np

from lookalike.jit import helper, kernel
from lookalike.search.cuts.k_optimize_arrays import (
    FAR,
    OPEN,
    CutTable,
    Flags,
    Frame,
    Line,
    Parting,
    Prices,
    Whole,
    Workspace,
)
from lookalike.search.cuts.k_optimize_bound_kernels import (
    Span,
    add_to_cuts,
    best_recoding,
    clear_prices,
    count_labels,
    count_right,
    forbid,
    merge_atoms,
    part_class,
    paths_to,
)


@kernel
def price_neighbors(table: CutTable, frame: Frame, space: Workspace) -> tuple[int, Flags, Whole]:
    """The cost with the cuts that are in, its cuts, and the cost with each open cut besides.

    The first is FAR if the policy forbids the recoding; the last as if suppression had no limit.
    """
    merging, prices, paths = space.merging, space.prices, space.paths
    parting, last = space.parting, len(frame.place) - 1
    _, classes, suppressed = merge_atoms(table, frame, merging)
    intervals = clear_prices(frame, prices)
    for c in range(classes):
        begin, end = merging.starts[c], merging.starts[c + 1]
        ways = part_class(table, frame, merging, begin, end, parting)
        count_right(parting, ways, frame.rows_before.shape[1])
        price_exactly(table, frame, parting, ways, prices, space.line)
    suppressed_price = 1 if table.by_label else table.rows
    too_much = suppressed_price * table.rows + 1
    forbid(table, frame, suppressed, too_much, prices)
    with_cut = np.full(len(frame.state), FAR)
    for cut in range(len(frame.state)):
        if frame.state[cut] == OPEN:
            for at in range(intervals):
                prices.more[cut, at] += prices.exact[at]
            paths_to(prices.more[cut], frame, prices.at, paths.length, paths.came)
            with_cut[cut] = suppressed * suppressed_price + paths.length[last]
    best = np.zeros(len(frame.state) + len(table.banned), np.bool_)
    cost = best_recoding(table, frame, suppressed, too_much, space, best)
    return (cost if cost < too_much else FAR), best, with_cut


@helper
def price_exactly(
    table: CutTable, frame: Frame, parting: Parting, ways, prices: Prices, line: Line
):
    """Add what one class costs in each interval, and how much more with each open cut."""
    by_label, k, cost, places = table.by_label, table.k, table.class_cost, len(frame.place)
    for i in range(places - 1):
        span = Span(i, frame.low[i], frame.high[i] - frame.low[i] + 1, prices.at[i])
        count_labels(parting.whole, places, table.planes, span, line.rows, line.most)
        for q in range(span.length):
            n = line.rows[q]
            line.best[q] = cell_cost(by_label, k, cost, n, line.most[q])
            prices.exact[span.at + q] += line.best[q]
            if n < k:
                prices.suppressed[span.at + q] += n
        for way in range(ways):
            left, right = line.parted[way], line.rows_right
            count_labels(parting.left[way], places, table.planes, span, left, line.most)
            count_labels(parting.right[way], places, table.planes, span, right, line.most_right)
            for q in range(span.length):
                apart = cell_cost(by_label, k, cost, left[q], line.most[q])
                apart += cell_cost(by_label, k, cost, right[q], line.most_right[q])
                line.parted[way, q] = apart - line.best[q]
            add_to_cuts(
                frame.state, parting.cuts, way, line.parted, span.at, span.length, prices.more
            )


@helper
def cell_cost(by_label, k, class_cost, rows, most):
    """What a cell costs, ``most`` of whose rows have the most frequent label."""
    if not by_label:
        return class_cost[rows]
    return rows if rows < k else rows - most
