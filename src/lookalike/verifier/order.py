"""Does the order of the released rows tell anything? It does not if it follows from the rows alone.

A release is sorted by every released column. Cells are seen as text here, while the engine sorted
them as what they are: so a column counts as sorted if its numbers are, or its text is.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from lookalike.tables.table import Table
from lookalike.verifier.finding import Finding

Ranks = NDArray[np.int64]


def sorted_rows(released: Table) -> Finding:
    """Are the rows sorted by the first column, ties by the second, and so on, nulls last?"""
    rows = released.text_rows(released.columns, runs=True)
    tied = np.ones(max(0, rows.num_rows - 1), dtype=np.bool_)  # with the row before, so far
    holds = True
    for name in rows.column_names:
        by_text, by_number = _ranks(rows.column(name).combine_chunks())
        steps = [np.diff(ranks)[tied] for ranks in (by_text, by_number) if ranks is not None]
        holds = holds and any((step >= 0).all() for step in steps)
        tied &= np.diff(by_text) == 0
    if holds:
        return Finding("order", True, "The rows are sorted, so their order tells nothing.")
    return Finding("order", False, "The rows are not sorted: their order may tell something.")


def _ranks(column: Any) -> tuple[Ranks, Ranks | None]:
    """The rank of each cell among the distinct ones, by text and, if all are numbers, by value."""
    encoded = column.dictionary_encode(null_encoding="encode")
    distinct = encoded.dictionary
    codes = encoded.indices.to_numpy(zero_copy_only=False)
    by_text = _rank(distinct)[codes]
    try:
        numbers = distinct.cast(pa.float64())
    except pa.ArrowInvalid:
        return by_text, None
    return by_text, _rank(numbers)[codes]


def _rank(distinct: Any) -> Ranks:
    order = pc.array_sort_indices(distinct).to_numpy()  # nulls last
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return rank
