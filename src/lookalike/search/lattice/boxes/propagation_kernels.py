"""Make a box of nodes smaller: what broken nodes and the remaining budget rule out.

A counted node v that breaks the policy, as all finer nodes do, is a *clause*: a node w that meets
the policy is above v in some column. So w pays at least the least price of a step above v, over
the columns where the box reaches above v. What the box may still spend, the *budget*, is the target
less what its lowest node costs. ``docs/explanation/wide-lattices.md`` proves each rule.

Prices (columns, levels) never fall with the level, and are 0 at the low end of the box.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lookalike.jit import helper, kernel

OPEN, CLOSED = 0, 1
SATISFIED = -1.0  # every node of the box is above the clause in some column


@kernel
def propagate(low, high, score, target, clauses, active, used) -> Any:  # type: ignore[no-untyped-def]
    """Shrink a box until nothing changes.

    ``low`` and ``high`` (columns,) are changed in place. ``score`` (columns, levels): its sum at
    the levels of a node bounds the score of the node. ``active`` are the clauses to look at; those
    that are satisfied in the whole box are dropped. ``used`` (clauses,) is set where a clause ruled
    something out. Returns whether the box is closed, and the active clauses that remain.
    """
    columns = len(low)
    left = active.copy()
    count = len(left)
    while True:
        changed = False
        base = 0.0
        for j in range(columns):
            base += score[j, low[j]]
        budget = target - base
        if budget <= 0.0:
            return CLOSED, left[:0]
        most = 0.0
        for j in range(columns):
            while score[j, high[j]] - score[j, low[j]] >= budget:
                high[j] -= 1
                changed = True
            most = max(most, score[j, high[j]] - score[j, low[j]])
        kept = 0
        for i in range(count):
            clause = left[i]
            price, literals, last = _price(low, high, score, clauses[clause])
            if price == SATISFIED:
                continue
            left[kept] = clause
            kept += 1
            if literals == 0 or price >= budget:
                used[clause] = True
                return CLOSED, left[:0]
            if literals == 1:
                low[last] = clauses[clause, last] + 1
                used[clause] = True
                changed = True
                kept -= 1
                break_now = True
            else:
                break_now = False
                if price + most >= budget:
                    for j in range(columns):
                        if clauses[clause, j] >= high[j]:
                            while score[j, high[j]] - score[j, low[j]] >= budget - price:
                                high[j] -= 1
                                used[clause] = True
                                changed = True
            if break_now:  # the base has changed: begin again with the rest
                for rest in range(i + 1, count):
                    left[kept] = left[rest]
                    kept += 1
                break
        count = kept
        if not changed:
            return OPEN, left[:count].copy()


@kernel
def add_up(low, high, score, target, clauses, active, order_by_size) -> Any:  # type: ignore[no-untyped-def]
    """Choose clauses over different columns, whose prices add up.

    Returns the chosen ones, the sum of their prices, and for each column the price of the one that
    it is in.
    """
    columns, count = len(low), len(active)
    rank = np.empty(count)
    prices = np.empty(count)
    for i in range(count):
        price, literals, _ = _price(low, high, score, clauses[active[i]])
        prices[i] = price
        rank[i] = -price / literals if order_by_size else -price
    chosen = np.empty(columns, np.int64)
    owner = np.zeros(columns)
    taken = np.zeros(columns, np.bool_)
    picked = 0
    total = 0.0
    for i in np.argsort(rank):
        if prices[i] <= 0.0:
            continue
        clause = active[i]
        free = True
        for j in range(columns):
            if clauses[clause, j] < high[j] and taken[j]:
                free = False
                break
        if not free:
            continue
        for j in range(columns):
            if clauses[clause, j] < high[j]:
                taken[j] = True
                owner[j] = prices[i]
        chosen[picked] = clause
        picked += 1
        total += prices[i]
    return chosen[:picked].copy(), total, owner, taken


@kernel
def cut_by_sum(low, high, score, target, total, owner) -> Any:  # type: ignore[no-untyped-def]
    """Lower each column to what the budget pays, less the prices of clauses without the column."""
    columns = len(low)
    base = 0.0
    for j in range(columns):
        base += score[j, low[j]]
    budget = target - base
    if total >= budget:
        return CLOSED, True
    changed = False
    for j in range(columns):
        while score[j, high[j]] - score[j, low[j]] >= budget - (total - owner[j]):
            if high[j] == low[j]:
                return CLOSED, True
            high[j] -= 1
            changed = True
    return OPEN, changed


@helper
def _price(low, high, score, clause) -> Any:  # type: ignore[no-untyped-def]
    """The least price of a step above a clause, in how many columns there is one, and the last."""
    least = np.inf
    literals = 0
    last = -1
    for j in range(len(low)):
        if clause[j] < low[j]:
            return SATISFIED, 0, -1
        if clause[j] < high[j]:
            literals += 1
            last = j
            step = score[j, clause[j] + 1] - score[j, low[j]]
            least = min(least, step)
    return least, literals, last
