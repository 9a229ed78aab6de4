"""Tuples of codes as one integer each: equal integers exactly where the tuples are equal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

MAX_COMBINATIONS = 2**61  # that fit one integer and leave a bit to spare

Codes = NDArray[np.integer[Any]]


def tuple_keys(columns: Iterable[tuple[Codes, int]], rows: int) -> NDArray[np.int64]:
    """A key for each row. Each column comes with an upper limit of its codes.

    Where the combinations would not fit, the keys so far are replaced by their ranks.
    """
    keys, combinations = np.zeros(rows, dtype=np.int64), 1
    for codes, width in columns:
        if combinations * width >= MAX_COMBINATIONS:
            distinct, keys = np.unique(keys, return_inverse=True)
            keys, combinations = keys.reshape(-1).astype(np.int64), max(1, len(distinct))
        keys, combinations = keys * width + codes, combinations * max(1, width)
    return keys


def numbered_tuples(
    columns: Iterable[Codes], rows: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The number of each row's tuple, from 0 without gaps, and the first row of each number."""
    keys = tuple_keys(((codes, int(codes.max(initial=0)) + 1) for codes in columns), rows)
    _, first, number = np.unique(keys, return_index=True, return_inverse=True)
    return number.reshape(-1).astype(np.int64), first.astype(np.int64)
