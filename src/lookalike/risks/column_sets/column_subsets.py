"""Walk over all sets of columns up to a size: which rows are unique over each set.

Each set comes after all its subsets, and is refined from a set with one column less. A row that is
unique over some columns is unique over more columns too, so it leaves the walk there: larger sets
count fewer rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from math import comb

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.frequency_set import FrequencySet

MAX_COLUMNS = 4  # columns in a set, by default
MAX_GROUP_COUNTS = 1_000_000_000  # over all sets, by default: about ten seconds


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One set of columns, applied to the table."""

    columns: tuple[int, ...]  # indexes in the frequency set, ascending
    alone: NDArray[np.int32]  # groups of one row, unique over this set and not over the one before
    unique: NDArray[np.bool_] | None  # (groups,) unique over this set; None for the largest sets
    distinct: int  # tuples
    alike: int  # ordered pairs of rows that the set does not tell apart


def affordable_size(counts: FrequencySet, largest: int = MAX_COLUMNS) -> int:
    """The largest size, 1 to ``largest``, for which all sets can be walked in a few seconds."""
    columns = len(counts.names)
    sets = accumulate(comb(columns, size) for size in range(1, min(largest, columns) + 1))
    few = MAX_GROUP_COUNTS // max(1, counts.groups)
    return sum(at == 0 or number <= few for at, number in enumerate(sets))  # one column always


def walk(counts: FrequencySet, size: int = MAX_COLUMNS) -> Iterator[Step]:
    """The sets of 1 to ``size`` columns, each after all its subsets."""
    return _Walk(counts, size).steps()


class _Walk:
    """The columns sorted by their number of values, and scratch memory for the kernel."""

    def __init__(self, counts: FrequencySet, size: int) -> None:
        self.size = min(size, len(counts.names))
        self.groups = counts.groups
        self.counts = counts.counts
        widths = [max(1, len(values)) for values in counts.values]
        # a set begins with its last column here, which should leave few rows for the others
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
        """The sets with one more column, of those before ``end``, and the larger sets from them."""
        from lookalike.risks.column_sets.column_subsets_kernels import refine

        gone = self.groups - len(rows)
        for a in range(end):
            alone, others, others_of, kept, distinct, alike = refine(
                rows, ids, classes, self.codes[a], self.widths[a], self.counts, self.slots
            )
            with_a = (*chosen, a)
            unique = None
            if len(with_a) < self.size:
                unique = before.copy()
                unique[alone] = True
            columns = tuple(sorted(self.order[c] for c in with_a))
            yield Step(columns, alone, unique, gone + distinct, int(alike))
            if unique is not None and a:
                yield from self._below(with_a, a, others, others_of, kept, unique)
