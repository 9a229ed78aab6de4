"""Rows of a released table that fewer than k rows match, where ``*`` is read in two ways.

A ``*`` may count as a value of its own, or as a wildcard that could be any value. Rows that match
in the first reading also match in the second. Rows are compared with rows, by the cells that both
show; this says nothing about single people.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.level_table import TOP
from lookalike.tables.table import Table
from lookalike.verifier.rows.text_codes import encoded

MAX_LISTED = 10  # row numbers in a sentence


@dataclass(frozen=True, slots=True)
class Exposure:
    """Row numbers in the released table, the first row being 1."""

    as_own: tuple[int, ...]  # exposed if * is a value of its own
    as_wildcard: tuple[int, ...]  # exposed even if * is a wildcard
    stars: bool = True  # does the table show any *?

    def sentence(self, k: int) -> str:
        """In words."""
        if not self.stars:
            return f"{_match(self.as_own).capitalize()} fewer than {k} rows (a row matches itself)"
        return (
            f"If * counts as a value of its own, {_match(self.as_own)} fewer than {k} rows; if * "
            f"may stand for any value, {_match(self.as_wildcard)} fewer than {k} rows (a row "
            "matches itself; rows are compared by the cells that both show; people are not counted)"
        )


def exposed_rows(released: Table, columns: Sequence[str], k: int) -> Exposure:
    """Rows that fewer than k rows match, in each of the two readings."""
    rows = released.text_rows(columns)
    codes, stars = [], []
    for name in rows.column_names:
        column, texts = encoded(rows.column(name).combine_chunks())
        codes.append(column)
        stars.append(texts.index(TOP) if TOP in texts else -1)
    table = np.stack(codes, axis=1) if codes else np.zeros((rows.num_rows, 0), dtype=np.int64)
    tuples, of, sizes = np.unique(table, axis=0, return_inverse=True, return_counts=True)
    of = of.reshape(-1)
    small = sizes < k
    if all(star < 0 for star in stars):  # no *: both readings are the same
        exposed = _numbers(small[of])
        return Exposure(exposed, exposed, stars=False)
    matches = np.array(
        [int(sizes[_matching(tuples, row, stars)].sum()) if flag else k
         for row, flag in zip(tuples, small, strict=True)]
    )  # fmt: skip
    return Exposure(_numbers(small[of]), _numbers((matches < k)[of]))


def _matching(
    tuples: NDArray[np.int64], row: NDArray[np.int64], stars: Sequence[int]
) -> NDArray[np.bool_]:
    """Which tuples could be the same as this one, where ``*`` stands for any value."""
    matching = np.ones(len(tuples), dtype=np.bool_)
    for a, star in enumerate(stars):
        if row[a] != star:
            matching &= (tuples[:, a] == row[a]) | (tuples[:, a] == star)
    return matching


def _numbers(flags: NDArray[np.bool_]) -> tuple[int, ...]:
    return tuple((np.flatnonzero(flags) + 1).tolist())


def _match(numbers: Sequence[int]) -> str:
    if not numbers:
        return "no row matches"
    listed = ", ".join(map(str, numbers[:MAX_LISTED]))
    more = f" and {len(numbers) - MAX_LISTED:,} more" if len(numbers) > MAX_LISTED else ""
    if len(numbers) == 1:
        return f"row {listed} matches"
    return f"rows {listed}{more} match"
