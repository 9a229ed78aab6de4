"""How far the cells of each column moved toward ``*``.

Where a column shows levels of a hierarchy, the distance is counted in levels. Where it shows
intervals, it is the share of the values that an interval spans.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Change:
    """How far the released cells of one column moved toward ``*``. ``la.changes`` makes it.

    Attributes
    ----------
    column : str
        The quasi-identifier.
    steps : tuple of (float, int)
        A share of the way to ``*``, from 0 (unchanged) to 1 (hidden), and the rows that moved so
        far; ascending.

    Examples
    --------
    >>> import lookalike as la
    >>> change = la.Change("age", ((0.0, 30), (0.5, 10)))
    >>> change.rows, change.changed, change.mean
    (40, 10, 0.125)
    """

    column: str
    steps: tuple[tuple[float, int], ...]  # (share of the way to *, rows), ascending

    @property
    def rows(self) -> int:
        """Released rows."""
        return sum(rows for _, rows in self.steps)

    @property
    def changed(self) -> int:
        """Cells that differ from the original."""
        return sum(rows for distance, rows in self.steps if distance > 0)

    @property
    def mean(self) -> float:
        """The average distance of its cells; 0 for a column without rows."""
        return sum(distance * rows for distance, rows in self.steps) / max(1, self.rows)


def column_change(column: str, distance: NDArray[np.float64], rows: NDArray[Any]) -> Change:
    """The change of a column whose cells moved by ``distance``, in ``rows`` rows each."""
    shares, at = np.unique(distance, return_inverse=True)
    held = np.bincount(at.reshape(-1), rows).astype(int)
    return Change(column, tuple(zip(shares.tolist(), held.tolist(), strict=True)))
