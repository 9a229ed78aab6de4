"""Lower bounds for cell-level recodings, computed by the verifier: support bound and dual prices.

*Support bound*: a released row shows a generalization of itself that at least k rows show. So at
least k rows of the original have that generalization, and the row loses at least as much as by the
cheapest such generalization.

*Dual prices*: the proof gives every row a price. If no k or more rows that can be released alike
have prices that add up to more than they lose, the sum of all prices is a lower bound. If some
prices are too high, the excess divided by k is taken off every row concerned. So any prices give
some bound.

Suppressed rows lose everything. Cells are alike if their labels are equal, and a label costs a cell
what it loses on the cheapest level that shows it. Both bounds need nested labels: every label
stands for the most values on the highest level that has it. Otherwise only the trivial bound holds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.level_table import LevelTable
from lookalike.policy.policy import Policy
from lookalike.solution.proof import DualPrices
from lookalike.verifier.claim.metrics import MarginalCosting
from lookalike.verifier.counted_original import CountedOriginal

MAX_SCANNED_GROUPS = 1 << 32  # nodes times groups
Whole = NDArray[np.int64]
Floats = NDArray[np.float64]


class CellLayout(NamedTuple):
    """What the cells of every row may show, and what they lose by it."""

    leaf: Whole  # (columns, groups)
    rows: Whole  # (groups,)
    label: Whole  # (columns, levels, leaves)
    loss: Floats  # (columns, levels, leaves), weighted
    levels: Whole  # (columns,) how many levels a cell may have
    full: Floats  # (groups,) lost by a suppressed row
    k: int
    limit: int  # rows that may be suppressed
    stars_alone: bool  # rows that are all * need no lookalikes
    nested: bool  # every label stands for the most values on its highest level

    @property
    def coarsest(self) -> Floats:
        """(groups,) lost by a row at the coarsest levels."""
        last = self.levels - 1
        columns = [self.loss[a, last[a], leaf] for a, leaf in enumerate(self.leaf)]
        losses: Floats = np.sum(columns, axis=0)
        return losses

    @property
    def scannable(self) -> bool:
        """Do the bounds hold, and is it feasible to compute them?"""
        nodes = math.prod(self.levels.tolist())
        return self.nested and nodes * len(self.rows) <= MAX_SCANNED_GROUPS


def lay_out(original: CountedOriginal, costing: MarginalCosting) -> CellLayout:
    """From the hierarchies and the verifier's own costing."""
    counts, tables, policy = original.counts, original.tables, original.policy
    levels = levels_of_cells(tables, policy)
    shape = (len(tables), max(map(len, levels)), max((t.leaves for t in tables), default=0))
    label, loss = np.zeros(shape, dtype=np.int64), np.zeros(shape)
    full = np.zeros(counts.groups)
    nested = True
    for a, (table, allowed) in enumerate(zip(tables, levels, strict=True)):
        number: dict[str | None, int] = {}
        weight = float(costing.weights[a])
        own = (a, slice(len(allowed)), slice(table.leaves))
        own_label, own_loss = label[own], loss[own]
        for i, level in enumerate(allowed):
            numbers = [number.setdefault(text, len(number)) for text in table.labels[level]]
            own_label[i] = np.array(numbers)[table.codes[:, level]]
            own_loss[i] = weight * costing.loss[a][:, level]
        own_loss[:] = _cheapest(own_label, own_loss)
        full += weight * costing.full[a][counts.codes[:, a]]
        nested = nested and has_nested_labels(own_label)
    return CellLayout(
        leaf=np.ascontiguousarray(counts.codes.T, dtype=np.int64),
        rows=counts.counts.astype(np.int64),
        label=label,
        loss=loss,
        levels=np.array(list(map(len, levels)), dtype=np.int64),
        full=full,
        k=policy.smallest,
        limit=min(policy.allowance(counts.rows), max(0, counts.rows - 1)),
        stars_alone=policy.conventions.stars == "wildcard"
        and all(allowed[-1] == table.height for table, allowed in zip(tables, levels, strict=True)),
        nested=nested,
    )


def support_bound(layout: CellLayout) -> float:
    """No cell-level recoding costs less, for the whole table."""
    from lookalike.verifier.claim.cells.support_bound_kernels import scan  # late: loads numba

    least = layout.full.copy()
    if layout.stars_alone:
        least = np.minimum(layout.full, layout.coarsest)
    scan(layout, np.zeros(0), least)
    return float(least @ layout.rows)


def price_bound(layout: CellLayout, per_row: Floats, suppression: float) -> tuple[float, Floats]:
    """A bound for the whole table from any dual prices, and the prices once they are valid.

    ``per_row`` is the price of a row of each group, ``suppression`` that of suppressing a row.
    """
    from lookalike.verifier.claim.cells.support_bound_kernels import scan  # late: loads numba

    if not (math.isfinite(suppression) and suppression >= 0 and np.isfinite(per_row).all()):
        return -math.inf, per_row
    if layout.limit:
        per_row = np.minimum(per_row, layout.full + suppression)
    if layout.stars_alone:
        per_row = np.minimum(per_row, layout.coarsest)
    excess = np.zeros(len(per_row))
    scan(layout, per_row, excess)
    valid = per_row - excess
    return float(valid @ layout.rows) - suppression * layout.limit, valid


def prices_by_group(counts: FrequencySet, prices: DualPrices) -> Floats | None:
    """(groups,) the price of a row of each group; None if the prices are not for these groups."""
    if prices.per_row.shape != (counts.groups,):
        return None
    per_row = np.empty(counts.groups)
    per_row[counts.canonical()] = prices.per_row
    return per_row


def levels_of_cells(tables: Sequence[LevelTable], policy: Policy) -> list[list[int]]:
    """The levels that a cell of each column may have; always ``*``, where cells are suppressed."""
    stars = policy.model is not None and policy.model.suppress == "cell"
    levels = []
    for table in tables:
        low, high = policy.level_bounds(table.name, table.height)
        levels.append(sorted({*range(low, high + 1), *([table.height] if stars else [])}))
    return levels


def _cheapest(label: Whole, loss: Floats) -> Floats:
    """(levels, leaves) the smallest loss of any level on which the leaf shows the same label."""
    cheapest = loss.copy()
    for level in range(len(label)):
        for other in range(len(label)):
            same = label[level] == label[other]
            lower = np.minimum(cheapest[level], loss[other])
            cheapest[level] = np.where(same, lower, cheapest[level])
    return cheapest


def has_nested_labels(label: Whole) -> bool:
    """Does every leaf that shows a label on some level show it on the highest level that has it?"""
    for lower in range(len(label)):
        for higher in range(lower + 1, len(label)):
            shared = np.isin(label[lower], label[higher])
            later = np.isin(label[lower], label[higher + 1 :])  # compared with that level instead
            if (shared & ~later & (label[lower] != label[higher])).any():
                return False
    return True
