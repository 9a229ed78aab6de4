"""Unsorted matching: does row i of the release fit row i of another table more often than chance?

Under a random order, of a table of fits a(i, j) with N rows, row sums r, column sums c and sum S,
S / N rows are expected to fit the row in their own place, with the variance (Hoeffding 1951)
(S − Σr²/N − Σc²/N + S²/N²) / (N − 1). A release whose rows are sorted says nothing by their order
that its cells do not say.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.attacking.record_linkage import Link
from lookalike.tables.table import Table

Whole = NDArray[np.int64]
MOST = 5_000_000  # rows that are fetched to be looked at one by one
MUCH = 5.0  # standard deviations


@dataclass(frozen=True, slots=True)
class RowOrder:
    """What the order of the rows gives away."""

    table: str  # the other one
    rows: int
    fit: int  # rows that fit the row in the same place
    expected: float  # if the order were random
    deviations: float  # how far that is above what was expected, in standard deviations
    sorted: bool  # are the release's rows sorted?

    @property
    def gives_away(self) -> bool:
        return not self.sorted and self.deviations > MUCH


def row_order(
    release: Table, other: Table, on: Sequence[tuple[str, str]], link: Link
) -> RowOrder | None:
    """None if the tables have not as many rows, or too few or many to tell."""
    rows = link.meeting.release.rows
    if rows != link.meeting.outsiders.rows or not 2 <= rows <= MOST:
        return None
    fits = np.ones(rows, dtype=np.bool_)
    ours = _codes(release, [name for name, _ in on])
    theirs = _codes(other, [name for _, name in on])
    for fit, labels, values in zip(link.meeting.fits, ours, theirs, strict=True):
        fits &= fit.lookup()(fit.kind[values], labels)
    expected, deviation = _by_chance(link)
    found = int(fits.sum())
    above = found - expected
    return RowOrder(
        table=other.name,
        rows=rows,
        fit=found,
        expected=expected,
        deviations=above / deviation if deviation > 0 else 0.0,
        sorted=all(
            not min(count for count in counts if count is not None)
            for counts in release.count_out_of_order()
        ),
    )


def _by_chance(link: Link) -> tuple[float, float]:
    """What is expected, and its standard deviation; sums in whole numbers, which are large."""
    rows = link.meeting.release.rows
    people = link.people.tolist()
    total = sum(n * r for n, r in zip(people, link.fitting.tolist(), strict=True))
    squares = sum(n * r * r for n, r in zip(people, link.fitting.tolist(), strict=True))
    counts, fitted = link.meeting.release.counts.tolist(), link.fitted.tolist()
    squares += sum(n * c * c for n, c in zip(counts, fitted, strict=True))
    variance = (total * rows * rows - squares * rows + total * total) / (rows * rows * (rows - 1))
    return total / rows, math.sqrt(max(0.0, variance))


def _codes(table: Table, names: Sequence[str]) -> list[Whole]:
    """Every row in the order stored, column by column, as places among the column's values."""
    cells = table.text_rows(names)
    return [_places(cells.column(at), table.text_codes(name)) for at, name in enumerate(names)]


def _places(column: Any, texts: Mapping[str | None, int]) -> Whole:
    encoded = column.combine_chunks().dictionary_encode(null_encoding="encode")
    of_text = np.array([texts[one] for one in encoded.dictionary.to_pylist()], dtype=np.int64)
    found: Whole = of_text[encoded.indices.to_numpy(zero_copy_only=False)]
    return found
