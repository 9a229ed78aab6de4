"""A page of a table: some of its rows as they are stored, every cell as text, for people to read.

The engine skips the rows before them. A CSV file is read up to there each time: a million rows of
eight columns take a quarter of a second. Of Parquet, a database or a frame only the page is made.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from lookalike.errors import Fault, TableError
from lookalike.tables.column_names import positions
from lookalike.tables.sql.relation import Rows
from lookalike.tables.sql.sql_table import SqlTable
from lookalike.tables.table import Table


def page(table: Table, start: int, rows: int, columns: Sequence[str] | None = None) -> Any:
    """A pyarrow table: rows ``start`` … ``start + rows - 1``, counted from 0, fewer at the end.

    Columns have their names and are text; null stays null. It shows what is in the table: who may
    see the page may see the table.
    """
    if start < 0 or rows < 0:
        raise ValueError(f"rows {start} to {start + rows}: a page begins at 0 or later")
    names = tuple(table.columns if columns is None else columns)
    positions(table.columns, names, table.name)
    if not names:
        return pa.table({})
    found = _stretch(table, names, start, rows)
    return pa.table([column.cast(pa.string()) for column in found.columns], names=list(names))


def _stretch(table: Table, names: Sequence[str], start: int, rows: int) -> Any:
    """The rows from whatever holds them; a table may hold another."""
    from lookalike.tables.frames.eager import FrameTable
    from lookalike.tables.frames.lazy import LazyTable
    from lookalike.tables.packed.table import CodedFile, CodedRelease

    if isinstance(table, LazyTable):
        return _stretch(table.inner, names, start, rows)
    if isinstance(table, CodedFile):
        return _stretch(table.plain, names, start, rows)
    if isinstance(table, CodedRelease):
        return table.stretch(names, start, rows)
    if isinstance(table, FrameTable):
        return _of_rows(table.in_duckdb(names), names, start, rows)
    if isinstance(table, SqlTable):
        return _of_rows(table.content, names, start, rows)
    problem = f"pages of a table of this kind ({table.kind}) cannot be shown"
    raise TableError(Fault(table.name, problem, "write it to a .parquet file, and open that"))


def _of_rows(rows: Rows, names: Sequence[str], start: int, count: int) -> Any:
    from lookalike.tables.duckdb.engine import each

    one_by_one = each(rows)
    shown = one_by_one.texts(names)
    return one_by_one.engine.stretch(one_by_one.relation, shown, start, count, rows.where)
