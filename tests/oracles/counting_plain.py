"""The counting kernels in plain numpy: the oracle of ``counts/counting_kernels.py``."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.classes import Classes
from lookalike.counts.kernel_layout import Encoded, Prices


def gather(encoded: Encoded, source: Classes, levels: NDArray[np.int64]) -> Classes:
    """Merge the classes of a finer node into the classes of ``levels``."""
    codes = encoded.codes(levels, source.member)
    _, first, inverse = np.unique(codes, axis=0, return_index=True, return_inverse=True)
    inverse = inverse.reshape(-1)
    sizes = np.zeros(len(first), dtype=np.int64)
    np.add.at(sizes, inverse, source.sizes)
    labels = None
    if source.labels is not None:
        labels = np.zeros((len(first), source.labels.shape[1]), dtype=np.int64)
        np.add.at(labels, inverse, source.labels)
    spreads = {}
    for name, spread in source.spreads.items():
        matrix = np.zeros((len(first), len(spread.values)), dtype=np.int64)
        np.add.at(matrix, (inverse[spread.of], spread.code), spread.count)
        of, code = np.nonzero(matrix)
        spreads[name] = replace(spread, of=of, code=code, count=matrix[of, code])
    return Classes(sizes, source.member[first], labels, spreads)


def weigh(
    encoded: Encoded,
    classes: Classes,
    levels: NDArray[np.int64],
    broken: NDArray[np.bool_],
    prices: Prices,
) -> NDArray[np.float64]:
    """Per attribute and finer level, the price of all rows in broken classes."""
    total = np.zeros(prices.offset.shape)
    codes = encoded.codes(levels, classes.member[broken])
    for a, level in enumerate(levels):
        start, size = prices.offset[a, level], encoded.width[a, level] * (level + 1)
        table = prices.flat[start : start + size].reshape(-1, level + 1)
        total[a, : level + 1] = classes.sizes[broken] @ table[codes[:, a]]
    return total
