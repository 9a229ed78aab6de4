"""Three attackers, and how likely each is to find a person (El Emam and Dankar 2008).

The prosecutor knows that a person is in the table: the risk of a row is one over the f rows that
look like it. The journalist does not, and picks from the population: one over the F people there
who look like it. The marketer wants as many as possible, and is told by the expected share of rows
found: Σ_classes (f / F) / n, which is the mean of the journalist's risks; where the table is the
population, it is classes over rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

THRESHOLD = 0.09  # of agencies that publish clinical data; classes of up to 11 rows are above it


@dataclass(frozen=True, slots=True)
class Attack:
    """The risks of all rows, in three numbers."""

    highest: float
    mean: float
    above: float  # the share of rows with a risk above the threshold


NO_ATTACK = Attack(0.0, 0.0, 0.0)  # on nobody


def attack(
    rows: NDArray[np.int64], lookalikes: NDArray[np.number[Any]], threshold: float
) -> Attack:
    """From classes of so many ``rows``, each with so many ``lookalikes``, itself included."""
    total = int(rows.sum())
    if not total:
        return NO_ATTACK
    risk = 1 / lookalikes
    # rows / lookalikes rather than rows * risk: a class that is its own population counts just 1
    mean = float((rows / lookalikes).sum()) / total
    return Attack(float(risk.max()), mean, int(rows[risk > threshold].sum()) / total)
