"""A bound at cell level, worked out by the verifier: what each row pays, whoever it is put with.

A released row shows a generalization of itself that at least k rows show, so k rows of the original
have that generalization too: the row pays at least the cheapest generalization that k rows share.
Rows that are left out pay in full, which is never less.
"""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.frequency_set import FrequencySet
from lookalike.verifier.measure import CellByCell

MANY = 1_024  # nodes of the lattice that are scanned


def supported_bound(
    counts: FrequencySet,
    codes: list[NDArray[np.int32]],  # per column (leaves, levels)
    low: tuple[int, ...],
    high: tuple[int, ...],
    k: int,
    measure: CellByCell,
) -> float:
    """No cell-level recoding within these levels costs less."""
    pays = np.zeros(counts.groups)
    for a, whole in enumerate(measure.whole):
        pays += measure.weights[a] * whole[counts.codes[:, a]]
    for node in itertools.product(*(range(a, b + 1) for a, b in zip(low, high, strict=True))):
        shown = np.stack(
            [codes[a][counts.codes[:, a], level] for a, level in enumerate(node)], axis=1
        )
        _, of = np.unique(shown, axis=0, return_inverse=True)
        of = of.reshape(-1)
        held = np.bincount(of, weights=counts.counts)[of]
        cost = np.zeros(counts.groups)
        for a, level in enumerate(node):
            cost += measure.weights[a] * measure.cells[a][counts.codes[:, a], level]
        pays = np.where(held >= k, np.minimum(pays, cost), pays)
    return float(pays @ counts.counts) / max(1, counts.rows)
