"""Compile the kernels of this room, or load them, before a run's clock starts."""

from __future__ import annotations

from functools import cache

import numpy as np


@cache
def compile_boxes() -> None:
    """Call each kernel once, with arrays of the kinds that the search has."""
    from lookalike.search.lattice.boxes import masked_count_kernels as counts
    from lookalike.search.lattice.boxes import propagation_kernels as propagation

    words, sizes = np.zeros((1, 1), dtype=np.int64), np.ones(1, dtype=np.int64)
    starts, masks = np.array([0, 1]), np.zeros(1, dtype=np.int64)
    slots, (first, rows, of) = np.zeros(16, dtype=np.int32), np.zeros((3, 1), dtype=np.int64)
    counts.count_small_rows(words, sizes, starts, masks, 2, 0, slots, first, rows)
    counts.flag_small_classes(words, sizes, starts, masks, 2, slots, first, rows, of)
    counts.refine(words, sizes, of, starts, masks, masks, slots, first, rows, of)
    low, high = np.zeros((2, 1), dtype=np.int64)
    score, active = np.zeros((1, 1)), np.zeros(0, dtype=np.int64)
    clauses, used = np.zeros((1, 1), dtype=np.int16), np.zeros(1, dtype=np.bool_)
    propagation.propagate(low, high, score, 1.0, clauses, active, used)
    chosen = propagation.add_up(low, high, score, 1.0, clauses, active, True)
    propagation.cut_by_sum(low, high, score, 1.0, chosen[1], chosen[2])
