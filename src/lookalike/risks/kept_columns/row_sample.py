"""A part of a very large table, as blocks of rows from evenly spread places.

Screening needs all columns at once, which does not fit in memory for hundreds of millions of rows.
In a sample groups are smaller than in the table, so the rows at risk are an upper limit in
proportion; relations that hold in the table hold in the sample.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from lookalike.tables.open import open_table
from lookalike.tables.table import Table

MAX_ROWS = 3_000_000  # rows that are screened; about 1 GB with 30 columns
BLOCKS = 10
NUMERIC = ("int", "float", "double", "decimal", "real", "number", "numeric")  # in names of types


def screened_rows(table: Table, names: Sequence[str]) -> Table:
    """The table itself, or a sample of its rows over these columns if it is very large."""
    rows = table.rows()
    if rows <= MAX_ROWS:
        return table
    size = MAX_ROWS // BLOCKS
    starts = [block * (rows - size) // (BLOCKS - 1) for block in range(BLOCKS)]
    blocks = pa.concat_tables([table.text_rows(names, start, size) for start in starts])
    columns = [
        _numbers(blocks.column(i)) if _is_numeric(table.types[name]) else blocks.column(i)
        for i, name in enumerate(names)
    ]
    return open_table(pa.table(columns, names=list(names)))


def _is_numeric(kind: str) -> bool:
    return any(word in kind.lower() for word in NUMERIC)


def _numbers(texts: Any) -> Any:
    """The texts as integers, or else as floats, or else as they are."""
    for kind in (pa.int64(), pa.float64()):
        try:
            return texts.cast(kind)
        except pa.ArrowInvalid:
            continue
    return texts
