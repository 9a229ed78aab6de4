"""Who looks alike after recoding: the classes of a recoded frequency set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.sensitive_spread import Spread


@dataclass(frozen=True, slots=True, eq=False)
class Classes:
    """Equivalence classes over the released quasi-identifiers.

    ``member`` names one group of each class: with it and the levels, a class's released codes can
    be read off without storing them.
    """

    sizes: NDArray[np.int64]  # (classes,) rows in each class
    member: NDArray[np.int64]  # (classes,) a group inside each class
    labels: NDArray[np.int64] | None = None  # (classes, values) of the metric's class column
    spreads: Mapping[str, Spread] = field(default_factory=dict)  # of columns that rules speak of
    population: NDArray[np.int64] | None = None  # (classes,) people who look like each
    outside: int = 0  # people who look like nobody of these classes

    def __len__(self) -> int:
        return len(self.sizes)

    def among(self, kept: NDArray[np.bool_]) -> Classes:
        """The same classes, held against a release of some of them alone."""
        spreads = {name: spread.among(kept) for name, spread in self.spreads.items()}
        outside = self.outside
        if self.population is not None:
            outside += int(self.population[~kept].sum())
        return replace(self, spreads=spreads, outside=outside)

    def without(self, gone: NDArray[np.bool_]) -> Classes:
        """The same classes, those that are gone empty."""
        if not gone.any():
            return self
        spreads = {}
        for name, spread in self.spreads.items():
            stay = ~gone[spread.of]
            spreads[name] = replace(
                spread, of=spread.of[stay], code=spread.code[stay], count=spread.count[stay]
            )
        return replace(self, sizes=np.where(gone, 0, self.sizes), spreads=spreads)

    def merged(self, into: NDArray[np.int64], sizes: NDArray[np.int64]) -> Classes:
        """Coarser classes of these sizes; ``into`` is the class of each of these."""
        many = len(sizes)
        spreads = {name: spread.merged(into, many) for name, spread in self.spreads.items()}
        population = None
        if self.population is not None:
            held = np.bincount(into, weights=self.population, minlength=many)
            population = held.astype(np.int64)
        member = np.zeros_like(sizes)
        return Classes(sizes, member, None, spreads, population, self.outside)

    def only(self, flags: NDArray[np.bool_]) -> Classes:
        """The flagged classes as one."""
        rows = np.array([int(self.sizes[flags].sum())])
        spreads = {}
        for name, spread in self.spreads.items():
            there = flags[spread.of]
            of = np.zeros(int(there.sum()), dtype=np.int64)
            some = replace(spread, of=of, code=spread.code[there], count=spread.count[there])
            spreads[name] = some.merged(np.zeros(1, dtype=np.int64), 1)
        return Classes(rows, np.zeros(1, dtype=np.int64), spreads=spreads)
