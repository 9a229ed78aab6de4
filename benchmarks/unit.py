"""The unit u: one plain numpy evaluation of the bottom node, so that noisy machines compare.

The best of 50: distinct tuples in a fixed random order, codes through an identity table, packed
into one integer, a stable argsort, class boundaries, sums. Times are given as multiples of it,
measured in the same process.
"""

from __future__ import annotations

import time

import numpy as np

from lookalike.counts.frequency_set import FrequencySet


def unit(counts: FrequencySet) -> float:
    """Seconds that one plain evaluation takes here and now."""
    order = np.random.default_rng(0).permutation(counts.groups)
    codes = counts.codes[order].astype(np.int64)
    rows = counts.counts[order]
    tables = [np.arange(len(values)) for values in counts.values]
    best = float("inf")
    for _ in range(50):
        began = time.perf_counter()
        key = np.zeros(len(rows), dtype=np.int64)
        for a, table in enumerate(tables):
            key = key * len(table) + table[codes[:, a]]
        by_key = np.argsort(key, kind="stable")
        in_order = key[by_key]
        starts = np.flatnonzero(np.concatenate(([True], in_order[1:] != in_order[:-1])))
        np.add.reduceat(rows[by_key], starts)
        best = min(best, time.perf_counter() - began)
    return best
