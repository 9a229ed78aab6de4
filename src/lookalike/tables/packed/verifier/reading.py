"""Read a table into packed text once more, for the verifier: by the hashes that DuckDB computes.

The search got its codes from another reader, so an error in either reader shows. The distinct cells
of each column are listed: by the reader of the search, by the writer of a release, or by DuckDB.
DuckDB then reads the table and returns a hash of every cell, computed once for each entry of a
dictionary. The hashes of the listed cells give the code. A cell that is not in the list has a hash
that is not there either, except with a probability of 2^-64; then the list was wrong.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event
from typing import Any

import numpy as np
import pyarrow as pa

from lookalike.tables.duckdb.engine import DUCKDB, cell_texts
from lookalike.tables.duckdb.error_messages import translate_errors
from lookalike.tables.duckdb.session import shared_connection
from lookalike.tables.engine_progress import Step
from lookalike.tables.packed.bit_layout import Words
from lookalike.tables.packed.threads import run_in_threads
from lookalike.tables.packed.verifier.text_columns import place_columns, word_count
from lookalike.tables.packed.verifier.text_table import TextTable
from lookalike.tables.sql.relation import Rows

BATCH_ROWS = 1 << 18
MAX_CELLS = 1 << 22  # distinct cells of a column


class CannotPack(Exception):
    """A column has too many distinct cells."""


class UnlistedCell(CannotPack):
    """The table has a cell that is not in the list, or two listed cells have the same hash."""


class ReadingStopped(Exception):
    """Nobody needs the table any more."""


def list_cells(rows: Rows) -> list[Any]:
    """The distinct cells of each column, as Arrow arrays."""
    listed = []
    for i in range(len(rows.names)):
        distinct = rows.fetch(f"SELECT DISTINCT c{i} FROM t LIMIT {MAX_CELLS + 1}")
        if len(distinct) > MAX_CELLS:
            raise CannotPack
        listed.append(distinct.column(0).combine_chunks())
    return listed


def read_texts(
    rows: Rows, listed: Sequence[Any], stop: Event, workers: int, step: Step
) -> TextTable:
    """Read all columns of the rows, in the order they are stored.

    ``listed`` are the distinct cells of each column. ``workers`` threads pack what DuckDB reads.
    ReadingStopped once ``stop`` is set.
    """
    known = [_ListedCells(cells, rows.where) for cells in listed]
    columns = place_columns([cells.texts for cells in known])
    batches: dict[int, list[Words]] = {}  # by number; a batch is one array for each word

    def pack(number: int, batch: Any) -> None:
        words = [np.zeros(len(batch), np.uint64) for _ in range(word_count(columns))]
        for cells, hashes, column in zip(known, batch.columns, columns, strict=True):
            cells.add_codes(words[column.word], hashes, column.shift)
        batches[number] = words

    hashes = ", ".join(f"hash(c{i}) AS c{i}" for i in range(len(listed)))
    with translate_errors(rows.where), ThreadPoolExecutor(workers) as pool:
        reader = rows.query(f"SELECT {hashes} FROM t").relation.to_arrow_reader(BATCH_ROWS)
        waiting: deque[Future[None]] = deque()
        for number, batch in enumerate(reader):
            waiting.append(pool.submit(pack, number, batch))
            step.add(len(batch))
            if len(waiting) > 2 * workers:
                waiting.popleft().result()
            if stop.is_set():
                raise ReadingStopped
        for work in waiting:
            work.result()
    words = _join_batches(batches, word_count(columns))
    return TextTable(rows.where, rows.names, columns, words)


def _join_batches(batches: dict[int, list[Words]], words: int) -> list[Words]:
    """One batch after the other; each is dropped, so that rows are not in memory twice."""
    order = sorted(batches)
    begins = np.cumsum([0, *(len(batches[number][0]) for number in order)]).tolist()
    whole = [np.empty(begins[-1], np.uint64) for _ in range(words)]

    def put(at: int) -> None:
        for word, part in zip(whole, batches.pop(order[at]), strict=True):
            word[begins[at] : begins[at + 1]] = part

    run_in_threads(put, range(len(order)))
    return whole


class _ListedCells:
    """The listed cells of one column, found by their hash."""

    def __init__(self, cells: Any, where: str) -> None:
        from lookalike.tables.packed.verifier.row_kernels import list_hashes

        self.texts = tuple(cell_texts(cells, where).to_pylist())
        relation = shared_connection().from_arrow(pa.table({"c": cells}))
        hashed = DUCKDB.fetch(DUCKDB.query(relation, "SELECT hash(c) AS h FROM t", where), where)
        self.up = np.uint64(62 - len(cells).bit_length())  # at most a quarter of the lines is used
        self.lines = np.zeros((1 << (64 - int(self.up)), 2), np.uint64)
        if not list_hashes(np.array(hashed.column("h")), self.up, self.lines):
            raise UnlistedCell

    def add_codes(self, words: Words, hashes: Any, shift: int) -> None:
        from lookalike.tables.packed.verifier.row_kernels import add_listed

        if not add_listed(hashes.to_numpy(), self.up, self.lines, np.uint64(shift), words):
            raise UnlistedCell
