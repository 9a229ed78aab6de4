"""How well columns tell rows apart: distinction and separation (Motwani and Xu 2007).

Distinction is the number of distinct tuples divided by the number of rows; separation is the share
of pairs of rows that differ in at least one of the columns. Both grow with every column, up to 1
for a key. (R. Motwani and Y. Xu, Efficient algorithms for masking and finding quasi-identifiers,
SDM workshop.)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.frequency_set import FrequencySet
from lookalike.risks.column_sets.column_subsets import Step

SETS_PER_SIZE = 3  # the sets that separate most


@dataclass(frozen=True, slots=True)
class Separation:
    """How well some columns tell rows apart."""

    names: tuple[str, ...]
    distinction: float
    separation: float


def separation_of(names: Sequence[str], sizes: NDArray[np.int64]) -> Separation:
    """From the sizes of the classes over these columns."""
    sizes = sizes[sizes > 0]
    alike = int((sizes * (sizes - 1)).sum())
    return _separation(tuple(names), int(sizes.sum()), len(sizes), alike)


def single_columns(counts: FrequencySet) -> tuple[Separation, ...]:
    """Each column alone, the most separating first."""
    single = (separation_of((name,), counts.marginal(a)) for a, name in enumerate(counts.names))
    return tuple(sorted(single, key=_best_first))


class MostSeparating:
    """Collects, from the steps of a walk, the sets of each size that separate most."""

    def __init__(self, counts: FrequencySet) -> None:
        self.names, self.rows = counts.names, counts.rows
        self._sets: dict[int, list[Separation]] = {}

    def add(self, step: Step) -> None:
        """Take the set of a step into account."""
        if len(step.columns) > 1:
            names = tuple(self.names[a] for a in step.columns)
            best = self._sets.setdefault(len(names), [])
            best.append(_separation(names, self.rows, step.distinct, step.alike))
            best.sort(key=_best_first)
            del best[SETS_PER_SIZE:]

    def best(self) -> tuple[Separation, ...]:
        """The sets of each size, smaller sets first."""
        return tuple(chosen for size in sorted(self._sets) for chosen in self._sets[size])


def _separation(names: tuple[str, ...], rows: int, distinct: int, alike: int) -> Separation:
    pairs = rows * (rows - 1)
    return Separation(names, distinct / rows if rows else 0.0, 1 - alike / pairs if pairs else 0.0)


def _best_first(chosen: Separation) -> tuple[float, float, Iterable[str]]:
    return (-chosen.separation, -chosen.distinction, chosen.names)
