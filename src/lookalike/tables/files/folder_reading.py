"""Read a folder of Parquet files as it was written: the order of its files and columns.

A folder in it called ``sex=f`` has the rows with this cell, and its files lack the column. Such a
column is read last and as text, so each file notes the order of the columns.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

import pyarrow.parquet as pq

from lookalike.tables.duckdb.table import DuckDBTable
from lookalike.tables.sql import row_order
from lookalike.tables.sql.relation import Rows, numbered
from lookalike.tables.table import Table

NULL = "__HIVE_DEFAULT_PARTITION__"
NOTE = "lookalike.columns"


@dataclass(frozen=True, slots=True, eq=False)
class HiveTable(DuckDBTable):
    """Rows in folders that are columns: sorted by these first, then by the others."""

    folders: tuple[str, ...] = ()

    def count_out_of_order(self) -> list[tuple[int, int | None]]:
        others = [name for name in self.columns if name not in self.folders]
        return row_order.count_out_of_order(_reorder(self.content, (*self.folders, *others)))


def sort_files(folder: Path, files: Sequence[Path]) -> list[Path]:
    """Sort files by the cells of their folders, nulls last, then by name.

    By name alone, ``a=%7Cb`` would come before ``a=b``, and a null between others.
    """
    return sorted(files, key=lambda file: [_cell(part) for part in file.relative_to(folder).parts])


def _cell(part: str) -> tuple[bool, str]:
    _, hive, text = part.partition("=")
    return (text == NULL, unquote(text)) if hive else (False, part)


def restore_column_order(table: Table, folder: Path, files: Sequence[Path]) -> Table:
    """The table with its columns in the order that a file notes, if it does."""
    parts = files[0].relative_to(folder).parts[:-1]
    folders = tuple(part.partition("=")[0] for part in parts if "=" in part)
    if not folders or not isinstance(table, DuckDBTable):
        return table
    content = _reorder(table.content, _noted_order(files[0], table.columns))
    return HiveTable(table.kind, content, table.scratch, path=table.path, folders=folders)


def _noted_order(file: Path, columns: tuple[str, ...]) -> tuple[str, ...]:
    """The order in the file's note, if it has the same columns."""
    note = (pq.read_metadata(file).metadata or {}).get(NOTE.encode())
    with suppress(ValueError, TypeError):
        order = tuple(json.loads(note or b"null"))
        if sorted(order) == sorted(columns):
            return order
    return columns


def _reorder(rows: Rows, names: tuple[str, ...]) -> Rows:
    """The same rows, their columns in another order."""
    shown = numbered(f"c{at}" for at in rows.positions(names))
    return rows.query(f"SELECT {shown} FROM t").rename(names)
