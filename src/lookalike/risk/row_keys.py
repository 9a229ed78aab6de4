"""Several columns of codes as one integer a row, equal just where all of them are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

ONE_INTEGER = 2**61  # combinations that fit, and leave a bit for something else


def packed(
    columns: Iterable[tuple[NDArray[np.integer[Any]], int]], rows: int
) -> tuple[NDArray[np.int64], int]:
    """Keys below the number returned with them. Each column comes with how many codes it has.

    Where the combinations would not fit, what is there so far is ranked first.
    """
    keys, space = np.zeros(rows, dtype=np.int64), 1
    for codes, width in columns:
        if space * width >= ONE_INTEGER:
            found, keys = np.unique(keys, return_inverse=True)
            keys, space = keys.reshape(-1).astype(np.int64), max(1, len(found))
        keys, space = keys * width + codes, space * max(1, width)
    return keys, space
