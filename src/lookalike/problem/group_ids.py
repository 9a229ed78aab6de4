"""Tuples of codes as one number each: equal tuples have the same."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.tuple_keys import tuple_keys


def alike_over(shown: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """A number for each tuple of codes, from 0 on without gaps."""
    keys = tuple_keys(((column, int(column.max(initial=0)) + 1) for column in shown.T), len(shown))
    return np.unique(keys, return_inverse=True)[1].reshape(-1)
