"""What a row pays in every interval of a column by loss or entropy, for the verifier alone.

A released row loses g(its interval) − h(its value) in each column, a suppressed one g(everything)
in place of g(its interval). It *pays* g; the h of all rows are a constant.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lookalike.counts.level_table import LevelTable
from lookalike.verifier.claim.cuts.tree_layout import ColumnCuts, allowed_intervals, column_cuts
from lookalike.verifier.claim.metrics import Floats, column_weights, marginal
from lookalike.verifier.counted_original import CountedOriginal


@dataclass(frozen=True, slots=True, eq=False)
class ColumnPrices:
    """What rows pay in one column."""

    pays: Floats  # (places, places) from one place to before another, infinite if not allowed
    full: float  # if the row is suppressed
    constant: float  # the h of all rows


def column_prices(original: CountedOriginal, a: int) -> ColumnPrices:
    """The prices of column number ``a``, times its weight."""
    counts, policy, table = original.counts, original.policy, original.tables[a]
    weight = float(column_weights(original)[a])
    cuts = column_cuts(table, policy)
    constant = 0.0
    if policy.metric.name == "entropy":
        held = np.zeros(table.leaves)
        held[cuts.place] = marginal(counts, a)
        rows = np.concatenate([[0.0], np.cumsum(held)])
        pays = np.log2(np.maximum(1.0, rows - rows[:, None]))
        full = float(np.log2(counts.rows))
        constant = float((held[held > 0] * np.log2(held[held > 0])).sum())
    else:
        leaves = _leaves(table, cuts, original.low[a])
        pays = (np.maximum(leaves, 1) - 1) / max(1, table.declared - 1)
        full = 1.0
    begin, end = allowed_intervals(cuts)
    priced = np.full(pays.shape, np.inf)
    priced[begin, end] = pays[begin, end] * weight
    return ColumnPrices(priced, weight * full, weight * constant)


def _leaves(table: LevelTable, cuts: ColumnCuts, low: int) -> Floats:
    """(places, places) the declared leaves that an interval stands for.

    They are those of the largest groups that are whole in it; of groups with the same values, the
    lowest counts. So every group adds its leaves to each interval that holds it, and they are taken
    off again where the interval also holds the next larger group.
    """
    held = [np.bincount(codes) for codes in table.codes.T]  # a level: values in each group
    adds = np.zeros((table.leaves + 1, table.leaves + 1))

    def ends(level: int, code: int) -> tuple[int, int]:
        places = cuts.place[table.codes[:, level] == code]
        return int(places.min()), int(places.max()) + 1

    for level in range(low, table.height + 1):
        for code in np.unique(table.codes[:, level]).tolist():
            member = table.codes[int(np.argmax(table.codes[:, level] == code))]  # codes of any
            sizes = [int(held[at][member[at]]) for at in range(table.height + 1)]
            if level > low and sizes[level - 1] == sizes[level]:
                continue  # the same values as one level down
            under = float(table.leaves_under[level][code])
            adds[ends(level, code)] += under
            larger = [at for at in range(level, table.height + 1) if sizes[at] > sizes[level]]
            if larger:
                adds[ends(larger[0], int(member[larger[0]]))] -= under
    upto = np.add.accumulate(adds, axis=1)  # groups that end by then
    leaves: Floats = np.add.accumulate(upto[::-1], axis=0)[::-1]  # and do not begin before
    return leaves
