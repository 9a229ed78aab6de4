"""Read a table into packed text once more, when another reader has listed its distinct cells.

DuckDB reads the file and returns a hash of every cell, computed once for each entry of a
dictionary. The hashes of the listed cells give the code. A cell that is not in the list has a hash
that is not there either, except with a probability of 2^-64; then the list was wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import Event
from typing import Any

import numpy as np
import pyarrow as pa

from lookalike.tables.duckdb.engine import DUCKDB
from lookalike.tables.duckdb.session import shared_connection
from lookalike.tables.engine_progress import Step
from lookalike.tables.packed.bit_layout import Words
from lookalike.tables.packed.verifier.reading import join_batches, read_batches
from lookalike.tables.packed.verifier.text_columns import Text, place_columns, word_count
from lookalike.tables.packed.verifier.text_table import TextTable
from lookalike.tables.sql.relation import Rows


class UnlistedCell(Exception):
    """The table has a cell that is not in the list, or two listed cells have the same hash."""


def read_listed(
    rows: Rows, listed: Sequence[Any], stop: Event, workers: int, step: Step
) -> TextTable:
    """Read all columns of the rows, in the order they are stored.

    ``listed`` are the distinct cells of each column. ``workers`` threads pack what DuckDB reads.
    ReadingStopped once ``stop`` is set.
    """
    known = [_ListedCells(rows, i, cells) for i, cells in enumerate(listed)]
    columns = place_columns([cells.texts for cells in known])
    batches: dict[int, list[Words]] = {}

    def add(number: int, batch: Any) -> None:
        words = [np.zeros(len(batch), np.uint64) for _ in range(word_count(columns))]
        for cells, hashes, column in zip(known, batch.columns, columns, strict=True):
            cells.add_codes(words[column.word], hashes, column.shift)
        batches[number] = words

    hashes = ", ".join(f"hash(c{i}) AS c{i}" for i in range(len(listed)))
    read_batches(rows, hashes, add, workers, step, stop)
    return TextTable(rows.where, rows.names, columns, join_batches(batches, columns))


class _ListedCells:
    """The listed cells of one column, found by their hash."""

    def __init__(self, rows: Rows, place: int, cells: Any) -> None:
        from lookalike.tables.packed.verifier.row_kernels import list_hashes

        hashes, self.texts = _hashes_and_texts(rows, place, cells)
        self.up = np.uint64(62 - len(hashes).bit_length())  # at most a quarter of the lines is used
        self.lines = np.zeros((1 << (64 - int(self.up)), 2), np.uint64)
        if not list_hashes(hashes, self.up, self.lines):
            raise UnlistedCell

    def add_codes(self, words: Words, hashes: Any, shift: int) -> None:
        from lookalike.tables.packed.verifier.row_kernels import add_listed

        if not add_listed(hashes.to_numpy(), self.up, self.lines, np.uint64(shift), words):
            raise UnlistedCell


def _hashes_and_texts(rows: Rows, place: int, cells: Any) -> tuple[Words, tuple[Text, ...]]:
    """The hash of each cell of a column, and how DuckDB writes it."""
    table = shared_connection().from_arrow(pa.table({"c": cells}))
    sql = f"SELECT hash(c) AS h, {rows.engine.cells.text('c', rows.types()[place])} AS s FROM t"
    both = DUCKDB.fetch(DUCKDB.query(table, sql, rows.where), rows.where)
    return np.array(both.column("h")), tuple(both.column("s").to_pylist())
