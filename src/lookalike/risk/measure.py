"""How exposed is a table: who stands out over the columns that an outsider could know.

Needs no policy and changes nothing. Risks are those of an attacker who knows that a person is in
the table (the prosecutor model): one over the number of rows that look like theirs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.frequency_set import FrequencySet

SIZES = (1, 2, 3, 5, 10, 20, 50, 100)  # class sizes where a bar of the histogram begins


@dataclass(frozen=True, slots=True)
class Bar:
    """Rows in classes of ``least`` to ``most`` rows; ``most`` is None for the last bar."""

    least: int
    most: int | None
    classes: int
    rows: int


@dataclass(frozen=True, slots=True)
class ColumnRisk:
    """What one column adds: how many rows stop being unique when it is left out."""

    name: str
    values: int
    unique_without: int


@dataclass(frozen=True, slots=True)
class Risk:
    """Re-identification risk over some columns."""

    names: tuple[str, ...]
    rows: int
    classes: int
    unique: int  # rows like no other
    smallest: int  # rows in the smallest class: the k that the table already has
    highest: float  # risk of the most exposed row
    mean: float  # expected share of rows re-identified (the marketer model)
    histogram: tuple[Bar, ...]
    columns: tuple[ColumnRisk, ...]

    def under(self, k: int) -> int:
        """Rows in classes of fewer than k rows; k must be where a bar begins."""
        if k not in SIZES:
            raise ValueError(f"k is {k}; the histogram knows {', '.join(map(str, SIZES[1:]))}")
        return sum(bar.rows for bar in self.histogram if bar.least < k)


def measure_counts(counts: FrequencySet) -> Risk:
    """Risk from a frequency set."""
    sizes = counts.counts
    rows = counts.rows
    columns = tuple(
        ColumnRisk(name, len(counts.values[a]), _unique_without(counts, a))
        for a, name in enumerate(counts.names)
    )
    return Risk(
        counts.names,
        rows,
        counts.groups,
        int(sizes[sizes == 1].sum()),
        int(sizes.min(initial=rows)),
        1 / int(sizes.min()) if rows else 0.0,
        counts.groups / rows if rows else 0.0,
        tuple(_histogram(sizes)),
        tuple(sorted(columns, key=lambda c: (c.unique_without, c.name))),
    )


def _histogram(sizes: NDArray[np.int64]) -> list[Bar]:
    bars = []
    for i, least in enumerate(SIZES):
        most = SIZES[i + 1] - 1 if i + 1 < len(SIZES) else None
        inside = sizes[(sizes >= least) & ((sizes <= most) if most else True)]
        bars.append(Bar(least, most, len(inside), int(inside.sum())))
    return bars


def _unique_without(counts: FrequencySet, column: int) -> int:
    """Rows that are unique over all the other columns."""
    others = [a for a in range(len(counts.names)) if a != column]
    if not others:
        return 1 if counts.rows == 1 else 0
    alike = np.zeros(counts.groups, dtype=np.int64)
    for a in others:
        width = max(1, len(counts.values[a]))
        if int(alike.max(initial=0) + 1) * width >= 2**62:
            alike = np.unique(alike, return_inverse=True)[1].reshape(-1)
        alike = alike * width + counts.codes[:, a]
    of_group = np.unique(alike, return_inverse=True)[1].reshape(-1)
    sizes = np.bincount(of_group, weights=counts.counts)
    return int((sizes == 1).sum())
