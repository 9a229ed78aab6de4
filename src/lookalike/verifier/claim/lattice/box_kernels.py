"""What broken nodes and a budget leave of a box of the lattice: the verifier's own arithmetic.

A box is all nodes between two ends. A broken node v rules out every node that is nowhere above it.
So a node of the box that meets the policy pays for a step above v in some column. What it may pay
at all is the target less the score of the lower end.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lookalike.jit import helper, kernel


@kernel
def narrow(lower, upper, score, target, broken, count) -> Any:  # type: ignore[no-untyped-def]
    """Take from the box what cannot meet the policy below the target; is nothing left?

    ``lower`` and ``upper`` (columns,) are changed. ``score`` (columns, levels) never falls with the
    level. ``broken`` (nodes, columns), of which the first ``count`` are used.
    """
    columns = len(lower)
    again = True
    while again:
        again = False
        for v in range(count):
            budget = _budget(lower, score, target)
            if not budget > 0.0:
                return True
            steps, price, column = _way_out(lower, upper, score, broken[v])
            if steps < 0:
                continue  # every node of the box is above v somewhere
            if steps == 0 or price >= budget:
                return True
            if steps == 1:
                lower[column] = broken[v, column] + 1
                again = True
                continue
            for a in range(columns):
                if broken[v, a] < upper[a]:
                    continue
                # a step above v is in another column, and has to be paid as well
                while upper[a] > lower[a] and _paid(lower, score, a, upper[a]) >= budget - price:
                    upper[a] -= 1
                    again = True
        budget = _budget(lower, score, target)
        if not budget > 0.0:
            return True
        for a in range(columns):
            while upper[a] > lower[a] and _paid(lower, score, a, upper[a]) >= budget:
                upper[a] -= 1
                again = True
    return False


@kernel
def narrow_by_sum(lower, upper, score, target, broken, chosen) -> Any:  # type: ignore[no-untyped-def]
    """The same with the prices of nodes that are about different columns, added up.

    Returns whether nothing is left, and whether the nodes are about different columns.
    """
    columns = len(lower)
    of = np.full(columns, -1, np.int64)
    prices = np.zeros(len(chosen))
    for i in range(len(chosen)):
        steps, price, _ = _way_out(lower, upper, score, broken[chosen[i]])
        if steps < 0:
            continue
        if steps == 0:
            return True, True
        prices[i] = price
        for a in range(columns):
            if broken[chosen[i], a] < upper[a]:
                if of[a] >= 0:
                    return False, False
                of[a] = i
    budget = _budget(lower, score, target)
    if prices.sum() >= budget:
        return True, True
    for a in range(columns):
        others = 0.0
        for i in range(len(chosen)):
            if of[a] != i:
                others += prices[i]
        while upper[a] > lower[a] and _paid(lower, score, a, upper[a]) >= budget - others:
            upper[a] -= 1
    return False, True


@helper
def _budget(lower, score, target) -> Any:  # type: ignore[no-untyped-def]
    spent = 0.0
    for a in range(len(lower)):
        spent += score[a, lower[a]]
    return target - spent


@helper
def _paid(lower, score, a, level) -> Any:  # type: ignore[no-untyped-def]
    return score[a, level] - score[a, lower[a]]


@helper
def _way_out(lower, upper, score, node) -> Any:  # type: ignore[no-untyped-def]
    """In how many columns the box reaches above a node, the least price, and the last column.

    −1 if the whole box is above the node in some column.
    """
    steps, price, column = 0, np.inf, -1
    for a in range(len(lower)):
        if lower[a] > node[a]:
            return -1, 0.0, -1
        if upper[a] > node[a]:
            steps += 1
            price = min(price, _paid(lower, score, a, node[a] + 1))
            column = a
    return steps, price, column
