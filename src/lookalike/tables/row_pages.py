"""A page of a table: some of its rows in the order they are stored, every cell as text.

The engine skips the rows before the page. A CSV file is read up to the page each time: a million
rows of eight columns take a quarter of a second. From Parquet, a database or a frame only the page
is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from lookalike.tables.column_names import positions
from lookalike.tables.table import Table


def page(table: Table, start: int, rows: int, columns: Sequence[str] | None = None) -> Any:
    """Return the rows ``start`` … ``start + rows - 1``, counted from 0; fewer at the end.

    A pyarrow table of text columns with their names; null stays null. It shows cells of the table,
    so only those who may see the table may see it.
    """
    if start < 0 or rows < 0:
        raise ValueError(f"rows {start} to {start + rows}: a page begins at 0 or later")
    names = tuple(table.columns if columns is None else columns)
    positions(table.columns, names, table.name)
    if not names:
        return pa.table({})
    return table.text_rows(names, start, rows).rename_columns(list(names))
