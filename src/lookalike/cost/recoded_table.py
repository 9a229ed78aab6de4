"""A recoded table in plain counts: what a metric of another package is defined on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class RecodedTable:
    """Rows after recoding, in *pieces*: rows of one equivalence class that show the same labels.

    How rows are cut into pieces has no meaning: weigh each piece by its rows. The search and the
    verifier count and cut with code of their own.
    """

    total: int  # rows of the original table
    smallest: int  # rows in the smallest class that the policy allows (k)
    weights: NDArray[np.float64]  # (attributes,), sum 1
    heights: Whole  # (attributes,) the level of ``*``
    declared: Whole  # (attributes,) leaves of the hierarchy, whether or not they occur
    rows: Whole  # (pieces,)
    of: Whole  # (pieces,) the class, −1 where suppressed
    levels: Whole  # (pieces, attributes) the level shown; the height where suppressed
    leaves: Whole  # (pieces, attributes) leaves under the label shown; all where suppressed

    @property
    def sizes(self) -> Whole:
        """(classes,) rows in each released class."""
        kept = self.of >= 0
        return np.bincount(self.of[kept], weights=self.rows[kept]).astype(np.int64)

    @property
    def suppressed(self) -> int:
        """Rows that are not released."""
        return int(self.rows[self.of < 0].sum())
