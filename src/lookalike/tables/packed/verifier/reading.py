"""Read a table into packed text once more, for the verifier: by DuckDB, checking every code.

The search got its codes from another reader, so an error in either reader shows.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lookalike.tables.duckdb.engine import DUCKDB
from lookalike.tables.duckdb.error_messages import translate_errors
from lookalike.tables.duckdb.session import shared_connection
from lookalike.tables.engine_progress import Step
from lookalike.tables.packed.bit_layout import Words
from lookalike.tables.packed.interning import InternedCells, can_intern
from lookalike.tables.packed.threads import run_in_threads, threads
from lookalike.tables.packed.verifier.text_columns import TextColumn, place_columns, word_count
from lookalike.tables.packed.verifier.text_table import TextTable
from lookalike.tables.sql.relation import Rows

BATCH_ROWS = 1 << 18
MAX_CELLS = 1 << 22  # distinct cells of a column


class CannotPack(Exception):
    """A column has a type, or too many distinct cells, that cannot be numbered."""


class ReadingStopped(Exception):
    """Nobody needs the table any more."""


def read_texts(rows: Rows, step: Step) -> TextTable:
    """Read all columns of the rows, in the order they are stored."""
    columns = ", ".join(f"c{i}" for i in range(len(rows.names)))
    types = rows.fetch(f"SELECT {columns} FROM t LIMIT 0").schema.types
    if not all(map(can_intern, types)):
        raise CannotPack
    packing = _Packing([_NumberedCells(kind) for kind in types])
    read_batches(rows, columns, packing.add, threads(), step)
    return packing.pack(rows)


def read_batches(
    rows: Rows,
    columns: str,
    use: Callable[[int, Any], None],
    workers: int,
    step: Step,
    stop: Event | None = None,
) -> None:
    """Call ``use`` in threads with the number of each batch and the batch, as DuckDB reads them.

    ReadingStopped once ``stop`` is set.
    """
    with translate_errors(rows.where), ThreadPoolExecutor(workers) as pool:
        reader = rows.query(f"SELECT {columns} FROM t").relation.to_arrow_reader(BATCH_ROWS)
        waiting: deque[Future[None]] = deque()
        for number, batch in enumerate(reader):
            waiting.append(pool.submit(use, number, batch))
            step.add(len(batch))
            if len(waiting) > 2 * workers:
                waiting.popleft().result()
            if stop is not None and stop.is_set():
                raise ReadingStopped
        for work in waiting:
            work.result()


class _NumberedCells:
    """The distinct cells of a column, numbered as they come; null is numbered after all others."""

    def __init__(self, kind: Any) -> None:
        self.interned = InternedCells(kind, MAX_CELLS)
        self.null = False

    def numbers(self, cells: Any) -> NDArray[Any]:
        """The number of each cell in as few bytes as possible; null is the largest number."""
        present = cells.drop_null() if cells.null_count else cells
        numbers = self.interned.numbers(present, False)
        if self.interned.full:
            raise CannotPack
        if not self.interned.are_numbers_of(present, numbers):
            raise AssertionError("a cell was given the number of another")
        size = self.interned.size
        largest = 255 if size < 255 else 65535 if size < 65535 else 2**32 - 1
        short = numbers.astype(np.min_scalar_type(largest))
        if not cells.null_count:
            return short
        self.null = True
        whole = np.full(len(cells), largest, dtype=short.dtype)
        whole[cells.is_valid().to_numpy(zero_copy_only=False)] = short
        return whole

    def cells(self) -> Any:
        cells = self.interned.by_number()
        return pa.concat_arrays([cells, pa.nulls(1, cells.type)]) if self.null else cells


def duckdb_texts(rows: Rows, place: int, cells: Any) -> tuple[str | None, ...]:
    """How DuckDB writes cells of the column at this position."""
    if not len(cells):
        return ()
    table = shared_connection().from_arrow(pa.table({"c": cells}))
    sql = f"SELECT {rows.engine.cells.text('c', rows.types()[place])} AS s FROM t"
    shown = DUCKDB.fetch(DUCKDB.query(table, sql, rows.where), rows.where)
    return tuple(shown.column("s").to_pylist())


class _Packing:
    """Batches of numbers, packed when it is known how many bits each column takes."""

    def __init__(self, numbered: Sequence[_NumberedCells]) -> None:
        self.numbered = numbered
        self.batches: dict[int, list[NDArray[Any]]] = {}

    def add(self, number: int, batch: Any) -> None:
        columns = zip(self.numbered, batch.columns, strict=True)
        self.batches[number] = [cells.numbers(column) for cells, column in columns]

    def pack(self, rows: Rows) -> TextTable:
        """Batches are dropped as they are packed, so that rows are not in memory twice."""
        texts = [duckdb_texts(rows, i, cells.cells()) for i, cells in enumerate(self.numbered)]
        columns = place_columns(texts)
        run_in_threads(lambda at: self._pack_batch(at, columns), list(self.batches))
        return TextTable(rows.where, rows.names, columns, join_batches(self.batches, columns))

    def _pack_batch(self, at: int, columns: Sequence[TextColumn]) -> None:
        batch = self.batches[at]
        words = [np.zeros(len(batch[0]), np.uint64) for _ in range(word_count(columns))]
        for column, numbers, cells in zip(columns, batch, self.numbered, strict=True):
            codes = numbers.astype(np.uint64)
            if cells.null:
                codes[numbers == (1 << (8 * numbers.itemsize)) - 1] = cells.interned.size
            words[column.word] |= codes << np.uint64(column.shift)
        self.batches[at] = words


def join_batches(batches: dict[int, list[Words]], columns: Sequence[TextColumn]) -> list[Words]:
    """One batch after the other; each is dropped, so that rows are not in memory twice."""
    order = sorted(batches)
    begins = np.cumsum([0, *(len(batches[at][0]) for at in order)]).tolist()
    whole = [np.empty(begins[-1], np.uint64) for _ in range(word_count(columns))]

    def put(at: int) -> None:
        for word, part in zip(whole, batches.pop(order[at]), strict=True):
            word[begins[at] : begins[at + 1]] = part

    run_in_threads(put, range(len(order)))
    return whole
