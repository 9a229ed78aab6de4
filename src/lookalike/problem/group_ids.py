"""Tuples of codes as one number each: equal tuples have the same."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def alike_over(shown: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """A number for each tuple of codes, from 0 on without gaps."""
    alike = np.zeros(len(shown), dtype=np.int64)
    for column in shown.T:
        width = int(column.max(initial=0)) + 1
        if (int(alike.max(initial=0)) + 1) * width >= 2**62:
            alike = np.unique(alike, return_inverse=True)[1].reshape(-1)
        alike = alike * width + column
    return np.unique(alike, return_inverse=True)[1].reshape(-1)
