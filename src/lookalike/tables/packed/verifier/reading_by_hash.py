"""A table to codes once more, for the verifier, when another reader has listed its distinct cells.

DuckDB reads the file and hands over a hash of every cell, which it works out once for each entry of
a dictionary; the hashes of the cells listed say which code that is. A cell that is not in the list
has a hash that is not there either, but for a chance of one in 2^64; then the list was wrong.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event
from typing import Any

import numpy as np
import pyarrow as pa

from lookalike.tables.duckdb.engine import DUCKDB
from lookalike.tables.duckdb.error_messages import translate_errors
from lookalike.tables.duckdb.session import shared_connection
from lookalike.tables.engine_progress import Step
from lookalike.tables.packed.bit_layout import Words
from lookalike.tables.packed.verifier.reading import columns_of, joined, words_of
from lookalike.tables.packed.verifier.text_table import CodedText, Text
from lookalike.tables.sql.relation import Rows

STRETCH = 1 << 18


class NotListed(Exception):
    """The table has a cell that is not in the list, or two that are have the same hash."""


class Stopped(Exception):
    """Nobody needs it any more."""


def read_listed(rows: Rows, listed: Sequence[Any], stop: Event, many: int, step: Step) -> CodedText:
    """All columns of the rows, in the order they are stored; ``listed`` are the cells of each.

    So ``many`` threads pack what DuckDB reads. Another may ``stop`` it.
    """
    known = [_Known(rows, i, cells) for i, cells in enumerate(listed)]
    columns = columns_of([one.texts for one in known])
    stretches: dict[int, list[Words]] = {}

    def take(number: int, batch: Any) -> None:
        words = [np.zeros(len(batch), np.uint64) for _ in range(words_of(columns))]
        for one, hashes, column in zip(known, batch.columns, columns, strict=True):
            one.add_to(words[column.word], hashes, column.shift)
        stretches[number] = words

    hashes = ", ".join(f"hash(c{i}) AS c{i}" for i in range(len(listed)))
    with translate_errors(rows.where), ThreadPoolExecutor(many) as pool:
        reader = rows.query(f"SELECT {hashes} FROM t").relation.to_arrow_reader(STRETCH)
        waiting: deque[Future[None]] = deque()
        for number, batch in enumerate(reader):
            waiting.append(pool.submit(take, number, batch))
            step.add(len(batch))
            if len(waiting) > 2 * many:
                waiting.popleft().result()
            if stop.is_set():
                raise Stopped
        for one in waiting:
            one.result()
    return CodedText(rows.where, rows.names, columns, joined(stretches, columns))


class _Known:
    """The cells of one column, found by their hash."""

    def __init__(self, rows: Rows, place: int, cells: Any) -> None:
        from lookalike.tables.packed.verifier.row_kernels import list_hashes

        hashes, self.texts = _shown(rows, place, cells)
        self.up = np.uint64(62 - len(hashes).bit_length())  # at most a quarter of the lines is used
        self.lines = np.zeros((1 << (64 - int(self.up)), 2), np.uint64)
        if not list_hashes(hashes, self.up, self.lines):
            raise NotListed

    def add_to(self, words: Words, hashes: Any, shift: int) -> None:
        from lookalike.tables.packed.verifier.row_kernels import add_listed

        if not add_listed(hashes.to_numpy(), self.up, self.lines, np.uint64(shift), words):
            raise NotListed


def _shown(rows: Rows, place: int, cells: Any) -> tuple[Words, tuple[Text, ...]]:
    """The hash of each cell of a column, and how DuckDB writes it."""
    shown = rows.engine.text("c", rows.kinds()[place])
    table = shared_connection().from_arrow(pa.table({"c": cells}))
    sql = f"SELECT hash(c) AS h, {shown} AS s FROM t"
    found = DUCKDB.fetch(DUCKDB.ask(table, sql, rows.where), rows.where)
    return np.array(found.column("h")), tuple(found.column("s").to_pylist())
