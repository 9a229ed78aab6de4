"""The classes of groups over some columns, and the groups that are in small ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]


def alike(columns: Sequence[Whole], groups: int) -> Whole:
    """(groups,) the class of each group, by what it shows in some columns."""
    class_of = np.zeros(groups, dtype=np.int64)
    for column in columns:
        both = class_of * (int(column.max(initial=0)) + 1) + column
        class_of = np.unique(both, return_inverse=True)[1].reshape(-1)
    return class_of


def in_small_classes(sets: Sequence[Whole], rows: Whole, smallest: int) -> NDArray[np.bool_]:
    """(groups,) is the group in a small class over some set, also once others are suppressed?

    ``sets`` is, for each set of columns, the class of each group; ``rows`` are the groups' rows.
    """
    suppressed = np.zeros(len(rows), dtype=bool)
    before = -1
    while before != int(suppressed.sum()):
        before = int(suppressed.sum())
        for class_of in sets:
            sizes = np.bincount(class_of, weights=np.where(suppressed, 0, rows))
            suppressed = suppressed | (sizes[class_of] < smallest)
    return suppressed
