"""Group ids: one number for each tuple of codes, equal for equal tuples."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.tuple_keys import tuple_keys


def group_ids(codes: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """(tuples,) the group of each line of ``codes``, numbered from 0 without gaps."""
    keys = tuple_keys(((column, int(column.max(initial=0)) + 1) for column in codes.T), len(codes))
    return np.unique(keys, return_inverse=True)[1].reshape(-1)


def is_among(
    codes: NDArray[np.integer[Any]], others: NDArray[np.integer[Any]]
) -> NDArray[np.bool_]:
    """(tuples,) which lines of ``codes`` are also lines of ``others``."""
    ids = group_ids(np.concatenate([codes, others]))
    return np.isin(ids[: len(codes)], ids[len(codes) :])
