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

from lookalike.tables.codes.interning import Interned, suits
from lookalike.tables.codes.layout import Words
from lookalike.tables.codes.texts import CodedText, Column
from lookalike.tables.codes.threads import each, threads
from lookalike.tables.duck_engine import DUCK, said_plainly, scratch
from lookalike.tables.rows import Rows

STRETCH = 1 << 18
MOST = 1 << 22  # distinct cells of a column
WORD = 64


class NotForCodes(Exception):
    """A column has a type, or too many distinct cells, that cannot be numbered."""


def read_texts(rows: Rows) -> CodedText:
    """All columns of the rows, in the order they are stored."""
    width = len(rows.names)
    columns = ", ".join(f"c{i}" for i in range(width))
    stretches: list[list[NDArray[Any]]] = []
    with said_plainly(rows.where), ThreadPoolExecutor(threads()) as pool:
        reader = rows.then(f"SELECT {columns} FROM t").relation.to_arrow_reader(STRETCH)
        if not all(map(suits, reader.schema.types)):
            raise NotForCodes
        numbered = [_Numbered(kind) for kind in reader.schema.types]
        waiting: deque[Future[list[Any]]] = deque()
        for batch in reader:
            waiting.append(pool.submit(_codes, batch, numbered))
            if len(waiting) > 2 * threads():
                stretches.append(waiting.popleft().result())
        stretches += [one.result() for one in waiting]
    texts = [texts_of(rows, i, one.cells()) for i, one in enumerate(numbered)]
    return _packed(rows, texts, stretches, [one.null for one in numbered])


def _codes(batch: Any, numbered: Sequence[_Numbered]) -> list[NDArray[Any]]:
    return [one.of(column) for one, column in zip(numbered, batch.columns, strict=True)]


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

    def cells(self) -> Any:
        listed = self.interned.by_number()
        return pa.concat_arrays([listed, pa.nulls(1, listed.type)]) if self.null else listed


def texts_of(rows: Rows, place: int, cells: Any) -> tuple[str | None, ...]:
    """How DuckDB writes cells of the column at this place."""
    if not len(cells):
        return ()
    table = scratch().from_arrow(pa.table({"c": cells}))
    shown = rows.engine.text("c", rows.kinds()[place])
    found = DUCK.fetch(DUCK.ask(table, f"SELECT {shown} AS s FROM t", rows.where), rows.where)
    return tuple(found.column("s").to_pylist())


def _packed(
    rows: Rows,
    texts: Sequence[tuple[str | None, ...]],
    stretches: list[list[NDArray[Any]]],
    null: Sequence[bool],
) -> CodedText:
    """Stretches are let go of as they are packed, so that rows are not held twice."""
    places, word, used = [], 0, 0
    for of in texts:
        bits = max(1, len(of) - 1).bit_length()
        if used + bits > WORD:
            word, used = word + 1, 0
        places.append(Column(word, used, bits, of))
        used += bits
    begins = np.cumsum([0, *(len(stretch[0]) for stretch in stretches)]).tolist()
    words: list[Words] = [np.zeros(begins[-1], dtype=np.uint64) for _ in range(word + 1)]

    def pack(at: int) -> None:
        codes, stretches[at] = stretches[at], []
        part = slice(begins[at], begins[at + 1])
        for column, of, has_null in zip(places, codes, null, strict=True):
            whole = of.astype(np.uint64)
            if has_null:
                whole[of == (1 << (8 * of.itemsize)) - 1] = len(column.texts) - 1
            words[column.word][part] |= whole << np.uint64(column.shift)

    each(pack, range(len(stretches)))
    return CodedText(rows.where, rows.names, tuple(places), words)
