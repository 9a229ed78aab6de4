"""How well columns tell rows apart: distinction and separation (Motwani and Xu 2007).

Distinction is the share of distinct tuples, tuples over rows; separation the share of pairs of rows
that differ in one of the columns at least. Both rise with every column, up to 1 for a key. (R.
Motwani and Y. Xu, Efficient algorithms for masking and finding quasi-identifiers, SDM workshop.)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.frequency_set import FrequencySet
from lookalike.risks.column_sets.column_subsets import LARGEST, Step, walk

KEPT = 3  # of each size, the sets that separate most


@dataclass(frozen=True, slots=True)
class Separation:
    """What some columns tell apart."""

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
    found = (separation_of((name,), counts.marginal(a)) for a, name in enumerate(counts.names))
    return tuple(sorted(found, key=_most))


class MostSeparating:
    """Gathers, from the steps of a walk, the sets of each size that separate most."""

    def __init__(self, counts: FrequencySet, kept: int = KEPT) -> None:
        self.names, self.rows, self.kept = counts.names, counts.rows, kept
        self._sets: dict[int, list[Separation]] = {}

    def add(self, step: Step) -> None:
        if len(step.columns) > 1:
            names = tuple(self.names[a] for a in step.columns)
            best = self._sets.setdefault(len(names), [])
            best.append(_separation(names, self.rows, step.distinct, step.alike))
            best.sort(key=_most)
            del best[self.kept :]

    def found(self) -> tuple[Separation, ...]:
        return tuple(one for size in sorted(self._sets) for one in self._sets[size])


def most_separating(
    counts: FrequencySet, size: int = LARGEST, kept: int = KEPT
) -> tuple[Separation, ...]:
    """Sets of two to ``size`` columns, of each size the ``kept`` most separating."""
    found = MostSeparating(counts, kept)
    for step in walk(counts, size):
        found.add(step)
    return found.found()


def whole(counts: FrequencySet) -> Separation:
    """All columns together."""
    return separation_of(counts.names, counts.counts)


def _separation(names: tuple[str, ...], rows: int, distinct: int, alike: int) -> Separation:
    pairs = rows * (rows - 1)
    return Separation(names, distinct / rows if rows else 0.0, 1 - alike / pairs if pairs else 0.0)


def _most(one: Separation) -> tuple[float, float, Iterable[str]]:
    return (-one.separation, -one.distinction, one.names)
