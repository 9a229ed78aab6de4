"""Unsorted matching: does row i of the release fit row i of another table too often for chance?

Let a(i, j) be 1 if row i of the release fits row j, with N rows, row sums r, column sums c and sum
S. In a random order, S / N rows are expected to fit the row in their own place, with the variance
(Hoeffding 1951) (S − Σr²/N − Σc²/N + S²/N²) / (N − 1). The order of a sorted release reveals
nothing that its cells do not reveal.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.attacking.record_linkage import Linkage
from lookalike.tables.table import Table

Whole = NDArray[np.int64]
MAX_ROWS = 5_000_000  # rows that are fetched and checked one by one
MAX_DEVIATIONS = 5.0  # standard deviations; more cannot be chance


@dataclass(frozen=True, slots=True)
class RowOrder:
    """What the order of the rows reveals."""

    table: str  # the other one
    rows: int
    fit: int  # rows that fit the row in the same place
    expected: float  # if the order were random
    deviations: float  # how far ``fit`` exceeds ``expected``, in standard deviations
    sorted: bool  # are the release's rows sorted?

    @property
    def gives_away(self) -> bool:
        """Does the order reveal more than chance explains?"""
        return not self.sorted and self.deviations > MAX_DEVIATIONS


def row_order(
    release: Table, other: Table, on: Sequence[tuple[str, str]], link: Linkage
) -> RowOrder | None:
    """None if the tables differ in their number of rows, or have too few or too many rows."""
    rows = link.meeting.release.rows
    if rows != link.meeting.outsiders.rows or not 2 <= rows <= MAX_ROWS:
        return None
    fits = np.ones(rows, dtype=np.bool_)
    ours = _codes(release, [name for name, _ in on])
    theirs = _codes(other, [name for _, name in on])
    for match, labels, values in zip(link.meeting.fits, ours, theirs, strict=True):
        fits &= match.lookup()(match.kind[values], labels)
    expected, deviation = _by_chance(link)
    fit = int(fits.sum())
    return RowOrder(
        table=other.name,
        rows=rows,
        fit=fit,
        expected=expected,
        deviations=(fit - expected) / deviation if deviation > 0 else 0.0,
        sorted=all(0 in counts for counts in release.count_out_of_order()),
    )


def _by_chance(link: Linkage) -> tuple[float, float]:
    """The expected fits and their standard deviation; sums are Python ints, as they are large."""
    rows = link.meeting.release.rows
    people = link.people.tolist()
    total = sum(n * r for n, r in zip(people, link.fitting.tolist(), strict=True))
    squares = sum(n * r * r for n, r in zip(people, link.fitting.tolist(), strict=True))
    counts, fitted = link.meeting.release.counts.tolist(), link.fitted.tolist()
    squares += sum(n * c * c for n, c in zip(counts, fitted, strict=True))
    variance = (total * rows * rows - squares * rows + total * total) / (rows * rows * (rows - 1))
    return total / rows, math.sqrt(max(0.0, variance))


def _codes(table: Table, names: Sequence[str]) -> list[Whole]:
    """For each column, every row in the order stored, as its place among the column's values."""
    cells = table.text_rows(names)
    return [_places(cells.column(at), table.text_codes(name)) for at, name in enumerate(names)]


def _places(column: Any, texts: Mapping[str | None, int]) -> Whole:
    encoded = column.combine_chunks().dictionary_encode(null_encoding="encode")
    of_text = np.array([texts[cell] for cell in encoded.dictionary.to_pylist()], dtype=np.int64)
    places: Whole = of_text[encoded.indices.to_numpy(zero_copy_only=False)]
    return places
