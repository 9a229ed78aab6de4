"""Three models of an attacker, and how likely each is to find a person (El Emam and Dankar 2008).

The prosecutor knows that a person is in the table: the risk of a row is 1 / f, where f rows look
like it. The journalist does not know, and chooses from the population: 1 / F, where F people look
like the row. The marketer wants to find as many people as possible, and is measured by the expected
share of rows found: Σ_classes (f / F) / n. That is the mean of the journalist's risks; if the table
is the population, it is classes / rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

THRESHOLD = 0.09  # used by agencies that publish clinical data; classes of up to 11 rows exceed it


@dataclass(frozen=True, slots=True)
class Attack:
    """The risks of all rows, in three numbers."""

    highest: float
    mean: float
    above: float  # the share of rows with a risk above the threshold


NO_ATTACK = Attack(0.0, 0.0, 0.0)  # of a table without rows


def attack(
    rows: NDArray[np.int64], lookalikes: NDArray[np.number[Any]], threshold: float
) -> Attack:
    """From the ``rows`` of each class, and its ``lookalikes``, which include the rows."""
    total = int(rows.sum())
    if not total:
        return NO_ATTACK
    risk = 1 / lookalikes
    # rows / lookalikes, not rows * risk: a class that is its own population counts exactly 1
    mean = float((rows / lookalikes).sum()) / total
    return Attack(float(risk.max()), mean, int(rows[risk > threshold].sum()) / total)
