"""The equivalence classes (groups of lookalikes) of a recoded frequency set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.sensitive_spread import Spread


@dataclass(frozen=True, slots=True, eq=False)
class Classes:
    """Equivalence classes over the released quasi-identifiers.

    ``member`` is one group of each class: with it and the levels, the released codes of a class can
    be computed and need not be stored.
    """

    sizes: NDArray[np.int64]  # (classes,) rows in each class
    member: NDArray[np.int64]  # (classes,) a group inside each class
    labels: NDArray[np.int64] | None = None  # (classes, values) of the metric's class column
    spreads: Mapping[str, Spread] = field(default_factory=dict)  # of columns in requirements
    population: NDArray[np.int64] | None = None  # (classes,) people who look like each
    outside: int = 0  # people who look like none of these classes

    def __len__(self) -> int:
        return len(self.sizes)

    def among(self, kept: NDArray[np.bool_]) -> Classes:
        """The same classes, to be compared with a release of the kept ones."""
        spreads = {name: spread.among(kept) for name, spread in self.spreads.items()}
        outside = self.outside
        if self.population is not None:
            outside += int(self.population[~kept].sum())
        return replace(self, spreads=spreads, outside=outside)

    def without(self, gone: NDArray[np.bool_]) -> Classes:
        """The same classes; those that are gone have no rows."""
        if not gone.any():
            return self
        spreads = {name: spread.only(~gone) for name, spread in self.spreads.items()}
        return replace(self, sizes=np.where(gone, 0, self.sizes), spreads=spreads)

    def merged(self, into: NDArray[np.int64], sizes: NDArray[np.int64]) -> Classes:
        """Coarser classes of these sizes; ``into`` is the coarser class of each class."""
        many = len(sizes)
        spreads = {name: spread.merged(into, many) for name, spread in self.spreads.items()}
        population = None
        if self.population is not None:
            held = np.bincount(into, weights=self.population, minlength=many)
            population = held.astype(np.int64)
        member = np.zeros_like(sizes)
        return Classes(sizes, member, None, spreads, population, self.outside)

    def only(self, flags: NDArray[np.bool_]) -> Classes:
        """The flagged classes as one class."""
        rows, one = np.array([int(self.sizes[flags].sum())]), np.zeros(1, dtype=np.int64)
        into = np.zeros(len(self), dtype=np.int64)
        spreads = {
            name: spread.only(flags).merged(into, 1) for name, spread in self.spreads.items()
        }
        return Classes(rows, one, spreads=spreads)
