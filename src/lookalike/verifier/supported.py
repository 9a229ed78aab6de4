"""A bound at cell level, worked out by the verifier: what each row pays, whoever it is put with.

A released row shows a generalization of itself that at least k rows show, so k rows of the original
have that generalization too: the row pays at least the cheapest generalization that k rows share.
Rows that are left out pay in full, which is never less.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.level_table import LevelTable
from lookalike.policy.policy import Policy
from lookalike.verifier.measure import CellByCell

MANY = 1_024  # nodes of the lattice that are scanned


def levels_of_cells(tables: Sequence[LevelTable], policy: Policy) -> list[list[int]]:
    """The levels that a cell of each column may have: ``*`` always, where cells are suppressed."""
    found = []
    for table in tables:
        low, high = policy.bounds(table.name, table.height)
        levels = set(range(low, high + 1))
        if policy.model is not None and policy.model.suppress == "cell":
            levels.add(table.height)
        found.append(sorted(levels))
    return found


def supported_bound(
    counts: FrequencySet,
    tables: Sequence[LevelTable],
    levels: Sequence[Sequence[int]],
    k: int,
    measure: CellByCell,
) -> float:
    """No cell-level recoding within these levels costs less."""
    pays = np.zeros(counts.groups)
    for a, whole in enumerate(measure.whole):
        pays += measure.weights[a] * whole[counts.codes[:, a]]
    for node in itertools.product(*levels):
        held = _lookalikes(counts, tables, node)
        cost = np.zeros(counts.groups)
        for a, level in enumerate(node):
            cost += measure.weights[a] * measure.cells[a][counts.codes[:, a], level]
        pays = np.where(held >= k, np.minimum(pays, cost), pays)
    return float(pays @ counts.counts) / max(1, counts.rows)


def _lookalikes(
    counts: FrequencySet, tables: Sequence[LevelTable], node: Sequence[int]
) -> NDArray[np.float64]:
    """How many rows show what each group shows at a node."""
    key = np.zeros(counts.groups, dtype=np.int64)
    room = 1
    for a, level in enumerate(node):
        width = len(tables[a].labels[level])
        if room * width >= 2**62:
            key = np.unique(key, return_inverse=True)[1].reshape(-1)
            room = counts.groups
        key = key * width + tables[a].codes[counts.codes[:, a], level]
        room *= width
    _, of = np.unique(key, return_inverse=True)
    of = of.reshape(-1)
    rows = counts.counts.astype(np.float64)
    return np.bincount(of, weights=rows).astype(np.float64)[of]
