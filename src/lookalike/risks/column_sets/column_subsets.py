"""Every set of up to so many columns: who is alone over it, and how many pairs it tells apart.

Sets are walked so that each comes after all its subsets, and each is refined from a set with one
column fewer. A row that is alone over some columns is alone over more of them, so that it leaves
the walk there: deeper sets count fewer rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.frequency_set import FrequencySet

LARGEST = 4  # columns in a set, if not said
AFFORDED = 1_000_000_000  # groups counted in all, if the size is not said: some ten seconds


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """A set of columns, met with the table."""

    columns: tuple[int, ...]  # places in the frequency set, rising
    alone: NDArray[np.int32]  # groups of one row, alone over it and not over the set before
    unique: NDArray[np.bool_] | None  # (groups,) alone over it; None for sets of the largest size
    distinct: int  # tuples
    alike: int  # ordered pairs of rows that it does not tell apart


def affordable(counts: FrequencySet, most: int = LARGEST) -> int:
    """The largest size, 1 to ``most``, for which all sets can be walked in some seconds.

    For who has not said a size.
    """
    columns = len(counts.names)
    work, size = 0, 0
    while size < min(most, columns):
        work += comb(columns, size + 1) * max(1, counts.groups)
        if size and work > AFFORDED:
            break
        size += 1
    return size


def walk(counts: FrequencySet, size: int = LARGEST) -> Iterator[Step]:
    """Sets of 1 to ``size`` columns, each after all its subsets."""
    return _Walk(counts, size).steps()


class _Walk:
    """The columns in the order of how much they tell apart, and scratch for the kernel."""

    def __init__(self, counts: FrequencySet, size: int) -> None:
        self.size = min(size, len(counts.names))
        self.groups = counts.groups
        self.counts = counts.counts
        widths = [max(1, len(values)) for values in counts.values]
        # sets begin with their last column here, which should leave few rows to the rest
        self.order = sorted(range(len(widths)), key=lambda a: (widths[a], a))
        self.widths = [widths[a] for a in self.order]
        self.codes = [np.ascontiguousarray(counts.codes[:, a]) for a in self.order]
        self.slots = np.full(1 << max(4, (2 * self.groups).bit_length()), -1, dtype=np.int32)

    def steps(self) -> Iterator[Step]:
        rows = np.arange(self.groups, dtype=np.int32)
        ids = np.zeros(self.groups, dtype=np.int32)
        alone = np.zeros(self.groups, dtype=np.bool_)
        if self.size > 0:
            yield from self._below((), len(self.order), rows, ids, 1, alone)

    def _below(
        self,
        chosen: tuple[int, ...],
        end: int,
        rows: NDArray[np.int32],
        ids: NDArray[np.int32],
        classes: int,
        before: NDArray[np.bool_],
    ) -> Iterator[Step]:
        """Each set with one column more, of those before ``end``, and what follows from it."""
        from lookalike.risks.column_sets.column_subsets_kernels import refine

        gone = self.groups - len(rows)
        for a in range(end):
            alone, others, others_of, kept, found, alike = refine(
                rows, ids, classes, self.codes[a], self.widths[a], self.counts, self.slots
            )
            with_a = (*chosen, a)
            unique = None
            if len(with_a) < self.size:
                unique = before.copy()
                unique[alone] = True
            columns = tuple(sorted(self.order[c] for c in with_a))
            yield Step(columns, alone, unique, gone + found, int(alike))
            if unique is not None and a:
                yield from self._below(with_a, a, others, others_of, kept, unique)
