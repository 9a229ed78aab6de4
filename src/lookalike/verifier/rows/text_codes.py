"""Cells of Arrow columns as numbers: equal numbers for equal texts, of which a null is one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lookalike.verifier.claim.group_classes import Whole, alike


def encoded(cells: Any) -> tuple[Whole, list[str | None]]:
    """The number of each cell's text, and the distinct texts."""
    column = cells.dictionary_encode(null_encoding="encode")
    codes = column.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    return codes, column.dictionary.to_pylist()


def classes_of(rows: Any, places: Sequence[str]) -> Whole:
    """(rows,) the class of each row, by the columns at ``places``."""
    columns = [encoded(rows.column(place).combine_chunks())[0] for place in places]
    return alike(columns, rows.num_rows)
