"""A table to codes once more, for the verifier: read by DuckDB, each code held against its cell.

The search has its codes from another reader; a fault of either shows.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lookalike.tables.duckdb.engine import DUCKDB
from lookalike.tables.duckdb.error_messages import translate_errors
from lookalike.tables.duckdb.session import shared_connection
from lookalike.tables.engine_progress import Step
from lookalike.tables.packed.bit_layout import Words
from lookalike.tables.packed.interning import Interned, suits
from lookalike.tables.packed.threads import each, threads
from lookalike.tables.packed.verifier.text_table import CodedText, Column, Text
from lookalike.tables.sql.relation import Rows

STRETCH = 1 << 18
MOST = 1 << 22  # distinct cells of a column
WORD = 64


class NotForCodes(Exception):
    """A column has a type, or too many distinct cells, that cannot be numbered."""


def read_texts(rows: Rows, step: Step) -> CodedText:
    """All columns of the rows, in the order they are stored."""
    width = len(rows.names)
    columns = ", ".join(f"c{i}" for i in range(width))
    with translate_errors(rows.where), ThreadPoolExecutor(threads()) as pool:
        reader = rows.query(f"SELECT {columns} FROM t").relation.to_arrow_reader(STRETCH)
        if not all(map(suits, reader.schema.types)):
            raise NotForCodes
        packing = _Packing([_Numbered(kind) for kind in reader.schema.types])
        waiting: deque[Future[None]] = deque()
        for number, batch in enumerate(reader):
            waiting.append(pool.submit(packing.take, number, batch))
            step.add(len(batch))
            if len(waiting) > 2 * threads():
                waiting.popleft().result()
        for one in waiting:
            one.result()
    return packing.packed(rows)


class _Numbered:
    """The distinct cells of a column, numbered as they come; a null is one more than all others."""

    def __init__(self, kind: Any) -> None:
        self.interned = Interned(kind, MOST)
        self.null = False

    def of(self, cells: Any) -> NDArray[Any]:
        """The number of each cell, in as few bytes as they need; of a null the largest there is."""
        there = cells.drop_null() if cells.null_count else cells
        numbers = self.interned.numbers(there, False)
        if self.interned.full:
            raise NotForCodes
        if not self.interned.listed(there, numbers):
            raise AssertionError("a cell was given the number of another")
        held = self.interned.held
        most = 255 if held < 255 else 65535 if held < 65535 else 2**32 - 1
        found = numbers.astype(np.min_scalar_type(most))
        if not cells.null_count:
            return found
        self.null = True
        whole = np.full(len(cells), most, dtype=found.dtype)
        whole[cells.is_valid().to_numpy(zero_copy_only=False)] = found
        return whole

    @property
    def held(self) -> int:
        return self.interned.held

    def cells(self) -> Any:
        listed = self.interned.by_number()
        return pa.concat_arrays([listed, pa.nulls(1, listed.type)]) if self.null else listed


def texts_of(rows: Rows, place: int, cells: Any) -> tuple[str | None, ...]:
    """How DuckDB writes cells of the column at this place."""
    if not len(cells):
        return ()
    table = shared_connection().from_arrow(pa.table({"c": cells}))
    shown = rows.engine.text("c", rows.kinds()[place])
    found = DUCKDB.fetch(DUCKDB.ask(table, f"SELECT {shown} AS s FROM t", rows.where), rows.where)
    return tuple(found.column("s").to_pylist())


class _Packing:
    """Stretches of rows, packed when the bits that columns take are known."""

    def __init__(self, numbered: Sequence[_Numbered]) -> None:
        self.numbered = numbered
        self.stretches: dict[int, list[NDArray[Any]]] = {}

    def take(self, number: int, batch: Any) -> None:
        columns = zip(self.numbered, batch.columns, strict=True)
        self.stretches[number] = [one.of(column) for one, column in columns]

    def packed(self, rows: Rows) -> CodedText:
        """Stretches are let go of as they are packed, so that rows are not held twice."""
        texts = [texts_of(rows, i, one.cells()) for i, one in enumerate(self.numbered)]
        columns = columns_of(texts)
        each(lambda at: self._pack(at, columns), list(self.stretches))
        return CodedText(rows.where, rows.names, columns, joined(self.stretches, columns))

    def _pack(self, at: int, columns: Sequence[Column]) -> None:
        """A null is the number after all others."""
        codes = self.stretches[at]
        words = [np.zeros(len(codes[0]), np.uint64) for _ in range(words_of(columns))]
        for column, of, one in zip(columns, codes, self.numbered, strict=True):
            whole = of.astype(np.uint64)
            if one.null:
                whole[of == (1 << (8 * of.itemsize)) - 1] = one.held
            words[column.word] |= whole << np.uint64(column.shift)
        self.stretches[at] = words


def columns_of(texts: Sequence[tuple[Text, ...]]) -> tuple[Column, ...]:
    """Where each column's codes will be, from the top of a word down.

    Not by the layout of the search: were that at fault, both would read the same wrong cells.
    """
    found, word, used = [], 0, 0
    for of in texts:
        bits = max(1, (len(of) - 1).bit_length())
        if used + bits > WORD:
            word, used = word + 1, 0
        used += bits
        found.append(Column(word, WORD - used, bits, of))
    return tuple(found)


def words_of(columns: Sequence[Column]) -> int:
    return max((column.word for column in columns), default=0) + 1


def joined(stretches: dict[int, list[Words]], columns: Sequence[Column]) -> list[Words]:
    """One after the other; each is let go of, so that rows are not held twice."""
    order = sorted(stretches)
    begins = np.cumsum([0, *(len(stretches[at][0]) for at in order)]).tolist()
    whole = [np.empty(begins[-1], np.uint64) for _ in range(words_of(columns))]

    def put(at: int) -> None:
        for word, part in zip(whole, stretches.pop(order[at]), strict=True):
            word[begins[at] : begins[at + 1]] = part

    each(put, range(len(order)))
    return whole
