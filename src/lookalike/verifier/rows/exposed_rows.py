"""Which rows stand out in a released table, read in two ways.

A blank cell (``*``) may count as a value of its own, or as one that could be anything. A row is
exposed if fewer than k rows fit it. Whoever fits under the first reading fits under the second.
Rows are held against rows, by the cells that both show; nothing is said of single people.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.level_table import TOP
from lookalike.tables.table import Table

SHOWN = 10  # row numbers that a sentence lists


@dataclass(frozen=True, slots=True)
class Exposure:
    """Row numbers in the released table, the first row being 1."""

    as_own: tuple[int, ...]  # a blank is like another blank, and like nothing else
    as_wildcard: tuple[int, ...]  # a blank may stand for anything
    blanks: bool = True  # are there any?

    def sentence(self, k: int) -> str:
        if not self.blanks:
            return f"{_rows(self.as_own).capitalize()} fewer than {k} lookalikes"
        return (
            f"If a blank is a value like any other, {_rows(self.as_own)} fewer than {k} "
            f"lookalikes; if it may stand for anything, {_rows(self.as_wildcard)} (counted row to "
            "row, by the cells that both show, not per person)"
        )


def exposed_rows(released: Table, columns: Sequence[str], k: int) -> Exposure:
    """Look at every row that has fewer than k exact lookalikes."""
    rows = released.text_rows(columns)
    codes, stars = [], []
    for name in rows.column_names:
        encoded = rows.column(name).combine_chunks().dictionary_encode(null_encoding="encode")
        codes.append(encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64))
        texts = encoded.dictionary.to_pylist()
        stars.append(texts.index(TOP) if TOP in texts else -1)
    table = np.stack(codes, axis=1) if codes else np.zeros((rows.num_rows, 0), dtype=np.int64)
    tuples, of, held = np.unique(table, axis=0, return_inverse=True, return_counts=True)
    small = held < k
    if all(star < 0 for star in stars):  # no blanks: both readings are the same
        alone = _numbers(small[of.reshape(-1)])
        return Exposure(alone, alone, blanks=False)
    fits = np.array(
        [int(held[_fitting(tuples, row, stars)].sum()) if flag else k
         for row, flag in zip(tuples, small, strict=True)]
    )  # fmt: skip
    of = of.reshape(-1)
    return Exposure(_numbers(small[of]), _numbers((fits < k)[of]))


def _fitting(
    tuples: NDArray[np.int64], row: NDArray[np.int64], stars: Sequence[int]
) -> NDArray[np.bool_]:
    """Which tuples could be the same as this one, blanks standing for anything."""
    fits = np.ones(len(tuples), dtype=np.bool_)
    for a, star in enumerate(stars):
        if row[a] != star:
            fits &= (tuples[:, a] == row[a]) | (tuples[:, a] == star)
    return fits


def _numbers(flags: NDArray[np.bool_]) -> tuple[int, ...]:
    return tuple((np.flatnonzero(flags) + 1).tolist())


def _rows(numbers: Sequence[int]) -> str:
    if not numbers:
        return "no row has"
    listed = ", ".join(map(str, numbers[:SHOWN]))
    more = f" and {len(numbers) - SHOWN:,} more" if len(numbers) > SHOWN else ""
    if len(numbers) == 1:
        return f"row {listed} of the release has"
    return f"rows {listed}{more} of the release have"
