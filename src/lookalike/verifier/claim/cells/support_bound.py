"""Bounds at cell level, worked out by the verifier: who pays what, whoever is released with whom.

*Supported*: a released row shows a generalization of itself that at least k rows show, so k rows of
the original have that generalization too, and the row pays at least the cheapest such one.

*Dual prices*: the proof gives every row a price. If no class of k rows or more is priced higher
than it costs, then the sum of all prices is a bound. Where a class is priced too high, the excess,
divided by k, is subtracted from every row concerned. So any prices give some bound.

Rows that are left out pay in full. Cells are alike if their labels are, and a label costs a cell
what it does on the cheapest level where it shows it. The rules need every label to mean the most on
the highest level that has it; otherwise there is no bound but the trivial one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.level_table import LevelTable
from lookalike.policy.policy import Policy
from lookalike.solution.proof import DualPrices
from lookalike.verifier.claim.metrics import MarginalCosting
from lookalike.verifier.counted_original import CountedOriginal

WORK = 1 << 32  # nodes times groups that are scanned at most
Whole = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class CellGround:
    """What every row may show, and what it pays for it."""

    leaf: Whole  # (columns, groups)
    rows: Whole  # (groups,)
    label: Whole  # (columns, most levels, most leaves)
    price: Floats  # the same shape
    many: Whole  # (columns,) levels allowed
    full: Floats  # (groups,) paid by a row that is left out
    k: int
    limit: int  # rows that may be left out
    alone: bool  # rows starred throughout need no lookalikes
    clear: bool  # every label means the most on its highest level

    @property
    def coarsest(self) -> Floats:
        """(groups,) paid at the coarsest levels"""
        at = self.many - 1
        columns = [self.price[a, at[a], leaf] for a, leaf in enumerate(self.leaf)]
        found: Floats = np.sum(columns, axis=0)
        return found

    @property
    def scannable(self) -> bool:
        return self.clear and math.prod(self.many.tolist()) * len(self.rows) <= WORK


def cell_ground(original: CountedOriginal, costing: MarginalCosting) -> CellGround:
    """Laid out from the tables and the verifier's own costing."""
    counts, tables, policy = original.counts, original.tables, original.policy
    levels = _levels_of_cells(tables, policy)
    shape = (len(tables), max(map(len, levels)), max((t.leaves for t in tables), default=0))
    label, price = np.zeros(shape, dtype=np.int64), np.zeros(shape)
    full = np.zeros(counts.groups)
    clear = True
    for a, (table, allowed) in enumerate(zip(tables, levels, strict=True)):
        names: dict[str | None, int] = {}
        weight = float(costing.weights[a])
        for turn, level in enumerate(allowed):
            known = [names.setdefault(text, len(names)) for text in table.labels[level]]
            label[a, turn, : table.leaves] = np.array(known)[table.codes[:, level]]
            price[a, turn, : table.leaves] = weight * costing.cells[a][:, level]
        full += weight * costing.whole[a][counts.codes[:, a]]
        own = label[a, : len(allowed), : table.leaves]
        price[a, : len(allowed), : table.leaves] = _cheapest(
            own, price[a, : len(allowed), : table.leaves]
        )
        clear = clear and _is_clear(own)
    return CellGround(
        leaf=np.ascontiguousarray(counts.codes.T, dtype=np.int64),
        rows=counts.counts.astype(np.int64),
        label=label,
        price=price,
        many=np.array(list(map(len, levels)), dtype=np.int64),
        full=full,
        k=policy.smallest,
        limit=min(policy.allowance(counts.rows), max(0, counts.rows - 1)),
        alone=policy.conventions.stars == "wildcard"
        and all(allowed[-1] == table.height for table, allowed in zip(tables, levels, strict=True)),
        clear=clear,
    )


def support_bound(ground: CellGround) -> float:
    """No cell-level recoding costs less, for the whole table."""
    from lookalike.verifier.claim.cells.support_bound_kernels import scan  # late: loads numba

    pays = np.minimum(ground.full, ground.coarsest) if ground.alone else ground.full.copy()
    nothing = np.zeros(0)
    scan(ground.leaf, ground.rows, ground.label, ground.price, ground.many, ground.k, nothing, pays)
    return float(pays @ ground.rows)


def dual_bound(ground: CellGround, per_row: Floats, suppression: float) -> tuple[float, Floats]:
    """A bound for the whole table from any prices, and the prices once they are repaired."""
    from lookalike.verifier.claim.cells.support_bound_kernels import scan  # late: loads numba

    if not (math.isfinite(suppression) and suppression >= 0 and np.isfinite(per_row).all()):
        return -math.inf, per_row
    if ground.limit:
        per_row = np.minimum(per_row, ground.full + suppression)
    if ground.alone:
        per_row = np.minimum(per_row, ground.coarsest)
    excess = np.zeros(len(per_row))
    scan(
        ground.leaf, ground.rows, ground.label, ground.price, ground.many, ground.k, per_row, excess
    )
    per_row = per_row - excess
    return float(per_row @ ground.rows) - suppression * ground.limit, per_row


def prices_by_group(counts: FrequencySet, prices: DualPrices) -> Floats | None:
    """(groups,) the price of a row of each; None if the prices are not for these groups."""
    if prices.per_row.shape != (counts.groups,):
        return None
    per_row = np.empty(counts.groups)
    per_row[counts.canonical()] = prices.per_row
    return per_row


def _levels_of_cells(tables: Sequence[LevelTable], policy: Policy) -> list[list[int]]:
    """The levels that a cell of each column may have: ``*`` always, where cells are suppressed."""
    found = []
    for table in tables:
        low, high = policy.level_bounds(table.name, table.height)
        levels = set(range(low, high + 1))
        if policy.model is not None and policy.model.suppress == "cell":
            levels.add(table.height)
        found.append(sorted(levels))
    return found


def _cheapest(label: Whole, price: Floats) -> Floats:
    """(levels, leaves) the least price of any level on which the leaf shows the same label."""
    found = price.copy()
    for one in range(len(label)):
        for other in range(len(label)):
            same = label[one] == label[other]
            found[one] = np.where(same, np.minimum(found[one], price[other]), found[one])
    return found


def _is_clear(label: Whole) -> bool:
    """Does whoever shows a label on some level show it on the highest level that has it?"""
    for lower in range(len(label)):
        for higher in range(lower + 1, len(label)):
            shared = np.intersect1d(label[lower], label[higher])
            mine = np.isin(label[lower], shared)
            later = np.isin(label[lower], label[higher + 1 :])  # then that level is asked instead
            if (mine & ~later & (label[lower] != label[higher])).any():
                return False
    return True
