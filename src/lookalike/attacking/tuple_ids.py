"""Tuples of codes as one number each, equal just where the tuples are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]
ROOM = 2**61


def numbered(columns: Sequence[NDArray[np.integer]], rows: int) -> tuple[Whole, Whole]:
    """The number of each row's tuple, from 0 up, and the first row of each number."""
    keys, space = np.zeros(rows, dtype=np.int64), 1
    for column in columns:
        width = int(column.max()) + 1 if rows else 1
        if space * width >= ROOM:
            found, keys = np.unique(keys, return_inverse=True)
            keys, space = keys.reshape(-1).astype(np.int64), len(found)
        keys, space = keys * width + column, space * width
    _, first, of = np.unique(keys, return_index=True, return_inverse=True)
    return of.reshape(-1).astype(np.int64), first.astype(np.int64)


def common(ours: Sequence[str | None], theirs: Sequence[str | None]) -> tuple[Whole, Whole]:
    """Codes for the texts of two tables, equal where the texts are."""
    code: dict[str | None, int] = {}
    both = [[code.setdefault(one, len(code)) for one in side] for side in (ours, theirs)]
    return np.array(both[0], dtype=np.int64), np.array(both[1], dtype=np.int64)
