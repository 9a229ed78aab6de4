"""What a row pays in every interval of a column by loss or entropy, for the verifier alone.

A released row loses g(its interval) − h(its value) in each column, a suppressed one g(everything)
in place of g(its interval). It *pays* g; the h of all rows are a constant.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.cost.entropy import Entropy
from lookalike.cost.metric import Metric
from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.level_table import LevelTable
from lookalike.policy.policy import Policy
from lookalike.verifier.claim.cuts.tree_layout import ColumnCuts, column_cuts, intervals_of

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Tariff:
    """Of one column."""

    pays: Floats  # (places, places) from one place to before another, infinite if not allowed
    full: float  # if the row is suppressed
    constant: float  # the h of all rows


def tariff(
    metric: Metric, counts: FrequencySet, a: int, table: LevelTable, policy: Policy
) -> Tariff:
    """What column number ``a`` costs, times its weight."""
    every = sum(float(policy.weights.get(name, 1.0)) for name in counts.names)
    weight = float(policy.weights.get(table.name, 1.0)) / every
    cuts = column_cuts(table, policy)
    constant = 0.0
    if isinstance(metric, Entropy):
        held = np.zeros(table.leaves)
        np.add.at(held, cuts.place[counts.codes[:, a]], counts.counts)
        rows = np.concatenate([[0.0], np.cumsum(held)])
        pays = np.log2(np.maximum(1.0, rows - rows[:, None]))
        full = float(np.log2(counts.rows))
        constant = float((held[held > 0] * np.log2(held[held > 0])).sum())
    else:
        leaves = _leaves(table, cuts, policy.level_bounds(table.name, table.height)[0])
        pays = (np.maximum(leaves, 1) - 1) / max(1, table.declared - 1)
        full = 1.0
    allowed = np.full(pays.shape, np.inf)
    allowed[intervals_of(cuts)] = weight
    with np.errstate(invalid="ignore"):
        priced = np.where(np.isinf(allowed), np.inf, pays * allowed)
    return Tariff(priced, weight * full, weight * constant)


def _leaves(table: LevelTable, cuts: ColumnCuts, low: int) -> Floats:
    """(places, places) the declared leaves that an interval stands for.

    They are those of the largest groups that lie in it whole; of groups with the same values, the
    lowest counts. So every group adds its leaves to each interval that holds it, and takes them
    back where the next larger group is held too.
    """
    held = [np.bincount(codes) for codes in table.codes.T]  # a level: values in each group
    adds = np.zeros((table.leaves + 1, table.leaves + 1))

    def ends(level: int, code: int) -> tuple[int, int]:
        places = cuts.place[table.codes[:, level] == code]
        return int(places.min()), int(places.max()) + 1

    for level in range(low, table.height + 1):
        for code in np.unique(table.codes[:, level]).tolist():
            one = table.codes[int(np.argmax(table.codes[:, level] == code))]  # of any member
            sizes = [int(held[at][one[at]]) for at in range(table.height + 1)]
            if level > low and sizes[level - 1] == sizes[level]:
                continue  # the same values as one level down
            under = float(table.leaves_under[level][code])
            adds[ends(level, code)] += under
            larger = [at for at in range(level, table.height + 1) if sizes[at] > sizes[level]]
            if larger:
                adds[ends(larger[0], int(one[larger[0]]))] -= under
    upto = np.add.accumulate(adds, axis=1)  # that end by then
    found: Floats = np.add.accumulate(upto[::-1], axis=0)[::-1]  # and begin no sooner
    return found
